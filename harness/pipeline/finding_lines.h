/*
 * The source lines and instructions of the functions that a gate has findings about, read from its
 * captures before these are dropped.
 */
#ifndef PIPELINE_FINDING_LINES_H
#define PIPELINE_FINDING_LINES_H

#include "base/arena.h"
#include "output/report.h"
#include "pipeline/measurement.h"

struct ingest_cache;

/*
 * Sets entry->lines, allocated in `arena`: of at most a few functions that did not pass, by the
 * last captures of each side. Captures of metrics without addresses have no lines. `scratch_dir` as
 * in struct measure_options; the cache is shared between workloads.
 */
void finding_lines_read(struct report_workload *entry, const struct measurement *m,
	const char *scratch_dir, struct ingest_cache *cache, struct arena *arena);

#endif
