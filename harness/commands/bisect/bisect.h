/*
 * Bisection: finds the first commit with which a workload, or a function of it, became slower.
 */
#ifndef BISECT_BISECT_H
#define BISECT_BISECT_H

#include "base/buf.h"
#include "base/err.h"
#include "spec/workload.h"

struct bisect_options {
	const struct config *config;
	const struct workload *workload; /* borrowed; the same for all commits */
	const char *function;            /* pattern of names; NULL: the whole program */
	const char *good;                /* as the user names them */
	const char *bad;
	const char *command; /* the command line, for the report */
};

/*
 * Measures BAD against GOOD, paired; then, with half of that growth as the limit between fast and
 * slow, commits between them; and at last the first slow commit against the last fast one. The
 * report, REPORTS/UTC-TIME/ with bisect.txt and bisect.json, is of that last comparison. Without a
 * growth there is no report.
 *
 * *exit_code: 1 the commit was found, 0 BAD is not slower, 3 several commits are left or it is
 * undecided. -1 on error; a BAD that cannot be built is one.
 */
int bisect_run(
	const struct bisect_options *options, int *exit_code, struct buf *text, struct err *err);

#endif
