/*
 * baseline.json, written and read: the description of a baseline, and each quantity of its runs as
 * an array.
 */
#include "baseline/store_internal.h"

#include "base/escape.h"
#include "base/mem.h"
#include "baseline/store.h"
#include "profile/counters.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The key of the SHA-256 of runs.stacks; in format 1, of runs.folded. */
#define HASH_KEY "runs_stacks_sha256"
#define FOLDED_HASH_KEY "runs_folded_sha256"
/* The key of the counters of runs; baselines of earlier versions have none. */
#define COUNTERS_KEY "counters"

#define INFO(member) FIELD_OF(struct baseline_info, member)
#define MACHINE(member) FIELD_OF(struct machine, member)

const struct field info_fields[] = {
	{INFO(format_version), FIELD_INT, FIELD_STORED},
	{INFO(tool_version), FIELD_TEXT, FIELD_STORED},
	{INFO(workload), FIELD_TEXT, FIELD_STORED},
	{INFO(metric), FIELD_TEXT, FIELD_STORED},
	{INFO(event), FIELD_TEXT, FIELD_STORED},
	{INFO(frequency_hz), FIELD_DOUBLE, FIELD_STORED},
	{INFO(unit), FIELD_TEXT, FIELD_STORED},
	{INFO(machine_class), FIELD_TEXT, FIELD_STORED},
	{INFO(program_hash), FIELD_HASH, FIELD_STORED},
	{INFO(workload_hash), FIELD_HASH, FIELD_STORED},
	{INFO(commit), FIELD_COMMIT, FIELD_STORED},
	{INFO(working_tree), FIELD_TEXT, FIELD_STORED | FIELD_LATER | FIELD_UNJUDGED},
	{INFO(data_digest), FIELD_TEXT, FIELD_STORED | FIELD_LATER | FIELD_UNJUDGED},
	{INFO(created), FIELD_TIME, FIELD_STORED},
	{"sessions", offsetof(struct baseline_info, nsessions), sizeof(uint32_t), FIELD_U32,
		FIELD_STORED},
	{INFO(disturbed_runs), FIELD_U32, FIELD_STORED | FIELD_LATER | FIELD_UNJUDGED},
	{INFO(counts), FIELD_TEXT, FIELD_STORED | FIELD_LATER | FIELD_UNJUDGED},
	{NULL, 0, 0, FIELD_BOOL, 0},
};

const struct field machine_fields[] = {
	{MACHINE(arch), FIELD_TEXT, FIELD_STORED},
	{MACHINE(cpu_model), FIELD_TEXT, FIELD_STORED},
	{MACHINE(cpus), FIELD_U32, FIELD_STORED},
	{MACHINE(kernel), FIELD_TEXT, FIELD_STORED},
	{MACHINE(os), FIELD_TEXT, FIELD_STORED},
	{MACHINE(hypervisor), FIELD_TEXT, FIELD_STORED},
	{MACHINE(memory_gib), FIELD_DOUBLE, FIELD_STORED},
	{NULL, 0, 0, FIELD_BOOL, 0},
};

/* Whole numbers up to 2^53 are the same in every JSON reader; larger ones are written as text. */
#define EXACT_MAX ((uint64_t)1 << 53)

/* Writing. */

/*
 * At most `size` - 1 bytes, so that the field can be read back: a byte that is no UTF-8 grows to
 * the three of U+FFFD.
 */
static cJSON *
text_item(const char *text, size_t size)
{
	struct buf clean = {0};

	escape_utf8(&clean, text, strlen(text));
	if (clean.len >= size) {
		clean.len = size - 1;
		/* Not in the middle of a character, whose bytes but the first are 10xxxxxx. */
		while (clean.len > 0 && ((unsigned char)clean.data[clean.len] & 0xc0) == 0x80)
			clean.len--;
		clean.data[clean.len] = '\0';
	}
	cJSON *item = cJSON_CreateString(buf_text(&clean));

	buf_release(&clean);
	return item;
}

/* cJSON's own numbers are rounded to 15 digits where that is "equal enough"; ours read back. */
static cJSON *
number_item(double value)
{
	struct buf text = {0};

	buf_put_number(&text, value);
	cJSON *item = cJSON_CreateRaw(buf_text(&text));

	buf_release(&text);
	return item;
}

static cJSON *
whole_item(uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return value <= EXACT_MAX ? cJSON_CreateRaw(text) : cJSON_CreateString(text);
}

static cJSON *
time_item(int64_t seconds)
{
	time_t when = (time_t)seconds;
	struct tm utc;
	char text[32] = "";

	if (seconds != 0 && gmtime_r(&when, &utc))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
	return cJSON_CreateString(text);
}

static cJSON *
lines_item(const char *lines)
{
	cJSON *array = cJSON_CreateArray();

	for (const char *end; (end = strchr(lines, '\n')); lines = end + 1) {
		char *line = mem_dup(lines, (size_t)(end - lines));

		cJSON_AddItemToArray(array, text_item(line, SIZE_MAX));
		free(line);
	}
	return array;
}

static cJSON *
field_item(const struct field *field, const void *from, const struct strtab *strings)
{
	const char *at = (const char *)from + field->offset;

	switch (field->type) {
	case FIELD_TEXT:
	case FIELD_HASH:
	case FIELD_COMMIT:
		return text_item(at, field->size);
	case FIELD_STR_ID:
		return text_item(strtab_str(strings, *(const str_id *)(const void *)at), SIZE_MAX);
	case FIELD_LINES:
		return lines_item(strtab_str(strings, *(const str_id *)(const void *)at));
	case FIELD_BOOL:
		return cJSON_CreateBool(*(const bool *)at);
	case FIELD_U32:
		return whole_item(*(const uint32_t *)(const void *)at);
	case FIELD_U64:
		return whole_item(*(const uint64_t *)(const void *)at);
	case FIELD_INT:
		return number_item(*(const int *)(const void *)at);
	case FIELD_DOUBLE:
		return number_item(*(const double *)(const void *)at);
	case FIELD_TIME:
		return time_item(*(const int64_t *)(const void *)at);
	}
	return NULL;
}

static void
put_fields(
	cJSON *object, const struct field *fields, const void *from, const struct strtab *strings)
{
	for (; fields->name; fields++) {
		if (fields->files & FIELD_STORED)
			cJSON_AddItemToObject(
				object, fields->name, field_item(fields, from, strings));
	}
}

static void
put_runs(cJSON *object, const struct profile *profile)
{
	for (const struct run_field *each = run_fields; each->field.name; each++) {
		const struct field *field = &each->field;

		if (!(field->files & FIELD_STORED))
			continue;
		cJSON *column = cJSON_AddArrayToObject(object, field->name);

		for (size_t i = 0; i < profile->nruns; i++)
			cJSON_AddItemToArray(
				column, field_item(field, &profile->runs[i], &profile->strings));
	}
}

/* A column each of the counters that are known of any run, null where they are not. */
static void
put_counters(cJSON *object, const struct profile *profile)
{
	for (enum counter_id id = 0; id < NCOUNTERS; id++) {
		if (counter_kinds[id].derive || !counter_is_known(profile, id))
			continue;
		cJSON *column = cJSON_AddArrayToObject(object, counter_kinds[id].name);

		for (size_t i = 0; i < profile->nruns; i++) {
			double value = counter_value(&profile->runs[i], id);

			cJSON_AddItemToArray(
				column, isnan(value) ? cJSON_CreateNull() : number_item(value));
		}
	}
}

void
store_json_write(const struct baseline_info *info, const struct profile *profile,
	const char *runs_hash, struct buf *out)
{
	cJSON *root = cJSON_CreateObject();

	put_fields(root, info_fields, info, &profile->strings);
	put_fields(cJSON_AddObjectToObject(root, "machine"), machine_fields, &info->machine,
		&profile->strings);
	put_fields(cJSON_AddObjectToObject(root, "profile"), profile_fields, profile,
		&profile->strings);
	cJSON_AddStringToObject(root, HASH_KEY, runs_hash);
	put_runs(cJSON_AddObjectToObject(root, "runs"), profile);
	put_counters(cJSON_AddObjectToObject(root, COUNTERS_KEY), profile);
	char *text = cJSON_Print(root);

	/* NULL only without memory; an empty document is then refused when it is read. */
	if (text)
		buf_puts(out, text);
	buf_putc(out, '\n');
	cJSON_free(text);
	cJSON_Delete(root);
}

/* Reading. */

struct reader {
	const char *file;
	struct profile *profile; /* has the strings */
	struct err *err;
};

/* The place of a value in the document: "runs.cpu_ns[3]". */
struct place {
	const char *object; /* "machine", "" for the document itself */
	const char *name;
	int index; /* -1: not in an array */
};

static const char *
found_text(const cJSON *item)
{
	if (!item)
		return "nothing";
	if (cJSON_IsObject(item))
		return "an object";
	if (cJSON_IsArray(item))
		return "an array";
	if (cJSON_IsString(item))
		return "a text that does not fit";
	if (cJSON_IsNumber(item))
		return "a number that does not fit";
	return cJSON_IsNull(item) ? "null" : "true or false";
}

static int
refuse_document(const struct reader *reader, const struct place *place, const char *expected,
	const cJSON *item)
{
	char index[16] = "";

	if (place->index >= 0)
		snprintf(index, sizeof(index), "[%d]", place->index);
	err_set(reader->err, ERR_INPUT, "%s: %s%s%s%s: expected %s; found %s", reader->file,
		place->object, place->object[0] ? "." : "", place->name, index, expected,
		found_text(item));
	return err_note(reader->err,
		"restore the file from the repository's history, or record the baseline again");
}

static bool
read_whole(const cJSON *item, uint64_t max, uint64_t *value)
{
	if (cJSON_IsString(item)) {
		const char *text = item->valuestring;
		char *end;

		if (!isdigit((unsigned char)text[0]) || strlen(text) > 20)
			return false;
		unsigned long long whole = strtoull(text, &end, 10);

		*value = whole;
		/* Out of range gives the largest value, whose text is not this one. */
		return *end == '\0' && whole <= max &&
		       (whole != UINT64_MAX || strcmp(text, "18446744073709551615") == 0);
	}
	if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) ||
		item->valuedouble > (double)EXACT_MAX ||
		item->valuedouble != floor(item->valuedouble))
		return false;
	*value = (uint64_t)item->valuedouble;
	return *value <= max;
}

static bool
read_time(const cJSON *item, int64_t *seconds)
{
	struct tm utc = {0};

	if (!cJSON_IsString(item))
		return false;
	*seconds = 0;
	if (item->valuestring[0] == '\0')
		return true;
	const char *end = strptime(item->valuestring, "%Y-%m-%dT%H:%M:%SZ", &utc);

	if (!end || *end != '\0' || utc.tm_year < 70 || utc.tm_year > 8099)
		return false;
	*seconds = timegm(&utc);
	return true;
}

/* A hash of SHA-256, or a commit's of SHA-1, too; "" where it is not known. */
static bool
is_hash(const char *text, bool is_commit)
{
	const size_t len = strlen(text);

	return (len == 0 || len == 64 || (is_commit && len == 40)) &&
	       strspn(text, "0123456789abcdef") == len;
}

static bool
read_text(const cJSON *item, const struct field *field, char *out)
{
	if (!cJSON_IsString(item) || strlen(item->valuestring) >= field->size ||
		/* Texts are written without any. */
		escape_has_control(item->valuestring) ||
		(field->type != FIELD_TEXT &&
			!is_hash(item->valuestring, field->type == FIELD_COMMIT)))
		return false;
	memcpy(out, item->valuestring, strlen(item->valuestring) + 1);
	return true;
}

static const char *
expectation(enum field_type type)
{
	switch (type) {
	case FIELD_TEXT:
	case FIELD_STR_ID:
		return "a short text";
	case FIELD_HASH:
		return "64 hexadecimal digits, or nothing between the quotes";
	case FIELD_COMMIT:
		return "40 or 64 hexadecimal digits, or nothing between the quotes";
	case FIELD_LINES:
		return "an array of texts";
	case FIELD_BOOL:
		return "true or false";
	case FIELD_U32:
	case FIELD_U64:
	case FIELD_INT:
		return "a whole number, not negative";
	case FIELD_DOUBLE:
		return "a number, not negative";
	case FIELD_TIME:
		return "a time such as \"2026-01-31T12:00:00Z\"";
	}
	return "";
}

static bool
read_lines(const struct reader *reader, const cJSON *array, str_id *lines)
{
	const cJSON *item = NULL;
	struct buf text = {0};
	bool good = cJSON_IsArray(array);

	cJSON_ArrayForEach(item, array)
	{
		if (cJSON_IsString(item))
			buf_printf(&text, "%s\n", item->valuestring);
		else
			good = false;
	}
	*lines = strtab_intern(&reader->profile->strings, buf_text(&text), text.len);
	buf_release(&text);
	return good;
}

/* False where the value does not fit the field at `at`. */
static bool
read_value(const struct reader *reader, const struct field *field, const cJSON *item, void *at)
{
	uint64_t whole = 0;

	switch (field->type) {
	case FIELD_TEXT:
	case FIELD_HASH:
	case FIELD_COMMIT:
		return read_text(item, field, at);
	case FIELD_STR_ID:
		if (cJSON_IsString(item))
			*(str_id *)at =
				strtab_intern_str(&reader->profile->strings, item->valuestring);
		return cJSON_IsString(item);
	case FIELD_LINES:
		return read_lines(reader, item, at);
	case FIELD_BOOL:
		*(bool *)at = cJSON_IsTrue(item);
		return cJSON_IsBool(item);
	case FIELD_TIME:
		return read_time(item, at);
	case FIELD_U32:
		if (!read_whole(item, UINT32_MAX, &whole))
			return false;
		*(uint32_t *)at = (uint32_t)whole;
		return true;
	case FIELD_U64:
		return read_whole(item, UINT64_MAX, at);
	case FIELD_INT:
		if (!read_whole(item, INT32_MAX, &whole))
			return false;
		*(int *)at = (int)whole;
		return true;
	case FIELD_DOUBLE:
		if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble) || item->valuedouble < 0)
			return false;
		*(double *)at = item->valuedouble;
		return true;
	}
	return false;
}

static int
read_field(const struct reader *reader, const struct place *place, const struct field *field,
	const cJSON *item, void *into)
{
	if (item && read_value(reader, field, item, (char *)into + field->offset))
		return 0;
	return refuse_document(reader, place, expectation(field->type), item);
}

static int
read_fields(const struct reader *reader, const char *name, const cJSON *object,
	const struct field *fields, void *into)
{
	for (; fields->name; fields++) {
		struct place place = {.object = name, .name = fields->name, .index = -1};
		const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, fields->name);

		if (!(fields->files & FIELD_STORED) || (!item && (fields->files & FIELD_LATER)))
			continue;
		if (read_field(reader, &place, fields, item, into) < 0)
			return -1;
	}
	return 0;
}

/* A member of the document that must be an object. */
static const cJSON *
find_object(const struct reader *reader, const cJSON *root, const char *name)
{
	struct place place = {.object = "", .name = name, .index = -1};
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, name);

	if (cJSON_IsObject(item))
		return item;
	refuse_document(reader, &place, "an object", item);
	return NULL;
}

/* A value for every run. */
static int
check_column(const struct reader *reader, const struct place *place, const cJSON *column)
{
	if (!cJSON_IsArray(column))
		return refuse_document(reader, place, "an array with a value per run", column);
	if ((size_t)cJSON_GetArraySize(column) != reader->profile->nruns)
		return err_set(reader->err, ERR_INPUT,
			"%s: %s.%s: expected %zu values, one per stored run; found %d",
			reader->file, place->object, place->name, reader->profile->nruns,
			cJSON_GetArraySize(column));
	return 0;
}

/* One quantity of every run. */
static int
read_column(const struct reader *reader, const cJSON *column, const struct field *field)
{
	struct place place = {.object = "runs", .name = field->name, .index = -1};
	const cJSON *item = NULL;

	if (check_column(reader, &place, column) < 0)
		return -1;
	cJSON_ArrayForEach(item, column)
	{
		struct run *run = &reader->profile->runs[++place.index];

		if (read_field(reader, &place, field, item, run) < 0)
			return -1;
	}
	return 0;
}

static int
read_counter(const struct reader *reader, const cJSON *column, enum counter_id id)
{
	struct place place = {.object = COUNTERS_KEY, .name = counter_kinds[id].name, .index = -1};
	const cJSON *item = NULL;

	if (check_column(reader, &place, column) < 0)
		return -1;
	cJSON_ArrayForEach(item, column)
	{
		bool is_amount = cJSON_IsNumber(item) && isfinite(item->valuedouble) &&
				 item->valuedouble >= 0;

		place.index++;
		if (!is_amount && !cJSON_IsNull(item))
			return refuse_document(
				reader, &place, "a number, not negative, or null", item);
		counter_set(&reader->profile->runs[place.index], id,
			is_amount ? item->valuedouble : NAN);
	}
	return 0;
}

/* Unknown counters are those of a later version. */
static int
read_counters(const struct reader *reader, const cJSON *counters)
{
	for (enum counter_id id = 0; id < NCOUNTERS; id++) {
		const cJSON *column =
			cJSON_GetObjectItemCaseSensitive(counters, counter_kinds[id].name);

		if (column && !counter_kinds[id].derive && read_counter(reader, column, id) < 0)
			return -1;
	}
	return 0;
}

static int
read_runs(const struct reader *reader, const cJSON *runs, const struct baseline_info *info)
{
	for (const struct run_field *each = run_fields; each->field.name; each++) {
		const struct field *field = &each->field;
		const cJSON *column = cJSON_GetObjectItemCaseSensitive(runs, field->name);

		if (!(field->files & FIELD_STORED) || (!column && (field->files & FIELD_LATER)))
			continue;
		if (read_column(reader, column, field) < 0)
			return -1;
	}
	for (size_t i = 0; i < reader->profile->nruns; i++) {
		if (reader->profile->runs[i].session >= info->nsessions)
			return err_set(reader->err, ERR_INPUT,
				"%s: runs.session[%zu]: expected a number below 'sessions' (%u); found %u",
				reader->file, i, info->nsessions, reader->profile->runs[i].session);
	}
	return 0;
}

/* The version is checked first: the rest depends on it. */
static int
check_version(const struct reader *reader, const cJSON *root, bool *folded)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, "format_version");
	struct place place = {.object = "", .name = "format_version", .index = -1};
	uint64_t version = 0;

	if (!cJSON_IsObject(root))
		return err_set(reader->err, ERR_INPUT, "%s: expected an object; found %s",
			reader->file, found_text(root));
	if (!read_whole(item, INT32_MAX, &version))
		return refuse_document(reader, &place, "the number of the format", item);
	*folded = version == 1;
	if (!*folded && version != BASELINE_FORMAT_VERSION)
		return err_set(reader->err, ERR_INPUT,
			"%s: format_version: this program reads formats 1 and %d, the baseline has format %u; use the profile_run that wrote it, or record the baseline again",
			reader->file, BASELINE_FORMAT_VERSION, (unsigned)version);
	return 0;
}

static int
read_root(const struct reader *reader, const cJSON *root, struct baseline_info *info)
{
	bool folded;

	if (check_version(reader, root, &folded) < 0 ||
		read_fields(reader, "", root, info_fields, info) < 0)
		return -1;
	info->format_version = BASELINE_FORMAT_VERSION;
	const cJSON *machine = find_object(reader, root, "machine");
	const cJSON *profile = machine ? find_object(reader, root, "profile") : NULL;
	const cJSON *runs = profile ? find_object(reader, root, "runs") : NULL;

	if (!runs)
		return -1;
	if (read_fields(reader, "machine", machine, machine_fields, &info->machine) < 0 ||
		read_fields(reader, "profile", profile, profile_fields, reader->profile) < 0)
		return -1;
	if (read_runs(reader, runs, info) < 0)
		return -1;
	/* Baselines of earlier versions have none. */
	if (!cJSON_HasObjectItem(root, COUNTERS_KEY))
		return 0;
	const cJSON *counters = find_object(reader, root, COUNTERS_KEY);

	return counters ? read_counters(reader, counters) : -1;
}

static int
refuse_syntax(const char *file, const char *text, size_t len, const char *error_at, struct err *err)
{
	size_t offset =
		error_at >= text && error_at <= text + len ? (size_t)(error_at - text) : len;
	struct location at = location_at(file, text, len, offset);

	err_set_at(err, &at, "this is not valid JSON: the document ends or is wrong here");
	return err_note(err,
		"restore the file from the repository's history, or record the baseline again");
}

/* The document, to be deleted; NULL on error. */
static cJSON *
parse(const char *file, const char *text, size_t len, struct err *err)
{
	const char *end = NULL;
	cJSON *root = cJSON_ParseWithLengthOpts(text, len, &end, 0);

	while (root && end && end < text + len && isspace((unsigned char)*end))
		end++;
	if (root && end == text + len)
		return root;
	cJSON_Delete(root);
	refuse_syntax(file, text, len, end, err);
	return NULL;
}

int
store_json_read_hash(
	struct store_runs *runs, const char *file, const char *text, size_t len, struct err *err)
{
	struct field field = {HASH_KEY, 0, sizeof(runs->hash), FIELD_HASH, FIELD_STORED};
	struct reader reader = {.file = file, .err = err};
	cJSON *root = parse(file, text, len, err);

	if (!root)
		return -1;
	int result = check_version(&reader, root, &runs->folded);

	if (result == 0) {
		if (runs->folded)
			field.name = FOLDED_HASH_KEY;
		struct place place = {.object = "", .name = field.name, .index = -1};

		result = read_field(&reader, &place, &field,
			cJSON_GetObjectItemCaseSensitive(root, field.name), runs->hash);
	}
	cJSON_Delete(root);
	return result;
}

int
store_json_read(struct baseline_info *info, struct profile *profile, const char *file,
	const char *text, size_t len, struct err *err)
{
	struct reader reader = {.file = file, .profile = profile, .err = err};
	cJSON *root = parse(file, text, len, err);

	*info = (struct baseline_info){0};
	if (!root)
		return -1;
	int result = read_root(&reader, root, info);

	cJSON_Delete(root);
	return result;
}
