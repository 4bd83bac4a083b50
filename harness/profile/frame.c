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
	map_release(&table->ids);
	*table = (struct frame_table){0};
}

frame_id
frame_intern(struct frame_table *table, str_id name, enum frame_kind kind)
{
	uint64_t hash = hash_u64((uint64_t)name << 3 | kind);

	for (struct map_search search = map_search(&table->ids, hash); map_next(&search);) {
		const struct frame *frame = &table->frames[search.id];

		if (frame->name == name && frame->kind == kind)
			return search.id;
	}
	frame_id id = (frame_id)table->nframes++;

	table->frames =
		mem_grow(table->frames, &table->capacity, table->nframes, sizeof(*table->frames));
	table->frames[id] = (struct frame){.name = name, .kind = kind};
	map_add(&table->ids, hash, id);
	return id;
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
