/*
 * Runs of the base compared with runs of the base: a difference there is not due to a change of the
 * program, and tells how far the machine can be trusted at the moment.
 *
 * In a paired gate the base runs of the first stage, six or more of them, are taken two by two as
 * neighbours in time, in the order 1 2, 4 3, 5 6, 8 7, ...: a drift at an even rate cancels. They
 * are compared as paired runs, in both directions, by the policy's thresholds and in one stage.
 * These tests have their own error budget: alpha, Holm over them alone, so that the gate's
 * tests keep theirs. With half as many pairs it detects less than the gate does: no difference
 * proves little, a difference much.
 *
 * policy.self_check decides the effect of a difference. `pass`: it is reported and changes nothing;
 * checked only where some growth is reported. `warn`: a warning. `fail`: the workload is
 * inconclusive; growth that would fail is reported as inconclusive, too, since it cannot be
 * distinguished from disturbance by the machine.
 */
#include "base/mem.h"
#include "base/sort.h"
#include "gate/rules.h"
#include "gate/tests.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

enum { FORTH, BACK, DIRECTIONS };

/* The base against itself: both halves, tested in either direction. */
struct self_check {
	struct judgement *gate; /* of the workload whose base is checked */
	struct gate_policy policy;
	struct run_view halves[2];
	struct judgement judgements[DIRECTIONS];
	size_t nfound;
};

struct base_run {
	size_t column;
	uint32_t pair;
};

static int
by_pair(const void *left, const void *right)
{
	const struct base_run *a = left;
	const struct base_run *b = right;

	return sort_order(a->pair, b->pair);
}

/* Base runs of the first stage in the order of time; free() them. */
static struct base_run *
base_runs(const struct profile *base, size_t *count)
{
	struct base_run *runs = mem_zalloc(base->nruns, sizeof(*runs));

	*count = 0;
	for (size_t i = 0; i < base->nruns; i++) {
		const struct run *run = &base->runs[i];

		if (run->stage == COMPARISON_SCREEN && run->pair != 0)
			runs[(*count)++] = (struct base_run){i, run->pair};
	}
	qsort(runs, *count, sizeof(*runs), by_pair);
	return runs;
}

/* The base's columns are the first of the comparison. */
static void
split(struct self_check *check, const struct base_run *runs, size_t count)
{
	for (int half = 0; half < 2; half++)
		run_view_init(&check->halves[half], &check->gate->comparison.profile);
	for (size_t i = 0; i + 1 < count; i += 2) {
		size_t swapped = i / 2 % 2;

		for (size_t half = 0; half < 2; half++)
			run_view_add(&check->halves[half], runs[i + (half ^ swapped)].column)
				->pair = runs[i].pair;
	}
}

static void
add_result(struct self_check *check, enum test_condition condition, const char *subject,
	const char *reason)
{
	judgement_add_condition(check->gate, FINDING_SELF_CHECK, subject, condition, reason)
		->action = check->policy.self_check;
}

static const char *
subject_of(struct self_check *check, const struct judgement *judgement, const struct test *test)
{
	struct buf name = {0};

	if (test->frame == 0)
		return judgement_text(
			check->gate, "%s", test->named ? test->named->pattern : test->subject);
	profile_put_frame(&judgement->comparison.profile, test->frame, &name);
	return judgement_keep(check->gate, &name);
}

/* Adds a result for each test that would fail. */
static void
add_differences(struct self_check *check, const struct judgement *judgement)
{
	for (size_t i = 0; i < judgement->ntests; i++) {
		const struct test *test = &judgement->tests[i];
		struct buf effect = {0};

		if (!test->flagged)
			continue;
		effect_describe(test->all, &effect);
		add_result(check, CONDITION_DIFFERS, subject_of(check, judgement, test),
			judgement_text(check->gate,
				"Runs of the same build differ by more than the %s threshold (%s): this "
				"machine cannot be trusted now.",
				judgement_percent(check->gate, test->limits.fail_at),
				judgement_keep(check->gate, &effect)));
		check->nfound++;
	}
}

static void
check_base(struct self_check *check, const struct base_run *runs, size_t count)
{
	static const struct baseline_info nothing_known;
	struct judgement *both[DIRECTIONS];

	split(check, runs, count);
	for (int direction = 0; direction < DIRECTIONS; direction++) {
		both[direction] = &check->judgements[direction];
		both[direction]->input = (struct gate_input){
			.workload = check->gate->input.workload,
			.policy = &check->policy,
			.mode = GATE_PAIRED,
			.candidate = &check->halves[!direction].profile,
			.before = &check->halves[direction].profile,
			.before_info = &nothing_known,
		};
		tests_make(both[direction]);
	}
	tests_correct(both, DIRECTIONS);
	for (int direction = 0; direction < DIRECTIONS; direction++)
		add_differences(check, both[direction]);
	for (int i = 0; i < DIRECTIONS; i++) {
		judgement_release(both[i]);
		run_view_release(&check->halves[i]);
	}
}

static bool
tells_growth(const struct judgement *judgement)
{
	for (size_t i = 0; i < judgement->ntests; i++) {
		const struct test *test = &judgement->tests[i];

		if (test->kind == TEST_GROWTH && test->decision.status > STATUS_PASS &&
			test_effect(test)->tested)
			return true;
	}
	return false;
}

/* Growth that would fail cannot be distinguished from disturbance by the machine. */
static void
doubt_growth(struct judgement *judgement)
{
	for (size_t i = 0; i < judgement->ntests; i++)
		judgement->tests[i].evidence.base_differs = true;
}

static void
add_self_check(struct judgement *judgement)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	struct self_check check = {.gate = judgement, .policy = *policy};
	bool silent = policy->self_check == POLICY_PASS;
	size_t count;

	if (!judgement->compared || judgement->comparison.mode != COMPARISON_PAIRED ||
		(silent && !tells_growth(judgement)))
		return;
	struct base_run *runs = base_runs(judgement->input.before, &count);

	if (count >= SELF_CHECK_LEAST_RUNS)
		check_base(&check, runs, count);
	else if (!silent)
		add_result(&check, CONDITION_DIFFERS, "base runs",
			judgement_text(judgement,
				"%zu runs of the base are too few to compare with one another: at "
				"least %d are needed.",
				count, SELF_CHECK_LEAST_RUNS));
	if (check.nfound > 0 && policy->self_check == POLICY_FAIL)
		doubt_growth(judgement);
	if (count >= SELF_CHECK_LEAST_RUNS && check.nfound == 0 && !silent)
		add_result(&check, CONDITION_MET, "base runs",
			judgement_text(judgement,
				"%zu runs of the base, compared with one another, differ by less than "
				"would fail.",
				count));
	free(runs);
}

const struct gate_rule rule_self_check = {
	.rule = FINDING_SELF_CHECK,
	.summary = "runs of the base do not differ when compared with one another",
	.add = add_self_check,
	.sees_decisions = true,
};
