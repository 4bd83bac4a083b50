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
	str_id name;
	frame_id frame; /* 0: not made yet */
};

void
comms_init(struct comms *comms, struct profile *profile, enum ingest_root root)
{
	*comms = (struct comms){.profile = profile, .root = root, .nslots = 256};
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
set_name(struct comms *comms, uint32_t tid, str_id name)
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
	*entry = (struct comm_entry){.used = true, .tid = tid, .name = name};
}

bool
comms_match(const char *wanted, const char *name, size_t len)
{
	size_t i = 0;

	while (i < len && wanted[i] != '\0' &&
		(wanted[i] == name[i] || (wanted[i] == '_' && name[i] == ' ') ||
			(wanted[i] == ' ' && name[i] == '_')))
		i++;
	return i == len && wanted[i] == '\0';
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
	set_name(comms, tid, strtab_intern(&comms->profile->strings, text, len));
}

void
comms_fork(struct comms *comms, uint32_t tid, uint32_t parent_tid)
{
	const struct comm_entry *parent = find_slot(comms, parent_tid);

	if (parent->used && tid != parent_tid)
		set_name(comms, tid, parent->name);
}

static struct comm_entry *
entry_of(struct comms *comms, uint32_t tid)
{
	struct comm_entry *entry = find_slot(comms, tid);
	char name[32];

	if (entry->used)
		return entry;
	snprintf(name, sizeof(name), ":%d", (int)tid);
	comms_set(comms, tid, name);
	return find_slot(comms, tid);
}

const char *
comms_name(struct comms *comms, uint32_t tid)
{
	return strtab_str(&comms->profile->strings, entry_of(comms, tid)->name);
}

static frame_id
make_frame(struct comms *comms, const char *name, uint32_t pid, uint32_t tid)
{
	char text[128];

	switch (comms->root) {
	case INGEST_ROOT_PID:
		snprintf(text, sizeof(text), "%s-%u", name, pid);
		break;
	case INGEST_ROOT_TID:
		snprintf(text, sizeof(text), "%s-%u/%u", name, pid, tid);
		break;
	case INGEST_ROOT_THREAD:
	case INGEST_ROOT_PROCESS:
		snprintf(text, sizeof(text), "%s", name);
		break;
	}
	return profile_frame(comms->profile, text, strlen(text), FRAME_USER);
}

frame_id
comms_frame(struct comms *comms, uint32_t pid, uint32_t tid)
{
	/* The process is called what its first thread is called, whose id is the process's. */
	uint32_t named = comms->root == INGEST_ROOT_PROCESS ? pid : tid;
	struct comm_entry *entry = entry_of(comms, named);

	if (entry->frame == 0) {
		const char *name = strtab_str(&comms->profile->strings, entry->name);

		entry->frame = make_frame(comms, name, pid, named);
	}
	return entry->frame;
}
