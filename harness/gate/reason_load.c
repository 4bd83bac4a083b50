/* What load on the machine has to do with a decision: the side that it disturbed, and the remedy.
 */
#include "gate/reason.h"
#include "profile/disturbance.h"

#include <math.h>

#define AGAINST "measure both builds here (--against)"
#define QUIETER "when the machine is quieter (--wait-quiet 10m)"
#define RECORD "record the baseline again (baseline update --replace)"

/* " Most runs ... disturbed by other load" */
static const char *
disturbed_side(const struct criteria *criteria)
{
	if (criteria->disturbed_before && criteria->disturbed_after)
		return " Most runs of both sides were disturbed by other load";
	return criteria->disturbed_before
		       ? " Most runs of the baseline were disturbed by other load"
		       : " Most runs of the candidate were disturbed by other load";
}

static const char *
remedy(const struct criteria *criteria)
{
	if (criteria->disturbed_before && (criteria->disturbed_after || criteria->spread.is_far))
		return AGAINST ", or " RECORD " and measure " QUIETER;
	return criteria->disturbed_before ? RECORD ", or " AGAINST : AGAINST ", or " QUIETER;
}

bool
reason_may_be_load(const struct judgement *judgement)
{
	const struct gate_input *input = &judgement->input;
	const double share = judgement_policy(judgement)->disturbed;

	return !input->candidate || !disturbance_is_excluded(input->candidate, share) ||
	       (input->before && !disturbance_is_excluded(input->before, share));
}

const char *
reason_load_remedy(struct judgement *judgement)
{
	const struct criteria *criteria = &judgement->criteria;

	/* Without the blank that it begins with as a second sentence. */
	return judgement_text(judgement, "%s: %s.", disturbed_side(criteria) + 1, remedy(criteria));
}

static const char *
undecided(struct judgement *judgement)
{
	const struct criteria *criteria = &judgement->criteria;

	if (criteria->disturbed_before || criteria->disturbed_after)
		return judgement_text(
			judgement, "%s: %s.", disturbed_side(criteria), remedy(criteria));
	return judgement_text(judgement,
		" The cost of a run spreads by %s (SD), that of the baseline by %s: %s.",
		judgement_percent(judgement, criteria->spread.after),
		judgement_percent(judgement, criteria->spread.before), remedy(criteria));
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
	return undecided(judgement);
}
