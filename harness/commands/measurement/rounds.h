/*
 * Measuring all workloads of a session: builds, warm-up, then rounds of runs.
 *
 * A round is run 1 of every workload, of those that the change affects most first, the next one run
 * 2 of every workload, and so on: a slow drift of the machine then affects all of them alike and is
 * part of each one's variance. With a second build a run is a pair: one run of each build, right
 * after one another, in random order (run_order.h) and with the same sampling period. A pair counts
 * whole or not at all.
 */
#ifndef MEASUREMENT_ROUNDS_H
#define MEASUREMENT_ROUNDS_H

#include "base/err.h"
#include "measurement/measurement.h"
#include "spec/workload.h"

/* Measuring that has begun; more runs can be taken until rounds_end(). */
struct rounds;

/*
 * Begins to measure all of `list` into measurements[list->nworkloads], each with capture.runs
 * wanted: the events are chosen, nothing is built yet. A workload that cannot be measured has its
 * `error` set and does not stop the others. NULL for an interruption and for a system that cannot
 * go on; measurements are to be released in either case.
 */
struct rounds *rounds_open(struct measurement *measurements, const struct workload_list *list,
	const struct measure_options *options, struct err *err);

/*
 * Builds and sets up the candidates. Before and after it the caller may give a measurement another
 * base (measurement_set_base()) or leave it out. -1 as rounds_open().
 */
int rounds_build(struct rounds *rounds, struct err *err);

/* Builds and sets up the bases, and warms up. -1 as rounds_open(). */
int rounds_prepare(struct rounds *rounds, struct err *err);

/* rounds_open(), rounds_build() and rounds_prepare() in one. */
struct rounds *rounds_begin(struct measurement *measurements, const struct workload_list *list,
	const struct measure_options *options, struct err *err);

/*
 * Takes runs of this stage until every workload has the wanted runs or no attempts left, or until
 * the deadline; at least 3 runs of each are taken even so.
 */
int rounds_take(struct rounds *rounds, unsigned stage, struct err *err);

/* No run is begun any more that would end after `deadline_s`, of clock_seconds(). */
void rounds_set_deadline(struct rounds *rounds, double deadline_s);

/* Tears the workloads down and sorts the profiles. NULL is allowed. */
void rounds_end(struct rounds *rounds);

/*
 * rounds_begin(), the wanted runs of the first stage, and rounds_end() in one. -1 as rounds_open().
 */
int rounds_measure(struct measurement *measurements, const struct workload_list *list,
	const struct measure_options *options, struct err *err);

#endif
