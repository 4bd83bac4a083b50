#include "gate/judge.h"

#include "base/mem.h"
#include "gate/explain.h"
#include "gate/rules.h"
#include "gate/waive.h"
#include "profile/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of two sides of one session nothing is said of how sessions differ: next to nothing. */
#define SAME_SESSION_SPREAD 1e-9

/* Costs that are counted come out the same for the same program; those of one side do not help. */
static enum comparison_mode
mode_of(const struct judgement *judgement)
{
	const struct profile *before =
		judgement->compared ? &judgement->input.baseline->profile : NULL;

	if (weights_are_counted(judgement->input.candidate) &&
		(!before || weights_are_counted(before)))
		return COMPARISON_EXACT;
	return judgement->input.mode == GATE_PAIRED ? COMPARISON_PAIRED : COMPARISON_STORED;
}

static void
compare(struct judgement *judgement)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	struct comparison *comparison = &judgement->comparison;
	struct comparison_options options = {
		.alpha = policy->alpha,
		.min_share = policy->min_share,
		.session_spread = judgement->input.same_session ? SAME_SESSION_SPREAD : 0,
		.machine_spread = judgement->input.same_session ? SAME_SESSION_SPREAD : 0,
	};
	struct profile none;

	if (judgement->input.error || !judgement->input.candidate)
		return;
	profile_init(&none);
	judgement->compared = baseline_is_comparable(judgement);
	options.mode = mode_of(judgement);
	comparison_make(comparison,
		judgement->compared ? &judgement->input.baseline->profile : &none,
		judgement->input.candidate, &options);
	judgement->groups = named_groups(judgement, &comparison->model);
	for (int stage = 0; stage < COMPARISON_STAGES && comparison->staged; stage++)
		judgement->stage_groups[stage] =
			named_groups(judgement, &comparison->stages[stage].model);
	profile_release(&none);
}

struct growth_evidence
evidence_of_function(const struct judgement *judgement, frame_id frame)
{
	const struct comparison *comparison = &judgement->comparison;
	struct growth_evidence evidence = {.all = &comparison->self[frame]};

	for (int stage = 0; stage < COMPARISON_STAGES && comparison->staged; stage++)
		evidence.stages[stage] = &comparison->stages[stage].self[frame];
	return evidence;
}

struct growth_evidence
evidence_of_rule(const struct judgement *judgement, size_t rule)
{
	struct growth_evidence evidence = {.all = &judgement->groups[rule]};

	for (int stage = 0; stage < COMPARISON_STAGES && judgement->comparison.staged; stage++)
		evidence.stages[stage] = &judgement->stage_groups[stage][rule];
	return evidence;
}

struct growth_evidence
evidence_of_whole(const struct judgement *judgement)
{
	const struct comparison *comparison = &judgement->comparison;
	struct growth_evidence evidence = {.all = &comparison->whole};

	for (int stage = 0; stage < COMPARISON_STAGES && comparison->staged; stage++)
		evidence.stages[stage] = &comparison->stages[stage].whole;
	return evidence;
}

/* Of the side after. */
static double
runs_of_stage(const struct comparison *comparison, uint32_t stage)
{
	size_t count = 0;

	for (size_t i = comparison->nbefore; i < comparison->profile.nruns; i++)
		count += comparison->profile.runs[i].stage == stage;
	return (double)count;
}

struct growth_policy
growth_policy_of(const struct judgement *judgement, const struct verdict_builder *builder)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	const struct comparison *comparison = &judgement->comparison;

	return (struct growth_policy){
		.alpha = policy->alpha,
		.strict = policy->strict,
		.two_stages = policy->confirm && judgement->input.may_confirm &&
			      comparison->mode != COMPARISON_EXACT,
		.limited = builder && builder->verdict->limited,
		.most = policy->regression,
		.runs_before = (double)comparison->nbefore,
		.runs_after = (double)comparison->nafter,
		.runs_fresh = runs_of_stage(comparison, COMPARISON_CONFIRM),
		.adds_before = judgement->input.mode == GATE_PAIRED,
	};
}

bool
named_has_threshold(const struct gate_rule_spec *spec)
{
	return spec->kind != RULE_EACH &&
	       (!isnan(spec->threshold.warn) || !isnan(spec->threshold.fail));
}

/* The tests that share an error budget. */
struct family {
	struct effect **effects;
	size_t count;
	size_t capacity;
};

static void
family_add(struct family *family, const struct effect *effect)
{
	if (!effect->tested)
		return;
	family->effects = mem_grow(
		family->effects, &family->capacity, family->count + 1, sizeof(struct effect *));
	/* Effects are the judgement's own; only the rules have to leave them as they are. */
	memcpy(&family->effects[family->count++], &effect, sizeof(void *));
}

static void
family_adjust(struct family *family, double alpha)
{
	comparison_adjust(family->effects, family->count, alpha);
	free(family->effects);
	*family = (struct family){0};
}

/* What each workload tests, handed to `visit` with its limits. */
typedef void test_visitor(const struct judgement *judgement, const struct growth_evidence *evidence,
	const struct finding *limits, void *context);

static void
visit_tests(const struct judgement *judgement, test_visitor *visit, void *context)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	struct growth_evidence evidence;

	if (!judgement->compared)
		return;
	for (frame_id frame = 0; frame < judgement->comparison.nframes; frame++) {
		struct finding limits = finding_of(FINDING_FUNCTIONS, "");

		evidence = evidence_of_function(judgement, frame);
		if (!evidence.all->tested)
			continue;
		limits.effect = *evidence.all;
		functions_limits(judgement, frame, &limits);
		visit(judgement, &evidence, &limits, context);
	}
	for (size_t i = 0; i < policy->nrules; i++) {
		struct finding limits = finding_of(FINDING_NAMED, "");

		evidence = evidence_of_rule(judgement, i);
		if (!evidence.all->tested || !named_has_threshold(&policy->rules[i]))
			continue;
		limits.effect = *evidence.all;
		named_limits(judgement, i, &limits);
		visit(judgement, &evidence, &limits, context);
	}
	struct finding limits = finding_of(FINDING_TOTAL, "");

	evidence = evidence_of_whole(judgement);
	limits.effect = *evidence.all;
	total_limits(judgement, &limits);
	if (evidence.all->tested)
		visit(judgement, &evidence, &limits, context);
}

struct families {
	struct family all;
	struct family screen;
	struct family confirm;
};

static void
add_first_tests(const struct judgement *judgement, const struct growth_evidence *evidence,
	const struct finding *limits, void *context)
{
	struct families *families = context;

	(void)judgement;
	(void)limits;
	family_add(&families->all, evidence->all);
	family_add(&families->screen, evidence->stages[COMPARISON_SCREEN]
					      ? evidence->stages[COMPARISON_SCREEN]
					      : evidence->all);
}

/* Only what the first stage flagged is tested in the second. */
static void
add_second_test(const struct judgement *judgement, const struct growth_evidence *evidence,
	const struct finding *limits, void *context)
{
	struct families *families = context;
	const struct growth_policy policy = growth_policy_of(judgement, NULL);

	if (evidence->stages[COMPARISON_CONFIRM] && growth_is_flagged(limits, evidence, &policy))
		family_add(&families->confirm, evidence->stages[COMPARISON_CONFIRM]);
}

/*
 * Holm over each stage's tests in all workloads. What all runs together say is corrected for all
 * that is tested as well; where there is one stage, both are one and the order does not matter.
 */
static void
correct(struct judgement *judgements, size_t njudgements)
{
	struct families families = {0};
	double alpha = 1;

	for (size_t i = 0; i < njudgements; i++) {
		alpha = fmin(alpha, judgement_policy(&judgements[i])->alpha);
		visit_tests(&judgements[i], add_first_tests, &families);
	}
	for (size_t i = 0; i < njudgements; i++)
		judgements[i].ntests[COMPARISON_SCREEN] = families.screen.count;
	family_adjust(&families.all, alpha);
	family_adjust(&families.screen, alpha);
	for (size_t i = 0; i < njudgements; i++)
		visit_tests(&judgements[i], add_second_test, &families);
	for (size_t i = 0; i < njudgements; i++)
		judgements[i].ntests[COMPARISON_CONFIRM] = families.confirm.count;
	family_adjust(&families.confirm, alpha);
}

static const char *
mode_name(const struct judgement *judgement)
{
	static const char *const names[] = {
		[GATE_STORED] = "stored",
		[GATE_PAIRED] = "paired",
		[GATE_FILES] = "files",
	};

	return judgement->compared ? names[judgement->input.mode] : "none";
}

static void
apply_rules(struct judgement *judgement)
{
	struct verdict_builder builder;

	verdict_begin(&judgement->verdict, &builder);
	judgement->verdict.mode = mode_name(judgement);
	judgement->verdict.limited = judgement->compared ? baseline_limits(judgement) : NULL;
	for (size_t i = 0; gate_rules[i]; i++)
		gate_rules[i]->apply(judgement, &builder);
	explain_findings(judgement, &builder);
	waive_findings(judgement, &builder);
	verdict_end(&builder);
}

/* Severity in the sum of a gate: a regression is not hidden by an error. */
static int
weight_of(enum status status)
{
	return status == STATUS_FAIL ? (int)STATUS_ERROR + 1 : (int)status;
}

void
judge_gate(struct judgement *judgements, size_t njudgements, enum status *overall)
{
	*overall = STATUS_PASS;
	for (size_t i = 0; i < njudgements; i++)
		compare(&judgements[i]);
	correct(judgements, njudgements);
	for (size_t i = 0; i < njudgements; i++) {
		apply_rules(&judgements[i]);
		/* A finding that failed stands behind an error in its own workload too. */
		for (size_t f = 0; f < judgements[i].verdict.nfindings; f++) {
			enum status status = judgements[i].verdict.findings[f].status;

			if (weight_of(status) > weight_of(*overall))
				*overall = status;
		}
	}
}

void
judgement_release(struct judgement *judgement)
{
	if (judgement->comparison.self)
		comparison_release(&judgement->comparison);
	verdict_release(&judgement->verdict);
	free(judgement->groups);
	free(judgement->code.by_frame);
	for (int stage = 0; stage < COMPARISON_STAGES; stage++) {
		free(judgement->stage_groups[stage]);
		judgement->stage_groups[stage] = NULL;
	}
	judgement->code = (struct code_states){0};
	judgement->groups = NULL;
	judgement->compared = false;
}

int
judge_exit_code(const struct judgement *judgements, size_t njudgements)
{
	bool seen[STATUS_ERROR + 1] = {false};

	for (size_t i = 0; i < njudgements; i++) {
		const struct verdict *verdict = &judgements[i].verdict;
		bool matters = judgement_policy(&judgements[i])->inconclusive == POLICY_FAIL;

		for (size_t f = 0; f < verdict->nfindings; f++) {
			enum status status = verdict->findings[f].status;

			if (status != STATUS_INCONCLUSIVE || matters)
				seen[status] = true;
		}
	}
	if (seen[STATUS_FAIL])
		return 1;
	if (seen[STATUS_ERROR])
		return 2;
	return seen[STATUS_INCONCLUSIVE] ? 3 : 0;
}
