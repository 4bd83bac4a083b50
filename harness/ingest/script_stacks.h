/*
 * The stacks of perf script's text: from its lines to nodes of a call tree.
 *
 * Such text is one sample after the other with the same frames over and over, and reading it is
 * finding out fast that a line or a whole stack has been there before. A line is known by what
 * follows its address; the line expected next is the one that followed last time. A stack is known
 * by its frames.
 */
#ifndef INGEST_SCRIPT_STACKS_H
#define INGEST_SCRIPT_STACKS_H

#include "base/lines.h"
#include "base/text_map.h"
#include "ingest/script_line.h"
#include "profile/profile.h"

struct script_stacks {
	struct profile *profile;
	struct text_map lines;    /* "name+0x5c1 (module)\n" -> a frame, see line_value() */
	struct text_entry *start; /* stands for the header ahead of a stack's first line */
	struct text_entry *last;  /* the line taken last, or `start` */
	struct text_map stacks;   /* the frames' bytes -> node_id */
	uint32_t *frames;         /* of the stack being read: its root, then from the leaf on */
	size_t nframes;
	size_t capacity;
};

/* `profile` is borrowed. */
void script_stacks_init(struct script_stacks *stacks, struct profile *profile);
void script_stacks_release(struct script_stacks *stacks);

/* Begins a stack. */
void script_stacks_begin(struct script_stacks *stacks, frame_id root);
/* Takes all lines that are frames as perf writes them; what stands then in `lines` is another. */
void script_stacks_take(struct script_stacks *stacks, struct lines *lines);
/* Adds a frame that was parsed elsewhere. */
void script_stacks_add(struct script_stacks *stacks, const struct script_frame *frame);
/* Ends the stack: its node. Whether its leaf has a name goes to *leaf_is_known. */
node_id script_stacks_end(struct script_stacks *stacks, bool *leaf_is_known);

#endif
