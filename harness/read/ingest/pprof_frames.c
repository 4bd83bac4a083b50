/*
 * Makes the frames of a profile out of the tables of a pprof file.
 */
#include "base/mem.h"
#include "ingest/pprof_internal.h"

#include <stdlib.h>
#include <string.h>

struct pprof_text
pprof_frames_file(const struct pprof_tables *tables, uint32_t mapping)
{
	struct pprof_text file = {"", 0};

	if (mapping < tables->mapping_ids.count)
		file = pprof_text(tables, tables->mappings[mapping].file);
	const char *slash = memrchr(file.at, '/', file.len);

	if (!slash)
		return file;
	return (struct pprof_text){slash + 1, file.len - (size_t)(slash + 1 - file.at)};
}

/* Each text is interned once: many attributes can have one long one. */
static void
set_text(struct pprof_frames *frames, str_id *attribute, uint64_t text)
{
	const struct pprof_text found = pprof_text(frames->tables, text);

	if (*attribute || found.len == 0)
		return;
	if (!frames->interned[text])
		frames->interned[text] =
			strtab_intern(&frames->profile->strings, found.at, found.len);
	*attribute = frames->interned[text];
}

static frame_id
make_unnamed(struct pprof_frames *frames, uint32_t mapping)
{
	const struct pprof_text file = pprof_frames_file(frames->tables, mapping);
	struct buf name = {0};

	frame_put_unnamed(&name, file.at, file.len);
	const frame_id frame =
		profile_frame(frames->profile, buf_text(&name), name.len, FRAME_USER);

	buf_release(&name);
	return frame;
}

/* The frame of code without a name: one for each text that mappings have as their file. */
static frame_id
unnamed_of(struct pprof_frames *frames, frame_id *by_text, uint32_t mapping)
{
	const struct pprof_tables *tables = frames->tables;
	uint64_t text = tables->ntexts;

	if (mapping != KEY_MAP_NONE && tables->mappings[mapping].file < tables->ntexts)
		text = tables->mappings[mapping].file;
	if (by_text[text] == 0)
		by_text[text] = make_unnamed(frames, mapping);
	return by_text[text];
}

/*
 * The frame of this text, looked up once: many functions can have one long name. A name may have
 * the suffix of its kind: our own files' do. 0 where it is empty.
 */
static frame_id
name_frame(struct pprof_frames *frames, uint64_t text, bool inlined)
{
	const struct pprof_text name = pprof_text(frames->tables, text);
	size_t len = name.len;

	if (len == 0)
		return 0;
	frame_id *made = &frames->named[2 * text + inlined];

	if (*made != 0)
		return *made;
	const enum frame_kind kind = frame_parse_kind(name.at, &len);

	if (len > 0)
		*made = profile_frame(frames->profile, name.at, len,
			inlined && kind == FRAME_USER ? FRAME_INLINED : kind);
	return *made;
}

/* The frame of a line in the function that `named` is the frame of. */
static frame_id
line_frame(struct pprof_frames *frames, frame_id named, uint32_t line)
{
	struct frame_table *table = &frames->profile->frames;
	const struct frame *frame = &table->frames[named];

	return frames->at_lines && line != 0
		       ? frame_intern_at(table, frame->name, frame->kind, line)
		       : named;
}

/* Where the function is declared. */
static void
set_source(struct pprof_frames *frames, frame_id id, const struct pprof_function *function)
{
	struct frame *frame = &frames->profile->frames.frames[id];

	set_text(frames, &frame->file, function->file);
	if (frame->line == 0)
		frame->line = function->line;
}

/* 0 where the function is not there, or has no name. */
static frame_id
make_frame(struct pprof_frames *frames, const struct pprof_line *line, bool inlined)
{
	const struct pprof_tables *tables = frames->tables;
	const uint32_t number = key_map_find(&tables->function_ids, line->function);
	const frame_id named =
		number == KEY_MAP_NONE
			? 0
			: name_frame(frames, tables->functions[number].name, inlined);

	if (named == 0)
		return 0;
	const frame_id made = line_frame(frames, named, line->line);

	set_source(frames, named, &tables->functions[number]);
	set_source(frames, made, &tables->functions[number]);
	return made;
}

/* Adds what the mapping tells; KEY_MAP_NONE: there is none. */
static void
place_frame(struct pprof_frames *frames, frame_id id, uint32_t mapping)
{
	struct frame *frame = &frames->profile->frames.frames[id];

	if (frame->module != 0 || mapping == KEY_MAP_NONE)
		return;
	set_text(frames, &frame->module, frames->tables->mappings[mapping].file);
	if (frame->module != 0)
		set_text(frames, &frame->build_id, frames->tables->mappings[mapping].build_id);
}

void
pprof_frames_make(struct pprof_frames *frames, const struct pprof_tables *tables,
	struct profile *profile, bool at_lines)
{
	*frames = (struct pprof_frames){
		.profile = profile,
		.tables = tables,
		.at_lines = at_lines,
		.interned = mem_zalloc(tables->ntexts + 1, sizeof(*frames->interned)),
		.named = mem_zalloc(2 * tables->ntexts + 2, sizeof(*frames->named)),
		.of_lines = mem_zalloc(tables->nlines + 1, sizeof(*frames->of_lines)),
		.unnamed = mem_zalloc(tables->location_ids.count + 1, sizeof(*frames->unnamed)),
	};
	/* Many mappings can have one long text; the last one is of code without any. */
	frame_id *by_text = mem_zalloc(tables->ntexts + 1, sizeof(*by_text));

	for (size_t i = 0; i < tables->location_ids.count; i++) {
		const struct pprof_location *location = &tables->locations[i];
		const uint32_t mapping = key_map_find(&tables->mapping_ids, location->mapping);

		for (size_t k = 0; k < location->nlines; k++) {
			frame_id *frame = &frames->of_lines[location->first_line + k];

			*frame = make_frame(frames, &tables->lines[location->first_line + k],
				k + 1 < location->nlines);
			if (*frame == 0)
				*frame = unnamed_of(frames, by_text, mapping);
			place_frame(frames, *frame, mapping);
		}
		if (location->nlines == 0)
			frames->unnamed[i] = unnamed_of(frames, by_text, mapping);
	}
	free(by_text);
}

void
pprof_frames_release(struct pprof_frames *frames)
{
	free(frames->interned);
	free(frames->named);
	free(frames->of_lines);
	free(frames->unnamed);
	*frames = (struct pprof_frames){.profile = NULL};
}
