/*
 * Enters folded stacks into the call tree, for the reader of folded text. Frames that a stack
 * shares with the previous one are not looked up again.
 */
#ifndef PROFILE_FOLDED_WALK_H
#define PROFILE_FOLDED_WALK_H

#include "base/lines.h"
#include "base/text_map.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/* Deeper than any stack of a program; bounds what one line can make us allocate and draw. */
#define FOLDED_FRAMES_MAX 1000000

struct folded_step;

struct folded_walk {
	struct profile *profile;   /* borrowed */
	struct line previous;      /* the stack entered last */
	struct folded_step *steps; /* of it; steps[0] is the root's */
	size_t nsteps;
	size_t steps_capacity;
	struct text_map names; /* -> frame_id */
	int guesses;           /* counts recent right guesses at names up, wrong ones down */
};

void folded_walk_init(struct folded_walk *walk, struct profile *profile);
void folded_walk_release(struct folded_walk *walk);

/*
 * Sets the node of the stack's leaf, the root where it has no frame. False for a stack of more than
 * FOLDED_FRAMES_MAX frames: those from byte *rest on are too many. `stack`, which is without its
 * weights, must stay until the next stack.
 */
bool folded_walk_enter(struct folded_walk *walk, struct line stack, node_id *leaf, size_t *rest);

#endif
