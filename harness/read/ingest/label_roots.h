/*
 * The nodes that the stacks of a perf.data file stand below: a frame for each label that it is cut
 * by.
 */
#ifndef INGEST_LABEL_ROOTS_H
#define INGEST_LABEL_ROOTS_H

#include "base/text_map.h"
#include "ingest/comms.h"
#include "ingest/labels.h"
#include "ingest/phase_marks.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A label has up to three numbers: a name, and the ids beside it. */
#define LABEL_ROOT_WORDS (3 * LABELS_MAX)

struct label_roots {
	struct profile *profile;          /* borrowed, as all below */
	const struct labels *by;          /* at least one */
	struct comms *comms;              /* its names have ids */
	const struct phase_marks *phases; /* the present one is a sample's */
	struct text_map nodes;            /* by the numbers of all labels */
	uint32_t last[LABEL_ROOT_WORDS];
	node_id last_node; /* of these; CTREE_ROOT: there was none yet */
};

void label_roots_release(struct label_roots *roots);

/*
 * The node of a sample of this thread, now; CTREE_ROOT: it was not made yet. Changes nothing in the
 * profile.
 */
node_id label_roots_made(struct label_roots *roots, uint32_t pid, uint32_t tid);
/* The node, made if it is not there. */
node_id label_roots_make(struct label_roots *roots, uint32_t pid, uint32_t tid);

/* Whether a label of the present sample has this value. */
bool label_roots_are(struct label_roots *roots, enum label_kind kind, const char *value,
	uint32_t pid, uint32_t tid);

#endif
