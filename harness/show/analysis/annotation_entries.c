#include "analysis/annotation_entries.h"

#include "analysis/source_text.h"
#include "base/escape.h"
#include "base/mem.h"
#include "format/figures.h"
#include "format/place.h"
#include "profile/weights.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define CONTEXT_LINES 2    /* around a line with weight */
#define LEAST_SHARE 0.0005 /* of the function: an instruction with less is not worth a row */

/* Takes the text over, and empties it. */
static struct annotation_entry *
add(struct annotation_entries *entries, enum annotation_kind kind, uint64_t number,
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
add_file(struct annotation_entries *entries, const char *path, bool found, struct buf *text)
{
	struct buf place = {0};

	place_put_path(&place, path ? path : "");
	escape_utf8(text, buf_text(&place), place.len);
	struct annotation_entry *entry = add(entries, ANNOTATION_FILE, 0, text);

	entry->found = found;
	buf_release(&place);
	return entry;
}

/* `row` NULL: a line without weight. */
static void
add_line(struct annotation_entries *entries, const struct annotation_rows *rows,
	const struct annotation_row *row, uint32_t number, struct buf *text)
{
	struct annotation_entry *entry = add(entries, ANNOTATION_LINE, number, text);

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
			add(entries, ANNOTATION_INSTRUCTION, of->address, text);

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
			add(entries, ANNOTATION_GAP, 0, text);
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

void
annotation_entries_init(struct annotation_entries *entries, const struct annotation_rows *rows)
{
	struct buf text = {0};

	*entries = (struct annotation_entries){0};
	for (size_t i = 0; i < rows->count;) {
		const char *path = rows->files.all[rows->rows[i].file].path;
		struct source_text source = {0};
		const struct annotation_side *last = annotation_last(rows->annotation);
		const bool found = path && source_text_find(&source, path, last->sources.folder);
		struct annotation_entry *file = add_file(entries, path, found, &text);

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
