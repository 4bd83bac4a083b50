#include "gate/advice.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_RUNS 5
/* For the over-dispersion: below, sampling is half of the variance; above, a quarter of it. */
#define MOSTLY_SAMPLING 2.0
#define MOSTLY_RUNS 4.0
/* The floor is raised for small functions up to this many times the present one. */
#define FLOOR_STRETCH 2.0
#define GATE_HZ 4999
#define HIGH_HZ 9999
/* The warning threshold, as a part of that of a failure. */
#define WARN_PART (2.0 / 3)

/* Thresholds are for people: two digits at most. */
static double
round_up(double ratio)
{
	double step = ratio < 0.02 ? 0.001 : ratio < 0.10 ? 0.005 : 0.01;

	/* A whole number of steps stays as it is. */
	return ceil(ratio / step - 1e-9) * step;
}

static struct threshold
threshold_at(double fail)
{
	return (struct threshold){
		.warn = floor(fail * WARN_PART * 1000 + 1e-9) / 1000,
		.fail = fail,
	};
}

static bool
is_of_rule(const struct power_subject *subject, enum finding_rule rule)
{
	return subject->finding->rule == rule;
}

static void
choose_runs(struct advice *advice, const struct advice_request *request)
{
	const struct power *power = request->power;
	size_t most = request->max_runs > request->runs ? request->max_runs : request->runs;

	for (size_t i = 0; i < power->nsubjects; i++) {
		const struct power_subject *subject = &power->subjects[i];
		size_t needed = power_pairs_needed(power, subject, most);

		if (isnan(subject->finding->asked))
			continue;
		advice->nopen += needed == 0 || needed > request->runs;
		advice->nnever += needed == 0;
		advice->runs = needed > advice->runs ? needed : advice->runs;
	}
	if (advice->runs < LEAST_RUNS)
		advice->runs = LEAST_RUNS;
	/* Undetectable thresholds must not get further out of reach. */
	if (advice->nnever > 0 && advice->runs < request->runs)
		advice->runs = request->runs;
}

/* One threshold for all functions, where too many would have their own. */
static void
join_rules(struct advice *advice)
{
	size_t kept = 0;
	size_t nfunctions = 0;
	double fail = 0;

	for (size_t i = 0; i < advice->nrules; i++) {
		if (!is_of_rule(advice->rules[i].subject, FINDING_FUNCTIONS))
			continue;
		nfunctions++;
		fail = fmax(fail, advice->rules[i].threshold.fail);
	}
	if (nfunctions <= ADVICE_RULES_MAX)
		return;
	advice->functions = threshold_at(fail);
	for (size_t i = 0; i < advice->nrules; i++) {
		if (!is_of_rule(advice->rules[i].subject, FINDING_FUNCTIONS))
			advice->rules[kept++] = advice->rules[i];
	}
	advice->nrules = kept;
}

static void
choose_thresholds(struct advice *advice, const struct advice_request *request)
{
	const struct power *power = request->power;
	double floor_now = judgement_policy(request->judgement)->floor;

	for (size_t i = 0; i < power->nsubjects; i++) {
		const struct power_subject *subject = &power->subjects[i];
		double seen = power_detectable(power, subject, advice->runs);

		if (isnan(subject->finding->asked) || !(seen > subject->finding->asked))
			continue;
		if (is_of_rule(subject, FINDING_TOTAL)) {
			advice->total = threshold_at(round_up(seen));
		} else if (is_of_rule(subject, FINDING_FUNCTIONS) &&
			   seen * subject->share <= FLOOR_STRETCH * floor_now) {
			advice->floor = fmax(advice->floor, round_up(seen * subject->share));
		} else {
			advice->rules[advice->nrules++] =
				(struct advice_rule){subject, threshold_at(round_up(seen))};
		}
	}
	join_rules(advice);
}

static enum advice_source
source_of(const struct calibration_dispersion *dispersion)
{
	if (isnan(dispersion->median))
		return ADVICE_UNKNOWN;
	if (dispersion->median <= MOSTLY_SAMPLING)
		return ADVICE_SAMPLING;
	return dispersion->median >= MOSTLY_RUNS ? ADVICE_RUNS : ADVICE_MIXED;
}

/* Samples cost time, too: a tenth of it above 10 kHz. */
static double
frequency_of(const struct advice *advice, double now)
{
	if (advice->nopen == 0 || advice->source != ADVICE_SAMPLING || now >= HIGH_HZ)
		return NAN;
	return now < GATE_HZ ? GATE_HZ : HIGH_HZ;
}

void
advice_init(struct advice *advice, const struct advice_request *request)
{
	const struct rehearsal_tally *rehearsal = request->rehearsal;
	const struct calibration_interval failed =
		calibration_rate(rehearsal->with[STATUS_FAIL], rehearsal->ngates);
	double alpha = judgement_policy(request->judgement)->alpha;

	*advice = (struct advice){
		.total = {NAN, NAN},
		.functions = {NAN, NAN},
		.floor = NAN,
		.rules = mem_zalloc(request->power->nsubjects, sizeof(*advice->rules)),
		.source = source_of(request->dispersion),
		.short_runs = (request->noise->cpu_s < ADVICE_SHORT_RUN_S),
		.false_alarms = (failed.low > alpha),
	};
	choose_runs(advice, request);
	choose_thresholds(advice, request);
	advice->frequency_hz = frequency_of(advice, request->frequency_hz);
}

void
advice_release(struct advice *advice)
{
	free(advice->rules);
	*advice = (struct advice){0};
}

bool
advice_changes(const struct advice *advice, unsigned runs)
{
	return advice->runs > runs || !isnan(advice->total.fail) ||
	       !isnan(advice->functions.fail) || !isnan(advice->floor) || advice->nrules > 0 ||
	       !isnan(advice->frequency_hz);
}
