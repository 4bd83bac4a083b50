/*
 * The roots of the stacks in perf script's text, by the names and ids of threads.
 */
#include "base/mem.h"
#include "ingest/ingest.h"
#include "ingest/labels.h"
#include "ingest/script_internal.h"
#include "ingest/selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes for the fronts; only a text of very many threads needs more. */
#define FRONTS_BYTES_MAX ((size_t)8 << 20)

struct script_process {
	frame_id frame;
	uint32_t pid;
	str_id name; /* of its first thread; 0 while not known */
};

void
script_roots_init(struct script_roots *roots, struct profile *profile,
	const struct script_layout *layout, const struct ingest_options *options)
{
	*roots = (struct script_roots){.profile = profile, .layout = layout, .options = options};
}

void
script_roots_release(struct script_roots *roots)
{
	text_map_release(&roots->fronts);
	text_map_release(&roots->process_ids);
	free(roots->processes);
	*roots = (struct script_roots){0};
}

/* "1234/1235", or "1234" for both. */
static void
parse_ids(struct line ids, uint32_t *pid, uint32_t *tid)
{
	uint32_t number = 0;
	bool two = false;

	for (size_t i = 0; i < ids.len; i++) {
		if (ids.at[i] == '/') {
			*pid = number;
			two = true;
			number = 0;
		} else {
			number = number * 10 + (uint32_t)(ids.at[i] - '0');
		}
	}
	*tid = number;
	if (!two)
		*pid = number;
}

static struct script_process *
process_of(struct script_roots *roots, uint32_t pid)
{
	char name[32];
	const struct text_entry *known =
		text_map_find(&roots->process_ids, (const char *)&pid, sizeof(pid));

	if (known)
		return &roots->processes[known->value];
	text_map_add(
		&roots->process_ids, (const char *)&pid, sizeof(pid), (uint32_t)roots->nprocesses);
	roots->processes = mem_grow(roots->processes, &roots->capacity, roots->nprocesses + 1,
		sizeof(*roots->processes));
	snprintf(name, sizeof(name), "\x01%u", pid);
	roots->processes[roots->nprocesses] = (struct script_process){
		.frame = profile_frame(roots->profile, name, strlen(name), FRAME_USER),
		.pid = pid,
	};
	return &roots->processes[roots->nprocesses++];
}

static frame_id
make_frame(struct script_roots *roots, enum label_kind kind, struct line comm, uint32_t pid,
	uint32_t tid)
{
	char *name = selection_value(kind, comm.at, comm.len, pid, tid);
	frame_id frame;

	if (kind == LABEL_PROCESS) {
		struct script_process *process = process_of(roots, pid);

		if (pid == tid)
			process->name = strtab_intern_str(&roots->profile->strings, name);
		frame = process->frame;
	} else {
		frame = profile_frame(roots->profile, name, strlen(name), FRAME_USER);
	}
	free(name);
	return frame;
}

static node_id
make_root(struct script_roots *roots, const struct script_header *header)
{
	const struct ingest_options *options = roots->options;
	struct line comm = header->comm;
	uint32_t pid = 0;
	uint32_t tid = 0;

	parse_ids(header->ids, &pid, &tid);
	if (!selection_takes(options, pid, tid, comm.at, comm.len))
		return SCRIPT_ROOT_NONE;
	if (roots->layout->no_comms)
		return CTREE_ROOT;
	const struct labels *by = labels_or_thread(&options->by);
	node_id node = CTREE_ROOT;

	for (size_t i = 0; i < by->count; i++)
		node = ctree_child(&roots->profile->tree, node,
			make_frame(roots, by->all[i].kind, comm, pid, tid));
	return node;
}

bool
script_roots_parse(
	struct script_roots *roots, struct line line, struct script_header *header, node_id *root)
{
	struct text_entry *guesses[] = {roots->last, roots->last ? roots->last->next : NULL};

	for (size_t i = 0; i < 2 && guesses[i]; i++) {
		const struct text_entry *guess = guesses[i];

		if (!text_entry_starts(guess, line.at, line.len) ||
			!script_header_parse_rest(line, guess->len, header))
			continue;
		*root = guess->value;
		roots->last = guesses[i];
		return true;
	}
	return false;
}

node_id
script_roots_find(struct script_roots *roots, struct line line, const struct script_header *header)
{
	struct text_entry *entry = text_map_find(&roots->fronts, line.at, header->front);

	if (!entry) {
		if (text_map_bytes(&roots->fronts) > FRONTS_BYTES_MAX) {
			text_map_release(&roots->fronts);
			roots->last = NULL;
		}
		entry = text_map_add(
			&roots->fronts, line.at, header->front, make_root(roots, header));
	}
	if (roots->last)
		roots->last->next = entry;
	roots->last = entry;
	return entry->value;
}

/* Whether it is a label of ids beside names. */
static bool
needs_ids(enum label_kind kind)
{
	return kind == LABEL_PROCESS || kind == LABEL_PID || kind == LABEL_TID;
}

int
script_roots_check(const struct script_roots *roots, const char *path, struct err *err)
{
	const struct ingest_options *options = roots->options;
	const struct script_layout *layout = roots->layout;
	const char *lacks = NULL;

	if (layout->no_comms && (options->comm || options->by.count > 0))
		lacks = "comm";
	if (layout->no_ids && (options->pid != 0 || options->tid != 0))
		lacks = "pid,tid";
	for (size_t i = 0; i < options->by.count; i++)
		if (layout->no_ids && needs_ids(options->by.all[i].kind))
			lacks = "pid,tid";
	if (!lacks)
		return 0;
	err_set(err, ERR_INPUT, "%s: the options need fields that its samples lack: %s", path,
		lacks);
	return err_note(err, SCRIPT_COMMAND " prints it");
}

void
script_roots_name_processes(struct script_roots *roots)
{
	struct profile *profile = roots->profile;

	for (size_t i = 0; i < roots->nprocesses; i++) {
		struct script_process *process = &roots->processes[i];
		char name[32];

		snprintf(name, sizeof(name), ":%u", process->pid);
		profile->frames.frames[process->frame].name =
			process->name ? process->name : strtab_intern_str(&profile->strings, name);
	}
}
