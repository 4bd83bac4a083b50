/* What reports say of a decided test: its finding, and why it was decided as it was. */
#include "gate/findings.h"

#include "format/figures.h"

#include <math.h>
#include <string.h>

/* "12.3 ms" of times, "250,000 instructions" of what is counted. */
static const char *
cost_text(struct judgement *judgement, double cost)
{
	const struct profile *profile = &judgement->comparison.profile;
	const char *unit = strtab_str(&profile->strings, profile->cost_unit);
	struct buf text = {0};

	format_cost(&text, cost, unit[0] ? unit : "ns");
	return judgement_keep(judgement, &text);
}

static const char *
failure_reason(struct judgement *judgement, const struct finding *finding)
{
	const struct criteria *criteria = &judgement->criteria;
	const struct effect *effect = &finding->effect;

	const char *again =
		finding->first.tested
			? judgement_text(judgement,
				  ", and did so again in fresh runs (by the first it was %s)",
				  judgement_figure(judgement, format_change, finding->first.change))
			: "";

	return judgement_text(judgement,
		"Grew by more than the %s that fail%s%s; that is %s of the whole program's "
		"cost.",
		judgement_percent(judgement, finding->fail_at),
		criteria->strict ? ", with all of its interval" : "", again,
		judgement_percent(judgement, effect->change * effect->before_share));
}

/* What was flagged, and yet does not fail. */
static const char *
flagged_reason(struct judgement *judgement, const struct finding *finding)
{
	const struct criteria *criteria = &judgement->criteria;
	const struct effect *effect = &finding->effect;

	if (!finding->first.tested)
		return judgement_text(judgement,
			"Grew by more than the %s that fail, but there was no time to see whether it "
			"does so again in fresh runs.",
			judgement_percent(judgement, finding->fail_at));
	if (!test_is_significant(effect, criteria->alpha))
		return judgement_text(judgement,
			"Grew by %s in the first runs, which fresh ones did not confirm.",
			judgement_percent(judgement, finding->first.change));
	if (effect->change > finding->fail_at)
		return judgement_text(judgement,
			"Grew, and the estimate is above the %s that fail; its interval reaches below.",
			judgement_percent(judgement, finding->fail_at));
	return judgement_text(judgement,
		"Grew by %s in the first runs; by fresh ones it is less than the %s that fail.",
		judgement_percent(judgement, finding->first.change),
		judgement_percent(judgement, finding->fail_at));
}

/* What would help: the larger part of the uncertainty decides. */
static const char *
remedy(struct judgement *judgement, const struct finding *finding)
{
	if (isfinite(finding->more_runs))
		return judgement_text(judgement, "about %s more runs would tell",
			judgement_figure(judgement, format_count, finding->more_runs));
	return judgement->criteria.adds_before ? "no number of such runs would tell"
					       : "a baseline of more occasions would tell";
}

static const char *
warn_reason(struct judgement *judgement, const struct finding *finding)
{
	const struct criteria *criteria = &judgement->criteria;
	const struct effect *effect = &finding->effect;

	if (effect->p > criteria->alpha && !(effect->spread > 0))
		return judgement_text(judgement,
			"The estimate is above the %s asked about, but this may be chance.",
			judgement_percent(judgement, finding->asked));
	if (effect->p > criteria->alpha)
		return judgement_text(judgement,
			"The estimate is above the %s asked about, but two occasions differ by as much "
			"(SD %s).",
			judgement_percent(judgement, finding->asked),
			judgement_percent(judgement, effect->spread));
	if (effect->p_adjusted <= criteria->alpha && !(effect->change >= finding->fail_at))
		return judgement_text(judgement, "Grew by more than the %s that warn.",
			judgement_percent(judgement, finding->warn_at));
	if (effect->p_adjusted <= criteria->alpha && criteria->two_stages)
		return judgement_text(judgement,
			"Grew by more than the %s that fail, by all runs together; the first ones by "
			"themselves did not say so.",
			judgement_percent(judgement, finding->fail_at));
	if (effect->p_adjusted <= criteria->alpha && !(effect->spread > 0))
		return judgement_text(judgement,
			"Grew, and the estimate is above the %s that fail; its interval reaches below.",
			judgement_percent(judgement, finding->fail_at));
	if (effect->p_adjusted <= criteria->alpha)
		return judgement_text(judgement,
			"Grew, and the estimate is above the %s that fail; its interval, which has "
			"the difference between two occasions in it (SD %s), reaches below.",
			judgement_percent(judgement, finding->fail_at),
			judgement_percent(judgement, effect->spread));
	return judgement_text(judgement,
		"Grew by more than %s, but among so many subjects one may do so by chance: %s.",
		judgement_percent(judgement, finding->asked), remedy(judgement, finding));
}

static const char *
inconclusive_reason(struct judgement *judgement, const struct finding *finding)
{
	const struct effect *effect = &finding->effect;

	if (effect->change >= finding->asked)
		return judgement_text(judgement,
			"The estimate is above the %s asked about, but this may be chance: %s.",
			judgement_percent(judgement, finding->asked), remedy(judgement, finding));
	return judgement_text(judgement,
		"The gate asks about %s, and up to %s could have been missed: %s.",
		judgement_percent(judgement, finding->asked),
		judgement_percent(judgement, effect->detectable), remedy(judgement, finding));
}

static const char *
growth_by_runs(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	switch (test->decision.by_runs) {
	case STATUS_FAIL:
		return failure_reason(judgement, finding);
	case STATUS_WARN:
		return test->flagged && judgement->criteria.two_stages
			       ? flagged_reason(judgement, finding)
			       : warn_reason(judgement, finding);
	case STATUS_INCONCLUSIVE:
		return test->flagged ? flagged_reason(judgement, finding)
				     : inconclusive_reason(judgement, finding);
	case STATUS_PASS:
	case STATUS_ERROR:
		break;
	}
	return isnan(finding->asked) ? "No threshold is set."
				     : judgement_text(judgement, "No growth of the %s asked about.",
					       judgement_percent(judgement, finding->asked));
}

/* "", or what made it warn. */
static const char *
weakness_text(enum weakness weakness)
{
	static const char *const texts[] = {
		[WEAKNESS_NONE] = "",
		[WEAKNESS_MOVED] = " But it only moved here, so this warns.",
		[WEAKNESS_LAYOUT] = " But no code that changed is on any sampled path to it: "
				    "layout, or data, so this warns.",
		[WEAKNESS_SAME_WORK] = " But its code is the same and executes the same "
				       "instructions: layout, cache or memory, so this warns.",
		[WEAKNESS_DISTURBED] = " But most runs were disturbed by other load. Measure both "
				       "builds here (--against), or when the machine is quieter "
				       "(--wait-quiet 10m).",
		[WEAKNESS_SAME_PROGRAM] = " But both sides ran the same program: the difference is "
					  "the machine's.",
	};

	return texts[weakness];
}

static const char *
growth_reason(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	const struct comparison *comparison = &judgement->comparison;
	const char *reason = growth_by_runs(judgement, test, finding);

	if (test->rule == FINDING_TOTAL && finding->status > STATUS_PASS &&
		comparison->mode == COMPARISON_STORED && isfinite(comparison->model.machine_speed))
		reason = judgement_text(judgement,
			"%s The stable rest of the program cost %s, through the machine or through "
			"something that slows all code.",
			reason,
			judgement_figure(
				judgement, format_change, comparison->model.machine_speed - 1));
	return judgement_text(judgement, "%s%s%s", reason,
		test->decision.doubted
			? " It would fail, but runs of the same build differ here as well."
			: "",
		weakness_text(test->decision.weakness));
}

static const char *
new_reason(struct judgement *judgement, const struct test *test)
{
	const struct test *callers = test->evidence.callers;

	if (test->rule != FINDING_FUNCTIONS)
		return "New: there is nothing to compare it with.";
	if (test->decision.weakness == WEAKNESS_MOVED)
		return test->decision.status == STATUS_WARN
			       ? "New, and most of its cost was elsewhere before."
			       : "New, and its cost was elsewhere before.";
	if (callers && test->decision.status == STATUS_FAIL) {
		const struct effect *effect = test_effect(callers);
		struct buf change = {0};

		format_estimate_interval(&change, effect->change, effect->low, effect->high);
		return judgement_text(judgement,
			"New, and what calls it costs %s with all it calls, which is more than the %s that "
			"fail.",
			judgement_keep(judgement, &change),
			judgement_percent(judgement, callers->limits.fail_at));
	}
	return judgement_text(judgement,
		"New: there is nothing to compare it with; it costs %s of what the whole program "
		"did before. If another was renamed, a new baseline settles it.",
		judgement_percent(judgement, test->worth));
}

static const char *
too_few_reason(struct judgement *judgement, const struct test *test)
{
	switch (test->rule) {
	case FINDING_TOTAL:
		return "There are no costs on both sides to compare.";
	case FINDING_FUNCTIONS:
		return judgement_text(judgement,
			"%s samples are too few to compare: at least %d are needed.",
			judgement_figure(judgement, format_count,
				fmax(test->all->before_weight, test->all->after_weight)),
			MODEL_MIN_SAMPLES);
	case FINDING_MEASUREMENT:
	case FINDING_BASELINE:
	case FINDING_VALIDITY:
	case FINDING_SELF_CHECK:
	case FINDING_NAMED:
	case FINDING_WAIVERS:
		break;
	}
	return "Its samples are too few to compare.";
}

/* Of what is over its budget by the estimate alone. */
static const char *
chance_text(const struct budget *budget)
{
	return budget->least > budget->limit ? "" : ", which chance may have made of less";
}

static const char *
share_reason(struct judgement *judgement, const struct budget *budget)
{
	if (!isfinite(budget->value))
		return "There are no samples to take a share of.";
	if (budget->value > budget->limit)
		return judgement_text(judgement, "Takes %s of the program; its budget is %s%s.",
			judgement_percent(judgement, budget->value),
			judgement_percent(judgement, budget->limit), chance_text(budget));
	return judgement_text(judgement, "Takes %s of the program, within its budget of %s.",
		judgement_percent(judgement, budget->value),
		judgement_percent(judgement, budget->limit));
}

static const char *
cost_reason(struct judgement *judgement, const struct budget *budget)
{
	if (!isfinite(budget->value))
		return "What the runs cost is not known.";
	const char *cost = cost_text(judgement, budget->value);
	const char *most = cost_text(judgement, budget->limit);

	if (budget->value > budget->limit)
		return judgement_text(judgement, "Costs %s a run; its budget is %s%s.", cost, most,
			chance_text(budget));
	return judgement_text(judgement, "Costs %s a run, within its budget of %s.", cost, most);
}

static const char *
reason_by_kind(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	switch (test->kind) {
	case TEST_GROWTH:
		return growth_reason(judgement, test, finding);
	case TEST_NEW:
		return new_reason(judgement, test);
	case TEST_GONE:
		return judgement_text(judgement, "Gone: it was %s of the program.",
			judgement_percent(judgement, test->worth));
	case TEST_TOO_FEW:
		return too_few_reason(judgement, test);
	case TEST_NEGLIGIBLE:
		return "Next to none of the program's cost is in it.";
	case TEST_SHARE_BUDGET:
		return share_reason(judgement, &test->budget);
	case TEST_COST_BUDGET:
		return cost_reason(judgement, &test->budget);
	case TEST_CONDITION:
		break;
	}
	return test->reason;
}

/* One sentence or two, for people, without the numbers of the effect. */
static const char *
reason_of(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	const struct waiver *waiver = test->evidence.waiver;
	const char *reason = reason_by_kind(judgement, test, finding);

	switch (test->evidence.waiver_use) {
	case WAIVER_ACCEPTS:
		return judgement_text(judgement, "Waived until %s by %s: %s (up to %s).",
			waiver->last_day, waiver->owner, waiver->reason,
			judgement_percent(judgement, waiver->max_effect));
	case WAIVER_EXPIRED:
		return judgement_text(judgement, "%s The waiver of %s expired on %s.", reason,
			waiver->owner, waiver->last_day);
	case WAIVER_EXCEEDED:
		return judgement_text(judgement, "%s The waiver of %s accepts %s.", reason,
			waiver->owner, judgement_percent(judgement, waiver->max_effect));
	case WAIVER_NONE:
		break;
	}
	return reason;
}

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
