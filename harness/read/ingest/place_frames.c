#include "ingest/place_frames.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Everything is dropped beyond this: code that a JIT makes and discards has no bound. */
#define KEPT_MAX ((size_t)1 << 21)
/* More than 2^29 frames, or places of them, do not fit into memory. */
#define FRAMES_MASK ((UINT32_C(1) << 29) - 1)

void
place_frames_init(struct place_frames *places)
{
	*places = (struct place_frames){.nslots = 4096};
	places->slots = mem_ztable(places->nslots, sizeof(*places->slots));
}

void
place_frames_release(struct place_frames *places)
{
	free(places->slots);
	free(places->frames);
	*places = (struct place_frames){0};
}

void
place_frames_clear(struct place_frames *places)
{
	memset(places->slots, 0, places->nslots * sizeof(*places->slots));
	places->nkept = 0;
	places->nframes = 0;
}

/* Puts a place that is not in the hash into an empty slot. */
static void
fill_slot(struct place_frames *places, const struct kept_frames *kept)
{
	size_t mask = places->nslots - 1;
	const struct place place = {kept->offset, kept->owner, kept->flags};
	size_t at = (size_t)(place_frames_first(places, &place) - places->slots);

	while (places->slots[at].frames != 0)
		at = (at + 1) & mask;
	places->slots[at] = *kept;
}

static void
grow_places(struct place_frames *places)
{
	struct kept_frames *old = places->slots;
	size_t nold = places->nslots;

	places->nslots *= 2;
	places->slots = mem_ztable(places->nslots, sizeof(*places->slots));
	for (size_t i = 0; i < nold; i++)
		if (old[i].frames != 0)
			fill_slot(places, &old[i]);
	free(old);
}

/* Appends several frames; returns their index. */
static uint32_t
put_several(struct place_frames *places, const frame_id *frames, size_t count)
{
	/* Index 0 is not used: it marks an empty slot. */
	size_t at = places->nframes > 0 ? places->nframes : 1;

	places->nframes = at + 1 + count;
	places->frames = mem_grow(
		places->frames, &places->frames_capacity, places->nframes, sizeof(*places->frames));
	places->frames[at] = (frame_id)count;
	memcpy(places->frames + at + 1, frames, count * sizeof(*frames));
	return (uint32_t)at;
}

struct kept_frames
place_frames_add(struct place_frames *places, const struct place *place, const frame_id *frames,
	size_t count)
{
	if (places->nkept >= KEPT_MAX)
		place_frames_clear(places);
	else if ((places->nkept + 1) * 2 > places->nslots)
		grow_places(places);

	bool several = count > 1;
	const struct kept_frames made = {
		.offset = place->offset,
		.owner = place->owner,
		.flags = place->flags & 3,
		.several = several,
		.frames = (several ? put_several(places, frames, count) : frames[0]) & FRAMES_MASK,
	};

	places->nkept++;
	fill_slot(places, &made);
	return made;
}
