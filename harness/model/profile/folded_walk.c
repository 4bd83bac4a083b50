#include "profile/folded_walk.h"

#include "base/mem.h"
#include "base/text.h"
#include "profile/folded.h"

#include <stdlib.h>
#include <string.h>

/* The map of frame names is cleared where it takes more bytes than this. */
#define NAMES_BYTES_MAX ((size_t)64 << 20)
/*
 * walk.guesses counts right guesses up to this; from half of it on, names are guessed before they
 * are looked up.
 */
#define GUESSES_MAX 64
/* Names that are looked up together. */
#define KEYS_MAX 16

static void
take_step(struct folded_walk *walk, const struct folded_step *step)
{
	walk->steps = mem_grow(
		walk->steps, &walk->steps_capacity, walk->nsteps + 1, sizeof(*walk->steps));
	walk->steps[walk->nsteps++] = *step;
}

/* Begins as if the previous stack were empty. */
static void
begin_walk(struct folded_walk *walk)
{
	const struct folded_step root = {
		.node = CTREE_ROOT, .entry = text_map_add(&walk->names, "", 0, 0)};

	walk->previous = (struct line){"", 0};
	walk->nsteps = 0;
	take_step(walk, &root);
}

void
folded_walk_init(struct folded_walk *walk, struct profile *profile)
{
	*walk = (struct folded_walk){.profile = profile};
	begin_walk(walk);
}

void
folded_walk_release(struct folded_walk *walk)
{
	text_map_release(&walk->names);
	free(walk->steps);
	*walk = (struct folded_walk){0};
}

/* Whether two texts differ in their first 32 bytes. */
static bool
differ_32(const char *a, const char *b)
{
	return ((text_load_word(a) ^ text_load_word(b)) |
		       (text_load_word(a + 8) ^ text_load_word(b + 8)) |
		       (text_load_word(a + 16) ^ text_load_word(b + 16)) |
		       (text_load_word(a + 24) ^ text_load_word(b + 24))) != 0;
}

/* How many bytes two texts start with in common. */
static size_t
common_bytes(struct line a, struct line b)
{
	size_t limit = a.len < b.len ? a.len : b.len;
	size_t same = 0;

	while (same + 32 <= limit && !differ_32(a.at + same, b.at + same))
		same += 32;
	while (same + 8 <= limit && text_load_word(a.at + same) == text_load_word(b.at + same))
		same += 8;
	while (same < limit && a.at[same] == b.at[same])
		same++;
	return same;
}

static bool
frame_ends(struct line stack, size_t at)
{
	return at == stack.len || stack.at[at] == ';';
}

/* The offset of the first frame that the stack does not share with the previous one. */
static size_t
find_apart(struct line stack, struct line previous)
{
	size_t same = common_bytes(stack, previous);

	/* The last of the common bytes are a whole frame only if it ends there in both stacks. */
	if (same > 0 && frame_ends(stack, same) && frame_ends(previous, same))
		return same + 1;
	const char *semicolon = memrchr(stack.at, ';', same);

	return semicolon ? (size_t)(semicolon - stack.at) + 1 : 0;
}

static bool
makes_guesses(const struct folded_walk *walk)
{
	return walk->guesses * 2 >= GUESSES_MAX;
}

/* Notes which frame followed another, and whether the guess at it was right. */
static void
note_next(struct folded_walk *walk, struct text_entry *before, struct text_entry *entry)
{
	if (before->next != entry) {
		before->next = entry;
		walk->guesses -= walk->guesses > 0;
	} else {
		walk->guesses += walk->guesses < GUESSES_MAX;
	}
}

/* The frame at `at` if it is the frame that followed `before` last time; NULL if it is not. */
static struct text_entry *
guess_name(const char *at, size_t room, const struct text_entry *before)
{
	struct text_entry *guess = before->next;

	if (guess && text_entry_starts(guess, at, room) &&
		(guess->len == room || at[guess->len] == ';'))
		return guess;
	return NULL;
}

/* Enters the frame `entry`, which ends at `end`. */
static void
enter_frame(struct folded_walk *walk, struct text_entry *entry, size_t end)
{
	const struct folded_step *before = &walk->steps[walk->nsteps - 1];
	const struct folded_step step = {
		.end = end,
		.node = ctree_child(&walk->profile->tree, before->node, entry->value),
		.entry = entry,
	};

	note_next(walk, before->entry, entry);
	take_step(walk, &step);
}

/*
 * Enters at most `limit` of the frames from byte `at` of the stack on, and returns the offset of
 * the next frame. The memory of all their look-ups is prefetched first.
 */
static size_t
enter_names(struct folded_walk *walk, struct line stack, size_t at, size_t limit)
{
	struct text_key keys[KEYS_MAX];
	size_t nkeys = 0;

	while (at < stack.len && nkeys < limit) {
		const char *name = stack.at + at;
		const char *semicolon = memchr(name, ';', stack.len - at);
		size_t len = semicolon ? (size_t)(semicolon - name) : stack.len - at;

		keys[nkeys] = (struct text_key){.text = name, .len = len};
		text_map_prefetch_slot(&walk->names, &keys[nkeys++]);
		at += len + 1;
	}
	for (size_t i = 0; i < nkeys; i++)
		text_map_prefetch_entry(&walk->names, &keys[i]);
	for (size_t i = 0; i < nkeys; i++) {
		const struct text_key *key = &keys[i];
		struct text_entry *entry = text_map_find_key(&walk->names, key);

		if (key->len == 0) /* no frame: the walk stays where it is */
			continue;
		if (!entry)
			entry = text_map_add(&walk->names, key->text, key->len,
				profile_frame_text(walk->profile, key->text, key->len));
		enter_frame(walk, entry, (size_t)(key->text - stack.at) + key->len);
	}
	return at;
}

bool
folded_walk_enter(struct folded_walk *walk, struct line stack, node_id *leaf, size_t *rest)
{
	if (text_map_bytes(&walk->names) > NAMES_BYTES_MAX) {
		text_map_release(&walk->names);
		begin_walk(walk);
	}
	size_t at = find_apart(stack, walk->previous);

	walk->previous = stack;
	while (walk->nsteps > 1 && walk->steps[walk->nsteps - 1].end >= at)
		walk->nsteps--;
	/* The guess at the first frame that differs would be the previous stack's: look it up. */
	at = enter_names(walk, stack, at, makes_guesses(walk) ? 1 : KEYS_MAX);
	while (at < stack.len && walk->nsteps <= FOLDED_FRAMES_MAX + 1) {
		struct text_entry *guess = NULL;

		if (makes_guesses(walk))
			guess = guess_name(
				stack.at + at, stack.len - at, walk->steps[walk->nsteps - 1].entry);
		if (guess) {
			enter_frame(walk, guess, at + guess->len);
			at += guess->len + 1;
		} else {
			at = enter_names(walk, stack, at, KEYS_MAX);
		}
	}
	/* The root is no frame. */
	if (walk->nsteps > FOLDED_FRAMES_MAX + 1) {
		*rest = walk->steps[FOLDED_FRAMES_MAX].end + 1;
		return false;
	}
	*leaf = walk->steps[walk->nsteps - 1].node;
	return true;
}
