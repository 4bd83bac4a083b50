/*
 * The comparison of two sets of runs: function by function, and as a whole.
 *
 * Stored mode: the candidate is judged relative to the stable rest of the program, so that the
 * machine's speed cancels; it is blind to a uniform slow-down, so whole cost is compared beside it.
 * Formulas and their sources are with the functions of model.h and stats.h.
 */
#ifndef COMPARE_COMPARISON_H
#define COMPARE_COMPARISON_H

#include "compare/effect.h"
#include "profile/functions.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

struct comparison_options {
	double alpha;     /* family-wise error, 0.05 */
	double min_share; /* functions below it in both sides are not tested */
	double session_spread; /* SD of ln cost between occasions when not learned: 0.02 */
};

struct comparison {
	/* Both sides in one profile: columns 0..nbefore-1, then nafter. */
	struct profile profile;
	size_t nbefore;
	size_t nafter;
	struct functions functions; /* of `profile` */

	struct effect whole; /* CPU time of whole runs */
	/* Self and total effect of every frame, by frame_id. Only self is tested here. */
	struct effect *self;
	struct effect *total;
	size_t nframes;

	/* What costs were held against. */
	double reference_share;  /* share of the stable rest in the baseline */
	double machine_speed;    /* cost of the stable rest, after / before */
	double session_spread;   /* used */
	bool session_spread_learned;
};

/*
 * Compares `after` with `before`. Only the last occasion is needed of a baseline, more make its own
 * spread known. The p_adjusted of the result is NAN until comparison_adjust().
 */
void comparison_make(struct comparison *comparison, const struct profile *before,
	const struct profile *after, const struct comparison_options *options);
void comparison_release(struct comparison *comparison);

/*
 * The effect of a group of functions (member[frame]), as one subject: self weight of its members,
 * or total. Tested like a function.
 */
void comparison_group(const struct comparison *comparison, const bool *member, bool leaf_only,
	const struct comparison_options *options, struct effect *effect);

/*
 * Holm's correction over all tested effects of a gate, in place, and with it the minimal detectable
 * effect of each. `effects` are borrowed pointers to everything tested in every workload.
 */
void comparison_adjust(struct effect **effects, size_t neffects, double alpha);

#endif
