/*
 * Reads the line number table of a unit: its files, and the line of each address. Source: DWARF 5,
 * section 6.2.
 */
#include "dwarf/dwarf_internal.h"

#include "base/mem.h"
#include "base/search.h"

#include <dwarf.h>
#include <stdlib.h>

/* The head of a table. */
struct head {
	struct debug_unit unit; /* as the table's values are written */
	struct cursor tables;   /* folders and files */
	struct cursor program;
	unsigned version;
	unsigned min_bytes; /* of an instruction */
	int line_base;
	unsigned line_range;
	unsigned opcode_base;
	const unsigned char *operands; /* [opcode_base - 1] how many a standard opcode has */
};

static bool
read_head(struct head *head, struct debug_unit *unit)
{
	struct cursor cursor = debug_data_at(unit->data, DEBUG_LINE, unit->lines);

	*head = (struct head){.unit = *unit};
	if (!unit->has_lines || cursor.failed)
		return false;
	uint64_t length = cursor_fixed(&cursor, 4);

	head->unit.format.offset_bytes = length == UINT32_MAX ? 8 : 4;
	if (length == UINT32_MAX)
		length = cursor_fixed(&cursor, 8);
	if (!cursor_has(&cursor, length) || !debug_data_work(unit->data, length))
		return false;
	cursor.end = cursor.at + length;
	head->version = (unsigned)cursor_fixed(&cursor, 2);
	if (head->version < 2 || head->version > 5)
		return false;
	if (head->version >= 5)
		cursor_skip(&cursor, 2);
	uint64_t head_bytes = cursor_fixed(&cursor, head->unit.format.offset_bytes);

	head->program = cursor;
	cursor_skip(&head->program, head_bytes);
	head->min_bytes = (unsigned)cursor_fixed(&cursor, 1);
	if (head->version >= 4)
		cursor_skip(&cursor, 1);
	cursor_skip(&cursor, 1);
	head->line_base = (int)cursor_fixed(&cursor, 1);
	if (head->line_base > INT8_MAX)
		head->line_base -= 1 << 8;
	head->line_range = (unsigned)cursor_fixed(&cursor, 1);
	head->opcode_base = (unsigned)cursor_fixed(&cursor, 1);
	if (head->opcode_base == 0 || head->line_range == 0)
		return false;
	head->operands = cursor.at;
	cursor_skip(&cursor, head->opcode_base - 1);
	head->tables = cursor;
	return !cursor.failed && !head->program.failed && cursor.at <= head->program.at;
}

static void
add_folder(struct source_lines *lines, const char *name)
{
	lines->folders = mem_grow((void *)lines->folders, &lines->folders_capacity,
		lines->nfolders + 1, sizeof(*lines->folders));
	lines->folders[lines->nfolders++] = name;
}

static void
add_file(struct source_lines *lines, const char *name, uint64_t folder)
{
	lines->files = mem_grow(
		lines->files, &lines->files_capacity, lines->nfiles + 1, sizeof(*lines->files));
	lines->files[lines->nfiles++] = (struct source_file){
		.name = name, .folder = folder > UINT32_MAX ? UINT32_MAX : (uint32_t)folder};
}

/* Until DWARF 4: lists of strings. Folder 0 is the unit's, file 0 is none. */
static void
read_old_tables(struct source_lines *lines, struct cursor *cursor, const struct debug_unit *unit)
{
	const char *name;

	add_folder(lines, unit->folder);
	while ((name = cursor_string(cursor)) && *name)
		add_folder(lines, name);
	add_file(lines, NULL, 0);
	while ((name = cursor_string(cursor)) && *name) {
		add_file(lines, name, cursor_uleb(cursor));
		cursor_uleb(cursor);
		cursor_uleb(cursor);
	}
}

/* Since DWARF 5: tables that say themselves which columns they have. */
static void
read_table(struct source_lines *lines, struct head *head, bool folders)
{
	struct cursor *cursor = &head->tables;
	struct abbrev_attr columns[UINT8_MAX] = {{0}};
	size_t ncolumns = (size_t)cursor_fixed(cursor, 1);

	for (size_t i = 0; i < ncolumns; i++) {
		columns[i].name = (uint16_t)cursor_uleb(cursor);
		columns[i].form = abbrev_form_of(&head->unit.format, cursor_uleb(cursor));
	}
	uint64_t count = cursor_uleb(cursor);

	/* An entry of no bytes could be there any number of times. */
	if (ncolumns == 0 || count > (uint64_t)(cursor->end - cursor->at))
		return;
	for (uint64_t i = 0; i < count && !cursor->failed; i++) {
		const char *name = NULL;
		uint64_t folder = 0;

		for (size_t column = 0; column < ncolumns; column++) {
			struct die_value value = {0};

			die_read_value(&head->unit, cursor, columns[column].form, &value);
			if (columns[column].name == DW_LNCT_path)
				name = die_string(&head->unit, &value);
			else if (columns[column].name == DW_LNCT_directory_index)
				folder = value.number;
		}
		if (cursor->failed)
			break;
		if (folders)
			add_folder(lines, name);
		else
			add_file(lines, name, folder);
	}
}

bool
source_lines_read_files(struct source_lines *lines, struct debug_unit *unit)
{
	struct head head;

	if (!read_head(&head, unit))
		return false;
	lines->unit = unit;
	head.tables.end = head.program.at;
	if (head.version < 5) {
		read_old_tables(lines, &head.tables, unit);
	} else {
		read_table(lines, &head, true);
		read_table(lines, &head, false);
	}
	return lines->nfiles > 0;
}

/* The state of the line number program that matters here. */
struct state {
	uint64_t address;
	uint64_t line;
	uint64_t start; /* of the sequence */
	size_t first_row;
	bool begun;   /* it has a row */
	bool damaged; /* addresses went down or too far */
};

static inline void
add_row(struct source_scratch *scratch, uint32_t offset, uint32_t line)
{
	scratch->rows = mem_grow(
		scratch->rows, &scratch->capacity, scratch->count + 1, sizeof(*scratch->rows));
	scratch->rows[scratch->count++] = (struct source_row){offset, line};
}

static inline void
put_row(struct source_scratch *scratch, struct state *state)
{
	uint32_t line = state->line <= UINT32_MAX ? (uint32_t)state->line : 0;

	if (!state->begun) {
		state->begun = true;
		state->start = state->address;
		state->first_row = scratch->count;
		add_row(scratch, 0, line);
		return;
	}
	uint64_t offset = state->address - state->start;
	struct source_row *last = &scratch->rows[scratch->count - 1];

	/* Among several rows at one address only the last one applies to code. */
	if (offset == last->offset)
		last->line = line;
	else if (offset > UINT32_MAX || offset < last->offset)
		state->damaged = true;
	else if (line != last->line)
		add_row(scratch, (uint32_t)offset, line);
}

static void
end_sequence(struct source_lines *lines, struct source_scratch *scratch, struct state *state,
	struct span_list *spans)
{
	uint64_t bytes = state->address - state->start;

	if (state->begun && !state->damaged && bytes > 0 && bytes <= UINT32_MAX &&
		scratch->count <= UINT32_MAX) {
		span_list_add(spans, state->start, state->address, (uint32_t)lines->nsequences);
		lines->sequences = mem_grow(lines->sequences, &lines->sequences_capacity,
			lines->nsequences + 1, sizeof(*lines->sequences));
		lines->sequences[lines->nsequences++] = (struct source_sequence){state->start,
			(uint32_t)state->first_row, (uint32_t)(scratch->count - state->first_row)};
	} else if (state->begun) {
		scratch->count = state->first_row;
	}
	*state = (struct state){.line = 1};
}

/* Runs an extended opcode; true where it ends the sequence. */
static bool
run_extended(struct cursor *cursor, struct state *state)
{
	uint64_t bytes = cursor_uleb(cursor);

	if (bytes == 0 || !cursor_has(cursor, bytes))
		return false;
	struct cursor operands = {cursor->at + 1, cursor->at + bytes, false};
	unsigned opcode = *cursor->at;

	cursor->at += bytes;
	if (opcode == DW_LNE_set_address && (bytes == 5 || bytes == 9))
		state->address = cursor_fixed(&operands, (unsigned)bytes - 1);
	return opcode == DW_LNE_end_sequence;
}

/* Runs a standard opcode. */
static void
run_standard(
	struct source_scratch *scratch, struct head *head, unsigned opcode, struct state *state)
{
	struct cursor *cursor = &head->program;

	switch (opcode) {
	case DW_LNS_copy:
		put_row(scratch, state);
		break;
	case DW_LNS_advance_pc:
		state->address += cursor_uleb(cursor) * head->min_bytes;
		break;
	case DW_LNS_advance_line:
		state->line += (uint64_t)cursor_sleb(cursor);
		break;
	case DW_LNS_const_add_pc:
		state->address += (uint64_t)((UINT8_MAX - head->opcode_base) / head->line_range) *
				  head->min_bytes;
		break;
	case DW_LNS_fixed_advance_pc:
		state->address += cursor_fixed(cursor, 2);
		break;
	default:
		for (unsigned i = 0; i < head->operands[opcode - 1]; i++)
			cursor_uleb(cursor);
		break;
	}
}

/* The advance of a special opcode. */
struct advance {
	uint32_t bytes;
	int32_t lines;
};

/* Division takes longest in a table of lines, so it is done once for each opcode. */
static void
read_advances(const struct head *head, struct advance advances[UINT8_MAX + 1])
{
	for (unsigned opcode = head->opcode_base; opcode <= UINT8_MAX; opcode++) {
		unsigned special = opcode - head->opcode_base;

		advances[opcode] = (struct advance){special / head->line_range * head->min_bytes,
			head->line_base + (int)(special % head->line_range)};
	}
}

static void
run_program(struct source_lines *lines, struct source_scratch *scratch, struct head *head,
	struct span_list *spans)
{
	struct advance advances[UINT8_MAX + 1];
	struct cursor *cursor = &head->program;
	struct state state = {.line = 1};

	read_advances(head, advances);
	while (cursor->at < cursor->end) {
		unsigned opcode = *cursor->at++;

		if (opcode >= head->opcode_base) {
			state.address += advances[opcode].bytes;
			state.line += (uint64_t)(int64_t)advances[opcode].lines;
			put_row(scratch, &state);
		} else if (opcode != 0) {
			run_standard(scratch, head, opcode, &state);
		} else if (run_extended(cursor, &state)) {
			end_sequence(lines, scratch, &state, spans);
		}
	}
}

bool
source_lines_read_rows(struct source_lines *lines, struct debug_unit *unit,
	struct source_scratch *scratch, struct arena *arena)
{
	struct span_list spans = {0};
	struct head head;

	if (!read_head(&head, unit))
		return false;
	lines->unit = unit;
	scratch->count = 0;
	run_program(lines, scratch, &head, &spans);
	lines->nrows = scratch->count;
	lines->rows = arena_alloc(arena, lines->nrows * sizeof(*lines->rows));
	if (lines->nrows > 0)
		memcpy(lines->rows, scratch->rows, lines->nrows * sizeof(*lines->rows));
	span_index_build(&lines->index, &spans, arena);
	span_list_release(&spans);
	return lines->index.count > 0;
}

void
source_lines_release(struct source_lines *lines)
{
	free((void *)lines->folders);
	free(lines->files);
	free(lines->sequences);
	*lines = (struct source_lines){0};
}

/* Appends the folder of `name`, unless `name` is an absolute path. */
static void
put_folder(struct buf *path, const char *folder, const char *name)
{
	if (!folder || !*folder || name[0] == '/')
		return;
	buf_puts(path, folder);
	if (folder[strlen(folder) - 1] != '/')
		buf_putc(path, '/');
}

bool
source_lines_path(const struct source_lines *lines, uint64_t number, struct buf *path)
{
	const struct source_file *file = number < lines->nfiles ? &lines->files[number] : NULL;
	const char *folder;

	if (!file || !file->name || !*file->name)
		return false;
	folder = file->folder < lines->nfolders ? lines->folders[file->folder] : NULL;
	if (folder && file->name[0] != '/' && folder != lines->unit->folder)
		put_folder(path, lines->unit->folder, folder);
	put_folder(path, folder, file->name);
	buf_puts(path, file->name);
	return true;
}

uint32_t
source_lines_find(const struct source_lines *lines, uint64_t address)
{
	uint32_t item = span_index_find(&lines->index, address);

	if (item == SPAN_NONE)
		return 0;
	const struct source_sequence *sequence = &lines->sequences[item];
	const struct source_row *rows = &lines->rows[sequence->first_row];
	size_t until = search_until(rows, sequence->nrows, SEARCH_BY(struct source_row, offset),
		address - sequence->start);

	return until > 0 ? rows[until - 1].line : 0;
}
