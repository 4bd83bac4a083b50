/* The part of load on the machine in a decision: the side that it disturbed, and the remedy.
 */
#include "gate/reason.h"
#include "profile/disturbance.h"

#include <math.h>

const char *
reason_of_disturbance(struct judgement *judgement)
{
	const struct criteria *criteria = &judgement->criteria;

	if (criteria->disturbed_before && criteria->disturbed_after)
		return ", because most runs of both sides were disturbed by other load";
	if (criteria->disturbed_before)
		return ", because most runs of the baseline were disturbed by other load";
	return criteria->disturbed_after
		       ? ", because most runs of the candidate were disturbed by other load"
		       : "";
}

bool
reason_may_be_load(const struct judgement *judgement)
{
	const struct gate_input *input = &judgement->input;
	const double share = judgement_policy(judgement)->disturbed;

	return !input->candidate || !disturbance_is_excluded(input->candidate, share) ||
	       (input->before && !disturbance_is_excluded(input->before, share));
}

static const char *
undecided(struct judgement *judgement, const struct test *test)
{
	const struct criteria *criteria = &judgement->criteria;
	const char *remedy = reason_remedy(judgement, test);

	if (criteria->disturbed_before || criteria->disturbed_after)
		return judgement_text(
			judgement, " Undecided%s; %s.", reason_of_disturbance(judgement), remedy);
	return judgement_text(judgement,
		" Undecided, because the cost of a run spreads by %s (SD), that of the baseline by "
		"%s; %s.",
		judgement_percent(judgement, criteria->spread.after),
		judgement_percent(judgement, criteria->spread.before), remedy);
}

const char *
reason_of_load(struct judgement *judgement, const struct test *test)
{
	const struct test *grown =
		test->kind == TEST_NEW && test->evidence.callers ? test->evidence.callers : test;

	switch (test->decision.load) {
	case LOAD_NONE:
	case LOAD_EXPLAINS:
		break;
	case LOAD_BEFORE:
		return " Most runs of the baseline were disturbed by other load, which made them "
		       "slower: the growth is no less.";
	case LOAD_EXCEEDED:
		return judgement_text(judgement,
			" Runs were disturbed by other load, which does not explain it: the other "
			"functions changed by %s (SD).",
			judgement_percent(judgement, expm1(grown->load.spread)));
	}
	return undecided(judgement, test);
}
