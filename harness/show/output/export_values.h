/* The costs of a report that other tools are given, in a form that their formats share. */
#ifndef OUTPUT_EXPORT_VALUES_H
#define OUTPUT_EXPORT_VALUES_H

#include "output/report_view.h"

#include <stddef.h>

/* The cost of a workload, or of one function of it, in this report. */
struct export_value {
	const char *workload;
	char *function;     /* by itself; NULL: the whole workload */
	const char *metric; /* "cpu" */
	const char *unit;   /* "ns" */
	const char *basis;  /* what `mean` is the cost of: "run", "execution" */
	double mean;
	double sd; /* from run to run */
	size_t runs;
	double change; /* of the cost before; NAN: nothing was compared */
	enum status status;
};

struct export_values {
	struct export_value *values;
	size_t count;
	size_t capacity;
};

/*
 * All workloads that were measured, and their functions that were judged; borrows from the view.
 * The names of functions are valid UTF-8 without control characters, and no two of a workload are
 * the same: readers of JSON keys and of series of metrics take one of several or refuse the file.
 */
void export_values_init(struct export_values *values, const struct report_view *view);
void export_values_release(struct export_values *values);

#endif
