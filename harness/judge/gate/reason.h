/*
 * Why a test was decided as it was, for people: one sentence or two, without the numbers of the
 * effect. The one place that makes the sentences of findings, but for those of conditions, which
 * their rules make.
 */
#ifndef GATE_REASON_H
#define GATE_REASON_H

#include "gate/judgement.h"

/* `finding` is complete but for the reason. The result lives in the judgement's arena. */
const char *reason_of_test(
	struct judgement *judgement, const struct test *test, const struct finding *finding);

/*
 * The same in a phrase without its full stop, behind the effect in a line: "not confirmed by 10
 * new runs"; "" where the effect says it all, NULL where the first sentence of the reason does.
 */
const char *reason_brief(
	struct judgement *judgement, const struct test *test, const struct finding *finding);

/* The same of a new function: by which threshold it is judged; NULL: by none. */
const char *reason_brief_of_new(struct judgement *judgement, const struct test *test);

/* The part of it about an effect that was tested for growth, without its waiver. */
const char *reason_of_growth(
	struct judgement *judgement, const struct test *test, const struct finding *finding);

/* " Only a warning: ...": a sentence to append, on why the growth is doubted; or "". */
const char *reason_of_weakness(struct judgement *judgement, const struct test *test);

/* The same on load on the machine: why the growth fails all the same, or does not. */
const char *reason_of_load(struct judgement *judgement, const struct test *test);

/* ", because most runs of ... were disturbed by other load", where those of a side were; or "". */
const char *reason_of_disturbance(struct judgement *judgement);
/* "at most 2.1 % slower": effect_put_most(). */
const char *reason_of_most(struct judgement *judgement, const struct finding *finding);
/* "may be up to 2.1 % slower", of what is undecided. */
const char *reason_of_possible(struct judgement *judgement, const struct finding *finding);
/* The one thing that decides what is undecided. */
struct remedy {
	const char *phrase;  /* "take about 20 more runs" */
	const char *options; /* of 'profile_run gate', that do it: "--max-runs 40"; "": none do */
};

struct remedy reason_remedy_of(struct judgement *judgement, const struct test *test);
/* The same as a phrase: "take about 20 more runs (--max-runs 40)". */
const char *reason_remedy(struct judgement *judgement, const struct test *test);
/* The runs of a side that its effect is from. */
double reason_runs_taken(const struct judgement *judgement, const struct test *test);
/* Whether only another failure keeps the test from getting more runs: more_runs.h. */
bool reason_is_left_undecided(const struct judgement *judgement, const struct test *test);
/* Whether a quieter machine may help: not where runs of both sides are known to be undisturbed. */
bool reason_may_be_load(const struct judgement *judgement);

#endif
