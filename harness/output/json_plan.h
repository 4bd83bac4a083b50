/*
 * The plan of a workload in JSON.
 */
#ifndef OUTPUT_JSON_PLAN_H
#define OUTPUT_JSON_PLAN_H

#include "gate/plan.h"
#include "output/json_add.h"

/* NULL, or no plan: null. */
void json_add_plan(cJSON *object, const char *key, const struct plan *plan);

#endif
