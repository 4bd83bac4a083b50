/*
 * Histories that other tools keep, as a history of ours. Three forms, recognized by their content:
 *
 * - a table with a line of names: CSV (RFC 4180, also with semicolons) or TSV. Columns, in any
 *   order and upper or lower case: time and value (needed); series, or workload and function;
 *   commit, unit, metric, machine_class, and error, the standard error in the value's unit. Other
 *   columns are ignored. A time is ISO 8601, or seconds, milliseconds, microseconds or nanoseconds
 *   since 1970.
 * - data.js, or the JSON in it, of github-action-benchmark: a series for each benchmark.
 * - the answer of Bencher's perf query (`bencher perf`): a series for each benchmark and measure.
 *
 * A series is one of a workload's whole cost, unless a column names functions. Rates (operations a
 * second; units that end with "/s" or "/sec", and customBiggerIsBetter) become their reciprocals,
 * so that more is slower in every series. Several values of a series at one time and commit are one
 * entry: their mean, and its standard error.
 */
#ifndef HISTORY_IMPORT_H
#define HISTORY_IMPORT_H

#include "history/history_files.h"

#include <stddef.h>

/* Values that are empty or not above 0 have no logarithm and are left out. */
struct import_skipped {
	size_t values;
	unsigned line; /* of the first, in a table; 0: not known */
};

/* `path` "-" is standard input. On error nothing needs releasing. */
int history_import(
	struct history *history, const char *path, struct import_skipped *skipped, struct err *err);
/* The same of a text; `name` stands in errors. */
int history_import_text(struct history *history, const char *name, const char *text, size_t len,
	struct import_skipped *skipped, struct err *err);

#endif
