#include "dwarf/source_lines.h"

#include "base/mem.h"
#include "dwarf/die.h"

#include <dwarf.h>
#include <stdlib.h>

/* Room for these is made at once. */
#define LIKELY_ROWS_MAX ((size_t)1 << 20)

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
	if (lines->nfolders == lines->folders_capacity)
		lines->folders = mem_grow((void *)lines->folders, &lines->folders_capacity,
			lines->nfolders + 1, sizeof(*lines->folders));
	lines->folders[lines->nfolders++] = name;
}

static void
add_file(struct source_lines *lines, const char *name, uint64_t folder)
{
	if (lines->nfiles == lines->files_capacity)
		lines->files = mem_grow(lines->files, &lines->files_capacity, lines->nfiles + 1,
			sizeof(*lines->files));
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
	struct abbrev_attr columns[UINT8_MAX] = {{0, 0}};
	size_t ncolumns = (size_t)cursor_fixed(cursor, 1);

	for (size_t i = 0; i < ncolumns; i++) {
		columns[i].name = (uint16_t)cursor_uleb(cursor);
		columns[i].form = (uint16_t)cursor_uleb(cursor);
	}
	uint64_t count = cursor_uleb(cursor);

	/* An entry of no bytes could be there any number of times. */
	if (ncolumns == 0 || count > (uint64_t)(cursor->end - cursor->at))
		return;
	for (uint64_t i = 0; i < count && !cursor->failed; i++) {
		const char *name = NULL;
		uint64_t folder = 0;

		for (size_t column = 0; column < ncolumns; column++) {
			struct die_value value = {.form = columns[column].form};

			die_read_value(&head->unit, cursor, &value);
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
	bool begun;
	bool damaged; /* addresses went down or too far */
};

static void
put_row(struct source_lines *lines, struct state *state)
{
	uint32_t line = state->line <= UINT32_MAX ? (uint32_t)state->line : 0;

	if (!state->begun) {
		state->begun = true;
		state->start = state->address;
		state->first_row = lines->nrows;
	}
	uint64_t offset = state->address - state->start;
	struct source_row *last =
		lines->nrows > state->first_row ? &lines->rows[lines->nrows - 1] : NULL;

	if (offset > UINT32_MAX || (last && offset < last->offset)) {
		state->damaged = true;
		return;
	}
	/* Of several rows at one address the last is about the code, the others about none. */
	if (last && offset == last->offset) {
		last->line = line;
		return;
	}
	if (last && line == last->line)
		return;
	if (lines->nrows == lines->rows_capacity)
		lines->rows = mem_grow(
			lines->rows, &lines->rows_capacity, lines->nrows + 1, sizeof(*lines->rows));
	lines->rows[lines->nrows++] = (struct source_row){(uint32_t)offset, line};
}

static void
end_sequence(struct source_lines *lines, struct state *state, struct span_list *spans)
{
	uint64_t bytes = state->address - state->start;

	if (state->begun && !state->damaged && bytes > 0 && bytes <= UINT32_MAX &&
		lines->nrows <= UINT32_MAX) {
		span_list_add(spans, state->start, state->address, (uint32_t)lines->nsequences);
		if (lines->nsequences == lines->sequences_capacity)
			lines->sequences = mem_grow(lines->sequences, &lines->sequences_capacity,
				lines->nsequences + 1, sizeof(*lines->sequences));
		lines->sequences[lines->nsequences++] = (struct source_sequence){state->start,
			(uint32_t)state->first_row, (uint32_t)(lines->nrows - state->first_row)};
	} else if (state->begun) {
		lines->nrows = state->first_row;
	}
	*state = (struct state){.line = 1};
}

static void
run_extended(struct source_lines *lines, struct cursor *cursor, struct state *state,
	struct span_list *spans)
{
	uint64_t bytes = cursor_uleb(cursor);

	if (bytes == 0 || !cursor_has(cursor, bytes))
		return;
	struct cursor operands = {cursor->at + 1, cursor->at + bytes, false};
	unsigned opcode = *cursor->at;

	cursor->at += bytes;
	if (opcode == DW_LNE_end_sequence)
		end_sequence(lines, state, spans);
	else if (opcode == DW_LNE_set_address && (bytes == 5 || bytes == 9))
		state->address = cursor_fixed(&operands, (unsigned)bytes - 1);
}

/* Runs a standard opcode. */
static void
run_standard(struct source_lines *lines, struct head *head, unsigned opcode, struct state *state)
{
	struct cursor *cursor = &head->program;

	switch (opcode) {
	case DW_LNS_copy:
		put_row(lines, state);
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

/* Puts the rows where they take no more room than they need. */
static void
keep_rows(struct source_lines *lines, struct arena *arena)
{
	struct source_row *rows = arena_alloc(arena, lines->nrows * sizeof(*rows));

	memcpy(rows, lines->rows, lines->nrows * sizeof(*rows));
	free(lines->rows);
	lines->rows = rows;
	lines->rows_capacity = 0;
}

bool
source_lines_read_rows(struct source_lines *lines, struct debug_unit *unit, struct arena *arena)
{
	struct span_list spans = {0};
	struct state state = {.line = 1};
	struct head head;

	if (!read_head(&head, unit))
		return false;
	struct cursor *cursor = &head.program;
	size_t likely = (size_t)(cursor->end - cursor->at) / 4;

	lines->rows_capacity = likely < LIKELY_ROWS_MAX ? likely + 1 : LIKELY_ROWS_MAX;
	lines->rows = mem_zalloc(lines->rows_capacity, sizeof(*lines->rows));
	while (cursor->at < cursor->end) {
		unsigned opcode = *cursor->at++;

		if (opcode >= head.opcode_base) {
			unsigned special = opcode - head.opcode_base;

			state.address += (uint64_t)(special / head.line_range) * head.min_bytes;
			state.line += (uint64_t)(int64_t)(head.line_base +
							  (int)(special % head.line_range));
			put_row(lines, &state);
		} else if (opcode == 0) {
			run_extended(lines, cursor, &state, &spans);
		} else {
			run_standard(lines, &head, opcode, &state);
		}
	}
	lines->unit = unit;
	keep_rows(lines, arena);
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

/* Appends what stands before `name`, unless that is a whole path. */
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
	uint64_t offset = address - sequence->start;
	size_t low = 0;
	size_t high = sequence->nrows;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rows[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? rows[low - 1].line : 0;
}
