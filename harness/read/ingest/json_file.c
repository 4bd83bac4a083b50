#include "ingest/json_file.h"

#include <math.h>
#include <string.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

static size_t
skip_blanks(const char *bytes, size_t len, size_t at)
{
	while (at < len &&
		(bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\r' || bytes[at] == '\n'))
		at++;
	return at;
}

bool
json_file_begins(const char *bytes, size_t len)
{
	const size_t mark = strlen(BYTE_ORDER_MARK);
	const bool marked = len >= mark && memcmp(bytes, BYTE_ORDER_MARK, mark) == 0;
	const size_t at = skip_blanks(bytes, len, marked ? mark : 0);

	return at < len && bytes[at] == '{';
}

cJSON *
json_file_parse(const struct file_view *view, const char *path, struct err *err)
{
	const char *end = NULL;
	cJSON *root = cJSON_ParseWithLengthOpts(view->data, view->len, &end, false);

	size_t at = end ? (size_t)(end - view->data) : 0;

	if (root)
		at = skip_blanks(view->data, view->len, at);
	if (root && at >= view->len)
		return root;
	const struct location where = location_at(path, view->data, view->len, at);

	err_set_at(err, &where, "%s",
		root ? "the object ends ahead of this: give each of several files by itself"
		     : "this is not JSON");
	cJSON_Delete(root);
	return NULL;
}

const char *
json_file_text(const cJSON *object, const char *key)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));

	return text ? text : "";
}

const cJSON *
json_file_first(const cJSON *list)
{
	return cJSON_IsArray(list) ? list->child : NULL;
}

bool
json_file_whole(const cJSON *json, double limit, size_t *number)
{
	if (!cJSON_IsNumber(json) || !(json->valuedouble >= 0) || json->valuedouble >= limit ||
		json->valuedouble != floor(json->valuedouble))
		return false;
	*number = (size_t)json->valuedouble;
	return true;
}
