#include "output/json_add.h"

#include "base/escape.h"
#include "format/figures.h"
#include "format/name.h"

#include <math.h>
#include <string.h>

void
json_add_string(cJSON *object, const char *key, const char *text)
{
	struct buf safe = {0};

	if (!text || !*text) {
		cJSON_AddNullToObject(object, key);
		return;
	}
	while (*text) {
		size_t line = strcspn(text, "\n");

		escape_utf8(&safe, text, line);
		text += line;
		if (*text == '\n')
			buf_putc(&safe, *text++);
	}
	cJSON_AddStringToObject(object, key, buf_text(&safe));
	buf_release(&safe);
}

void
json_add_id(cJSON *object, const char *key, const struct profile *profile, str_id id)
{
	json_add_string(object, key, id ? strtab_str(&profile->strings, id) : NULL);
}

void
json_add_place(cJSON *object, const char *key, const char *path)
{
	struct buf place = {0};

	if (path)
		place_put_path(&place, path);
	json_add_string(object, key, buf_text(&place));
	buf_release(&place);
}

cJSON *
json_add_object(cJSON *object, const char *key, bool known)
{
	struct buf safe = {0};
	cJSON *added = NULL;

	escape_utf8(&safe, key, strlen(key));
	if (known)
		added = cJSON_AddObjectToObject(object, buf_text(&safe));
	else
		cJSON_AddNullToObject(object, buf_text(&safe));
	buf_release(&safe);
	return added;
}

cJSON *
json_add_item(cJSON *array)
{
	cJSON *item = cJSON_CreateObject();

	cJSON_AddItemToArray(array, item);
	return item;
}

void
json_add_number(cJSON *object, const char *key, double value)
{
	if (isfinite(value))
		cJSON_AddNumberToObject(object, key, value);
	else
		cJSON_AddNullToObject(object, key);
}

void
json_add_time(cJSON *object, const char *key, int64_t seconds)
{
	struct buf text = {0};

	if (seconds != 0)
		format_time(&text, seconds);
	json_add_string(object, key, buf_text(&text));
	buf_release(&text);
}

void
json_add_effect(cJSON *object, const char *key, const struct effect *effect)
{
	cJSON *to = json_add_object(object, key, effect != NULL);

	if (!to)
		return;
	json_add_number(to, "before_cost", effect->before_cost);
	json_add_number(to, "after_cost", effect->after_cost);
	json_add_number(to, "before_share", effect->before_share);
	json_add_number(to, "after_share", effect->after_share);
	json_add_number(to, "before_weight", effect->before_weight);
	json_add_number(to, "after_weight", effect->after_weight);
	cJSON_AddBoolToObject(to, "tested", effect->tested);
	cJSON_AddBoolToObject(to, "relative", effect->relative);
	json_add_number(to, "change", effect->change);
	json_add_number(to, "low", effect->low);
	json_add_number(to, "high", effect->high);
	json_add_number(to, "p", effect->p);
	json_add_number(to, "p_adjusted", effect->p_adjusted);
	json_add_number(to, "detectable", effect->detectable);
	json_add_number(to, "overdispersion", effect->overdispersion);
	json_add_number(to, "standard_error", effect->standard_error);
	json_add_number(to, "df", effect->df);
	json_add_number(to, "spread", effect->spread);
}

void
json_add_frame(cJSON *object, const char *key, const struct profile *profile, frame_id frame)
{
	struct buf name = {0};

	if (frame != 0)
		profile_put_frame(profile, frame, &name);
	json_add_string(object, key, buf_text(&name));
	buf_release(&name);
}

void
json_finish(cJSON *root, struct buf *out)
{
	char *text = cJSON_Print(root);

	buf_puts(out, text ? text : "");
	buf_putc(out, '\n');
	cJSON_free(text);
	cJSON_Delete(root);
}
