/*
 * The plans of a gate's workloads, as `gate --plan` writes them.
 */
#ifndef OUTPUT_PLAN_REPORT_H
#define OUTPUT_PLAN_REPORT_H

#include "base/buf.h"
#include "gate/plan.h"

#include <stddef.h>

/* One workload; all borrowed. */
struct plan_entry {
	const char *workload;
	const struct plan *plan;
	const char *error; /* why it cannot be measured; NULL: it can */
};

void plan_put_text(const struct plan_entry *entries, size_t nentries, struct buf *out);
void plan_put_json(const struct plan_entry *entries, size_t nentries, struct buf *out);

#endif
