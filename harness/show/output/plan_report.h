/*
 * The plan of a gate: as `gate --plan` writes it, and in verdict.json.
 */
#ifndef OUTPUT_PLAN_REPORT_H
#define OUTPUT_PLAN_REPORT_H

#include "base/buf.h"
#include "gate/plan.h"
#include "output/json_add.h"

#include <stddef.h>

/* One workload; all borrowed. */
struct plan_entry {
	const char *workload;
	const struct plan *plan;
	const char *error; /* why it cannot be measured; NULL: it can */
};

/* One workload's; NULL, or no plan: null. */
void json_add_plan(cJSON *object, const char *key, const struct plan *plan);

void plan_put_text(const struct plan_entry *entries, size_t nentries, struct buf *out);
void plan_put_json(const struct plan_entry *entries, size_t nentries, struct buf *out);

#endif
