/*
 * `baseline update --promote`: whether the checked-out commit may become the baseline, because its
 * gate passed and it is on the main branch.
 */
#ifndef BASELINE_PROMOTION_H
#define BASELINE_PROMOTION_H

#include "base/err.h"
#include "spec/workload.h"

struct promotion {
	const char *report;   /* the report folder of a gate of the checked out commit */
	const char *main_ref; /* NULL: origin/HEAD, or else origin/main or origin/master */
};

/*
 * An error unless all of this is true: the report is of a whole gate that passed or warned, of
 * all of `workloads`, and of the commit that is checked out; tracked files are as in that commit;
 * and the commit is on the main branch. The report is not authenticated: use one made by the same
 * job.
 */
int promotion_check(
	const struct promotion *promotion, const struct workload_list *workloads, struct err *err);

#endif
