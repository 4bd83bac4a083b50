/*
 * Enters folded stacks into the call tree. Frames that a stack shares with the previous stack are
 * not looked up again; the others are first guessed from the frame that followed last time.
 */
#ifndef PROFILE_FOLDED_WALK_H
#define PROFILE_FOLDED_WALK_H

#include "base/lines.h"
#include "base/text_map.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/* A frame of the previous stack. */
struct folded_step {
	size_t end; /* bytes of the stack up to and without the ';' after the frame */
	node_id node;
	struct text_entry *entry;
};

struct folded_walk {
	struct profile *profile;   /* borrowed */
	struct line previous;      /* the stack entered last */
	struct folded_step *steps; /* its frames; steps[0] is the root's */
	size_t nsteps;
	size_t steps_capacity;
	struct text_map names; /* the value is a frame_id */
	int guesses;           /* right guesses at frames count it up, wrong ones down */
};

void folded_walk_init(struct folded_walk *walk, struct profile *profile);
void folded_walk_release(struct folded_walk *walk);

/*
 * Enters a stack, and sets *leaf to its leaf's node, the root where it has no frame. False for a
 * stack of more than FOLDED_FRAMES_MAX frames: *rest is then the offset of the first frame that is
 * too many. `stack`, which is without its weights, must stay where it is until the next call.
 */
bool folded_walk_enter(struct folded_walk *walk, struct line stack, node_id *leaf, size_t *rest);

#endif
