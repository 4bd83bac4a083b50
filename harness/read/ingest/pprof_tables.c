/*
 * The tables of a pprof file (texts, functions, locations and mappings), and the frames that are
 * made of them.
 */
#include "ingest/pprof_internal.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Inlined functions at one address: more are cut off, as those of programs are. */
#define LINES_MAX 32

struct pprof_text
pprof_text(const struct pprof_tables *tables, uint64_t n)
{
	return n < tables->ntexts ? tables->texts[n] : (struct pprof_text){"", 0};
}

bool
pprof_text_is(const struct pprof_tables *tables, uint64_t n, const char *text)
{
	struct pprof_text found = pprof_text(tables, n);

	return found.len == strlen(text) && memcmp(found.at, text, found.len) == 0;
}

static void
add_text(struct pprof_tables *tables, struct wire bytes)
{
	const char *at = (const char *)bytes.at;

	tables->texts = mem_grow(
		tables->texts, &tables->texts_capacity, tables->ntexts + 1, sizeof(*tables->texts));
	tables->texts[tables->ntexts++] = (struct pprof_text){at, strnlen(at, wire_left(&bytes))};
}

static struct pprof_type
read_type(struct wire *bytes)
{
	struct pprof_type type = {0};
	struct wire_field field;

	while (wire_next(bytes, &field)) {
		if (field.number == PPROF_TYPE_NAME)
			type.name = field.value;
		else if (field.number == PPROF_TYPE_UNIT)
			type.unit = field.value;
	}
	return type;
}

static void
add_type(struct pprof_tables *tables, struct wire *bytes)
{
	tables->types = mem_grow(
		tables->types, &tables->types_capacity, tables->ntypes + 1, sizeof(*tables->types));
	tables->types[tables->ntypes++] = read_type(bytes);
}

static void
add_function(struct pprof_tables *tables, struct wire *bytes)
{
	struct pprof_function function = {0};
	struct wire_field field;
	uint64_t id = 0;

	while (wire_next(bytes, &field)) {
		if (field.number == PPROF_FUNCTION_ID)
			id = field.value;
		else if (field.number == PPROF_FUNCTION_NAME)
			function.name = field.value;
		else if (field.number == PPROF_FUNCTION_FILE)
			function.file = field.value;
		else if (field.number == PPROF_FUNCTION_START_LINE && field.value <= UINT32_MAX)
			function.line = (uint32_t)field.value;
	}
	const uint32_t number = key_map_add(&tables->function_ids, id);

	tables->functions = mem_grow(tables->functions, &tables->functions_capacity,
		tables->function_ids.count, sizeof(*tables->functions));
	tables->functions[number] = function;
}

static void
add_line(struct pprof_tables *tables, struct wire *bytes)
{
	struct wire_field field;
	struct pprof_line line = {0};

	while (wire_next(bytes, &field)) {
		if (field.number == PPROF_LINE_FUNCTION)
			line.function = field.value;
		else if (field.number == PPROF_LINE_NUMBER && field.value <= UINT32_MAX)
			line.line = (uint32_t)field.value;
	}
	bytes->failed |= !allowance_take(&tables->memory, sizeof(*tables->lines));
	tables->lines = mem_grow(
		tables->lines, &tables->lines_capacity, tables->nlines + 1, sizeof(*tables->lines));
	tables->lines[tables->nlines++] = line;
}

static void
add_location(struct pprof_tables *tables, struct wire *bytes)
{
	struct pprof_location location = {.first_line = tables->nlines};
	struct wire_field field;
	uint64_t id = 0;

	while (wire_next(bytes, &field)) {
		if (field.number == PPROF_LOCATION_ID)
			id = field.value;
		else if (field.number == PPROF_LOCATION_MAPPING)
			location.mapping = field.value;
		else if (field.number == PPROF_LOCATION_LINE) {
			add_line(tables, &field.bytes);
			bytes->failed = bytes->failed || field.bytes.failed;
		}
	}
	location.nlines = tables->nlines - location.first_line;
	/* The innermost ones are first. */
	if (location.nlines > LINES_MAX) {
		location.first_line = tables->nlines - LINES_MAX;
		location.nlines = LINES_MAX;
	}
	const uint32_t number = key_map_add(&tables->location_ids, id);

	tables->locations = mem_grow(tables->locations, &tables->locations_capacity,
		tables->location_ids.count, sizeof(*tables->locations));
	tables->locations[number] = location;
}

static void
add_mapping(struct pprof_tables *tables, struct wire *bytes)
{
	struct pprof_mapping mapping = {0};
	struct wire_field field;
	uint64_t id = 0;

	while (wire_next(bytes, &field)) {
		if (field.number == PPROF_MAPPING_ID)
			id = field.value;
		else if (field.number == PPROF_MAPPING_FILE)
			mapping.file = field.value;
		else if (field.number == PPROF_MAPPING_BUILD_ID)
			mapping.build_id = field.value;
	}
	const uint32_t number = key_map_add(&tables->mapping_ids, id);

	tables->mappings = mem_grow(tables->mappings, &tables->mappings_capacity,
		tables->mapping_ids.count, sizeof(*tables->mappings));
	tables->mappings[number] = mapping;
}

static void
take_number(struct pprof_tables *tables, const struct wire_field *field)
{
	if (field->number == PPROF_TIME_NS)
		tables->time_ns = field->value;
	else if (field->number == PPROF_DURATION_NS)
		tables->duration_ns = field->value;
	else if (field->number == PPROF_PERIOD)
		tables->period = field->value;
	else if (field->number == PPROF_DEFAULT_TYPE)
		tables->default_type = field->value;
	else if (field->number == PPROF_COMMENT)
		*(tables->comment == 0 ? &tables->comment : &tables->comment2) = field->value;
}

static void
take_bytes(struct pprof_tables *tables, struct wire_field *field)
{
	switch (field->number) {
	case PPROF_SAMPLE_TYPE:
		add_type(tables, &field->bytes);
		break;
	case PPROF_MAPPING:
		add_mapping(tables, &field->bytes);
		break;
	case PPROF_LOCATION:
		add_location(tables, &field->bytes);
		break;
	case PPROF_FUNCTION:
		add_function(tables, &field->bytes);
		break;
	case PPROF_STRING:
		add_text(tables, field->bytes);
		break;
	case PPROF_COMMENT:
		if (tables->comment == 0 && !wire_number(&field->bytes, &tables->comment))
			tables->comment = 0;
		break;
	case PPROF_PERIOD_TYPE:
		tables->period_type = read_type(&field->bytes);
		break;
	default:
		break;
	}
}

static int
refuse_pprof(const char *path, const char *what, uint64_t number, struct err *err)
{
	return err_set(err, ERR_INPUT,
		"%s: is damaged: %s %" PRIu64 ", which the file does not have", path, what, number);
}

/* Whether the names of types and functions are there. */
static int
check_names(const struct pprof_tables *tables, const char *path, struct err *err)
{
	for (size_t i = 0; i < tables->ntypes; i++)
		if (tables->types[i].name > 0 && tables->types[i].name >= tables->ntexts)
			return refuse_pprof(
				path, "the name of a type is text", tables->types[i].name, err);
	for (size_t i = 0; i < tables->function_ids.count; i++)
		if (tables->functions[i].name > 0 && tables->functions[i].name >= tables->ntexts)
			return refuse_pprof(path, "the name of a function is text",
				tables->functions[i].name, err);
	return 0;
}

/* The bytes of an entry of any table: itself and its place in a map. */
#define ENTRY_BYTES 64
#define MEMORY_MIN ((uint64_t)32 << 20)
#define MEMORY_RATIO 32

int
pprof_tables_read(struct pprof_tables *tables, const char *path, const struct wire *file,
	size_t stored, struct err *err)
{
	struct wire wire = *file;
	struct wire_field field = {.bytes = {.failed = false}};
	size_t at = 0;

	*tables = (struct pprof_tables){.memory = allowance_of(MEMORY_MIN, stored, MEMORY_RATIO)};
	while (!field.bytes.failed && wire_next(&wire, &field)) {
		if (field.type == WIRE_BYTES && field.number != PPROF_SAMPLE &&
			!allowance_take(&tables->memory, ENTRY_BYTES))
			return err_set(err, ERR_INPUT,
				"%s: has more entries than a profile of its size", path);
		if (field.type == WIRE_BYTES)
			take_bytes(tables, &field);
		else if (field.type == WIRE_NUMBER)
			take_number(tables, &field);
		if (!field.bytes.failed)
			at = wire_left(file) - wire_left(&wire);
	}
	if (!wire.failed && !field.bytes.failed)
		return check_names(tables, path, err);
	return err_set(err, ERR_INPUT,
		"%s: is cut or damaged: the field at byte %zu of the expanded profile is not whole",
		path, at);
}

void
pprof_tables_release(struct pprof_tables *tables)
{
	free(tables->texts);
	free(tables->types);
	free(tables->functions);
	free(tables->locations);
	free(tables->lines);
	free(tables->mappings);
	key_map_release(&tables->function_ids);
	key_map_release(&tables->location_ids);
	key_map_release(&tables->mapping_ids);
}

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

	/* Such as "[vdso]", which has its brackets. */
	if (file.len > 2 && file.at[0] == '[')
		buf_put(&name, file.at, file.len);
	else if (file.len > 0)
		buf_printf(&name, "[%.*s]", (int)file.len, file.at);
	else
		buf_puts(&name, "[unknown]");
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
