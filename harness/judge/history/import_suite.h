/*
 * The output of one run of a benchmark suite, as a night of a history: each benchmark is a
 * workload, its time "wall" and, where the suite has it, "cpu", in nanoseconds. Repetitions are one
 * entry: their mean, and its standard error.
 *
 * - google-benchmark: its JSON. Where repetitions were not reported, the aggregates mean and
 * stddev.
 * - criterion: an estimates.json, whose name benchmark.json beside it has, or the text of
 *   `--output-format bencher`, which is also that of libtest.
 * - go: the text of `go test -bench`, with "alloc" (B/op) and "allocations" (allocs/op).
 * - pytest-benchmark: its JSON.
 * - jmh: its JSON. Modes are metrics: avgt is "wall", thrpt "throughput", sample and ss their
 * names.
 * - hyperfine: its JSON.
 * - bencher: the Bencher Metric Format.
 *
 * Operations a second become the time of one, so that more is slower in every series.
 */
#ifndef HISTORY_IMPORT_SUITE_H
#define HISTORY_IMPORT_SUITE_H

#include "history/history_files.h"
#include "history/import.h"

#include <stdint.h>

/* What the output of a suite does not say. */
struct import_suite {
	const char *format; /* one of import_suite_formats() */
	const char *name;   /* of the input, for errors */
	const char *machine_class;
	const char *benchmark; /* criterion: of estimates.json; NULL: not known */
	const char *commit;    /* NULL: that in the output, else `else_commit` */
	const char *else_commit;
	int64_t started; /* 0: that in the output, else `else_started` */
	int64_t else_started;
	const char *link; /* URL of the report; "": none */
};

/* The names of the formats, NULL-ended. */
const char *const *import_suite_formats(void);

/* The name of Criterion's benchmark by the text of its benchmark.json; free() it. NULL on error. */
char *import_suite_full_id(const char *name, const char *text, size_t len, struct err *err);

/*
 * Reads the text. Values of 0 have no logarithm and are counted in *skipped, those that are
 * negative or no number are errors, as are unknown units of time. Of benchmarks that failed, and of
 * metrics that users defined, whose direction is not known, the log says that they are left out. An
 * error where it is not known when it was measured. On error nothing needs releasing.
 */
int import_suite_text(struct history *history, const struct import_suite *suite, const char *text,
	size_t len, struct import_skipped *skipped, struct err *err);

#endif
