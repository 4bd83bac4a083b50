/*
 * The frames of each place in code: of its function and of those inlined in it.
 */
#ifndef INGEST_PLACE_FRAMES_H
#define INGEST_PLACE_FRAMES_H

#include "base/hash.h"
#include "profile/frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place in code; equal places resolve to the same frames. */
struct place {
	uint64_t offset;
	/*
	 * The owner of a symbol_range; 0 in the kernel, which is the same for all. With the flag
	 * STACK_KERNEL any other number says that `offset` is the number of a system call
	 * (stacks_push_syscall()).
	 */
	uint32_t owner;
	uint32_t flags; /* enum stack_flag */
};

static inline bool
place_equals(const struct place *a, const struct place *b)
{
	return a->offset == b->offset && a->owner == b->owner && a->flags == b->flags;
}

/* A place and its frames: small, because memory latency bounds the search in the hash. */
struct kept_frames {
	uint64_t offset;
	uint32_t owner;
	uint32_t flags : 2;
	uint32_t several : 1; /* `frames` is not a frame_id but an index of place_frames.frames */
	uint32_t frames : 29; /* 0: the slot is empty */
};

struct place_frames {
	struct kept_frames *slots; /* a hash */
	size_t nslots;
	size_t nkept;
	frame_id *frames; /* of places with several: their number, then the frames */
	size_t nframes;
	size_t frames_capacity;
};

void place_frames_init(struct place_frames *places);
void place_frames_release(struct place_frames *places);
void place_frames_clear(struct place_frames *places);

/* Keeps `count` frames, at least 1, outermost first. */
struct kept_frames place_frames_add(struct place_frames *places, const struct place *place,
	const frame_id *frames, size_t count);
static inline uint64_t
place_hash(const struct place *place)
{
	return hash_pair(place->offset, (uint64_t)place->owner << 2 | place->flags) >> 32;
}

static inline bool
kept_frames_is_of(const struct kept_frames *kept, const struct place *place)
{
	return kept->offset == place->offset && kept->owner == place->owner &&
	       kept->flags == place->flags;
}

/* The number of the place's frames. */
static inline size_t
place_frames_count(const struct place_frames *places, struct kept_frames kept)
{
	return kept.several ? places->frames[kept.frames] : 1;
}

/* Frame number `i` of the place; number 0 is the outermost. */
static inline frame_id
place_frames_get(const struct place_frames *places, struct kept_frames kept, size_t i)
{
	return kept.several ? places->frames[kept.frames + 1 + i] : kept.frames;
}

/* The slot where the search for a place begins: to be prefetched. */
static inline const struct kept_frames *
place_frames_first(const struct place_frames *places, const struct place *place)
{
	return &places->slots[place_hash(place) & (places->nslots - 1)];
}

/* The frames that are kept for a place; NULL if none are. Valid until more is added. */
static inline const struct kept_frames *
place_frames_find(const struct place_frames *places, const struct place *place)
{
	const struct kept_frames *slot = place_frames_first(places, place);

	while (slot->frames != 0 && !kept_frames_is_of(slot, place))
		if (++slot == places->slots + places->nslots)
			slot = places->slots;
	return slot->frames != 0 ? slot : NULL;
}

#endif
