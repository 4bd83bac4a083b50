/*
 * One sample of a pprof file: its stack and its values.
 */
#ifndef INGEST_PPROF_SAMPLE_H
#define INGEST_PPROF_SAMPLE_H

#include "ingest/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zeros is empty. The arrays are owned, and used again by the next sample. */
struct pprof_sample {
	uint64_t *locations; /* ids, leaf first */
	size_t nlocations;
	size_t locations_capacity;
	int64_t *values; /* by type */
	size_t nvalues;
	bool has_more; /* values than types */
	size_t values_capacity;
};

/* Reads the message, up to `ntypes` values of it. False: it is not whole. */
bool pprof_sample_read(struct pprof_sample *sample, struct wire message, size_t ntypes);
void pprof_sample_release(struct pprof_sample *sample);

#endif
