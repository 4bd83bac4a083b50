/*
 * Why a function costs more, as verdict.json has it.
 */
#ifndef OUTPUT_CAUSE_JSON_H
#define OUTPUT_CAUSE_JSON_H

#include "compare/causes.h"

struct cJSON;

/* How json.c writes an effect. */
typedef void cause_json_effect(struct cJSON *object, const char *key, const struct effect *effect);

/* Adds `key` to `object`: null where `causes` is NULL. */
void cause_json_add(struct cJSON *object, const char *key, const struct comparison *comparison,
	const struct causes *causes, cause_json_effect *add_effect);

#endif
