/*
 * One run of one build of a workload: what measure.c repeats.
 */
#ifndef PIPELINE_MEASURE_RUN_H
#define PIPELINE_MEASURE_RUN_H

#include "ingest/ingest.h"
#include "pipeline/measurement.h"

/* What all runs of a session share. */
struct measure_shared {
	const struct measure_options *options;
	struct ingest_cache *cache;
};

/* Chooses backend, event and CPUs, builds and sets up each side. */
int measure_prepare(struct measure_shared *shared, struct measurement *m, struct err *err);

/* Runs that do not count: to warm up, and to see how stacks are best captured. */
int measure_warm_up(struct measure_shared *shared, struct measurement *m, struct err *err);

/* Captures one run and folds it into `one`, which is made here. */
int measure_capture(struct measure_shared *shared, struct measurement *m, enum measure_side side,
	double period_factor, struct profile *one, struct err *err);

/* Where the capture of this attempt goes; free() it. */
char *measure_capture_path(const struct measurement *m, const char *scratch_dir,
	enum measure_side side, unsigned attempt);

#endif
