/*
 * Calibration from runs of one build, measured in pairs as if they were two builds: how much whole
 * runs differ, how much functions differ beyond what sampling explains, and the growth that is
 * detectable with a number of pairs. Pure functions over profiles and effects.
 */
#ifndef COMPARE_CALIBRATION_H
#define COMPARE_CALIBRATION_H

#include "compare/comparison.h"
#include "compare/effect.h"
#include "profile/profile.h"

#include <stddef.h>

/* How whole runs differ. NAN where too little is known. */
struct calibration_noise {
	size_t npairs;
	double cost;       /* mean of an execution, in the metric's unit */
	double cost_cv;    /* SD of cost over its mean */
	double pair_sd;    /* SD of ln cost - ln cost of the partner, as in a paired test */
	double neighbours; /* correlation of ln cost between the runs of a pair, -1 to 1 */
	double cpu_s;      /* means of a run */
	double wall_s;
	double wall_cv;
	double context_switches;
	double migrations;
	double samples;
};

/*
 * Pairs are the runs of both sides with the same run.pair. The runs of a pair are neighbours in
 * time, whichever came first: their correlation is that of lag 1, as an intraclass correlation
 * (Fisher, Statistical Methods for Research Workers, 1925, section 38), which needs no order.
 */
void calibration_noise(
	const struct profile *before, const struct profile *after, struct calibration_noise *noise);

/* Over-dispersion q of a function: the variance of its cost over that of sampling alone. */
struct calibration_function {
	frame_id frame; /* of the comparison's profile */
	double share;
	double q;
};

struct calibration_dispersion {
	struct calibration_function *functions; /* owned; those tested, the largest q first */
	size_t nfunctions;
	double median; /* NAN without any */
};

void calibration_dispersion(
	const struct comparison *comparison, struct calibration_dispersion *dispersion);
void calibration_dispersion_release(struct calibration_dispersion *dispersion);

/*
 * The growth detectable with `n` pairs in a subject whose effect was estimated from `npairs`: as in
 * model.h, with a variance proportional to 1/n and n - 1 degrees of freedom of its own. `level` is
 * the gate's alpha divided by its number of tests. NAN for an effect that was not tested.
 */
double calibration_detectable(const struct effect *effect, size_t npairs, size_t n, double level);

struct calibration_interval {
	double low;
	double high;
};

/*
 * The 95 % confidence interval of a rate, from `count` events in `trials` trials: Wilson, "Probable
 * inference, the law of succession, and statistical inference", JASA 22 (1927). 0 to 1 without
 * trials.
 */
struct calibration_interval calibration_rate(size_t count, size_t trials);

#endif
