#include "profile/frame.h"

#include "base/hash.h"
#include "base/mem.h"
#include "format/name_fit.h"

#include <stdlib.h>
#include <string.h>

void
frame_table_init(struct frame_table *table)
{
	*table = (struct frame_table){0};
	/* Frame 0 is the root's; interning an empty user frame returns it. */
	frame_intern(table, 0, FRAME_USER);
}

void
frame_table_release(struct frame_table *table)
{
	free(table->frames);
	map_release(&table->ids);
	*table = (struct frame_table){0};
}

static uint64_t
hash_frame(str_id name, enum frame_kind kind, uint32_t at_line)
{
	return hash_u64(((uint64_t)name << 3 | kind) ^ (uint64_t)at_line << 40);
}

static bool
find_at(const struct frame_table *table, str_id name, enum frame_kind kind, uint32_t at_line,
	frame_id *id)
{
	struct map_search search = map_search(&table->ids, hash_frame(name, kind, at_line));

	while (map_next(&search)) {
		const struct frame *frame = &table->frames[search.id];

		*id = search.id;
		if (frame->name == name && frame->kind == kind && frame->at_line == at_line)
			return true;
	}
	return false;
}

bool
frame_find(const struct frame_table *table, str_id name, enum frame_kind kind, frame_id *id)
{
	return find_at(table, name, kind, 0, id);
}

frame_id
frame_intern(struct frame_table *table, str_id name, enum frame_kind kind)
{
	return frame_intern_at(table, name, kind, 0);
}

frame_id
frame_intern_at(struct frame_table *table, str_id name, enum frame_kind kind, uint32_t at_line)
{
	frame_id id;

	if (find_at(table, name, kind, at_line, &id))
		return id;
	id = (frame_id)table->nframes++;
	table->frames =
		mem_grow(table->frames, &table->capacity, table->nframes, sizeof(*table->frames));
	table->frames[id] = (struct frame){.name = name, .kind = kind, .at_line = at_line};
	map_add(&table->ids, hash_frame(name, kind, at_line), id);
	return id;
}

static const char *const suffixes[] = {
	[FRAME_USER] = "",
	[FRAME_KERNEL] = "_[k]",
	[FRAME_INLINED] = "_[i]",
	[FRAME_JIT] = "_[j]",
	[FRAME_WAIT] = "_[w]",
};

#define SUFFIX_BYTES 4

enum frame_kind
frame_parse_kind(const char *text, size_t *len)
{
	if (*len <= SUFFIX_BYTES)
		return FRAME_USER;
	for (enum frame_kind kind = FRAME_KERNEL; kind <= FRAME_WAIT; kind++) {
		if (memcmp(text + *len - SUFFIX_BYTES, suffixes[kind], SUFFIX_BYTES) != 0)
			continue;
		*len -= SUFFIX_BYTES;
		return kind;
	}
	return FRAME_USER;
}

const char *
frame_kind_suffix(enum frame_kind kind)
{
	return suffixes[kind];
}

/* A name of fewer columns than this tells less than its suffix in words takes. */
#define NAME_COLUMNS_LEAST 8

void
frame_fit_words(struct buf *out, const char *text, size_t columns)
{
	static const char *const words[] = {
		[FRAME_USER] = "",
		[FRAME_KERNEL] = " (kernel)",
		[FRAME_INLINED] = " (inlined)",
		[FRAME_JIT] = " (JIT)",
		[FRAME_WAIT] = " (waiting)",
	};
	size_t len = strlen(text);
	const char *word = words[frame_parse_kind(text, &len)];
	const char *quote = name_is_verdict(text, len) ? "'" : "";
	const size_t added = strlen(word) + 2 * strlen(quote);

	if (name_columns(text, len) + added > columns && columns < added + NAME_COLUMNS_LEAST) {
		name_fit(out, text, len, columns);
		return;
	}
	buf_puts(out, quote);
	name_fit(out, text, len, columns - added);
	buf_printf(out, "%s%s", quote, word);
}

bool
frame_name_is_mark(const char *name)
{
	return strcmp(name, FRAME_BROKEN) == 0 || strcmp(name, FRAME_TRUNCATED) == 0;
}

void
frame_put_unnamed(struct buf *out, const char *module, size_t len)
{
	static const char deleted[] = " (deleted)";
	const size_t deleted_len = strlen(deleted);

	if (len > 0 && module[0] == '[' && memchr(module, ']', len)) {
		buf_put(out, module, len);
		return;
	}
	if (len > deleted_len && memcmp(module + len - deleted_len, deleted, deleted_len) == 0)
		len -= deleted_len;
	const char *slash = len > 0 ? memrchr(module, '/', len) : NULL;
	const char *file = slash ? slash + 1 : module;
	const size_t file_len = slash ? len - (size_t)(file - module) : len;

	if (file_len > 0)
		buf_printf(out, "[%.*s]", (int)file_len, file);
	else
		buf_puts(out, "[unknown]");
}

bool
frame_name_is_unknown(const char *name)
{
	size_t len = strlen(name);

	return len > 2 && name[0] == '[' && name[len - 1] == ']' && !frame_name_is_mark(name);
}
