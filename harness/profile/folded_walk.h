/*
 * The way of folded stacks into the call tree, for the reader of folded text.
 *
 * A stack takes three steps, so that several can be on their way at once and wait for the memory
 * together: it is split into names and compared with the one before it (expect), what its names
 * need of the memory is asked for (ask), and the tree is entered (enter). Each step takes the
 * stacks in their order, and a stack is entered only after the one before it.
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
/* Names of a stack that are looked up ahead of entering it, and those looked up at once then. */
#define FOLDED_KEYS_MAX 16

struct folded_step;

struct folded_walk {
	struct profile *profile;   /* borrowed */
	struct line previous;      /* the stack expected last; its text must stay */
	struct folded_step *steps; /* of the stack entered last; steps[0] is the root's */
	size_t nsteps;
	size_t steps_capacity;
	struct text_map names; /* -> frame_id */
	int guesses;           /* how often of late a guess at a name was right */
};

/* A stack on its way. */
struct folded_stack {
	struct line text; /* without its weights */
	size_t apart;     /* where what differs from the stack before begins */
	size_t rest;      /* where the names behind `keys` begin */
	size_t nkeys;
	struct text_key keys[FOLDED_KEYS_MAX];
};

void folded_walk_init(struct folded_walk *walk, struct profile *profile);
void folded_walk_release(struct folded_walk *walk);

void folded_walk_expect(struct folded_walk *walk, struct folded_stack *stack, struct line text);
void folded_walk_ask(const struct folded_walk *walk, const struct folded_stack *stack);
/*
 * Sets the node of the stack's leaf, the root where it has no frame. False for a stack of more than
 * FOLDED_FRAMES_MAX frames: those from byte stack->rest on are too many.
 */
bool folded_walk_enter(struct folded_walk *walk, struct folded_stack *stack, node_id *leaf);

/* To be called now and then while no stack is on its way: bounds what names take beside the
 * profile. */
void folded_walk_rest(struct folded_walk *walk);

#endif
