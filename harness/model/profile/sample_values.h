/*
 * The samples of a file of several types of values, with all of these and their labels.
 *
 * A call tree has weights of one type. A reader fills this beside the tree
 * (ingest_options.values), whose nodes it refers to, so that the file can be written again with
 * all that its samples have. Texts are in the profile's table of strings.
 */
#ifndef PROFILE_SAMPLE_VALUES_H
#define PROFILE_SAMPLE_VALUES_H

#include "base/strtab.h"
#include "profile/ctree.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* "inuse_space", in "bytes". */
struct value_type {
	str_id name;
	str_id unit;
};

struct value_label {
	str_id key;
	str_id text;    /* 0: its value is a number */
	int64_t number; /* "bytes", 4096, in `unit`: of memory that was allocated in such pieces */
	str_id unit;    /* 0: not said */
};

struct valued_sample {
	node_id node;       /* in the profile's tree, before any change of that tree */
	size_t first_value; /* of `values` */
	size_t nvalues;     /* those after them, up to ntypes, are 0 */
	size_t first_label;
	size_t nlabels;
};

/* All zeros is empty. The arrays are owned. */
struct sample_values {
	struct value_type *types;
	size_t ntypes;
	size_t types_capacity;
	struct value_type period_type;
	int64_t period;
	str_id default_type; /* name of the one to be shown first; 0: not said */
	struct valued_sample *samples;
	size_t nsamples;
	size_t samples_capacity;
	int64_t *values;
	size_t nvalues;
	size_t values_capacity;
	struct value_label *labels;
	size_t nlabels;
	size_t labels_capacity;
};

static inline void
sample_values_release(struct sample_values *values)
{
	free(values->types);
	free(values->samples);
	free(values->values);
	free(values->labels);
	*values = (struct sample_values){.ntypes = 0};
}

#endif
