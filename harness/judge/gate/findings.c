/* The finding of a decided test, as reports show it. */
#include "gate/findings.h"

#include "compare/stats.h"
#include "gate/reason.h"

#include <math.h>

static const char *
name_of_function(struct judgement *judgement, frame_id frame)
{
	struct buf name = {0};

	profile_put_frame(&judgement->comparison.profile, frame, &name);
	return judgement_keep(judgement, &name);
}

static const char *
source_of_function(struct judgement *judgement, frame_id frame)
{
	const struct profile *profile = &judgement->comparison.profile;
	const struct frame *f = &profile->frames.frames[frame];

	if (f->file == 0)
		return NULL;
	const char *file = strtab_str(&profile->strings, f->file);

	return f->line > 0 ? judgement_text(judgement, "%s:%u", file, f->line)
			   : judgement_text(judgement, "%s", file);
}

/* A growth that would warn or fail, but for `regression: pass`. */
static bool
is_accepted_by_policy(const struct judgement *judgement, const struct test *test)
{
	const struct decision *decision = &test->decision;

	return judgement->criteria.regression == POLICY_PASS && test->kind == TEST_GROWTH &&
	       decision->status == STATUS_PASS && decision->weakness == WEAKNESS_NONE &&
	       (decision->by_runs == STATUS_FAIL || decision->by_runs == STATUS_WARN);
}

/* The smallest estimate, in ln, with which it fails before the last look. */
static double
boundary_of(const struct test *test, const struct criteria *criteria)
{
	const struct effect *effect = test_effect(test);
	const double level = criteria->alpha * fmin(1, effect->p / effect->p_adjusted);
	const double significant = log1p(effect->margin) +
				   stats_t_quantile(level / 2, effect->df) * effect->standard_error;
	const double above = log1p(test->limits.fail_at) + log1p(effect->margin) +
			     stats_t_quantile(criteria->alpha * criteria->part / 2, effect->df) *
				     effect->standard_error;

	return effect->p_adjusted > 0 ? fmax(significant, above) : above;
}

/* An effect that fails early was selected for being large: looks.h. */
static void
correct_selected(const struct judgement *judgement, const struct test *test, struct effect *effect)
{
	const struct criteria *criteria = &judgement->criteria;

	if (!criteria->early || test->kind != TEST_GROWTH ||
		test->decision.by_runs != STATUS_FAIL || test->decision.by_instructions)
		return;
	effect->change = expm1(looks_unselected(
		log1p(effect->change), effect->standard_error, boundary_of(test, criteria)));
}

/*
 * Before, after and change are one statement: the cost before is what it makes of the cost after.
 * The estimate is one of pairs, or relative to the stable rest, or corrected, and the mean of all
 * runs before need not be the same.
 */
static void
agree_costs(const struct judgement *judgement, struct effect *effect)
{
	const double scale = comparison_before_scale(&judgement->comparison, effect);

	if (judgement->compared && !effect_is_exact(effect) && isfinite(effect->before_cost) &&
		effect->after_cost > 0 && effect->change > -1 && scale > 0)
		effect->before_cost = effect->after_cost / (1 + effect->change) / scale;
}

/* The parts of its growth, which add up to that of the finding. */
static const struct causes *
causes_of(struct judgement *judgement, const struct test *test, const struct effect *effect)
{
	const struct causes *causes = test->evidence.causes;

	if (!causes || !effect->tested || test->of != QUANTITY_SELF)
		return causes;
	struct causes *scaled = arena_alloc(&judgement->verdict.arena, sizeof(*scaled));

	*scaled = *causes;
	causes_scale(scaled,
		effect->before_cost * comparison_before_scale(&judgement->comparison, effect),
		effect->after_cost);
	return scaled;
}

struct finding
finding_of_test(struct judgement *judgement, const struct test *test)
{
	struct finding finding = finding_of(test->rule, test->subject);

	finding.status = test->decision.status;
	finding.unconfirmed = test->decision.unconfirmed;
	finding.open = test->decision.open;
	finding.more_runs = test->decision.more_runs;
	finding.of = test->of;
	finding.frame = test->frame;
	finding.named = test->named;
	finding.counter = test->counter;
	finding.asked = test->limits.asked;
	finding.warn_at = test->limits.warn_at;
	finding.fail_at = test->limits.fail_at;
	finding.source = test->source;
	finding.by_instructions = test->decision.by_instructions;
	if (finding.by_instructions)
		finding.instructions = test->evidence.work->change;
	if (test->evidence.waiver_use == WAIVER_ACCEPTS)
		finding.waiver = test->evidence.waiver;
	finding.accepted = finding.waiver || is_accepted_by_policy(judgement, test);
	if (test->all)
		finding.effect = *test_effect(test);
	finding.effect.tested = finding.effect.tested && test_is_corrected(test);
	if (finding.effect.tested)
		correct_selected(judgement, test, &finding.effect);
	if (finding.effect.tested)
		agree_costs(judgement, &finding.effect);
	finding.causes = causes_of(judgement, test, &finding.effect);
	if (test_is_confirmed(test))
		finding.first = *test_first_effect(test);
	if (test->frame != 0) {
		finding.subject = name_of_function(judgement, test->frame);
		finding.source = source_of_function(judgement, test->frame);
	}
	finding.reason = reason_of_test(judgement, test, &finding);
	finding.brief = reason_brief(judgement, test, &finding);
	if (finding_is_open(&finding) && test->kind == TEST_GROWTH)
		finding.options = reason_remedy_of(judgement, test).options;
	return finding;
}
