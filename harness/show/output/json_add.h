/*
 * Adds values to verdict.json: null means not known.
 */
#ifndef OUTPUT_JSON_ADD_H
#define OUTPUT_JSON_ADD_H

#include "compare/effect.h"
#include "profile/profile.h"

#include <cjson/cJSON.h>
#include <stdint.h>

/* NULL and "" are null: "not known" is not a string. Several lines stay several lines. */
void json_add_string(cJSON *object, const char *key, const char *text);
/* A string of the profile's; null for 0. */
void json_add_id(cJSON *object, const char *key, const struct profile *profile, str_id id);
/* A path of the source; may be NULL. */
void json_add_place(cJSON *object, const char *key, const char *path);
/* An object; null, and NULL is returned, where it is not known. */
cJSON *json_add_object(cJSON *object, const char *key, bool known);
/* A new object at the end of an array. */
cJSON *json_add_item(cJSON *array);
/* JSON has no NaN and no infinity. */
void json_add_number(cJSON *object, const char *key, double value);
/* Seconds since 1970; 0 is not known. */
void json_add_time(cJSON *object, const char *key, int64_t seconds);
/* NULL is null. */
void json_add_effect(cJSON *object, const char *key, const struct effect *effect);

/* The name of a frame as the folded format has it; null for 0. */
void json_add_frame(cJSON *object, const char *key, const struct profile *profile, frame_id frame);
/* Appends the finished document, and deletes it. */
void json_finish(cJSON *root, struct buf *out);

#endif
