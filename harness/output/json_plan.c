#include "output/json_plan.h"

#include <math.h>

void
json_add_plan(cJSON *object, const char *key, const struct plan *plan)
{
	cJSON *to = json_add_object(object, key, plan && plan->kind != PLAN_NONE);

	if (!to)
		return;
	json_add_string(to, "kind", plan_kind_key(plan->kind));
	json_add_string(to, "reason", plan->reason);
	json_add_string(to, "commit", plan->commit);
	json_add_string(to, "machine_class", plan->machine_class);
	json_add_number(to, "seconds", plan->seconds);
	cJSON *remedies = cJSON_AddArrayToObject(to, "remedies");

	for (size_t i = 0; i < PLAN_REMEDIES && plan->remedies[i]; i++)
		cJSON_AddItemToArray(remedies, cJSON_CreateString(plan->remedies[i]));
}
