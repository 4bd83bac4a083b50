/*
 * The comparison of two sets of runs: function by function, and as a whole.
 *
 * Stored mode: the candidate is judged relative to the stable rest of the program, so that the
 * machine's speed cancels; it is blind to a uniform slow-down, so whole cost is compared as well.
 * Paired mode: the runs of both sides were interleaved on one machine, and plain costs are
 * compared, pair by pair; runs without a partner are ignored. Exact mode: weights are counts in the
 * metric's own unit, compared as they are. Formulas and their sources are in model.h and stats.h.
 */
#ifndef COMPARE_COMPARISON_H
#define COMPARE_COMPARISON_H

#include "compare/effect.h"
#include "compare/model.h"
#include "profile/functions.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * SD of ln cost between sessions where it was not learned: relative to the stable rest, and of
 * plain cost. The second is larger because hosts of one class differ, and a shared one drifts.
 */
#define COMPARISON_SESSION_SPREAD 0.02
#define COMPARISON_MACHINE_SPREAD 0.05

struct comparison_options {
	enum comparison_mode mode;
	double alpha;     /* family-wise error, 0.05 */
	double min_share; /* of the cost before; functions below it in both sides are not tested */
	double session_spread; /* 0: COMPARISON_SESSION_SPREAD */
	double machine_spread; /* 0: COMPARISON_MACHINE_SPREAD */
	bool full_names;       /* clones and versions of a function are kept apart: canonical.h */
	bool plain_costs;      /* stored mode: plain costs are compared, without a stable rest */
	/*
	 * Stored mode, spread between sessions not learned: it is taken from the change of most
	 * functions.
	 */
	bool spread_of_functions;
	/*
	 * Stored mode: all subjects are compared with the same reference, so that the changes of a
	 * function and of its callers are consistent. It is the stable rest, even for a function
	 * that makes up most of it; where less than half of the program is stable, the whole
	 * program (model.shares).
	 */
	bool one_yardstick;
};

/*
 * The comparison by the runs of one stage only (run.stage; except in paired mode, all runs of the
 * baseline belong to both stages). Effects are by frame_id of the comparison's profile, as `self`
 * is.
 */
struct comparison_stage {
	struct model model;
	struct effect whole;
	struct effect *self;
};

enum {
	COMPARISON_SCREEN,  /* run.stage 0 */
	COMPARISON_CONFIRM, /* run.stage 1 */
	COMPARISON_STAGES
};

struct comparison {
	enum comparison_mode mode;
	bool staged;      /* there are confirming runs, and `stages` */
	bool plain_costs; /* as in the options */
	/* Both sides in one profile, names canonical: columns 0..nbefore-1, then nafter. */
	struct profile profile;
	size_t nbefore;
	size_t nafter;
	struct functions *functions; /* of the profile; owned; read with comparison_functions() */

	struct effect whole; /* CPU time of whole runs */
	/*
	 * Self effect of every frame, by frame_id. Marks of incomplete stacks are not functions;
	 * they have only costs and shares.
	 */
	struct effect *self;
	size_t nframes;
	bool *background; /* by frame: scheduling and interrupts, which are not tested */

	struct model model; /* that the above was computed with: all runs */

	/* The results of each stage by itself, if there are confirming runs; else absent. */
	struct comparison_stage stages[COMPARISON_STAGES];
};

/*
 * Compares `after` with `before`. A baseline needs only its last session; with more, its own spread
 * is known. Either side may be empty: nothing is tested then. The p_adjusted of the result is NAN
 * until comparison_adjust() (compare/adjust.h).
 */
void comparison_make(struct comparison *comparison, const struct profile *before,
	const struct profile *after, const struct comparison_options *options);
void comparison_release(struct comparison *comparison);

/* The functions of its profile: computed anew where they were dropped. */
const struct functions *comparison_functions(const struct comparison *comparison);
/* Frees the functions, which take as much memory as all else; comparison_functions() computes them
 * anew. */
void comparison_drop_functions(struct comparison *comparison);

/*
 * The total effect of every frame, by frame_id; free() it. Change, interval and p are set for
 * functions of min_share and more, but `tested` is false: Holm's correction does not cover them.
 */
struct effect *comparison_totals(const struct comparison *comparison);

/* A function that had next to no samples before (or after), and is not tested for that reason. */
bool comparison_is_new(const struct comparison *comparison, const struct effect *effect);
bool comparison_is_gone(const struct comparison *comparison, const struct effect *effect);
/*
 * Whether a function had enough samples before with all that it calls, and as large a part of the
 * program as its own cost is now.
 */
bool comparison_was_called(const struct comparison *comparison, frame_id frame);
/*
 * The factor that makes a cost before comparable with one after, as `effect` was judged: the
 * machine's speed where that was divided out, else 1.
 */
double comparison_before_scale(const struct comparison *comparison, const struct effect *effect);

/*
 * The effect of a group of functions (member[frame]), as one subject: self weight of its members,
 * or total. Tested like a function, but for any share. `model` selects the runs: that of the
 * comparison, or that of a stage.
 */
void comparison_group(const struct comparison *comparison, const struct model *model,
	const bool *member, bool leaf_only, struct effect *effect);

#endif
