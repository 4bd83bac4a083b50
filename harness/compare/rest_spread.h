/*
 * By how much the functions of a program changed between two sides, beside one of them: what the
 * machine may have done to that one, too.
 *
 * Load on a machine moves the functions of a program apart: those that wait for memory become
 * slower, others hardly. D is the root of the mean of z^2 over the functions that were tested but
 * one, each weighted by its share of both sides, with z = ln(1 + change), relative to the stable
 * rest. The one left out is the subject, or of the whole program and of groups the function that
 * adds most. Sampling noise is part of z, so that D is rather too large. D is at least
 * COMPARISON_SESSION_SPREAD.
 *
 * Load explains a growth of ln(1 + change) up to REST_FACTOR * D; where costs are compared as they
 * are, in addition to the growth of the stable rest. The lower limit of the interval corrected for
 * all tests is compared with that.
 *
 * The factor is our own choice, by measurement and simulation. Ten shipped workloads without a
 * change, on two CPUs: 10 runs on an idle machine, then 10 beside two busy loops and 10 beside two
 * loops that copy 64 MiB. Of 200 functions one had its lower limit above 0, at 1.2 D; functions
 * changed by 3 to 7 % (SD), one by 27 %. Simulated (tests/unit/compare/synthetic.h,
 * synthetic_slowdown(), with load 1 like those copying loops or heavier; one workload a gate,
 * 20,000 gates each): with load after, 129 gates had a function whose lower limit was above its
 * threshold, 13 of these above 6 D, 3 above 8 D; with half of that load 1 and none; with load on
 * both sides 23 and none; with load before none at all. So 0.07 % fail beside the
 * heaviest load, where neither pairs nor counts can be had. 6 is the largest whole factor by which
 * 30 % more in a function of known_split fails beside two busy loops.
 */
#ifndef COMPARE_REST_SPREAD_H
#define COMPARE_REST_SPREAD_H

#include "compare/comparison.h"

/* Growth beyond so many times the spread of the others is not explained by load. */
#define REST_FACTOR 6

struct rest_spread {
	size_t nfunctions; /* tested */
	double weight;     /* of them: sum of shares */
	double squares;    /* sum of weight * z^2 */
	double least;      /* of D */
	double rest_grew;  /* ln growth of the stable rest's cost, at least 0; NAN: not known */
	frame_id largest;  /* the function that adds most to `squares` */
};

/* Sums over the functions of a comparison in stored mode. */
struct rest_spread rest_spread_of(const struct comparison *comparison);

/*
 * The growth, as ln(1 + change), that load may explain of the function `frame`; 0: of the whole
 * program or a group. `relative`: to the stable rest. NAN where fewer than two other functions
 * tell, or plain costs are compared and the rest's growth is not known.
 */
double rest_explains(const struct rest_spread *rest, const struct comparison *comparison,
	frame_id frame, bool relative);

/* D beside the same subject; NAN likewise. */
double rest_spread_beside(
	const struct rest_spread *rest, const struct comparison *comparison, frame_id frame);

#endif
