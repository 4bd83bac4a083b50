#include "gate/power.h"

#include "base/mem.h"
#include "base/sort.h"
#include "compare/calibration.h"
#include "gate/looks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With fewer pairs a gate does not judge. */
#define LEAST_PAIRS 3

const unsigned power_steps[POWER_STEPS] = {5, 10, 20, 30, 60};

/* Counters have no share of the program, and come last. */
static double
rank_of(const struct power_subject *subject)
{
	return isnan(subject->share) ? -1 : subject->share;
}

static int
by_share(const void *left, const void *right)
{
	const struct power_subject *a = left;
	const struct power_subject *b = right;
	int order = (b->finding->rule == FINDING_TOTAL) - (a->finding->rule == FINDING_TOTAL);

	if (order == 0)
		order = sort_order(rank_of(b), rank_of(a));
	return order != 0 ? order : strcmp(a->finding->subject, b->finding->subject);
}

static void
add_subject(struct power *power, const struct finding *finding)
{
	struct power_subject *subject = &power->subjects[power->nsubjects++];
	const struct effect *effect = &finding->effect;

	*subject = (struct power_subject){
		.finding = finding,
		.share = (effect->before_share + effect->after_share) / 2,
		.q = effect->overdispersion > 0 ? effect->overdispersion : NAN,
	};
	for (int step = 0; step < POWER_STEPS; step++)
		subject->detectable[step] = power_detectable(power, subject, power_steps[step]);
}

void
power_init(struct power *power, const struct judgement *judgement, unsigned runs)
{
	const struct verdict *verdict = &judgement->verdict;
	const size_t ntests = judgement->ncorrected[COMPARISON_SCREEN];
	const double share =
		fmax(1, (double)ntests) * fmax(1, (double)judgement->criteria.nfamilies);

	*power = (struct power){
		.subjects = mem_zalloc(verdict->nall, sizeof(*power->subjects)),
		.npairs = judgement->comparison.model.npairs,
		.runs = runs,
		.ntests = ntests,
		.level = judgement_policy(judgement)->alpha / share,
	};
	for (size_t i = 0; i < verdict->nall; i++) {
		if (verdict->findings[i].effect.tested && !verdict->findings[i].added)
			add_subject(power, &verdict->findings[i]);
	}
	qsort(power->subjects, power->nsubjects, sizeof(*power->subjects), by_share);
}

void
power_release(struct power *power)
{
	free(power->subjects);
	*power = (struct power){0};
}

double
power_detectable(const struct power *power, const struct power_subject *subject, size_t n)
{
	const struct looks looks = looks_planned(power->runs, (unsigned)n);

	return calibration_detectable(
		&subject->finding->effect, power->npairs, n, power->level * looks_rest(&looks));
}

size_t
power_pairs_needed(const struct power *power, const struct power_subject *subject, size_t most)
{
	const double asked = subject->finding->asked;

	size_t n = most;

	if (!(power_detectable(power, subject, most) <= asked))
		return 0;
	/* From there on: it does not always fall with n, as the looks are others. */
	while (n > LEAST_PAIRS && power_detectable(power, subject, n - 1) <= asked)
		n--;
	return n;
}
