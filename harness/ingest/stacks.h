/*
 * From the addresses of a sample to a node of the call tree.
 */
#ifndef INGEST_STACKS_H
#define INGEST_STACKS_H

#include "perfdata/records.h"
#include "profile/profile.h"
#include "symbols/symbolizer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stack_entry;
struct cached_frame;

struct stacks {
	struct profile *profile;       /* borrowed */
	struct symbolizer *symbolizer; /* borrowed */
	/* What each address was resolved to, by address space. */
	struct cached_frame *frames;
	size_t nslots;
	size_t nframes;
	/*
	 * The stack being built, root first, and the one before it with its nodes: neighbouring
	 * samples share most of their callers, and what is shared needs no look-up.
	 */
	struct stack_entry *stack;
	size_t depth;
	size_t capacity;
	struct stack_entry *last;
	node_id *last_nodes;
	size_t last_depth;
	frame_id last_root;
};

void stacks_init(struct stacks *stacks, struct profile *profile, struct symbolizer *symbolizer);
void stacks_release(struct stacks *stacks);

/* What was seen of a sample's stack. */
struct stack_result {
	node_id node;      /* its leaf */
	bool unknown_leaf; /* the leaf has no name */
	bool broken;       /* the chain led to no code that was mapped, or to no address at all */
};

/* The node of `sample`, taken in process `pid`, below the frame `root`. */
struct stack_result stacks_node(
	struct stacks *stacks, frame_id root, uint32_t pid, const struct record_sample *sample);

#endif
