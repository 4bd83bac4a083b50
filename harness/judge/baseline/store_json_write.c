/* Writes baseline.json: the description of a baseline, and each quantity of its runs as an array.
 */
#include "baseline/store_internal.h"

#include "base/escape.h"
#include "base/mem.h"
#include "profile/counters.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
	return value <= STORE_EXACT_MAX ? cJSON_CreateRaw(text) : cJSON_CreateString(text);
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
	cJSON_AddStringToObject(root, STORE_HASH_KEY, runs_hash);
	put_runs(cJSON_AddObjectToObject(root, "runs"), profile);
	put_counters(cJSON_AddObjectToObject(root, STORE_COUNTERS_KEY), profile);
	char *text = cJSON_Print(root);

	/* NULL only without memory; an empty document is then refused when it is read. */
	if (text)
		buf_puts(out, text);
	buf_putc(out, '\n');
	cJSON_free(text);
	cJSON_Delete(root);
}
