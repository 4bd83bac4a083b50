#include "gate/source_changes.h"

#include "base/mem.h"
#include "builds/diff_hunks.h"
#include "builds/source_scan.h"
#include "gate/changed_definitions.h"
#include "gate/inlined_calls.h"
#include "gate/source_files.h"
#include "profile/canonical.h"

#include <stdlib.h>
#include <string.h>

struct source_changes {
	struct source_files files;
	struct changed_definitions definitions;
	struct changed_definitions inlined; /* functions; numbered after `definitions` */
};

/* Reads the definitions that have a changed line. */
static void
read_definitions(struct source_changes *changes)
{
	struct buf text = {0};

	for (size_t i = 0, count; i < changes->files.lines.count; i += count) {
		const struct changed_range *of_file = &changes->files.lines.ranges[i];

		for (count = 1; i + count < changes->files.lines.count &&
				strcmp(of_file[count].path, of_file->path) == 0;)
			count++;
		buf_clear(&text);
		source_files_read(&changes->files, of_file->path, &text);
		changed_definitions_add_file(&changes->definitions, of_file, count,
			&(struct definition_text){buf_text(&text), text.len});
	}
	buf_release(&text);
}

struct source_changes *
source_changes_new(const char *base, const char *head)
{
	struct source_changes *changes = mem_zalloc(1, sizeof(*changes));

	if (!source_files_init(&changes->files, base, head)) {
		free(changes);
		return NULL;
	}
	read_definitions(changes);
	return changes;
}

void
source_changes_free(struct source_changes *changes)
{
	if (!changes)
		return;
	changed_definitions_release(&changes->definitions);
	changed_definitions_release(&changes->inlined);
	source_files_release(&changes->files);
	free(changes);
}

static void
add_extent(struct source_extents *extents, struct source_extent extent)
{
	extents->all = mem_grow(
		extents->all, &extents->capacity, extents->count + 1, sizeof(*extents->all));
	extents->all[extents->count++] = extent;
}

static struct source_extent
extent_of(
	const struct source_changes *changes, struct source *source, uint32_t line, frame_id frame)
{
	const struct buf *text = source_files_text(&changes->files, source);

	return (struct source_extent){
		source->path, line, function_end(buf_text(text), text->len, line), frame};
}

/* Adds the declarations of a function of Go: several packages may declare one of its name. */
static void
add_declared(const struct source_changes *changes, const char *function, frame_id frame,
	struct buf *name, struct source_extents *extents)
{
	go_function_name(function, name);
	for (size_t i = 0; i < changes->files.ngo_files; i++) {
		const struct go_file *file = &changes->files.go_files[i];

		for (size_t k = 0; k < file->functions.count; k++) {
			const struct go_function *declared = &file->functions.functions[k];

			if (strcmp(declared->name, buf_text(name)) == 0)
				add_extent(
					extents, (struct source_extent){file->path, declared->first,
							 declared->last, frame});
		}
	}
}

/* Whether the frame's line is not that of the declaration, as for Go, or is not known. */
static bool
is_of_go(const struct profile *profile, const struct frame *frame)
{
	return frame->line == 0 || source_is_go(strtab_str(&profile->strings, frame->file),
					   strtab_len(&profile->strings, frame->file));
}

/* Finds the functions of files with changed lines. */
static void
find_extents(struct source_changes *changes, const struct profile *profile,
	struct source_extents *extents)
{
	struct buf name = {0};

	for (frame_id id = 1; id < profile->frames.nframes; id++) {
		const struct frame *frame = &profile->frames.frames[id];
		struct source *source = source_files_of(&changes->files, profile, frame);

		if (is_of_go(profile, frame))
			add_declared(changes, profile_frame_name(profile, id), id, &name, extents);
		else if (source && source->changed)
			add_extent(extents, extent_of(changes, source, frame->line, id));
	}
	buf_release(&name);
}

/* Whether the lines `from` to `to` are in a function that is within this one. */
static bool
is_inner(const struct source_extents *extents, const struct source_extent *outer, uint32_t from,
	uint32_t to)
{
	for (size_t i = 0; i < extents->count; i++) {
		const struct source_extent *inner = &extents->all[i];

		if (strcmp(inner->path, outer->path) == 0 && inner->first >= outer->first &&
			inner->last <= outer->last &&
			inner->last - inner->first < outer->last - outer->first &&
			from >= inner->first && to <= inner->last)
			return true;
	}
	return false;
}

/* The first changed line of a function, without those of functions within it; 0: there is none. */
static uint32_t
find_change(const struct source_changes *changes, const struct source_extents *extents,
	const struct source_extent *extent)
{
	for (size_t i = 0; i < changes->files.lines.count; i++) {
		const struct changed_range *range = &changes->files.lines.ranges[i];
		const uint32_t from = range->first > extent->first ? range->first : extent->first;
		const uint32_t to = range->last < extent->last ? range->last : extent->last;

		if (strcmp(range->path, extent->path) != 0 || from > to ||
			(range->removed && range->last == extent->last))
			continue;
		if (!is_inner(extents, extent, from, to))
			return from;
	}
	return 0;
}

/* The frames of the functions of a name, called and inlined; 0: none. */
struct named_frames {
	frame_id ids[2];
};

static struct named_frames
find_named(const struct profile *into, const char *name, struct buf *scratch, size_t nframes)
{
	static const enum frame_kind kinds[] = {FRAME_USER, FRAME_INLINED};
	struct named_frames found = {0};

	canonical_name(name, strlen(name), scratch);
	const str_id text = strtab_find(&into->strings, buf_text(scratch), scratch->len);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && text; i++) {
		frame_id id;

		if (frame_find(&into->frames, text, kinds[i], &id) && id < nframes)
			found.ids[i] = id;
	}
	return found;
}

static void
set_state(const struct named_frames *named, enum source_state state, struct code_states *code)
{
	for (size_t i = 0; i < sizeof(named->ids) / sizeof(named->ids[0]); i++) {
		const frame_id id = named->ids[i];

		if (id && code->source[id] != SOURCE_CHANGED && code->source[id] < state)
			code->source[id] = state;
	}
}

static void
set_named_state(const struct profile *into, const char *name, struct buf *scratch,
	enum source_state state, struct code_states *code)
{
	const struct named_frames named = find_named(into, name, scratch, code->nframes);

	set_state(&named, state, code);
}

/* The text of a function that begins in line `first`; NULL: there is no such line. */
static const char *
text_of(const struct buf *text, uint32_t first, size_t *len)
{
	const char *all = buf_text(text);
	const char *begin = line_begin(all, text->len, first);

	if (!begin)
		return NULL;
	const char *behind = line_begin(all, text->len, function_end(all, text->len, first) + 1);

	*len = (size_t)((behind ? behind : all + text->len) - begin);
	return begin;
}

/*
 * Marks a function if it uses a changed macro, or is compiled from a changed type. A constant or a
 * variable may be data that it reads: then its code can be the same although it does something
 * else.
 */
static void
find_used(const struct source_changes *changes, const struct profile *into, const char *name,
	const char *text, size_t len, struct buf *scratch, struct code_states *code)
{
	const uint32_t used = changed_definitions_used(&changes->definitions, text, len);
	const struct named_frames found = find_named(into, name, scratch, code->nframes);

	for (size_t i = 0; i < sizeof(found.ids) / sizeof(found.ids[0]); i++)
		if (found.ids[i] && code->source[found.ids[i]] != SOURCE_CHANGED)
			code->definition[found.ids[i]] = used;
	const enum definition_kind named =
		changed_definitions_named(&changes->definitions, text, len);

	if (named != DEFINITION_NONE)
		set_state(&found, SOURCE_USES, code);
	for (size_t i = 0; i < sizeof(found.ids) / sizeof(found.ids[0]); i++)
		if (named == DEFINITION_VALUE && found.ids[i] &&
			code->by_frame[found.ids[i]] == CODE_SAME)
			code->by_frame[found.ids[i]] = CODE_UNKNOWN;
}

/* Marks all functions that use changed definitions. */
static void
find_users(struct source_changes *changes, const struct profile *candidate,
	const struct comparison *comparison, struct code_states *code)
{
	struct buf scratch = {0};

	for (frame_id id = 1; id < candidate->frames.nframes; id++) {
		const struct frame *frame = &candidate->frames.frames[id];
		struct source *source = source_files_of(&changes->files, candidate, frame);
		size_t len;

		if (!source || !source->path || frame->line == 0 || frame->kind == FRAME_KERNEL)
			continue;
		const char *text =
			text_of(source_files_text(&changes->files, source), frame->line, &len);

		if (text)
			find_used(changes, &comparison->profile, profile_frame_name(candidate, id),
				text, len, &scratch, code);
	}
	buf_release(&scratch);
}

/* Finds the functions without a changed line whose code a changed definition may have changed. */
static void
find_defined(struct source_changes *changes, const struct profile *candidate,
	const struct comparison *comparison, struct code_states *code)
{
	const struct changed_definitions *definitions = &changes->definitions;
	bool any = false;

	if (definitions->count == 0)
		return;
	code->definition = mem_zalloc(code->nframes, sizeof(*code->definition));
	/*
	 * A single definition is taken for the cause of every change, with or without debug
	 * information.
	 */
	for (frame_id id = 1; id < code->nframes && definitions->count == 1; id++)
		code->definition[id] = code->source[id] != SOURCE_CHANGED;
	if (definitions->count > 1 || definitions->nnamed > 0)
		find_users(changes, candidate, comparison, code);
	for (frame_id id = 1; id < code->nframes && !any; id++)
		any = code->by_frame[id] == CODE_CHANGED && code_has_same_lines(code, id);
	/* Data of a type are laid out anew. */
	if (any && definitions->nnamed < definitions->count)
		code->by_frame[0] = CODE_CHANGED;
}

void
source_changes_find(struct source_changes *changes, const struct profile *candidate,
	const struct comparison *comparison, struct code_states *code)
{
	struct source_extents extents = {0};
	struct buf scratch = {0};

	code->source = mem_zalloc(code->nframes, sizeof(*code->source));
	source_files_find(&changes->files, candidate);
	find_extents(changes, candidate, &extents);

	for (frame_id id = 1; id < candidate->frames.nframes; id++) {
		const struct frame *frame = &candidate->frames.frames[id];
		const struct source *source = source_files_of(&changes->files, candidate, frame);

		if (source && frame->kind != FRAME_KERNEL)
			set_named_state(&comparison->profile, profile_frame_name(candidate, id),
				&scratch, source->path ? SOURCE_SAME : SOURCE_OUTSIDE, code);
	}
	for (size_t i = 0; i < extents.count; i++)
		if (find_change(changes, &extents, &extents.all[i]) > 0)
			set_named_state(&comparison->profile,
				profile_frame_name(candidate, extents.all[i].frame), &scratch,
				SOURCE_CHANGED, code);
	free(extents.all);
	buf_release(&scratch);
	find_defined(changes, candidate, comparison, code);
}

/* Finds the declarations of an inlined function: one of Go may be in several packages. */
static void
find_declared(struct source_changes *changes, const struct inlined_call *call, struct buf *scratch,
	struct source_extents *extents)
{
	const str_id name =
		call->file ? strtab_find(&changes->files.names, call->file, strlen(call->file)) : 0;
	struct source *source = name ? &changes->files.sources[name] : NULL;

	if (call->line == 0)
		add_declared(changes, call->name, 0, scratch, extents);
	else if (source && source->changed)
		add_extent(extents, extent_of(changes, source, call->line, 0));
}

/* Sets the definition of a function, unless an inlined function is set already. */
static void
set_definition(struct code_states *code, frame_id frame, uint32_t number, uint32_t ntypes)
{
	if (!code->definition)
		code->definition = mem_zalloc(code->nframes, sizeof(*code->definition));
	if (frame && code->definition[frame] <= ntypes)
		code->definition[frame] = number;
}

/*
 * Sets an inlined function as the cause, for the function that it is inlined into and for itself.
 */
static void
set_inlined(struct source_changes *changes, const struct profile *profile,
	const struct inlined_call *call, const char *path, uint32_t line, struct buf *scratch,
	struct code_states *code)
{
	const uint32_t ntypes = (uint32_t)changes->definitions.count;
	const uint32_t number = ntypes + changed_definitions_add_function(
						 &changes->inlined, path, call->name, line);
	const struct named_frames itself = find_named(profile, call->name, scratch, code->nframes);

	set_definition(code, call->into, number, ntypes);
	for (size_t i = 0; i < sizeof(itself.ids) / sizeof(itself.ids[0]); i++)
		if (itself.ids[i] && code->source[itself.ids[i]] == SOURCE_CHANGED)
			set_definition(code, itself.ids[i], number, ntypes);
}

void
source_changes_find_inlined(struct source_changes *changes, const struct inlined_calls *calls,
	const struct comparison *comparison, struct code_states *code)
{
	static const struct source_extents none;
	const size_t first = changes->files.names.nentries;
	struct source_extents extents = {0};
	struct buf scratch = {0};

	for (size_t i = 0; i < calls->count; i++)
		if (calls->all[i].file)
			strtab_intern_str(&changes->files.names, calls->all[i].file);
	source_files_find_added(&changes->files, first);
	for (size_t i = 0; i < calls->count; i++) {
		extents.count = 0;
		find_declared(changes, &calls->all[i], &scratch, &extents);
		for (size_t k = 0; k < extents.count; k++) {
			const uint32_t line = find_change(changes, &none, &extents.all[k]);

			if (line > 0)
				set_inlined(changes, &comparison->profile, &calls->all[i],
					extents.all[k].path, line, &scratch, code);
		}
	}
	free(extents.all);
	buf_release(&scratch);
}

void
source_changes_extents(struct source_changes *changes, const struct profile *candidate,
	struct source_extents *extents)
{
	*extents = (struct source_extents){0};
	source_files_find(&changes->files, candidate);
	find_extents(changes, candidate, extents);
}

const char *
source_changes_definition(
	const struct source_changes *changes, uint32_t number, const char **path, uint32_t *line)
{
	const struct changed_definition *found = NULL;

	if (number > changes->definitions.count + changes->inlined.count)
		found = NULL;
	else if (number > changes->definitions.count)
		found = &changes->inlined.all[number - changes->definitions.count - 1];
	else if (number > 0)
		found = &changes->definitions.all[number - 1];

	*path = found ? found->path : NULL;
	*line = found ? found->line : 0;
	return found ? found->name : NULL;
}

uint32_t
source_changes_definition_in(const struct source_changes *changes, const char *text)
{
	return changed_definitions_used(&changes->definitions, text, strlen(text));
}

const char *
source_changes_declared(const struct source_changes *changes, const char *function)
{
	struct buf name = {0};
	const char *found = NULL;
	size_t count = 0;

	go_function_name(function, &name);
	for (size_t i = 0; i < changes->files.ngo_files; i++)
		for (size_t k = 0; k < changes->files.go_files[i].functions.count; k++)
			if (strcmp(changes->files.go_files[i].functions.functions[k].name,
				    buf_text(&name)) == 0) {
				found = changes->files.go_files[i].path;
				count++;
			}
	buf_release(&name);
	return count == 1 ? found : NULL;
}
