/*
 * The counters of a workload's runs, both sides: rows of tables, and a sentence where space is
 * tight.
 */
#ifndef OUTPUT_COUNTER_ROWS_H
#define OUTPUT_COUNTER_ROWS_H

#include "base/buf.h"
#include "gate/judgement.h"
#include "profile/counters.h"

#include <stdbool.h>
#include <stddef.h>

struct counter_row {
	const struct counter_kind *kind;
	double before; /* means of one execution; NAN: not known */
	double after;
	double change; /* after / before - 1; NAN where that is no number */
	bool differs;  /* by more than the runs do */
};

/* The counters known of a side, in the order of counter_kinds[]; their number. */
size_t counter_rows(const struct judgement *judgement, struct counter_row rows[NCOUNTERS]);

/*
 * "max_rss 41.2 MiB -> 45.3 MiB (+9.8 %), write_calls 1,000 -> 1,001 (+0.1 %)": those that differ;
 * nothing if none does, or there is one side only.
 */
void counter_rows_put(const struct judgement *judgement, struct buf *out);

/*
 * A sentence on the limits of the latencies of the candidate's runs; "" where there are none.
 */
const char *counter_rows_latency(const struct judgement *judgement);

#endif
