/*
 * The functions of one workload as rows of a table, whether it was compared or only measured.
 */
#ifndef OUTPUT_ROWS_H
#define OUTPUT_ROWS_H

#include "compare/effect.h"
#include "gate/judge.h"
#include "profile/functions.h"

#include <stddef.h>

struct row {
	frame_id frame;
	struct effect self;
	struct effect total;
	const struct finding *finding; /* the severest about this function; NULL if none */
	const char *name;              /* with suffix, as in the folded format; the rows' */
};

struct rows {
	struct row *rows; /* largest self share (of either side) first, then total, then by name */
	size_t nrows;
	/* What they were made from: borrowed from the judgement. */
	const struct profile *profile; /* columns 0..nbefore-1, then nafter */
	size_t nbefore;
	size_t nafter;
	double before_scale; /* costs before, times this, are at the machine's speed after */
	bool weights_only;   /* no run has a cost: weights stand for it */
	double whole_scale;  /* the same for the whole program: 1 where plain costs are judged */
	/* Owned. */
	const struct functions *functions; /* the comparison's, or `own` */
	struct functions own;
	double *column_totals;
	struct arena names;
};

/* Functions without any weight have no row, nor have marks of incomplete stacks. A workload that
 * was not measured has no rows. */
void rows_init(struct rows *rows, const struct judgement *judgement);
/* The same in no order, for who has an order of their own. */
void rows_init_unordered(struct rows *rows, const struct judgement *judgement);
void rows_release(struct rows *rows);

/*
 * What the function (as self or total) or, for frame 0, the whole program cost in one run; NAN if
 * not known. Where no run has a cost, as in folded text, it is the weight. Runs before are scaled
 * by the machine's speed as they were for the judgement.
 */
double rows_run_cost(const struct rows *rows, frame_id frame, enum quantity of, size_t column);

#endif
