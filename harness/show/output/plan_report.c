#include "output/plan_report.h"

#include "output/json_add.h"

#include <cjson/cJSON.h>

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
