#include "gate/decide.h"

#include "gate/effort.h"
#include "gate/machine_load.h"

#include <math.h>

/*
 * Strict: all of the interval lies above, as if it were the only test. Significance was corrected
 * for all tests already; correcting twice would miss much.
 */
static bool
exceeds(const struct effect *effect, double limit, const struct criteria *criteria)
{
	struct effect alone = *effect;

	if (!criteria->strict && !criteria->early)
		return growth_exceeds(effect->change, limit);
	model_set_interval(&alone, criteria->alpha * criteria->part);
	return growth_exceeds(alone.low, limit);
}

bool
decide_flags(const struct test *test, const struct criteria *criteria)
{
	const struct effect *first = test_first_effect(test);

	if (criteria->two_stages)
		return test_is_significant(first, 2 * criteria->alpha) &&
		       growth_exceeds(first->change, test->limits.fail_at);
	return test_is_significant(first, criteria->alpha) &&
	       exceeds(first, test->limits.fail_at, criteria);
}

/* Lowers what may only warn. */
static enum status
limited(enum status status, const struct criteria *criteria)
{
	if (criteria->unusable_before && status == STATUS_FAIL)
		return STATUS_INCONCLUSIVE;
	return criteria->limited && (status == STATUS_FAIL || status == STATUS_INCONCLUSIVE)
		       ? STATUS_WARN
		       : status;
}

/* A regression does no more than the policy lets it. */
static enum status
at_most(enum status status, enum policy_action most)
{
	if (status != STATUS_FAIL && status != STATUS_WARN)
		return status;
	return most == POLICY_PASS                            ? STATUS_PASS
	       : most == POLICY_WARN && status == STATUS_FAIL ? STATUS_WARN
							      : status;
}

/* The status by a policy's action; `failure` is the severest. */
static enum status
by_action(enum policy_action action, enum status failure)
{
	switch (action) {
	case POLICY_PASS:
		return STATUS_PASS;
	case POLICY_WARN:
		return STATUS_WARN;
	case POLICY_FAIL:
		break;
	}
	return failure;
}

static enum status
of_runs(const struct test *test, const struct criteria *criteria)
{
	const struct effect *effect = test_effect(test);
	const struct limits *limits = &test->limits;
	bool significant = test_is_significant(effect, criteria->alpha);
	/* By the interval that is shown: tests.h. */
	bool excluded = effect->high < limits->asked;

	if (isnan(limits->asked) || test->small_after)
		return STATUS_PASS;
	if (test->flagged && significant && exceeds(effect, limits->fail_at, criteria))
		return STATUS_FAIL;
	if (test->screened)
		return significant && growth_reaches(effect->change, limits->warn_at) ? STATUS_WARN
										      : STATUS_PASS;
	/* More pairs may show it to be above the threshold. */
	if (criteria->early && !excluded)
		return STATUS_INCONCLUSIVE;
	if (significant && growth_reaches(effect->change, limits->warn_at))
		return STATUS_WARN;
	/* A count that is the same in every run is at the threshold for certain. */
	if (effect_is_exact(effect) && !growth_exceeds(effect->change, limits->asked))
		return STATUS_PASS;
	return excluded ? STATUS_PASS : STATUS_INCONCLUSIVE;
}

/* No number is advised where it is more than anybody would take. */
static double
more_runs(const struct test *test, const struct criteria *criteria)
{
	const bool again = test_is_confirmed(test);
	const struct effort_runs runs = {
		.before = again && criteria->adds_before ? criteria->runs_fresh
							 : criteria->runs_before,
		.after = again ? criteria->runs_fresh : criteria->runs_after,
		.adds_before = criteria->adds_before,
	};

	double more = effort_more_runs(test_effect(test),
		again ? test->limits.fail_at : test->limits.asked, criteria->alpha, &runs);

	return runs.after + more <= criteria->runs_worth ? more : INFINITY;
}

static void
decide_growth(const struct test *test, const struct criteria *criteria, struct decision *decision)
{
	/* Counts that repeat are certain. */
	const bool repeats = criteria->runs_after > 1 && effect_is_exact(test_effect(test));

	decision->unconfirmed = test->flagged && criteria->two_stages &&
				!test->stages[COMPARISON_CONFIRM] && !repeats;
	decision->by_runs = decision->unconfirmed ? STATUS_INCONCLUSIVE : of_runs(test, criteria);
	decision->status = limited(at_most(decision->by_runs, criteria->regression), criteria);
	if (decision->by_runs == STATUS_INCONCLUSIVE && !decision->unconfirmed)
		decision->more_runs = more_runs(test, criteria);
}

static enum status
of_budget(const struct budget *budget, const struct criteria *criteria)
{
	if (!isfinite(budget->value))
		return STATUS_INCONCLUSIVE;
	if (!(budget->value > budget->limit))
		return STATUS_PASS;
	return limited(budget->least > budget->limit ? STATUS_FAIL : STATUS_WARN, criteria);
}

static enum status
of_condition(const struct test *test)
{
	switch (test->condition) {
	case CONDITION_MET:
		return STATUS_PASS;
	case CONDITION_DOUBTFUL:
		return STATUS_WARN;
	case CONDITION_UNUSABLE:
		return STATUS_INCONCLUSIVE;
	case CONDITION_BY_POLICY:
		return by_action(test->action, STATUS_ERROR);
	case CONDITION_DIFFERS:
		return by_action(test->action, STATUS_INCONCLUSIVE);
	case CONDITION_NOT_HERE:
		return STATUS_SKIPPED;
	case CONDITION_NOT_MET:
		break;
	}
	return STATUS_ERROR;
}

/* By its effect, limits and conditions alone. */
static void
decide_by_runs(const struct test *test, const struct criteria *criteria, struct decision *decision)
{
	switch (test->kind) {
	case TEST_GROWTH:
		decide_growth(test, criteria, decision);
		return;
	case TEST_NEW:
		decision->status =
			limited(by_action(criteria->new_functions, STATUS_FAIL), criteria);
		break;
	case TEST_GONE:
		decision->status =
			limited(by_action(criteria->gone_functions, STATUS_FAIL), criteria);
		break;
	case TEST_TOO_FEW:
		decision->status = limited(STATUS_INCONCLUSIVE, criteria);
		break;
	case TEST_NEGLIGIBLE:
		decision->status = STATUS_PASS;
		break;
	case TEST_SHARE_BUDGET:
	case TEST_COST_BUDGET:
		decision->status = of_budget(&test->budget, criteria);
		break;
	case TEST_CONDITION:
		decision->status = of_condition(test);
		break;
	}
	decision->by_runs = decision->status;
}

/*
 * Leaves it undecided where the same or changed code does the same work: that can be slower. What
 * the first runs show to be slower is confirmed by as much more work, and by nothing less.
 */
static void
decide_by_work(const struct test *test, const struct criteria *criteria, struct decision *decision)
{
	const struct counted_work *work = test->evidence.work;
	const struct limits *limits = &test->limits;

	if (!work || (decision->by_runs != STATUS_INCONCLUSIVE &&
			     decision->weakness != WEAKNESS_DISTURBED))
		return;
	enum status status = growth_exceeds(work->change, limits->fail_at)   ? STATUS_FAIL
			     : growth_reaches(work->change, limits->warn_at) ? STATUS_WARN
									     : STATUS_PASS;

	if (status == STATUS_PASS && !(work->same_code && fabs(work->change) <= CAUSES_SAME_WORK))
		return;
	if (decision->unconfirmed && status != STATUS_FAIL)
		return;
	/* Time may still decide it, unless it shows the growth, too. */
	if (criteria->early && status != STATUS_PASS &&
		!(status == STATUS_FAIL &&
			growth_exceeds(test_effect(test)->change, limits->fail_at)))
		return;
	*decision = (struct decision){.by_runs = status, .more_runs = NAN, .by_instructions = true};
	decision->status = limited(at_most(status, criteria->regression), criteria);
}

/*
 * Whether it only moved: the domain may have grown by up to half as much (causes.h), which is a
 * separate growth if it is significant and at the threshold of functions.
 */
static bool
only_moved(const struct causes *causes, const struct criteria *criteria)
{
	const struct effect *domain = &causes->domain_effect;

	return causes->moved != DOMAIN_NONE && !(domain->tested && domain->p <= criteria->alpha &&
						       domain->change >= criteria->functions.fail);
}

static enum weakness
weakness_of(const struct causes *causes, const struct criteria *criteria)
{
	if (only_moved(causes, criteria))
		return WEAKNESS_MOVED;
	if (causes->code == CODE_SAME && causes->unreachable)
		return WEAKNESS_LAYOUT;
	if (criteria->same_work_warns && causes->code == CODE_SAME &&
		fabs(causes_more_work(causes)) <= CAUSES_SAME_WORK)
		return WEAKNESS_SAME_WORK;
	return WEAKNESS_NONE;
}

/* It warns, whatever new runs would show. */
static void
weigh_causes(const struct test *test, const struct criteria *criteria, struct decision *decision)
{
	enum weakness weakness = weakness_of(test->evidence.causes, criteria);

	if ((decision->status != STATUS_FAIL && !decision->unconfirmed) ||
		weakness == WEAKNESS_NONE)
		return;
	decision->weakness = weakness;
	decision->status = STATUS_WARN;
	decision->unconfirmed = false;
}

/* A whole whose growth no code explains that the change reaches: strict, at a tenth of alpha. */
#define UNEXPLAINED_ALPHA 0.1

static bool
is_beyond_doubt(const struct test *test, const struct criteria *criteria)
{
	struct effect alone = *test_effect(test);

	model_set_interval(&alone, UNEXPLAINED_ALPHA * criteria->alpha * criteria->part);
	return growth_exceeds(alone.low, test->limits.fail_at);
}

/*
 * Code that the change does not reach has no cost that the change could have made, unless through
 * layout or data: an estimate above the threshold only warns, and no runs are waited for. The whole
 * program is what would show a slowdown by data: it fails where that is beyond doubt, and pairs go
 * on while its estimate is above the threshold.
 */
static void
weigh_reach(const struct test *test, const struct criteria *criteria, struct decision *decision)
{
	const bool whole = test->rule == FINDING_TOTAL;
	const bool doubtful =
		whole && decision->by_runs == STATUS_FAIL && !is_beyond_doubt(test, criteria);
	const bool above = growth_reaches(test_effect(test)->change, test->limits.asked);

	if ((decision->by_runs != STATUS_INCONCLUSIVE && !doubtful) || decision->by_instructions)
		return;
	if (whole && above && criteria->early) {
		decision->by_runs = decision->status = STATUS_INCONCLUSIVE;
		decision->more_runs = more_runs(test, criteria);
		return;
	}
	decision->unreached = true;
	decision->weakness = above ? WEAKNESS_LAYOUT : WEAKNESS_NONE;
	decision->status = limited(above ? STATUS_WARN : STATUS_PASS, criteria);
	decision->more_runs = NAN;
}

/* A new name for existing code is no new cost; else its callers tell whether it is one. */
static void
weigh_novelty(const struct test *test, const struct criteria *criteria, struct decision *decision)
{
	const struct causes *causes = test->evidence.causes;
	const struct test *callers = test->evidence.callers;

	if (only_moved(causes, criteria)) {
		decision->weakness = WEAKNESS_MOVED;
		decision->status = causes->domain_effect.change >= criteria->functions.warn
					   ? STATUS_WARN
					   : STATUS_PASS;
		return;
	}
	if (decision->status != STATUS_FAIL)
		return;
	decision->status = STATUS_WARN;
	if (!callers)
		return;
	struct decision of_callers = {.more_runs = NAN};

	decide_by_runs(callers, criteria, &of_callers);
	decide_by_work(callers, criteria, &of_callers);
	decision->unconfirmed = of_callers.unconfirmed;
	if (criteria->early && of_callers.status == STATUS_INCONCLUSIVE)
		decision->more_runs = of_callers.more_runs;
	if (of_callers.unconfirmed || !isnan(decision->more_runs))
		decision->status = STATUS_INCONCLUSIVE;
	else if (of_callers.status == STATUS_FAIL)
		decision->status = STATUS_FAIL;
}

/*
 * Where the change cannot have made the program slower, a failure becomes a warning, any lesser
 * status a pass, and no runs are waited for.
 */
static void
weigh_no_change(enum weakness weakness, struct decision *decision)
{
	if (decision->status == STATUS_PASS)
		return;
	decision->status = decision->status == STATUS_FAIL || decision->unconfirmed ? STATUS_WARN
										    : STATUS_PASS;
	decision->weakness = weakness;
	decision->unconfirmed = false;
	decision->more_runs = NAN;
}

/*
 * Fresh runs of the same program would only confirm an effect of the machine, but for counts: these
 * tell what came by chance from what its data made of the program.
 */
static void
weigh_same_program(const struct criteria *criteria, struct decision *decision)
{
	if (!decision->unconfirmed || !criteria->counted)
		weigh_no_change(WEAKNESS_SAME_PROGRAM, decision);
}

/* Time of another build, maybe on another machine, blames nothing on the change; counts may. */
static void
weigh_other_build(struct decision *decision)
{
	if (!decision->by_instructions)
		weigh_no_change(WEAKNESS_OTHER_BUILD, decision);
}

/*
 * Confirming runs under the same load would only confirm the load, unless it does not explain the
 * growth.
 */
static void
weigh_disturbance(
	const struct test *test, const struct criteria *criteria, struct decision *decision)
{
	if ((decision->status != STATUS_FAIL && !decision->unconfirmed) ||
		decision->by_instructions)
		return;
	decision->load = load_weigh_growth(test, criteria);
	if (decision->load != LOAD_EXPLAINS)
		return;
	decision->status = STATUS_INCONCLUSIVE;
	decision->weakness = WEAKNESS_DISTURBED;
	decision->unconfirmed = false;
	decision->more_runs = NAN;
}

/* How much runs differ is assumed where each side has only one: no growth is certain then. */
static void
weigh_single_runs(const struct test *test, struct decision *decision)
{
	if (decision->status != STATUS_FAIL || decision->by_instructions ||
		effect_is_exact(test_effect(test)))
		return;
	decision->status = STATUS_INCONCLUSIVE;
	decision->weakness = WEAKNESS_SINGLE_RUNS;
}

/* Whether an inconclusive test may hide a regression: an estimate above the failing threshold. */
static bool
is_suspected(const struct test *test, const struct decision *decision)
{
	switch (test->kind) {
	case TEST_GROWTH:
		return decision->unconfirmed || decision->doubted ||
		       decision->weakness != WEAKNESS_NONE ||
		       growth_reaches(test_effect(test)->change, test->limits.fail_at);
	case TEST_TOO_FEW:
		/* Nothing is known of a whole program without costs. */
		return test->rule == FINDING_TOTAL;
	case TEST_NEW:
	case TEST_GONE:
	case TEST_NEGLIGIBLE:
	case TEST_SHARE_BUDGET:
	case TEST_COST_BUDGET:
	case TEST_CONDITION:
		break;
	}
	return true;
}

/* Undecided is a suspected regression that may fail; a measurement that is only coarse warns. */
static void
weigh_suspicion(const struct test *test, const struct criteria *criteria, struct decision *decision)
{
	if (decision->status != STATUS_INCONCLUSIVE)
		return;
	if (!is_suspected(test, decision))
		decision->status = STATUS_WARN;
	else if (test->kind == TEST_GROWTH)
		decision->status = by_action(criteria->regression, STATUS_INCONCLUSIVE);
	decision->open = decision->status != STATUS_INCONCLUSIVE;
}

/* Whether the test compares with the side before. */
static bool
is_comparison(const struct test *test)
{
	switch (test->kind) {
	case TEST_GROWTH:
	case TEST_NEW:
	case TEST_GONE:
	case TEST_TOO_FEW:
		return true;
	case TEST_NEGLIGIBLE:
	case TEST_SHARE_BUDGET:
	case TEST_COST_BUDGET:
	case TEST_CONDITION:
		break;
	}
	return false;
}

struct decision
decide(const struct test *test, const struct criteria *criteria)
{
	const struct test_evidence *evidence = &test->evidence;
	struct decision decision = {.more_runs = NAN};

	decide_by_runs(test, criteria, &decision);
	if (evidence->base_differs && test->kind == TEST_GROWTH && decision.status == STATUS_FAIL) {
		decision.status = STATUS_INCONCLUSIVE;
		decision.doubted = true;
	}
	decide_by_work(test, criteria, &decision);
	if (evidence->unreachable && test->kind == TEST_GROWTH)
		weigh_reach(test, criteria, &decision);
	if (evidence->causes && test->kind == TEST_GROWTH)
		weigh_causes(test, criteria, &decision);
	if (evidence->causes && test->kind == TEST_NEW)
		weigh_novelty(test, criteria, &decision);
	if (criteria->same_program && is_comparison(test))
		weigh_same_program(criteria, &decision);
	else if (criteria->other_build && is_comparison(test))
		weigh_other_build(&decision);
	else if (load_is_known(criteria) && is_comparison(test))
		weigh_disturbance(test, criteria, &decision);
	/* A growth that load may explain is undecided, too. */
	if (decision.weakness == WEAKNESS_DISTURBED && test->kind == TEST_GROWTH)
		decide_by_work(test, criteria, &decision);
	if (criteria->single_runs && is_comparison(test))
		weigh_single_runs(test, &decision);
	weigh_suspicion(test, criteria, &decision);
	if (test->by_members)
		decision = (struct decision){.by_runs = decision.by_runs, .more_runs = NAN};
	if (evidence->waiver_use == WAIVER_ACCEPTS) {
		decision.status = STATUS_PASS;
		decision.unconfirmed = false;
		decision.open = false;
		decision.more_runs = NAN;
	}
	return decision;
}
