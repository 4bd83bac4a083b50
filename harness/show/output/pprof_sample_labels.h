/*
 * The labels of the samples of a pprof file in the making.
 */
#ifndef OUTPUT_PPROF_SAMPLE_LABELS_H
#define OUTPUT_PPROF_SAMPLE_LABELS_H

#include "output/pprof_message.h"
#include "profile/profile.h"
#include "profile/sample_values.h"

#include <stddef.h>

/* For profile->by. */
#define PPROF_BY_MAX 8

/* Not terminated. */
struct pprof_label_name {
	const char *at;
	size_t len;
};

struct pprof_sample_labels {
	const struct profile *profile;            /* borrowed, as all below */
	const char *given;                        /* of all samples; NULL: none */
	struct pprof_label_name by[PPROF_BY_MAX]; /* the labels that stacks begin with */
	size_t nby;
};

void pprof_sample_labels_init(
	struct pprof_sample_labels *labels, const struct profile *profile, const char *given);

/*
 * Puts those of a sample into message->part: of its first frames, those given, and its run unless
 * that is SIZE_MAX.
 */
void pprof_sample_labels_put(const struct pprof_sample_labels *labels,
	struct pprof_message *message, node_id node, size_t run);

/*
 * The same of a sample that was read with labels: these too, but for those with the name of
 * another.
 */
void pprof_sample_labels_put_read(const struct pprof_sample_labels *labels,
	struct pprof_message *message, const struct sample_values *values,
	const struct valued_sample *sample, size_t run);

#endif
