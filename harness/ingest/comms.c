#include "ingest/comms.h"

#include "base/mem.h"
#include "ingest/selection.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMM_BYTES_MAX 64

struct comm_entry {
	str_id name;
	frame_id frame; /* its own, where each thread has one; 0: not made yet */
};

void
comms_init(struct comms *comms, struct profile *profile, enum ingest_root root)
{
	*comms = (struct comms){.profile = profile, .root = root};
	strtab_init(&comms->names);
	comms_set(comms, 0, "swapper");
}

void
comms_release(struct comms *comms)
{
	key_map_release(&comms->by_tid);
	free(comms->entries);
	free(comms->frames);
	strtab_release(&comms->names);
	*comms = (struct comms){0};
}

/* NULL if the thread has no name. */
static struct comm_entry *
find_entry(const struct comms *comms, uint32_t tid)
{
	uint32_t number = key_map_find(&comms->by_tid, tid);

	return number != KEY_MAP_NONE ? &comms->entries[number] : NULL;
}

static void
set_name(struct comms *comms, uint32_t tid, str_id name)
{
	uint32_t number = key_map_add(&comms->by_tid, tid);

	comms->entries = mem_grow(
		comms->entries, &comms->capacity, comms->by_tid.count, sizeof(*comms->entries));
	comms->entries[number] = (struct comm_entry){.name = name};
}

void
comms_set(struct comms *comms, uint32_t tid, const char *name)
{
	/* A recording may be hostile; the kernel's names have 15 bytes. */
	char *shown = selection_root(INGEST_ROOT_THREAD, name, strnlen(name, COMM_BYTES_MAX), 0, 0);

	set_name(comms, tid, strtab_intern_str(&comms->names, shown));
	free(shown);
}

void
comms_fork(struct comms *comms, uint32_t tid, uint32_t parent_tid)
{
	const struct comm_entry *parent = find_entry(comms, parent_tid);

	if (parent && tid != parent_tid)
		set_name(comms, tid, parent->name);
}

static struct comm_entry *
entry_of(struct comms *comms, uint32_t tid)
{
	struct comm_entry *entry = find_entry(comms, tid);
	char name[32];

	if (entry)
		return entry;
	snprintf(name, sizeof(name), ":%d", (int)tid);
	comms_set(comms, tid, name);
	return find_entry(comms, tid);
}

const char *
comms_name(struct comms *comms, uint32_t tid)
{
	return strtab_str(&comms->names, entry_of(comms, tid)->name);
}

static frame_id
make_frame(struct comms *comms, const char *name, uint32_t pid, uint32_t tid)
{
	char *text = selection_root(comms->root, name, strlen(name), pid, tid);
	frame_id frame = profile_frame(comms->profile, text, strlen(text), FRAME_USER);

	free(text);
	return frame;
}

/* A process has the name of its first thread, whose id is the process's. */
static uint32_t
named_thread(const struct comms *comms, uint32_t pid, uint32_t tid)
{
	return comms->root == INGEST_ROOT_PROCESS ? pid : tid;
}

static bool
is_by_name(const struct comms *comms)
{
	return comms->root == INGEST_ROOT_PROCESS || comms->root == INGEST_ROOT_THREAD;
}

frame_id
comms_frame_made(const struct comms *comms, uint32_t pid, uint32_t tid)
{
	const struct comm_entry *entry = find_entry(comms, named_thread(comms, pid, tid));

	if (!entry || !is_by_name(comms))
		return entry ? entry->frame : 0;
	return entry->name < comms->frames_capacity ? comms->frames[entry->name] : 0;
}

frame_id
comms_frame(struct comms *comms, uint32_t pid, uint32_t tid)
{
	uint32_t named = named_thread(comms, pid, tid);
	struct comm_entry *entry = entry_of(comms, named);
	frame_id frame = comms_frame_made(comms, pid, tid);

	if (frame != 0)
		return frame;
	frame = make_frame(comms, strtab_str(&comms->names, entry->name), pid, named);
	if (!is_by_name(comms)) {
		entry->frame = frame;
		return frame;
	}
	comms->frames = mem_grow(comms->frames, &comms->frames_capacity, (size_t)entry->name + 1,
		sizeof(*comms->frames));
	comms->frames[entry->name] = frame;
	return frame;
}
