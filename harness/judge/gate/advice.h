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

/*
 * Power: the detectable growth of each subject of a gate, as a function of the most pairs that it
 * may take. Computed from pairs that were measured and judged at one look.
 *
 * It is that at the last look of such a gate (looks.h), with what the looks before have left of
 * alpha: a gate that also ends at these detects as much or more.
 */

#define POWER_STEPS 5
/* Pairs at each step. */
extern const unsigned power_steps[POWER_STEPS];

struct power_subject {
	const struct finding *finding; /* borrowed: the subject and its threshold */
	double share; /* of the whole program; 1 for that itself, NAN of a counter */
	double q;     /* over-dispersion; NAN of the whole program */
	double detectable[POWER_STEPS];
};

struct power {
	struct power_subject
		*subjects; /* owned; the whole program first, then by share, counters last */
	size_t nsubjects;
	size_t npairs; /* that it is estimated from */
	unsigned runs; /* planned, of which the looks follow */
	size_t ntests; /* that share the workload's part of alpha */
	double level;  /* of each, of a look with all of that part: it over their number */
};

/*
 * For gates that plan so many runs. `judgement` was judged in paired mode, at one look, and
 * outlives `power`.
 */
void power_init(struct power *power, const struct judgement *judgement, unsigned runs);
void power_release(struct power *power);

/* The growth of the subject that is detectable with at most `n` pairs. */
double power_detectable(const struct power *power, const struct power_subject *subject, size_t n);

/*
 * The fewest pairs with which, and with any more up to `most`, its threshold is detectable; 0: more
 * than `most`, or no threshold.
 */
size_t power_pairs_needed(
	const struct power *power, const struct power_subject *subject, size_t most);

#endif
