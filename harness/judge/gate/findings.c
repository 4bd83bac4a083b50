#include "gate/findings.h"

#include "compare/causes.h"
#include "gate/finding_effect.h"
#include "gate/reason.h"
#include "gate/reason_remedy.h"

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
	finding.effect = finding_effect(judgement, test);
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
