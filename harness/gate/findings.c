#include "gate/findings.h"

#include "gate/reason.h"

static const char *
name_of_function(struct judgement *judgement, frame_id frame)
{
	struct buf name = {0};

	profile_put_frame(&judgement->comparison.profile, frame, &name);
	const char *copy = judgement_text(judgement, "%s", buf_text(&name));

	buf_release(&name);
	return copy;
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

struct finding
finding_of_test(struct judgement *judgement, const struct test *test)
{
	struct finding finding = finding_of(test->rule, test->subject);

	finding.status = test->decision.status;
	finding.unconfirmed = test->decision.unconfirmed;
	finding.more_runs = test->decision.more_runs;
	finding.of = test->of;
	finding.frame = test->frame;
	finding.named = test->named;
	finding.asked = test->limits.asked;
	finding.warn_at = test->limits.warn_at;
	finding.fail_at = test->limits.fail_at;
	finding.source = test->source;
	finding.causes = test->evidence.causes;
	if (test->evidence.waiver_use == WAIVER_ACCEPTS)
		finding.waiver = test->evidence.waiver;
	if (test->all)
		finding.effect = *test_effect(test);
	finding.effect.tested = finding.effect.tested && test_is_corrected(test);
	if (test_is_confirmed(test))
		finding.first = *test_first_effect(test);
	if (test->frame != 0) {
		finding.subject = name_of_function(judgement, test->frame);
		finding.source = source_of_function(judgement, test->frame);
	}
	finding.reason = reason_of(judgement, test, &finding);
	return finding;
}
