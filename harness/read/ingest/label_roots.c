/*
 * The nodes that the stacks of a perf.data file stand below: a frame for each label of a sample.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "ingest/labels.h"
#include "ingest/perfdata_internal.h"
#include "ingest/selection.h"

#include <stdlib.h>
#include <string.h>

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
