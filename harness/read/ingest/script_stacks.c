/*
 * Puts the stacks of perf script's text into the tree. The line of a frame that was met before is
 * not parsed again.
 */
#include "base/mem.h"
#include "ingest/frame_limit.h"
#include "ingest/script_internal.h"

#include <stdlib.h>
#include <string.h>

/* Bytes for each map; a full one is cleared. */
#define MAP_BYTES_MAX ((size_t)32 << 20)
/* The bytes before the text of a frame's line, and more that are compared at once. */
#define LINE_BYTES_MIN 32
#define ADDRESS_WIDTH 16

void
script_stacks_init(
	struct script_stacks *stacks, struct profile *profile, const struct script_layout *layout)
{
	*stacks = (struct script_stacks){
		.profile = profile,
		.layout = layout,
		.limit = frame_limit_here(),
	};
	stacks->frames = mem_grow(NULL, &stacks->capacity, 1, sizeof(*stacks->frames));
}

void
script_stacks_release(struct script_stacks *stacks)
{
	text_map_release(&stacks->lines);
	text_map_release(&stacks->kernel_lines);
	text_map_release(&stacks->stacks);
	free(stacks->frames);
	*stacks = (struct script_stacks){0};
}

void
script_stacks_begin(struct script_stacks *stacks, node_id root)
{
	if (!stacks->start || text_map_bytes(&stacks->lines) > MAP_BYTES_MAX ||
		text_map_bytes(&stacks->kernel_lines) > MAP_BYTES_MAX) {
		text_map_release(&stacks->lines);
		text_map_release(&stacks->kernel_lines);
		stacks->start = text_map_add(&stacks->lines, "", 0, 0);
	}
	if (text_map_bytes(&stacks->stacks) > MAP_BYTES_MAX)
		text_map_release(&stacks->stacks);
	stacks->last = stacks->start;
	stacks->frames[0] = root;
	stacks->nframes = 1;
}

/* A value's bits below its frame. */
enum {
	NAME_IS_UNKNOWN = 1,
	IS_KERNEL = 2,
	FRAME_SHIFT = 2,
};

static uint32_t
line_value(struct profile *profile, const struct script_frame *parsed)
{
	char *name = script_frame_name(parsed);
	frame_id id = profile_frame(profile, name, strlen(name), parsed->kind);
	struct frame *frame = &profile->frames.frames[id];

	free(name);
	if (frame->module == 0 && parsed->module.len > 0)
		frame->module =
			strtab_intern(&profile->strings, parsed->module.at, parsed->module.len);
	return id << FRAME_SHIFT | (parsed->kind == FRAME_KERNEL ? IS_KERNEL : 0) |
	       (frame_name_is_unknown(profile_frame_name(profile, id)) ? NAME_IS_UNKNOWN : 0);
}

/*
 * Whether an aligned line has an address of the kernel's where the entry has none, or the reverse:
 * without modules the same text can be both.
 */
static inline bool
is_other_half(const struct text_entry *entry, const char *line)
{
	const bool kernel = line[1] >= '8';

	return kernel != ((entry->value & IS_KERNEL) != 0);
}

static inline void
push_frame(struct script_stacks *stacks, uint32_t value)
{
	if (stacks->nframes == stacks->capacity)
		stacks->frames = mem_grow(stacks->frames, &stacks->capacity, stacks->nframes + 1,
			sizeof(*stacks->frames));
	stacks->frames[stacks->nframes++] = value;
}

void
script_stacks_add(struct script_stacks *stacks, const struct script_frame *frame)
{
	push_frame(stacks, line_value(stacks->profile, frame));
}

/* The map of the lines of an address that begins at `address`, at its first digit or before. */
static struct text_map *
map_of(struct script_stacks *stacks, const char *address)
{
	return stacks->layout->no_modules && *address >= '8' ? &stacks->kernel_lines
							     : &stacks->lines;
}

/* A text behind its address, and the map of its kind. */
static struct text_map *
cut_address(struct script_stacks *stacks, struct line *text)
{
	const size_t digits = text->len < ADDRESS_WIDTH ? text->len : ADDRESS_WIDTH;
	const char *blank = memchr(text->at, ' ', digits);
	struct text_map *map = blank ? &stacks->lines : map_of(stacks, text->at);
	const size_t len = blank ? (size_t)(blank - text->at) : digits;

	*text = (struct line){text->at + len, text->len - len};
	return map;
}

bool
script_stacks_add_known(struct script_stacks *stacks, struct line text)
{
	struct text_map *map = cut_address(stacks, &text);
	const struct text_entry *entry = text_map_find(map, text.at, text.len);

	if (entry)
		push_frame(stacks, entry->value);
	return entry;
}

void
script_stacks_learn(
	struct script_stacks *stacks, struct line text, const struct script_frame *frame)
{
	struct text_map *map = cut_address(stacks, &text);

	text_map_add(map, text.at, text.len, line_value(stacks->profile, frame));
}

/* The entry of an aligned line by its text; NULL if the line's end is not there yet. */
static struct text_entry *
find_line(struct script_stacks *stacks, const char *line, size_t room)
{
	const char *newline = memchr(line, '\n', room);
	const char *text = line + SCRIPT_FRAME_TEXT;
	struct script_frame frame;

	if (!newline || newline < text)
		return NULL;
	size_t len = (size_t)(newline + 1 - text);
	struct text_map *map = map_of(stacks, line + 1);
	struct text_entry *entry = text_map_find(map, text, len);

	if (entry)
		return entry;
	if (!script_frame_parse(script_line_trim((struct line){line, (size_t)(newline - line)}),
		    stacks->layout, &frame))
		return NULL;
	return text_map_add(map, text, len, line_value(stacks->profile, &frame));
}

static inline void
take_lines(struct script_stacks *stacks, struct lines *lines, bool by_address)
{
	const char *at = lines->at;
	const char *end = lines->end;
	struct text_entry *last = stacks->last;
	unsigned taken = 0;

	while (end - at >= LINE_BYTES_MIN && script_frame_is_aligned(at)) {
		struct text_entry *entry = last->next;
		const char *text = at + SCRIPT_FRAME_TEXT;

		if (!entry || !text_entry_starts(entry, text, (size_t)(end - text)) ||
			(by_address && is_other_half(entry, at))) {
			entry = find_line(stacks, at, (size_t)(end - at));
			if (!entry)
				break;
			last->next = entry;
		}
		push_frame(stacks, entry->value);
		last = entry;
		at = text + entry->len;
		taken++;
	}
	stacks->last = last;
	lines->at = at;
	lines->number += taken;
}

void
script_stacks_take(struct script_stacks *stacks, struct lines *lines)
{
	if (stacks->layout->no_modules)
		take_lines(stacks, lines, true);
	else
		take_lines(stacks, lines, false);
}

void
script_stacks_inline_last(struct script_stacks *stacks)
{
	uint32_t *last = &stacks->frames[stacks->nframes - 1];
	struct profile *profile = stacks->profile;

	if (stacks->nframes < 2)
		return;
	const struct frame *frame = &profile->frames.frames[*last >> FRAME_SHIFT];
	const frame_id id = frame_intern(&profile->frames, frame->name, FRAME_INLINED);

	*last = id << FRAME_SHIFT | (*last & NAME_IS_UNKNOWN);
}

/*
 * Whether the stack has as many addresses as the kernel of this machine records, or as perf prints
 * where nothing else is set.
 */
static bool
is_cut(const struct script_stacks *stacks)
{
	const struct frame *frames = stacks->profile->frames.frames;
	size_t n = 0;

	if (stacks->nframes <= FRAME_LIMIT_USUAL && stacks->nframes <= stacks->limit)
		return false;
	for (size_t i = 1; i < stacks->nframes; i++)
		n += frames[stacks->frames[i] >> FRAME_SHIFT].kind != FRAME_INLINED;
	return n == FRAME_LIMIT_USUAL || n == stacks->limit;
}

static void
push_mark(struct script_stacks *stacks)
{
	push_frame(stacks,
		profile_frame(stacks->profile, FRAME_TRUNCATED, strlen(FRAME_TRUNCATED), FRAME_USER)
			<< FRAME_SHIFT);
}

struct script_stack
script_stacks_end(struct script_stacks *stacks)
{
	struct script_stack result = {
		.leaf_is_known = stacks->nframes == 1 || (stacks->frames[1] & NAME_IS_UNKNOWN) == 0,
		.is_cut = is_cut(stacks),
	};

	if (result.is_cut && !stacks->no_marks)
		push_mark(stacks);

	const char *key = (const char *)stacks->frames;
	size_t key_len = stacks->nframes * sizeof(*stacks->frames);
	struct text_entry *known = text_map_find(&stacks->stacks, key, key_len);
	struct ctree *tree = &stacks->profile->tree;

	if (known) {
		result.node = known->value;
		return result;
	}
	result.node = stacks->frames[0];
	for (size_t i = stacks->nframes; i-- > 1;)
		result.node = ctree_child(tree, result.node, stacks->frames[i] >> FRAME_SHIFT);
	text_map_add(&stacks->stacks, key, key_len, result.node);
	return result;
}
