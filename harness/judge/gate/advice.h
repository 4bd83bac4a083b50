/*
 * Advice: the settings that fit a workload on a machine, derived from its runs there.
 *
 * Thresholds state what a person wants to know, so they are changed last: first the number of
 * runs, then, function by function, the thresholds that are not detectable with any allowed number
 * of runs.
 */
#ifndef GATE_ADVICE_H
#define GATE_ADVICE_H

#include "compare/calibration.h"
#include "gate/judgement.h"
#include "gate/power.h"
#include "gate/rehearsal.h"

#include <stdbool.h>
#include <stddef.h>

/* Runs of less CPU time are dominated by their start-up cost. */
#define ADVICE_SHORT_RUN_S 0.5
/* More functions than this do not get their own thresholds. */
#define ADVICE_RULES_MAX 5

/* Main source of the functions' uncertainty, by the median of their over-dispersion. */
enum advice_source {
	ADVICE_SAMPLING, /* q <= 2: more samples help, of whatever kind */
	ADVICE_MIXED,
	ADVICE_RUNS, /* q >= 4: runs differ by themselves, and only more of them help */
	ADVICE_UNKNOWN,
};

/* A subject that needs thresholds of its own. */
struct advice_rule {
	const struct power_subject *subject; /* of the power */
	struct threshold threshold;
};

struct advice_request {
	const struct judgement *judgement;
	const struct power *power;
	const struct calibration_noise *noise;
	const struct calibration_dispersion *dispersion;
	const struct rehearsal_tally *rehearsal;
	unsigned runs; /* of a gate now */
	unsigned max_runs;
	double frequency_hz;
};

struct advice {
	size_t runs;   /* with which all is detectable that is with max_runs; at least 5 */
	size_t nopen;  /* subjects whose threshold is not detectable with the present runs */
	size_t nnever; /* ... and with max_runs */
	struct threshold total;     /* NAN: fits */
	struct threshold functions; /* NAN: fits, or each of `rules` has its own */
	double floor;               /* NAN: fits */
	struct advice_rule *rules;  /* owned */
	size_t nrules;
	enum advice_source source;
	double frequency_hz; /* NAN: leave it */
	bool short_runs;
	bool false_alarms; /* more than the error budget, beyond chance */
};

void advice_init(struct advice *advice, const struct advice_request *request);
void advice_release(struct advice *advice);

/* Whether the present settings are insufficient; more runs than needed are no reason to change. */
bool advice_changes(const struct advice *advice, unsigned runs);

#endif
