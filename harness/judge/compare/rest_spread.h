/*
 * By how much the functions of a program changed between two sides, beside one of them: the machine
 * may have changed that one by as much.
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
 * all tests, less REST_ERRORS of its standard errors, is compared with that: load also makes runs
 * spread in ways that ten of them do not show.
 *
 * Both numbers are our own choice, by measurement and simulation. Ten shipped workloads without a
 * change, on two CPUs: 10 runs on an idle machine, then 10 beside two busy loops and 10 beside two
 * loops that copy 64 MiB. Of 200 functions one had its lower limit above 0, at 1.2 D; functions
 * changed by 3 to 7 % (SD), one by 27 %.
 *
 * Simulated (tests/unit/judge/compare/synthetic.h, synthetic_slowdown(), 5 to 50 functions a
 * workload), with seeds that nothing was chosen by; 95 % intervals. Beside load 1 after, like those
 * copying loops or heavier, 6 of 80,000 unchanged gates of one workload fail by this rule (0.0075
 * %, 0.003 to 0.016), and 19 of 40,000 of ten workloads (0.048 %, 0.029 to 0.074), where alpha is 5
 * %; with half of that load none of 20,000 of one. Neither pairs nor counts are there for them.
 * With 1.5 standard errors these were 35 of 200,000 and 26 of 40,000. A function of 30 % that slows
 * fails, of 10,000 gates each, by 30 % in 5.4 % beside that load and in 8.5 % beside half of it, by
 * 60 % in 79.0 and 99.0 %, and twice as slow in 93.1 and 99.4 %.
 */
#ifndef COMPARE_REST_SPREAD_H
#define COMPARE_REST_SPREAD_H

#include "compare/comparison.h"

#include <stdbool.h>
#include <stddef.h>

/* Growth beyond so many times the spread of the others is not explained by load ... */
#define REST_FACTOR 5
/* ... with so many standard errors to spare. */
#define REST_ERRORS 2

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
