/*
 * Runs of the base held against runs of the base: what differs there differs without a change, and
 * says what the machine's word is worth at this moment.
 *
 * In a paired gate the base runs of the first stage, six or more of them, are taken two by two as
 * neighbours in time, in the order 1 2, 4 3, 5 6, 8 7, ...: a drift at an even rate cancels. They
 * are compared as paired runs, in both directions, by the policy's thresholds and in one stage.
 * These tests have an error budget of their own: alpha, Holm over them alone, so that the gate's
 * tests keep theirs. With half as many pairs as the gate it sees less than the gate does: that
 * nothing differs proves little, and that something does is much.
 *
 * policy.self_check says what comes of a difference:
 *
 *     pass    it is said, and changes nothing; looked at only where some growth is told
 *     warn    a warning
 *     fail    the workload is inconclusive; growth that would fail is told, and is inconclusive as
 *             well, since nobody can tell it from what the machine does by itself
 */
#include "base/mem.h"
#include "gate/growth.h"
#include "gate/rules.h"
#include "profile/run_view.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_RUNS 6
#define RULE FINDING_SELF_CHECK

enum { FORTH, BACK, DIRECTIONS };

/* The base against itself: both halves, judged in either direction. */
struct self_check {
	const struct judgement *of;
	struct gate_policy policy;
	struct growth_policy growth;
	struct run_view halves[2];
	struct baseline before[DIRECTIONS];
	struct judgement judgements[DIRECTIONS];
	struct effect **effects; /* all that is tested */
	size_t neffects;
	size_t capacity;
	size_t nfound;
	struct verdict_builder *builder;
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

	return (a->pair > b->pair) - (a->pair < b->pair);
}

/* Base runs of the first stage in the order of time; free() them. */
static struct base_run *
base_runs(const struct profile *base, size_t *count)
{
	struct base_run *runs = mem_zalloc(base->nruns + 1, sizeof(*runs));

	*count = 0;
	for (size_t i = 0; i < base->nruns; i++) {
		const struct run *run = &base->runs[i];

		if (run->stage == COMPARISON_SCREEN && run->pair != 0)
			runs[(*count)++] = (struct base_run){i, run->pair};
	}
	qsort(runs, *count, sizeof(*runs), by_pair);
	return runs;
}

static void
split(struct self_check *check, const struct base_run *runs, size_t count)
{
	for (int half = 0; half < 2; half++)
		run_view_init(&check->halves[half], &check->of->input.baseline->profile);
	for (size_t i = 0; i + 1 < count; i += 2) {
		size_t swapped = i / 2 % 2;

		for (size_t half = 0; half < 2; half++)
			run_view_add(&check->halves[half], runs[i + (half ^ swapped)].column)
				->pair = (uint32_t)i / 2 + 1;
	}
}

static void
add_effect(struct self_check *check, struct effect *effect)
{
	check->effects = mem_grow(
		check->effects, &check->capacity, check->neffects + 1, sizeof(struct effect *));
	check->effects[check->neffects++] = effect;
}

static void
compare_halves(struct self_check *check, int direction)
{
	const struct comparison_options options = {
		.mode = COMPARISON_PAIRED,
		.alpha = check->policy.alpha,
		.min_share = check->policy.min_share,
	};
	struct judgement *judgement = &check->judgements[direction];
	struct comparison *comparison = &judgement->comparison;

	check->before[direction].profile = check->halves[direction].profile;
	*judgement = (struct judgement){
		.input =
			{
				.workload = check->of->input.workload,
				.policy = &check->policy,
				.mode = GATE_PAIRED,
				.candidate = &check->halves[!direction].profile,
				.baseline = &check->before[direction],
			},
		.compared = true,
	};
	comparison_make(comparison, &check->before[direction].profile, judgement->input.candidate,
		&options);
	judgement->groups = named_groups(judgement, &comparison->model);
	for (frame_id frame = 0; frame < comparison->nframes; frame++) {
		if (comparison->self[frame].tested)
			add_effect(check, &comparison->self[frame]);
	}
	for (size_t i = 0; i < check->policy.nrules; i++) {
		if (judgement->groups[i].tested && named_has_threshold(&check->policy.rules[i]))
			add_effect(check, &judgement->groups[i]);
	}
	if (comparison->whole.tested)
		add_effect(check, &comparison->whole);
}

static enum status
status_of_difference(const struct self_check *check)
{
	switch (check->policy.self_check) {
	case POLICY_PASS:
		return STATUS_PASS;
	case POLICY_WARN:
		return STATUS_WARN;
	case POLICY_FAIL:
		return STATUS_INCONCLUSIVE;
	}
	return STATUS_INCONCLUSIVE;
}

static void
add_finding(struct self_check *check, const char *subject, const char *reason)
{
	struct finding finding = finding_of(RULE, subject);

	finding.status = status_of_difference(check);
	finding.reason = reason;
	verdict_add(check->builder, &finding);
}

/* A finding if it would fail. `limits` has its limits, and `subject` may be borrowed. */
static void
see_subject(struct self_check *check, const struct finding *limits, const char *subject,
	const struct growth_evidence *evidence)
{
	struct buf effect;

	if (!evidence->all->tested || !growth_is_flagged(limits, evidence, &check->growth))
		return;
	buf_init(&effect);
	effect_describe(evidence->all, &effect);
	add_finding(check, verdict_text(check->builder, "%s", subject),
		verdict_text(check->builder,
			"Runs of the same build differ by more than the %.1f %% that fail (%s): this "
			"machine cannot be trusted now.",
			limits->fail_at * 100, buf_text(&effect)));
	check->nfound++;
	buf_release(&effect);
}

static void
see_function(struct self_check *check, const struct judgement *judgement, frame_id frame)
{
	const struct growth_evidence evidence = evidence_of_function(judgement, frame);
	struct finding limits = finding_of(RULE, "");
	struct buf name;

	limits.effect = *evidence.all;
	functions_limits(judgement, frame, &limits);
	buf_init(&name);
	profile_put_frame(&judgement->comparison.profile, frame, &name);
	see_subject(check, &limits, buf_text(&name), &evidence);
	buf_release(&name);
}

static void
see_direction(struct self_check *check, const struct judgement *judgement)
{
	for (frame_id frame = 0; frame < judgement->comparison.nframes; frame++) {
		if (judgement->comparison.self[frame].tested)
			see_function(check, judgement, frame);
	}
	for (size_t i = 0; i < check->policy.nrules; i++) {
		const struct growth_evidence evidence = evidence_of_rule(judgement, i);
		struct finding limits = finding_of(RULE, "");

		if (!named_has_threshold(&check->policy.rules[i]))
			continue;
		limits.effect = *evidence.all;
		named_limits(judgement, i, &limits);
		see_subject(check, &limits, check->policy.rules[i].pattern, &evidence);
	}
	const struct growth_evidence evidence = evidence_of_whole(judgement);
	struct finding limits = finding_of(RULE, "");

	limits.effect = *evidence.all;
	total_limits(judgement, &limits);
	see_subject(check, &limits, "whole program", &evidence);
}

/* Growth that failed cannot be told from what the machine does by itself. */
static void
disbelieve(struct verdict_builder *builder)
{
	for (size_t i = 0; i < builder->verdict->nfindings; i++) {
		struct finding *finding = &builder->verdict->findings[i];

		if (finding->status != STATUS_FAIL || !finding->effect.tested)
			continue;
		finding->status = STATUS_INCONCLUSIVE;
		finding->reason = verdict_text(builder,
			"%s It would fail, but runs of the same build differ here as well.",
			finding->reason);
	}
}

static void
check_base(struct self_check *check, const struct base_run *runs, size_t count)
{
	split(check, runs, count);
	for (int direction = 0; direction < DIRECTIONS; direction++)
		compare_halves(check, direction);
	comparison_adjust(check->effects, check->neffects, check->policy.alpha);
	for (int direction = 0; direction < DIRECTIONS; direction++)
		see_direction(check, &check->judgements[direction]);
	if (check->nfound > 0 && check->policy.self_check == POLICY_FAIL)
		disbelieve(check->builder);
	for (int i = 0; i < DIRECTIONS; i++) {
		judgement_release(&check->judgements[i]);
		run_view_release(&check->halves[i]);
	}
	free(check->effects);
}

static bool
tells_growth(const struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->nfindings; i++) {
		const struct finding *finding = &verdict->findings[i];

		if (finding->status > STATUS_PASS && finding->effect.tested)
			return true;
	}
	return false;
}

static void
apply_self_check(const struct judgement *judgement, struct verdict_builder *builder)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	struct self_check check = {.of = judgement, .policy = *policy, .builder = builder};
	bool silent = policy->self_check == POLICY_PASS;
	size_t count;

	if (!judgement->compared || judgement->comparison.mode != COMPARISON_PAIRED ||
		(silent && !tells_growth(builder->verdict)))
		return;
	struct base_run *runs = base_runs(&judgement->input.baseline->profile, &count);

	check.growth = (struct growth_policy){.alpha = policy->alpha, .strict = policy->strict};
	if (count >= LEAST_RUNS)
		check_base(&check, runs, count);
	else if (!silent)
		add_finding(&check, "base runs",
			verdict_text(builder,
				"%zu runs of the base are too few to hold against one another: at "
				"least %d are needed.",
				count, LEAST_RUNS));
	if (count >= LEAST_RUNS && check.nfound == 0 && !silent) {
		struct finding finding = finding_of(RULE, "base runs");

		finding.reason = verdict_text(builder,
			"%zu runs of the base, held against one another, show nothing that would "
			"fail.",
			count);
		verdict_add(builder, &finding);
	}
	free(runs);
}

const struct gate_rule rule_self_check = {
	.name = "self check",
	.summary = "runs of the base do not differ when held against one another",
	.apply = apply_self_check,
};
