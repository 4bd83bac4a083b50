/*
 * The labels of a sample of a perf.data file: the names of threads, the phases of the program, and
 * the nodes of these that its stack stands below.
 */
#include "ingest/perfdata_internal.h"

#include "base/buf.h"
#include "base/mem.h"
#include "ingest/ingest.h"
#include "perfdata/writer.h"

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

bool
phase_marks_are_of(const char *event)
{
	return strcmp(event, PHASE_EVENT) == 0 ||
	       strncmp(event, PHASE_PROBE_EVENT, strlen(PHASE_PROBE_EVENT)) == 0;
}

void
phase_marks_init(struct phase_marks *phases, const struct perfdata_reader *reader)
{
	*phases = (struct phase_marks){.reader = reader};
	strtab_init(&phases->names);
	for (size_t i = 0; i < perfdata_nevents(reader); i++)
		phases->known =
			phases->known || phase_marks_are_of(perfdata_event(reader, i)->name);
}

void
phase_marks_release(struct phase_marks *phases)
{
	if (phases->reader)
		strtab_release(&phases->names);
	*phases = (struct phase_marks){.reader = NULL};
}

bool
phase_marks_take(struct phase_marks *phases, const struct comms *comms, const struct record *record)
{
	if (!phases->known || record->type != PERF_RECORD_SAMPLE)
		return false;
	const char *event = perfdata_event(phases->reader, record->event)->name;
	const struct record_sample *sample = &record->u.sample;

	if (!phase_marks_are_of(event))
		return false;
	if (event[strlen(PHASE_EVENT)] == '\0') {
		const char *name = (const char *)sample->raw_data;

		phases->now = name ? strtab_intern(&phases->names, name,
					     strnlen(name, sample->raw_data_bytes))
				   : 0;
	} else if (comms_know(comms, record->id.tid)) {
		phases->now = strtab_intern_str(&phases->names, event + strlen(PHASE_PROBE_EVENT));
	}
	return true;
}

void
phase_marks_note(const struct phase_marks *phases, struct err *err)
{
	struct buf names = {0};

	for (str_id id = 1; id < phases->names.nentries; id++)
		buf_printf(
			&names, "%s%s", names.len > 0 ? ", " : "", strtab_str(&phases->names, id));
	if (names.len > 0)
		err_note(err, "its phases are: %s", buf_text(&names));
	buf_release(&names);
}

const char *
phase_marks_name(const struct phase_marks *phases)
{
	return phases->now ? strtab_str(&phases->names, phases->now) : NULL;
}

int
phase_marks_check(const struct phase_marks *phases, const struct ingest_options *options,
	const char *path, struct err *err)
{
	if (phases->known || (!labels_have(&options->by, LABEL_PHASE) &&
				     (!options->only_value || options->only.kind != LABEL_PHASE)))
		return 0;
	err_set(err, ERR_INPUT, "%s: has no phases", path);
	return err_note(err, "'capture --phases pipe' records the phases that a program announces");
}

void
label_roots_release(struct label_roots *roots)
{
	text_map_release(&roots->nodes);
}

/* The numbers that tell the value of a label from others; returns how many. */
static size_t
key_of_label(const struct label_roots *roots, enum label_kind kind, uint32_t pid, uint32_t tid,
	uint32_t *words)
{
	switch (kind) {
	case LABEL_PROCESS:
		words[0] = comms_name_id(roots->comms, pid);
		return 1;
	case LABEL_PID:
		words[0] = comms_name_id(roots->comms, tid);
		words[1] = pid;
		return 2;
	case LABEL_TID:
		words[0] = comms_name_id(roots->comms, tid);
		words[1] = pid;
		words[2] = tid;
		return 3;
	case LABEL_PHASE:
		words[0] = roots->phases->now;
		return 1;
	case LABEL_THREAD:
	case LABEL_OTHER:
		break;
	}
	words[0] = comms_name_id(roots->comms, tid);
	return 1;
}

static size_t
key_of(const struct label_roots *roots, uint32_t pid, uint32_t tid, uint32_t *words)
{
	size_t count = 0;

	for (size_t i = 0; i < roots->by->count; i++)
		count += key_of_label(roots, roots->by->all[i].kind, pid, tid, words + count);
	return count * sizeof(*words);
}

node_id
label_roots_made(struct label_roots *roots, uint32_t pid, uint32_t tid)
{
	uint32_t words[LABEL_ROOT_WORDS];
	const size_t bytes = key_of(roots, pid, tid, words);

	if (roots->last_node != CTREE_ROOT && memcmp(words, roots->last, bytes) == 0)
		return roots->last_node;
	const struct text_entry *entry = text_map_find(&roots->nodes, (const char *)words, bytes);

	if (!entry)
		return CTREE_ROOT;
	memcpy(roots->last, words, bytes);
	roots->last_node = entry->value;
	return entry->value;
}

/* The name in the value of a label; NULL: it has none. */
static const char *
name_in(struct label_roots *roots, enum label_kind kind, uint32_t pid, uint32_t tid)
{
	if (kind == LABEL_PHASE)
		return phase_marks_name(roots->phases);
	return comms_name(roots->comms, kind == LABEL_PROCESS ? pid : tid);
}

/* The value; NULL: it has none. free() it. */
static char *
value_of(struct label_roots *roots, enum label_kind kind, uint32_t pid, uint32_t tid)
{
	const char *name = name_in(roots, kind, pid, tid);

	if (kind == LABEL_PHASE)
		return name ? mem_strdup(name) : NULL;
	return selection_value(kind, name, strlen(name), pid, tid);
}

node_id
label_roots_make(struct label_roots *roots, uint32_t pid, uint32_t tid)
{
	struct profile *profile = roots->profile;
	uint32_t words[LABEL_ROOT_WORDS];
	struct buf text = {0};
	node_id node = label_roots_made(roots, pid, tid);

	if (node != CTREE_ROOT)
		return node;
	for (size_t i = 0; i < roots->by->count; i++) {
		char *value = value_of(roots, roots->by->all[i].kind, pid, tid);

		buf_clear(&text);
		label_put_frame(&roots->by->all[i], value, &text);
		node = ctree_child(&profile->tree, node,
			profile_frame(profile, buf_text(&text), text.len, FRAME_USER));
		free(value);
	}
	buf_release(&text);
	text_map_add(&roots->nodes, (const char *)words, key_of(roots, pid, tid, words), node);
	return node;
}

bool
label_roots_are(struct label_roots *roots, enum label_kind kind, const char *value, uint32_t pid,
	uint32_t tid)
{
	/* Without ids the name is all of it. */
	if (kind != LABEL_PID && kind != LABEL_TID) {
		const char *name = name_in(roots, kind, pid, tid);

		return name && selection_same_name(value, name, strlen(name));
	}
	char *own = value_of(roots, kind, pid, tid);
	const bool are = selection_same_name(value, own, strlen(own));

	free(own);
	return are;
}
