/*
 * The names of threads over time.
 */
#include "base/mem.h"
#include "ingest/labels.h"
#include "ingest/perfdata_internal.h"
#include "ingest/selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMM_BYTES_MAX 64

void
comms_init(struct comms *comms)
{
	*comms = (struct comms){.capacity = 0};
	strtab_init(&comms->names);
	comms_set(comms, 0, "swapper");
}

void
comms_release(struct comms *comms)
{
	key_map_release(&comms->by_tid);
	free(comms->entries);
	strtab_release(&comms->names);
	*comms = (struct comms){.capacity = 0};
}

static void
set_name(struct comms *comms, uint32_t tid, str_id name)
{
	uint32_t number = key_map_add(&comms->by_tid, tid);

	comms->entries = mem_grow(
		comms->entries, &comms->capacity, comms->by_tid.count, sizeof(*comms->entries));
	comms->entries[number] = name;
}

void
comms_set(struct comms *comms, uint32_t tid, const char *name)
{
	/* A recording may be hostile; the kernel's names have 15 bytes. */
	char *shown = selection_value(LABEL_THREAD, name, strnlen(name, COMM_BYTES_MAX), 0, 0);

	set_name(comms, tid, strtab_intern_str(&comms->names, shown));
	free(shown);
}

void
comms_fork(struct comms *comms, uint32_t tid, uint32_t parent_tid)
{
	uint32_t parent = key_map_find(&comms->by_tid, parent_tid);

	if (parent != KEY_MAP_NONE && tid != parent_tid)
		set_name(comms, tid, comms->entries[parent]);
}

bool
comms_know(const struct comms *comms, uint32_t tid)
{
	return key_map_find(&comms->by_tid, tid) != KEY_MAP_NONE;
}

str_id
comms_name_id(struct comms *comms, uint32_t tid)
{
	uint32_t number = key_map_find(&comms->by_tid, tid);
	char name[32];

	if (number != KEY_MAP_NONE)
		return comms->entries[number];
	snprintf(name, sizeof(name), ":%d", (int)tid);
	comms_set(comms, tid, name);
	return comms->entries[key_map_find(&comms->by_tid, tid)];
}

const char *
comms_name(struct comms *comms, uint32_t tid)
{
	return strtab_str(&comms->names, comms_name_id(comms, tid));
}
