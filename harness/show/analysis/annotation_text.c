/*
 * An annotation as it is shown: its rows with the lines around them, and its text.
 */
#include "analysis/annotation.h"

#include "analysis/sentences.h"
#include "analysis/source_text.h"
#include "base/escape.h"
#include "base/mem.h"
#include "format/figures.h"
#include "format/place.h"
#include "format/table.h"
#include "profile/counters.h"
#include "profile/weights.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXT_LINES 2    /* around a line with weight */
#define LEAST_SHARE 0.0005 /* of the function: an instruction with less is not worth a row */

/* Takes the text over, and empties it. */
static struct annotation_entry *
add_entry(struct annotation_entries *entries, enum annotation_kind kind, uint64_t number,
	struct buf *text)
{
	entries->entries = mem_grow(entries->entries, &entries->capacity, entries->count + 1,
		sizeof(*entries->entries));
	struct annotation_entry *entry = &entries->entries[entries->count++];

	*entry = (struct annotation_entry){.kind = kind,
		.number = number,
		.text = arena_dup(&entries->texts, buf_text(text), text->len)};
	buf_clear(text);
	return entry;
}

static struct annotation_entry *
add_source(struct annotation_entries *entries, const char *path, bool found, struct buf *text)
{
	struct buf place = {0};

	place_put_path(&place, path);
	escape_utf8(text, buf_text(&place), place.len);
	struct annotation_entry *entry = add_entry(entries, ANNOTATION_FILE, 0, text);

	entry->found = found;
	buf_release(&place);
	return entry;
}

/* `row` NULL: a line without weight. */
static void
add_line(struct annotation_entries *entries, const struct annotation_rows *rows,
	const struct annotation_row *row, uint32_t number, struct buf *text)
{
	struct annotation_entry *entry = add_entry(entries, ANNOTATION_LINE, number, text);

	for (size_t i = 0; row && i < rows->annotation->nsides; i++) {
		entry->self[i] = annotation_figure(rows, i, row->self[i]);
		entry->total[i] = annotation_figure(rows, i, row->total[i]);
	}
}

/* Whether it has weight enough on a side. */
static bool
is_worth_a_row(const struct annotation *annotation, const struct annotation_cell *cell)
{
	for (size_t i = 0; i < annotation->nsides; i++)
		if (cell->total[i] > 0 &&
			cell->total[i] >= annotation->sides[i].weights->total * LEAST_SHARE)
			return true;
	return false;
}

/* The instructions of a line that have weight. */
static void
add_instructions(struct annotation_entries *entries, const struct annotation_rows *rows, size_t row,
	struct buf *text)
{
	const struct annotation *annotation = rows->annotation;
	const struct annotation_code *code = &annotation->code[annotation->nsides - 1];

	for (size_t i = annotation_first_cell(rows, row);
		i < rows->ncells && rows->cells[i].row == row; i++) {
		const struct annotation_cell *cell = &rows->cells[i];

		if (!is_worth_a_row(annotation, cell))
			continue;
		const struct annotation_instruction *of = &code->instructions[cell->instruction];

		buf_puts(text, of->text);
		struct annotation_entry *entry =
			add_entry(entries, ANNOTATION_INSTRUCTION, of->address, text);

		for (size_t side = 0; side < annotation->nsides; side++) {
			entry->self[side] = annotation_figure(rows, side, cell->self[side]);
			entry->total[side] = annotation_figure(rows, side, cell->total[side]);
		}
	}
}

/* The rows of one file, and the lines around them; returns the first row of the next one. */
static size_t
add_rows(struct annotation_entries *entries, const struct annotation_rows *rows, size_t first,
	const struct source_text *source, struct buf *text)
{
	uint32_t next = 0; /* line to be shown */
	size_t i = first;

	for (; i < rows->count && rows->rows[i].file == rows->rows[first].file; i++) {
		const struct annotation_row *row = &rows->rows[i];
		const uint32_t from = row->line > CONTEXT_LINES ? row->line - CONTEXT_LINES : 1;
		const uint32_t until = i + 1 < rows->count && rows->rows[i + 1].file == row->file
					       ? rows->rows[i + 1].line
					       : UINT32_MAX;

		if (next > 0 && from > next && source->nlines > 0)
			add_entry(entries, ANNOTATION_GAP, 0, text);
		for (uint32_t at = from > next ? from : next;
			at < row->line && at <= source->nlines; at++) {
			source_text_put(source, at, text);
			add_line(entries, rows, NULL, at, text);
		}
		source_text_put(source, row->line, text);
		add_line(entries, rows, row, row->line, text);
		add_instructions(entries, rows, i, text);
		for (next = row->line + 1; row->line > 0 && next <= row->line + CONTEXT_LINES &&
					   next < until && next <= source->nlines;
			next++) {
			source_text_put(source, next, text);
			add_line(entries, rows, NULL, next, text);
		}
	}
	return i;
}

/* A name that is relative to a module may be none from here. */
static bool
find_source(struct source_text *source, const struct annotation_file *file, const char *folder)
{
	return (file->path && source_text_find(source, file->path, folder)) ||
	       (file->shown && source_text_find(source, file->shown, folder));
}

void
annotation_entries_init(struct annotation_entries *entries, const struct annotation_rows *rows)
{
	struct buf text = {0};

	*entries = (struct annotation_entries){0};
	for (size_t i = 0; i < rows->count;) {
		const struct annotation_file *named = &rows->files.all[rows->rows[i].file];
		struct source_text source = {0};
		const struct annotation_side *last = annotation_last(rows->annotation);
		const bool found = find_source(&source, named, last->sources.folder);
		struct annotation_entry *file =
			add_source(entries, annotation_file_shown(named), found, &text);

		file->newer = found && last->sources.built_s > 0 &&
			      source.written_s > last->sources.built_s;
		i = add_rows(entries, rows, i, &source, &text);
		source_text_release(&source);
	}
	buf_release(&text);
}

void
annotation_entries_release(struct annotation_entries *entries)
{
	free(entries->entries);
	arena_release(&entries->texts);
	*entries = (struct annotation_entries){0};
}

const char *
annotation_unit(const struct annotation_rows *rows)
{
	return rows->costs ? weights_cost_unit(annotation_last(rows->annotation)->profile) : NULL;
}

void
annotation_put_cell(const char *unit, double value, struct buf *out)
{
	if (!unit)
		format_percent(out, value);
	else if (format_is_scaled(unit))
		format_cost(out, value, unit);
	else
		format_count(out, value);
}

void
annotation_put_difference(const char *unit, double value, struct buf *out)
{
	buf_puts(out, value > 0 ? "+" : value < 0 ? "-" : "");
	annotation_put_cell(unit, fabs(value), out);
}

void
annotation_put_figure(const struct annotation_rows *rows, double value, struct buf *out)
{
	if (rows->costs)
		format_cost(out, value, annotation_unit(rows));
	else
		format_percent(out, value);
}

/* The text. */

#define INSTRUCTION_INDENT 4

/* For numbers, the line's, and its text. */
static size_t
ncolumns_of(const struct annotation_rows *rows)
{
	return rows->annotation->nsides == 2 ? 6 : 4;
}

/* "count (work.c:12)". */
static void
put_annotated(const struct annotation_side *side, struct buf *out)
{
	const struct frame *frame = annotation_declaration(side);
	const char *name = side->weights->function;
	struct buf place = {0};

	escape_utf8(out, name, strlen(name));
	if (frame) {
		place_put(&place, strtab_str(&side->profile->strings, frame->file), frame->line);
		buf_puts(out, " (");
		escape_utf8(out, buf_text(&place), place.len);
		buf_puts(out, ")");
	}
	buf_release(&place);
}

static void
put_heading(const struct annotation_rows *rows, struct buf *out)
{
	const struct annotation *annotation = rows->annotation;
	const struct line_weights *last = annotation_last(annotation)->weights;
	const struct line_weights *first = annotation->sides[0].weights;

	put_annotated(annotation_last(annotation), out);
	buf_puts(out, ": ");
	annotation_put_figure(rows, annotation_figure(rows, 0, first->self), out);
	if (annotation->nsides == 2) {
		buf_puts(out, " -> ");
		annotation_put_figure(rows, annotation_figure(rows, 1, last->self), out);
	}
	buf_puts(out, " self, ");
	annotation_put_figure(rows, annotation_figure(rows, 0, first->total), out);
	if (annotation->nsides == 2) {
		buf_puts(out, " -> ");
		annotation_put_figure(rows, annotation_figure(rows, 1, last->total), out);
	}
	buf_puts(out, " total");
	if (rows->costs)
		buf_puts(out, executions_several(annotation_last(annotation)->profile)
				      ? " in an execution"
				      : " in a run");
	buf_putc(out, '\n');
}

/* Lines without weight are left out here. */
static void
put_gap(const struct annotation_rows *rows, struct table *table)
{
	for (size_t i = 0; i < ncolumns_of(rows) - 1; i++)
		table_put(table, "");
	table_put(table, "...");
}

/* The own weights on the sides, each in a column; blank where there is none. */
static void
put_selfs(const struct annotation_rows *rows, const struct annotation_entry *entry,
	struct table *table)
{
	for (size_t i = 0; i < rows->annotation->nsides; i++) {
		if (entry->self[i] > 0)
			annotation_put_cell(
				annotation_unit(rows), entry->self[i], table_cell(table));
		table_end_cell(table);
	}
}

/* The numbers of a line, in the columns ahead of its number. */
static void
put_numbers(const struct annotation_rows *rows, const struct annotation_entry *entry,
	struct table *table)
{
	const size_t nsides = rows->annotation->nsides;
	const char *unit = annotation_unit(rows);

	put_selfs(rows, entry, table);
	if (nsides == 2) {
		if (entry->self[0] > 0 || entry->self[1] > 0)
			annotation_put_difference(
				unit, entry->self[1] - entry->self[0], table_cell(table));
		table_end_cell(table);
	}
	if (nsides == 2 && (entry->total[0] > 0 || entry->total[1] > 0))
		annotation_put_difference(
			unit, entry->total[1] - entry->total[0], table_cell(table));
	else if (nsides == 1 && entry->total[0] > 0)
		annotation_put_cell(unit, entry->total[0], table_cell(table));
	table_end_cell(table);
}

static void
put_line(const struct annotation_rows *rows, const struct annotation_entry *entry,
	struct table *table)
{
	put_numbers(rows, entry, table);
	if (entry->number > 0)
		buf_printf(table_cell(table), "%" PRIu64, entry->number);
	table_end_cell(table);
	table_put(table, entry->number > 0 ? entry->text : "(no line is known)");
}

/* With the weights of the last side. */
static void
put_instruction(const struct annotation_rows *rows, const struct annotation_entry *entry,
	struct table *table)
{
	const size_t nsides = rows->annotation->nsides;
	const char *unit = annotation_unit(rows);

	put_selfs(rows, entry, table);
	if (nsides == 2)
		table_put(table, "");
	else if (entry->total[0] > 0)
		annotation_put_cell(unit, entry->total[0], table_cell(table));
	table_end_cell(table);
	buf_printf(table_cell(table), "%" PRIx64, entry->number);
	table_end_cell(table);
	analysis_pad(table_cell(table), INSTRUCTION_INDENT);
	buf_puts(table_cell(table), entry->text);
	table_end_cell(table);
}

static void
put_file(const struct annotation_entry *file, struct buf *out)
{
	buf_putc(out, '\n');
	buf_puts(out, file->text);
	if (!*file->text)
		buf_puts(out, "(no source file is known)");
	else if (!file->found)
		buf_puts(out, " (not found: '--source DIR' says where sources are)");
	else if (file->newer)
		buf_puts(out, " (newer than the program: lines may not match)");
	buf_putc(out, '\n');
}

/* The rows of one file from `at` on; returns what follows them. */
static size_t
put_rows(const struct annotation_rows *rows, const struct annotation_entries *entries, size_t at,
	struct table *table)
{
	for (; at < entries->count; at++) {
		const struct annotation_entry *entry = &entries->entries[at];

		switch (entry->kind) {
		case ANNOTATION_GAP:
			put_gap(rows, table);
			break;
		case ANNOTATION_LINE:
			put_line(rows, entry, table);
			break;
		case ANNOTATION_INSTRUCTION:
			put_instruction(rows, entry, table);
			break;
		case ANNOTATION_FILE:
		case ANNOTATION_KINDS:
			return at;
		}
	}
	return at;
}

static void
put_lines(const struct annotation_rows *rows, struct buf *out)
{
	static const struct table_column one[] = {
		{"self", true, 0}, {"total", true, 0}, {"line", true, 0}, {"", false, 0}};
	static const struct table_column two[] = {{"before", true, 0}, {"after", true, 0},
		{"change", true, 0}, {"with calls", true, 0}, {"line", true, 0}, {"", false, 0}};
	struct annotation_entries entries;
	struct table table;

	annotation_entries_init(&entries, rows);
	for (size_t i = 0; i < entries.count;) {
		put_file(&entries.entries[i], out);
		table_init(&table, rows->annotation->nsides == 2 ? two : one, ncolumns_of(rows));
		i = put_rows(rows, &entries, i + 1, &table);
		table_write(&table, 0, out);
		table_release(&table);
	}
	annotation_entries_release(&entries);
}

/* For an instruction, by side. */
struct listed {
	double self[2];
	double total[2];
};

static void
put_weight(const struct annotation_rows *rows, size_t side, double weight, struct table *table)
{
	if (weight > 0)
		annotation_put_cell(annotation_unit(rows), annotation_figure(rows, side, weight),
			table_cell(table));
	table_end_cell(table);
}

static void
put_listed(const struct annotation_rows *rows, const struct annotation_instruction *instruction,
	const struct listed *sum, struct table *table)
{
	const size_t nsides = rows->annotation->nsides;

	for (size_t i = 0; i < nsides; i++)
		put_weight(rows, i, sum->self[i], table);
	put_weight(rows, nsides - 1, sum->total[nsides - 1], table);
	buf_printf(table_cell(table), "%" PRIx64, instruction->address);
	table_end_cell(table);
	table_put(table, instruction->text);
}

/* By instruction of the last side, of all lines; free() it. */
static struct listed *
sum_listed(const struct annotation *annotation)
{
	const size_t last = annotation->nsides - 1;
	struct listed *sums = mem_zalloc(annotation->code[last].count + 1, sizeof(*sums));

	for (size_t side = 0; side < annotation->nsides; side++) {
		const struct line_weights *weights = annotation->sides[side].weights;

		for (size_t i = 0; i < weights->ncodes; i++) {
			const size_t at =
				annotation_instruction_of(annotation, side, &weights->codes[i]);

			if (at == SIZE_MAX)
				continue;
			sums[at].self[side] += weights->codes[i].self;
			sums[at].total[side] += weights->codes[i].total;
		}
	}
	return sums;
}

/* All instructions, each with the weight of all lines that it is of. */
static void
put_listing(const struct annotation_rows *rows, struct buf *out)
{
	static const struct table_column one[] = {
		{"self", true, 0}, {"total", true, 0}, {"address", true, 0}, {"", false, 0}};
	static const struct table_column two[] = {{"before", true, 0}, {"after", true, 0},
		{"total after", true, 0}, {"address", true, 0}, {"", false, 0}};
	const struct annotation *annotation = rows->annotation;
	const struct annotation_code *code = &annotation->code[annotation->nsides - 1];
	struct listed *sums = sum_listed(annotation);
	struct table table;

	table_init(&table, annotation->nsides == 2 ? two : one, annotation->nsides == 2 ? 5 : 4);
	for (size_t i = 0; i < code->count; i++)
		put_listed(rows, &code->instructions[i], &sums[i], &table);
	buf_putc(out, '\n');
	table_write(&table, 0, out);
	table_release(&table);
	free(sums);
}

void
annotation_write(const struct annotation_rows *rows, struct buf *out)
{
	const struct annotation *annotation = rows->annotation;

	put_heading(rows, out);
	if (annotation->nsides == 2) {
		const size_t before = out->len;

		annotation_put_growth(rows, out);
		if (out->len == before)
			annotation_put_shift(rows, out);
		buf_puts(out, out->len > before ? "\n" : "");
	}
	put_lines(rows, out);
	if (annotation->listing && annotation->code[annotation->nsides - 1].count > 0)
		put_listing(rows, out);
}
