/*
 * The labels of the samples of a pprof file: it is cut by them, and samples are selected by them.
 *
 * Files of our own have frames at the root of their stacks, which are labels, too: a comment says
 * how many. They are left out where the file is cut by others.
 */
#ifndef INGEST_PPROF_LABELS_H
#define INGEST_PPROF_LABELS_H

#include "base/allowance.h"
#include "base/err.h"
#include "ingest/ingest.h"
#include "ingest/pprof_tables.h"
#include "profile/profile.h"
#include "profile/sample_values.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pprof_labels {
	const struct pprof_tables *tables; /* borrowed, as all below */
	const struct ingest_options *options;
	struct profile *profile;
	struct pprof_text program; /* without its folder; empty: not known */
	bool is_own;               /* the file is of profile_run */
	struct labels own;         /* frames that stacks of the file begin with */
	node_id root;              /* of the program; CTREE_ROOT: not made yet */
	struct allowance values;   /* bytes of values that may still be looked at */
	bool seen[LABELS_MAX + 1]; /* a sample had options->by.all[i]; the last: options->only */
};

/* Sets profile->by. `stored` are the bytes of the file. */
void pprof_labels_init(struct pprof_labels *labels, const struct pprof_tables *tables,
	const struct ingest_options *options, struct profile *profile, struct pprof_text program,
	size_t stored);

/* Whether the sample is selected. */
bool pprof_labels_take(struct pprof_labels *labels, const struct wire *sample);
/* The node that its stack stands below. */
node_id pprof_labels_root(struct pprof_labels *labels, const struct wire *sample);
/* How many frames at the root of its stack are left out. */
size_t pprof_labels_left_out(const struct pprof_labels *labels);

/* Whether the sample is of the profile that others were compared with (pprof -diff_base). */
bool pprof_labels_is_base(const struct pprof_labels *labels, const struct wire *sample);

/* An error if no sample of `file` had one of the labels asked for. */
int pprof_labels_check(const struct pprof_labels *labels, const struct wire *file, const char *path,
	struct err *err);

/*
 * All values and labels of the samples of a pprof file, for a writer that keeps them.
 */

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
