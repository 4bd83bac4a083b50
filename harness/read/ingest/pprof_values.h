/*
 * All values and labels of the samples of a pprof file, for a writer that keeps them.
 */
#ifndef INGEST_PPROF_VALUES_H
#define INGEST_PPROF_VALUES_H

#include "base/allowance.h"
#include "ingest/pprof_tables.h"
#include "profile/profile.h"
#include "profile/sample_values.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pprof_values {
	const struct pprof_tables *tables; /* borrowed, as the two below */
	struct profile *profile;
	struct sample_values *into;
	struct allowance memory; /* few bytes can be many values once they are expanded */
};

/* Begins with the types. `stored` is the size of the file. */
void pprof_values_init(struct pprof_values *values, const struct pprof_tables *tables,
	struct profile *profile, struct sample_values *into, size_t stored);

/* Adds a sample with its labels. False: these are more than a file of this size has. */
bool pprof_values_take(struct pprof_values *values, node_id node, const struct wire *sample,
	const int64_t *of_types, size_t count);

#endif
