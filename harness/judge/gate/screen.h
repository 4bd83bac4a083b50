/*
 * The screen of a stored gate: what the stored baseline flagged or left undecided, and pairs
 * decide.
 *
 * The pairs are other runs than those of the screen. It therefore may choose freely what they test,
 * and which workloads: alpha is split over the chosen workloads, and Holm's correction is over the
 * chosen tests of one. All others have passed, or warned: pairs can still warn of these, and no
 * more, and nothing waits for them.
 */
#ifndef GATE_SCREEN_H
#define GATE_SCREEN_H

#include "base/arena.h"
#include "gate/test.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

struct screen_subject {
	enum finding_rule rule;
	enum quantity of;
	const char *name;
};

struct screen {
	struct screen_subject *subjects; /* that pairs decide */
	size_t nsubjects;                /* 0: there was no screen */
	size_t nworkloads;               /* of the gate, that have a part of alpha */
};

/* Whether pairs are to decide a finding of the screen. */
bool screen_leaves(const struct finding *finding);

/* Takes the subjects of a verdict, in its order; they are the arena's. */
void screen_take(struct screen *screen, const struct verdict *verdict, struct arena *arena);

/*
 * Sets `screened` of the tests that pairs do not decide: none where a subject of the screen is not
 * among the tests, as it may be part of another one of the pairs. `profile` has the tests' frames.
 */
void screen_mark(const struct screen *screen, const struct profile *profile, struct test *tests,
	size_t ntests);

#endif
