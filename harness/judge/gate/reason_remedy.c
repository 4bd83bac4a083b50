#include "gate/reason_remedy.h"

#include "format/figures.h"
#include "profile/disturbance.h"

#include <math.h>

/* The runs of a side that its effect is from. */
static double
runs_taken(const struct judgement *judgement, const struct test *test)
{
	const struct criteria *criteria = &judgement->criteria;

	return test_is_confirmed(test) ? criteria->runs_fresh
				       : criteria->runs_after - criteria->runs_fresh;
}

bool
reason_is_left_undecided(const struct judgement *judgement, const struct test *test)
{
	if (!judgement->input.may_confirm ||
		runs_taken(judgement, test) >= judgement->input.workload->capture.max_runs)
		return false;
	for (size_t i = 0; i < judgement->ntests; i++) {
		if (judgement->tests[i].decision.status == STATUS_FAIL)
			return true;
	}
	return false;
}

/* Whether a quieter machine may help: not where runs of both sides are known to be undisturbed. */
static bool
may_be_load(const struct judgement *judgement)
{
	const struct gate_input *input = &judgement->input;
	const double share = judgement_policy(judgement)->disturbed;

	return !input->candidate || !disturbance_is_excluded(input->candidate, share) ||
	       (input->before && !disturbance_is_excluded(input->before, share));
}

/* Beside it "(--wait-quiet 10m)", where `options` of a gate do it; else these are "". */
static struct remedy
remedy_of(const char *phrase, const char *options)
{
	return (struct remedy){.phrase = phrase, .options = options};
}

/* Whether the sides are files, also pairs of them: the options of a gate are of no use there. */
static bool
is_of_files(const struct judgement *judgement)
{
	const struct gate_input *input = &judgement->input;

	return input->mode == GATE_FILES ||
	       (input->mode == GATE_PAIRED && input->machine_class && !input->machine_class[0]);
}

static struct remedy
quieter(const struct judgement *judgement)
{
	return is_of_files(judgement)
		       ? remedy_of("capture on a quieter machine", "")
		       : remedy_of("measure on a quieter machine", "--wait-quiet 10m");
}

/* Where each side has one run. */
static struct remedy
more_than_one(const struct judgement *judgement)
{
	return is_of_files(judgement) ? remedy_of("compare at least 3 files a side", "")
				      : remedy_of("take at least 3 runs", "--runs 3");
}

/* With the commit of the baseline, where it is known. */
static struct remedy
both_builds(struct judgement *judgement)
{
	const struct baseline_info *info = judgement->input.before_info;

	return remedy_of("measure both builds here",
		info && info->commit[0] ? judgement_text(judgement, "--against %.12s", info->commit)
					: "--against HEAD~1");
}

/* So many, by the option that permits them where that is in the way. */
static struct remedy
add_runs(struct judgement *judgement, const struct test *test)
{
	const unsigned most = judgement->input.workload->capture.max_runs;
	const double more = test->decision.more_runs;
	const double needed = runs_taken(judgement, test) + more;
	const char *runs = judgement_text(judgement, "take about %s more run%s",
		judgement_figure(judgement, format_count, more), more > 1 ? "s" : "");

	if (!judgement->input.may_confirm || !(needed > most))
		return remedy_of(runs, "");
	return remedy_of(runs, judgement_text(judgement, "--max-runs %.0f", needed));
}

/* For another day or under load: interleaved pairs are not disturbed by either. */
static struct remedy
without_runs(struct judgement *judgement)
{
	if (is_of_files(judgement))
		return remedy_of("capture longer runs", "");
	if (judgement->input.mode == GATE_STORED)
		return both_builds(judgement);
	return may_be_load(judgement) ? quieter(judgement)
				      : remedy_of("measure longer runs (capture.repeat)", "");
}

struct remedy
reason_remedy_of(struct judgement *judgement, const struct test *test)
{
	const struct decision *decision = &test->decision;

	if (judgement->criteria.single_runs)
		return more_than_one(judgement);
	if (decision->doubted)
		return quieter(judgement);
	if (decision->weakness == WEAKNESS_DISTURBED)
		return without_runs(judgement);
	if ((decision->unconfirmed || isfinite(decision->more_runs)) &&
		reason_is_left_undecided(judgement, test))
		return remedy_of("no more runs were taken, because the workload fails already", "");
	if (decision->unconfirmed)
		return remedy_of("allow more time", "--budget 30m");
	if (isfinite(decision->more_runs))
		return add_runs(judgement, test);
	if (judgement->criteria.counted)
		return remedy_of("find out why the count differs between runs of one build", "");
	return without_runs(judgement);
}

const char *
reason_remedy(struct judgement *judgement, const struct test *test)
{
	const struct remedy remedy = reason_remedy_of(judgement, test);

	return remedy.options[0]
		       ? judgement_text(judgement, "%s (%s)", remedy.phrase, remedy.options)
		       : remedy.phrase;
}
