/*
 * A profile in the format of pprof: profile.proto of github.com/google/pprof, compressed by gzip,
 * as `go tool pprof` and stores of profiles (Pyroscope, Parca) read it.
 */
#ifndef OUTPUT_PPROF_H
#define OUTPUT_PPROF_H

#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"
#include "profile/sample_values.h"

#include <stdbool.h>

struct pprof_options {
	const char *labels; /* of all samples: "workload=NAME,side=before"; NULL: none */
	bool runs;          /* each run has its own samples, with the label "run" */
	bool any_size;      /* it is of our own capture */
	/* The values that the profile was read with, if its samples had several types: they are
	   written, and their labels, but for those that are given or that stacks begin with. NULL,
	   or without types: not known. */
	const struct sample_values *values;
};

/* Whether `labels` can be those of the options. `option` is for messages. */
int pprof_check_labels(const char *labels, const char *option, struct err *err);

/*
 * Appends it: a sample for each stack, leaf first, with the sum of its runs. Samples by CPU time
 * have two values, their number and their CPU time in ns; all other weights have one, in ns, bytes,
 * or else as a count, with the name of their metric or event, or else of their unit, as its type. A
 * location is a frame with those that are inlined in it; its lines are known where the profile was
 * read with them (ingest_options.at_lines). The names of functions have their suffixes, but for
 * _[i] of a frame in another's location. The first frames of each stack, those of profile->by, are
 * labels, too, which a comment says.
 *
 * With options.values it is a sample for each one there, with the same values and types.
 */
void pprof_put(const struct profile *profile, struct buf *out);
/* False where that is too large: see EXPORTED_BYTES_MAX of exported.h. */
bool pprof_put_labelled(
	const struct profile *profile, const struct pprof_options *options, struct buf *out);

#endif
