/* Coverage of production by workloads as text. */
#ifndef OUTPUT_COVERAGE_REPORT_H
#define OUTPUT_COVERAGE_REPORT_H

#include "base/buf.h"
#include "compare/coverage.h"

struct coverage_report {
	unsigned top;           /* functions of production; 0: up to 20 that are worth a line */
	double min;             /* the least ratio that passes; 0: none is demanded */
	const char *unmeasured; /* workloads of the report without a profile; NULL: none */
};

/*
 * Appends the figure and its parts, the ten functions that a new workload should exercise first,
 * production's functions, and last the verdict, if a minimum is demanded.
 */
void coverage_report_write(
	const struct coverage *coverage, const struct coverage_report *options, struct buf *out);

/* Whether a demanded minimum is reached. */
bool coverage_report_passes(const struct coverage *coverage, double min);

#endif
