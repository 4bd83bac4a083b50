/* The one thing that decides what a gate left undecided. */
#include "format/figures.h"
#include "gate/reason.h"

#include <math.h>

#define COMPARE_HERE "use --against COMMIT"
#define QUIETER "use --wait-quiet 10m"
#define LONGER "measure longer runs (capture.repeat)"

/* Whether the sides are files, also pairs of them: the options of a gate are of no use there. */
static bool
is_of_files(const struct judgement *judgement)
{
	const struct gate_input *input = &judgement->input;

	return input->mode == GATE_FILES ||
	       (input->mode == GATE_PAIRED && input->machine_class && !input->machine_class[0]);
}

static const char *
quieter(const struct judgement *judgement)
{
	return is_of_files(judgement) ? "capture on a quieter machine" : QUIETER;
}

/* Where each side has one run. */
static const char *
more_than_one(const struct judgement *judgement)
{
	return is_of_files(judgement) ? "compare at least 3 files a side" : "take at least 3 runs";
}

/* So many, by the option that permits them where that is in the way. */
static const char *
add_runs(struct judgement *judgement, const struct test *test)
{
	const unsigned most = judgement->input.workload->capture.max_runs;
	const double more = test->decision.more_runs;
	const double needed = reason_runs_taken(judgement, test) + more;
	const char *runs = judgement_text(judgement, "take about %s more run%s",
		judgement_figure(judgement, format_count, more), more > 1 ? "s" : "");

	if (!judgement->input.may_confirm || !(needed > most))
		return runs;
	return judgement_text(judgement, "%s (--max-runs %.0f)", runs, needed);
}

/* For another day or under load: interleaved pairs are not disturbed by either. */
static const char *
without_runs(const struct judgement *judgement)
{
	if (is_of_files(judgement))
		return "capture longer runs";
	if (judgement->input.mode == GATE_STORED)
		return COMPARE_HERE;
	return reason_may_be_load(judgement) ? QUIETER : LONGER;
}

double
reason_runs_taken(const struct judgement *judgement, const struct test *test)
{
	const struct criteria *criteria = &judgement->criteria;

	return test_is_confirmed(test) ? criteria->runs_fresh
				       : criteria->runs_after - criteria->runs_fresh;
}

const char *
reason_remedy(struct judgement *judgement, const struct test *test)
{
	const struct decision *decision = &test->decision;

	if (judgement->criteria.single_runs)
		return more_than_one(judgement);
	if (decision->doubted || decision->weakness == WEAKNESS_SAME_PROGRAM)
		return quieter(judgement);
	if (decision->weakness == WEAKNESS_DISTURBED)
		return without_runs(judgement);
	if ((decision->unconfirmed || isfinite(decision->more_runs)) &&
		reason_is_left_undecided(judgement, test))
		return "no more runs were taken, because the workload fails already";
	if (decision->unconfirmed)
		return "use a longer --budget";
	if (isfinite(decision->more_runs))
		return add_runs(judgement, test);
	if (judgement->criteria.counted)
		return "find out why the count differs between runs of one build";
	return without_runs(judgement);
}
