#include "output/plan_report.h"

#include <cjson/cJSON.h>
#include <math.h>

#define NAME_COLUMNS 24

void
plan_put_text(const struct plan_entry *entries, size_t nentries, struct buf *out)
{
	for (size_t i = 0; i < nentries; i++) {
		buf_printf(out, "%-*s  ", NAME_COLUMNS, entries[i].workload);
		if (entries[i].error)
			buf_printf(out, "error: %s", entries[i].error);
		else
			plan_put(entries[i].plan, out);
		buf_putc(out, '\n');
	}
}

void
json_add_plan(cJSON *object, const char *key, const struct plan *plan)
{
	cJSON *to = json_add_object(object, key, plan && plan->kind != PLAN_NONE);

	if (!to || !plan)
		return;
	json_add_string(to, "kind", plan_kind_key(plan->kind));
	json_add_string(to, "reason", plan->reason);
	json_add_string(to, "commit", plan->commit);
	json_add_string(to, "machine_class", plan->machine_class);
	json_add_number(to, "seconds", plan->seconds);
	json_add_number(to, "count_seconds", plan->count_seconds > 0 ? plan->count_seconds : NAN);
	json_add_number(to, "count_limit_s", plan->count_limit_s > 0 ? plan->count_limit_s : NAN);
	cJSON *remedies = cJSON_AddArrayToObject(to, "remedies");

	for (size_t i = 0; i < PLAN_REMEDIES && plan->remedies[i]; i++)
		cJSON_AddItemToArray(remedies, cJSON_CreateString(plan->remedies[i]));
}

void
plan_put_json(const struct plan_entry *entries, size_t nentries, struct buf *out)
{
	cJSON *root = cJSON_CreateObject();

	json_add_number(root, "format_version", 1);
	cJSON *list = cJSON_AddArrayToObject(root, "workloads");

	for (size_t i = 0; i < nentries; i++) {
		cJSON *to = json_add_item(list);

		json_add_string(to, "name", entries[i].workload);
		json_add_string(to, "error", entries[i].error);
		json_add_plan(to, "plan", entries[i].error ? NULL : entries[i].plan);
	}
	json_finish(root, out);
}
