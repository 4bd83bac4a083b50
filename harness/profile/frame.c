#include "profile/frame.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void
frame_table_init(struct frame_table *table)
{
	*table = (struct frame_table){0};
	/* Frame 0 is the root's: nobody can intern an empty user frame twice. */
	frame_intern(table, 0, FRAME_USER);
}

void
frame_table_release(struct frame_table *table)
{
	free(table->frames);
	free(table->slots);
	*table = (struct frame_table){0};
}

static size_t
find_slot(const struct frame_table *table, str_id name, enum frame_kind kind)
{
	size_t mask = table->nslots - 1;

	for (size_t at = hash_u64((uint64_t)name << 3 | kind) & mask;; at = (at + 1) & mask) {
		uint32_t slot = table->slots[at];

		if (slot == 0)
			return at;
		const struct frame *frame = &table->frames[slot - 1];

		if (frame->name == name && frame->kind == kind)
			return at;
	}
}

static void
rehash(struct frame_table *table)
{
	free(table->slots);
	table->nslots = table->nslots ? table->nslots * 2 : 256;
	table->slots = mem_ztable(table->nslots, sizeof(*table->slots));
	for (size_t i = 0; i < table->nframes; i++) {
		const struct frame *frame = &table->frames[i];

		table->slots[find_slot(table, frame->name, frame->kind)] = (uint32_t)i + 1;
	}
}

frame_id
frame_intern(struct frame_table *table, str_id name, enum frame_kind kind)
{
	if (table->nframes * 2 >= table->nslots)
		rehash(table);
	size_t at = find_slot(table, name, kind);

	if (table->slots[at] == 0) {
		table->frames = mem_grow(table->frames, &table->capacity, table->nframes + 1,
			sizeof(*table->frames));
		table->frames[table->nframes++] = (struct frame){.name = name, .kind = kind};
		table->slots[at] = (uint32_t)table->nframes;
	}
	return table->slots[at] - 1;
}

enum frame_kind
frame_parse_kind(const char *text, size_t *len)
{
	size_t n = *len;

	if (n < 5 || memcmp(text + n - 4, "_[", 2) != 0 || text[n - 1] != ']')
		return FRAME_USER;
	enum frame_kind kind;

	switch (text[n - 2]) {
	case 'k':
		kind = FRAME_KERNEL;
		break;
	case 'i':
		kind = FRAME_INLINED;
		break;
	case 'j':
		kind = FRAME_JIT;
		break;
	default:
		return FRAME_USER;
	}
	*len = n - 4;
	return kind;
}

const char *
frame_kind_suffix(enum frame_kind kind)
{
	switch (kind) {
	case FRAME_USER:
		return "";
	case FRAME_KERNEL:
		return "_[k]";
	case FRAME_INLINED:
		return "_[i]";
	case FRAME_JIT:
		return "_[j]";
	}
	return "";
}

bool
frame_name_is_mark(const char *name)
{
	return strcmp(name, FRAME_BROKEN) == 0 || strcmp(name, FRAME_TRUNCATED) == 0;
}

bool
frame_name_is_unknown(const char *name)
{
	size_t len = strlen(name);

	return len > 2 && name[0] == '[' && name[len - 1] == ']' && !frame_name_is_mark(name);
}
