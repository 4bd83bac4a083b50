/*
 * The rows of a report's tables on one workload, whether it was compared or only measured: its
 * functions, and the counters of its runs, with a sentence on these where space is tight.
 */
#ifndef OUTPUT_ROWS_H
#define OUTPUT_ROWS_H

#include "base/buf.h"
#include "compare/comparison.h"
#include "gate/judgement.h"
#include "gate/verdict.h"
#include "profile/counters.h"
#include "profile/functions.h"

#include <stdbool.h>
#include <stddef.h>

struct row {
	frame_id frame;
	/* The finding's, so that table and finding say the same; the comparison's or the rows' own
	   where there is none. */
	const struct effect *self;
	const struct effect *total;
	const struct finding *finding; /* the severest about this function; NULL if none */
	bool is_judged;                /* it was tested, or there is a finding about it */
	enum status status;            /* the finding's; a pass without one */
	double before_cost;            /* self, a run, at the machine's speed after; NAN: none */
	const char *novelty;           /* "new" or "gone"; NULL: it was there on both sides */
	const char *name;              /* with suffix, as in the folded format; the rows' */
};

struct rows {
	struct row *rows; /* largest self share (of either side) first, then total, then by name */
	size_t nrows;
	/* The sources of the rows, borrowed. */
	const struct profile *profile; /* columns 0..nbefore-1, then nafter */
	size_t nbefore;
	size_t nafter;
	const struct functions *functions;   /* of `profile` */
	const struct comparison *comparison; /* NULL: there is one side */
	bool weights_only;                   /* no run has a cost: weights stand for it */
	double alpha;                        /* of the intervals; NAN: there are none */
	/* Owned. */
	struct functions own;  /* without a comparison: the functions */
	struct effect *totals; /* of the comparison, by frame; NULL without one */
	double *column_totals;
	struct arena arena;
};

/*
 * The rows of both sides of `comparison`; if that is NULL, of `candidate` alone; if that is NULL,
 * too, there are none. `verdict` may be NULL. Functions without any weight have no row, nor have
 * marks of incomplete stacks.
 */
void rows_init(struct rows *rows, const struct comparison *comparison,
	const struct profile *candidate, const struct verdict *verdict);
void rows_release(struct rows *rows);

/*
 * The cost of the function (self or total) or, for frame 0, of the whole program in one run; NAN if
 * not known. Where no run has a cost, as in folded text, it is the weight. Runs before are scaled
 * by the machine's speed where that was divided out for the judgement.
 */
double rows_run_cost(const struct rows *rows, frame_id frame, enum quantity of, size_t column);

/* The larger of the effect's shares on both sides; 0 if neither is known. */
double rows_larger_share(const struct effect *effect);
/*
 * The cost of a function by itself before, at the speed of the machine after, and after: by its
 * finding where it has one, as in its row. Its source lines are parts of these.
 */
void rows_self_costs(const struct comparison *comparison, const struct verdict *verdict,
	frame_id frame, double costs[2]);

/* "pass", "fail", "accepted" ...; "new", "gone"; "not tested". */
const char *rows_verdict(const struct row *row);

/* By frame: whether a finding about the function is above pass. free() it. */
bool *rows_judged(const struct rows *rows);

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

#endif
