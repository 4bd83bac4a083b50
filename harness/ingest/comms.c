#include "ingest/comms.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct comm_entry {
	bool used;
	uint32_t tid;
	frame_id frame;
};

void
comms_init(struct comms *comms, struct profile *profile)
{
	*comms = (struct comms){.profile = profile, .nslots = 256};
	comms->slots = mem_zalloc(comms->nslots, sizeof(*comms->slots));
	comms_set(comms, 0, "swapper");
}

void
comms_release(struct comms *comms)
{
	free(comms->slots);
	*comms = (struct comms){0};
}

static struct comm_entry *
find_slot(const struct comms *comms, uint32_t tid)
{
	size_t mask = comms->nslots - 1;

	for (size_t at = hash_u64(tid) & mask;; at = (at + 1) & mask) {
		struct comm_entry *entry = &comms->slots[at];

		if (!entry->used || entry->tid == tid)
			return entry;
	}
}

static void
set_frame(struct comms *comms, uint32_t tid, frame_id frame)
{
	struct comm_entry *entry = find_slot(comms, tid);

	if (!entry->used && (comms->count + 1) * 2 > comms->nslots) {
		struct comm_entry *old = comms->slots;
		size_t nold = comms->nslots;

		comms->nslots *= 2;
		comms->slots = mem_zalloc(comms->nslots, sizeof(*comms->slots));
		for (size_t i = 0; i < nold; i++)
			if (old[i].used)
				*find_slot(comms, old[i].tid) = old[i];
		free(old);
		entry = find_slot(comms, tid);
	}
	comms->count += !entry->used;
	*entry = (struct comm_entry){true, tid, frame};
}

void
comms_set(struct comms *comms, uint32_t tid, const char *name)
{
	char text[64]; /* the kernel's names have 15 bytes */
	/* A program can name its thread "": its stacks would stand without their root. */
	const char *shown = *name ? name : "(unnamed)";
	size_t len = strnlen(shown, sizeof(text));

	memcpy(text, shown, len);
	for (size_t i = 0; i < len; i++)
		if (text[i] == ' ')
			text[i] = '_';
	set_frame(comms, tid, profile_frame(comms->profile, text, len, FRAME_USER));
}

void
comms_fork(struct comms *comms, uint32_t tid, uint32_t parent_tid)
{
	const struct comm_entry *parent = find_slot(comms, parent_tid);

	if (parent->used && tid != parent_tid)
		set_frame(comms, tid, parent->frame);
}

frame_id
comms_frame(struct comms *comms, uint32_t tid)
{
	struct comm_entry *entry = find_slot(comms, tid);

	if (!entry->used) {
		char name[32];

		snprintf(name, sizeof(name), ":%d", (int)tid);
		comms_set(comms, tid, name);
		entry = find_slot(comms, tid);
	}
	return entry->frame;
}
