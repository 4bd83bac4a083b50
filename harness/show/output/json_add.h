/*
 * Values of verdict.json and of other JSON, made with cJSON: null means not known.
 */
#ifndef OUTPUT_JSON_ADD_H
#define OUTPUT_JSON_ADD_H

#include "compare/effect.h"
#include "gate/plan.h"
#include "profile/profile.h"

#include <cjson/cJSON.h>
#include <stdint.h>

/* NULL and "" are null: "not known" is not a string. Several lines stay several lines. */
void json_add_string(cJSON *object, const char *key, const char *text);
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
/* The plan of a workload; NULL, or no plan: null. */
void json_add_plan(cJSON *object, const char *key, const struct plan *plan);
/* Appends the finished document, and deletes it. */
void json_finish(cJSON *root, struct buf *out);

/*
 * cJSON leaves out what it has no memory for, and goes on: a verdict would lack a part without a
 * word. From this call on it takes memory from base/mem.h, which ends the process in order. For all
 * of the process; before any JSON is read or made.
 */
void json_memory_use(void);

#endif
