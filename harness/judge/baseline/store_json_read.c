/* Reads baseline.json, and says where it is not what was written. */
#include "baseline/store_internal.h"

#include "base/escape.h"
#include "profile/counters.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The key of the SHA-256 of runs.folded, in format 1. */
#define FOLDED_HASH_KEY "runs_folded_sha256"

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
		item->valuedouble > (double)STORE_EXACT_MAX ||
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

	if (!end || *end != '\0' || utc.tm_year < 70)
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
	struct place place = {
		.object = STORE_COUNTERS_KEY, .name = counter_kinds[id].name, .index = -1};
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
	if (!read_whole(item, UINT32_MAX, &version))
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
	if (!cJSON_HasObjectItem(root, STORE_COUNTERS_KEY))
		return 0;
	const cJSON *counters = find_object(reader, root, STORE_COUNTERS_KEY);

	return counters ? read_counters(reader, counters) : -1;
}

static int
refuse_syntax(const char *file, const char *text, size_t len, const char *error_at, struct err *err)
{
	struct location at = location_at(file, text, len, (size_t)(error_at - text));

	err_set_at(err, &at, "this is not valid JSON: the document ends or is wrong here");
	return err_note(err,
		"restore the file from the repository's history, or record the baseline again");
}

/* The document, to be deleted; NULL on error. */
static cJSON *
parse(const char *file, const char *text, size_t len, struct err *err)
{
	const char *end = text;
	cJSON *root = cJSON_ParseWithLengthOpts(text, len, &end, 0);

	while (root && end < text + len && isspace((unsigned char)*end))
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
	struct field field = {STORE_HASH_KEY, 0, sizeof(runs->hash), FIELD_HASH, FIELD_STORED};
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
