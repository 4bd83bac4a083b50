/*
 * Measuring workloads: build and set-up, warm-up, captured runs, each folded into a column.
 *
 * Used by the gate, by `baseline update` and by `calibrate`, so that both sides of a comparison are
 * taken the same way. Runs go round: run 1 of every workload, then run 2 of every workload, and so
 * on, so that a slow drift of the machine affects all of them alike and is part of each one's
 * variance.
 *
 * With a second build, a run is a pair: one of each build, right after one another, in random order
 * and with the same sampling period. A pair counts whole or not at all.
 */
#ifndef MEASUREMENT_MEASURE_H
#define MEASUREMENT_MEASURE_H

#include "base/err.h"
#include "measurement/measurement.h"
#include "spec/workload.h"

/* Measuring that can be continued. */
struct measure_session;

/*
 * Begins to measure all of `list` into measurements[list->nworkloads], each with capture.runs
 * wanted: the events are chosen, nothing is built yet. A workload that cannot be measured has its
 * `error` set and does not stop the others. NULL for an interruption and for a system that cannot
 * go on; measurements are to be released in either case.
 */
struct measure_session *measure_open(struct measurement *measurements,
	const struct workload_list *list, const struct measure_options *options, struct err *err);

/*
 * Builds and sets up the candidates. Before and after it the caller may give a measurement another
 * base (measurement_set_base()) or leave it out. -1 as measure_open().
 */
int measure_build(struct measure_session *session, struct err *err);

/* Builds and sets up the bases, and warms up. -1 as measure_open(). */
int measure_prepare(struct measure_session *session, struct err *err);

/* The three in one. */
struct measure_session *measure_begin(struct measurement *measurements,
	const struct workload_list *list, const struct measure_options *options, struct err *err);

/*
 * Takes runs of this stage until every workload has the wanted runs or no attempts left, or until
 * the deadline; at least 3 runs of each are taken even so.
 */
int measure_more(struct measure_session *session, unsigned stage, struct err *err);

/* No run is begun any more that would end after `deadline_s`, of clock_seconds(). */
void measure_set_deadline(struct measure_session *session, double deadline_s);

/* The mean wall time of a run (or pair) so far, folding included; at first that of the warm-up. */
double measure_run_seconds(const struct measurement *m);

/* Tears the workloads down and sorts the profiles. NULL is allowed. */
void measure_end(struct measure_session *session);

/* All of it in one: one stage. -1 as measure_begin(). */
int measure_workloads(struct measurement *measurements, const struct workload_list *list,
	const struct measure_options *options, struct err *err);

#endif
