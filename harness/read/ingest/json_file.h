/*
 * A profile that is one object of JSON: the readers of such formats share these.
 */
#ifndef INGEST_JSON_FILE_H
#define INGEST_JSON_FILE_H

#include "base/err.h"
#include "base/file_view.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether these bytes begin an object of JSON, also behind a byte order mark. */
bool json_file_begins(const char *bytes, size_t len);
/* To be deleted with cJSON_Delete(); NULL, with the place where it is no JSON, on error. */
cJSON *json_file_parse(const struct file_view *view, const char *path, struct err *err);

/* "" if there is no such text. */
const char *json_file_text(const cJSON *object, const char *key);
/* NULL if it is no list, or an empty one. */
const cJSON *json_file_first(const cJSON *list);
/* Whether it is a whole number of 0 or more, below `limit`. */
bool json_file_whole(const cJSON *json, double limit, size_t *number);

#endif
