#include "ingest/place_frames.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* All is forgotten beyond this: code made and thrown away at run time has no end. */
#define KEPT_MAX ((size_t)1 << 21)
#define NSTRETCHES ((size_t)1 << PLACE_STRETCH_BITS)

void
place_frames_init(struct place_frames *places)
{
	*places = (struct place_frames){.nslots = 4096};
	places->slots = mem_ztable(places->nslots, sizeof(*places->slots));
	places->stretches = mem_zalloc(NSTRETCHES, sizeof(*places->stretches));
}

void
place_frames_release(struct place_frames *places)
{
	free(places->slots);
	free(places->stretches);
	free(places->frames);
	*places = (struct place_frames){0};
}

void
place_frames_clear(struct place_frames *places)
{
	memset(places->slots, 0, places->nslots * sizeof(*places->slots));
	memset(places->stretches, 0, NSTRETCHES * sizeof(*places->stretches));
	places->nkept = 0;
	places->nframes = 0;
}

/* Puts what is not there into an empty slot. */
static void
fill_slot(struct place_frames *places, const struct kept_frames *kept)
{
	size_t mask = places->nslots - 1;
	size_t at = (size_t)(place_frames_first(places, &kept->key) - places->slots);

	while (places->slots[at].count != 0)
		at = (at + 1) & mask;
	places->slots[at] = *kept;
}

static void
grow(struct place_frames *places)
{
	struct kept_frames *old = places->slots;
	size_t nold = places->nslots;

	places->nslots *= 2;
	places->slots = mem_ztable(places->nslots, sizeof(*places->slots));
	for (size_t i = 0; i < nold; i++)
		if (old[i].count != 0)
			fill_slot(places, &old[i]);
	free(old);
}

struct kept_frames
place_frames_add(struct place_frames *places, const struct place *place, const frame_id *frames,
	size_t count)
{
	if (places->nkept >= KEPT_MAX)
		place_frames_clear(places);
	else if ((places->nkept + 1) * 2 > places->nslots)
		grow(places);

	struct kept_frames made = {*place, (uint32_t)places->nframes, (uint32_t)count};

	places->frames = mem_grow(places->frames, &places->frames_capacity, places->nframes + count,
		sizeof(*places->frames));
	memcpy(places->frames + places->nframes, frames, count * sizeof(*frames));
	places->nframes += count;
	places->nkept++;
	fill_slot(places, &made);
	return made;
}

void
place_frames_add_leaf(struct place_frames *places, const struct place *place,
	const struct kept_frames *kept, uint64_t end)
{
	*place_frames_first_leaf(places, place) = (struct kept_stretch){*kept, end};
}
