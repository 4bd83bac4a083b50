/* The remedy for a growth that is undecided: the one thing that decides it, such as more runs. */
#ifndef GATE_REASON_REMEDY_H
#define GATE_REASON_REMEDY_H

#include "gate/judgement.h"

#include <stdbool.h>

struct remedy {
	const char *phrase;  /* "take about 20 more runs" */
	const char *options; /* of 'profile_run gate', that do it: "--max-runs 40"; "": none do */
};

struct remedy reason_remedy_of(struct judgement *judgement, const struct test *test);
/* The same as a phrase: "take about 20 more runs (--max-runs 40)". */
const char *reason_remedy(struct judgement *judgement, const struct test *test);

/* Whether only another failure keeps the test from getting more runs: more_runs.h. */
bool reason_is_left_undecided(const struct judgement *judgement, const struct test *test);

#endif
