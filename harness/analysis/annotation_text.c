#include "analysis/annotation_text.h"

#include "analysis/sentences.h"
#include "analysis/source_text.h"
#include "base/escape.h"
#include "base/mem.h"
#include "format/figures.h"
#include "format/place.h"
#include "format/table.h"
#include "profile/weights.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXT_LINES 2    /* around a line with weight */
#define LEAST_SHARE 0.0005 /* of the function: an instruction with less is not worth a row */
#define NAMED_GROWTH 0.5   /* a line with at least so much of the growth is named ahead */
#define INSTRUCTION_INDENT 4

/* Of numbers, the line's, and its text. */
static size_t
ncolumns_of(const struct annotation_rows *rows)
{
	return rows->annotation->nsides == 2 ? 6 : 4;
}

static const char *
cost_unit(const struct annotation_rows *rows)
{
	return weights_cost_unit(annotation_last(rows->annotation)->profile);
}

static void
put_figure(const struct annotation_rows *rows, double value, struct buf *out)
{
	if (rows->costs)
		format_cost(out, value, cost_unit(rows));
	else
		format_percent(out, value);
}

/* The same in a cell: of counts, the unit stands in the heading. */
static void
put_cell(const struct annotation_rows *rows, double value, struct buf *out)
{
	if (rows->costs && !format_is_scaled(cost_unit(rows)))
		format_count(out, value);
	else
		put_figure(rows, value, out);
}

static void
put_difference(const struct annotation_rows *rows, double value, struct buf *out)
{
	buf_puts(out, value > 0 ? "+" : value < 0 ? "-" : "");
	put_cell(rows, fabs(value), out);
}

/* "count (work.c:12)". */
static void
put_function(const struct annotation_side *side, struct buf *out)
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

	put_function(annotation_last(annotation), out);
	buf_puts(out, ": ");
	put_figure(rows, annotation_figure(rows, 0, first->self), out);
	if (annotation->nsides == 2) {
		buf_puts(out, " -> ");
		put_figure(rows, annotation_figure(rows, 1, last->self), out);
	}
	buf_puts(out, " self, ");
	put_figure(rows, annotation_figure(rows, 0, first->total), out);
	if (annotation->nsides == 2) {
		buf_puts(out, " -> ");
		put_figure(rows, annotation_figure(rows, 1, last->total), out);
	}
	buf_puts(out, rows->costs ? " total in a run\n" : " total\n");
}

/* Says which line has most of what the function grew by. */
static void
put_growth(const struct annotation_rows *rows, struct buf *out)
{
	const struct annotation *annotation = rows->annotation;
	const double all = annotation_figure(rows, 1, annotation->sides[1].weights->self) -
			   annotation_figure(rows, 0, annotation->sides[0].weights->self);
	const struct annotation_row *most = NULL;
	struct buf place = {0};

	for (size_t i = 0; i < rows->count; i++)
		if (!most ||
			annotation_growth(rows, &rows->rows[i]) > annotation_growth(rows, most))
			most = &rows->rows[i];
	if (!most || all <= 0 || most->line == 0 ||
		annotation_growth(rows, most) < all * NAMED_GROWTH)
		return;
	place_put(&place, rows->files[most->file].path ? rows->files[most->file].path : "",
		most->line);
	escape_utf8(out, buf_text(&place), place.len);
	buf_puts(out, " grew by ");
	put_figure(rows, annotation_growth(rows, most), out);
	buf_puts(out, ", the function by ");
	put_figure(rows, all, out);
	buf_puts(out, "\n");
	buf_release(&place);
}

/* Lines without weight are left out here. */
static void
put_gap(const struct annotation_rows *rows, struct table *table)
{
	for (size_t i = 0; i < ncolumns_of(rows) - 1; i++)
		table_put(table, "");
	table_put(table, "...");
}

/* The numbers of a row, in the columns ahead of the line's. */
static void
put_numbers(const struct annotation_rows *rows, const double self[2], const double total[2],
	struct table *table)
{
	const size_t nsides = rows->annotation->nsides;

	for (size_t i = 0; i < nsides; i++) {
		if (self[i] > 0)
			put_cell(rows, annotation_figure(rows, i, self[i]), table_cell(table));
		table_end_cell(table);
	}
	if (nsides == 2) {
		const double change =
			annotation_figure(rows, 1, self[1]) - annotation_figure(rows, 0, self[0]);

		if (self[0] > 0 || self[1] > 0)
			put_difference(rows, change, table_cell(table));
		table_end_cell(table);
	}
	const double all = nsides == 2 ? annotation_figure(rows, 1, total[1]) -
						 annotation_figure(rows, 0, total[0])
				       : annotation_figure(rows, 0, total[0]);

	if (nsides == 2 && (total[0] > 0 || total[1] > 0))
		put_difference(rows, all, table_cell(table));
	else if (nsides == 1 && total[0] > 0)
		put_cell(rows, all, table_cell(table));
	table_end_cell(table);
}

static void
put_source_line(const struct annotation_rows *rows, const struct annotation_row *row,
	uint32_t number, const struct source_text *source, struct table *table)
{
	static const double nothing[2];

	put_numbers(rows, row ? row->self : nothing, row ? row->total : nothing, table);
	if (number > 0)
		buf_printf(table_cell(table), "%" PRIu32, number);
	table_end_cell(table);
	if (number == 0)
		buf_puts(table_cell(table), "(no line is known)");
	source_text_put(source, number, table_cell(table));
	table_end_cell(table);
}

/* A line without weight, where there is its text. */
static void
put_context(const struct annotation_rows *rows, uint32_t line, const struct source_text *source,
	struct table *table)
{
	if (line <= source->nlines)
		put_source_line(rows, NULL, line, source, table);
}

/* The row of an instruction with these weights of the last side. */
static void
put_instruction(const struct annotation_rows *rows,
	const struct annotation_instruction *instruction, double self, double total,
	struct table *table)
{
	const size_t last = rows->annotation->nsides - 1;

	for (size_t i = 0; i < last; i++)
		table_put(table, "");
	if (self > 0)
		put_cell(rows, annotation_figure(rows, last, self), table_cell(table));
	table_end_cell(table);
	if (last > 0)
		table_put(table, "");
	if (total > 0 && last == 0)
		put_cell(rows, annotation_figure(rows, 0, total), table_cell(table));
	table_end_cell(table);
	buf_printf(table_cell(table), "%" PRIx64, instruction->address);
	table_end_cell(table);
	analysis_pad(table_cell(table), INSTRUCTION_INDENT);
	buf_puts(table_cell(table), instruction->text);
	table_end_cell(table);
}

/* The index of the instruction that holds the code; SIZE_MAX: its text is not known. */
static size_t
instruction_of(const struct annotation *annotation, const struct code_weight *code)
{
	size_t low = 0;
	size_t high = annotation->ninstructions;

	while (low < high) {
		const size_t middle = (low + high) / 2;
		const struct annotation_instruction *at = &annotation->instructions[middle];

		if (at->module < code->module ||
			(at->module == code->module && at->offset <= code->offset))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return SIZE_MAX;
	const struct annotation_instruction *found = &annotation->instructions[low - 1];

	return found->module == code->module && code->offset - found->offset < found->bytes
		       ? low - 1
		       : SIZE_MAX;
}

/* The instructions of a line that have weight. */
static void
put_line_instructions(
	const struct annotation_rows *rows, const struct annotation_row *row, struct table *table)
{
	const struct line_weights *weights = annotation_last(rows->annotation)->weights;

	for (size_t i = 0; i < rows->ncodes; i++) {
		const struct code_weight *code = &weights->codes[rows->codes[i]];
		const size_t at =
			code->line == row->from && code->total >= weights->total * LEAST_SHARE
				? instruction_of(rows->annotation, code)
				: SIZE_MAX;

		if (at != SIZE_MAX)
			put_instruction(rows, &rows->annotation->instructions[at], code->self,
				code->total, table);
	}
}

/* The rows of one file, and the lines around them; returns the first row of the next one. */
static size_t
put_file(const struct annotation_rows *rows, size_t first, const struct source_text *source,
	struct table *table)
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
			put_gap(rows, table);
		for (uint32_t at = from > next ? from : next; at < row->line; at++)
			put_context(rows, at, source, table);
		put_source_line(rows, row, row->line, source, table);
		put_line_instructions(rows, row, table);
		for (next = row->line + 1;
			row->line > 0 && next <= row->line + CONTEXT_LINES && next < until; next++)
			put_context(rows, next, source, table);
	}
	return i;
}

static void
put_lines(const struct annotation_rows *rows, struct buf *out)
{
	static const struct table_column one[] = {
		{"self", true, 0}, {"total", true, 0}, {"line", true, 0}, {"", false, 0}};
	static const struct table_column two[] = {{"before", true, 0}, {"after", true, 0},
		{"change", true, 0}, {"with calls", true, 0}, {"line", true, 0}, {"", false, 0}};
	struct buf place = {0};
	struct table table;

	for (size_t i = 0; i < rows->count;) {
		const char *path = rows->files[rows->rows[i].file].path;
		struct source_text source = {0};

		place_put_path(&place, path ? path : "");
		buf_putc(out, '\n');
		escape_utf8(out, buf_text(&place), place.len);
		buf_clear(&place);
		if (!path)
			buf_puts(out, "(no source file is known)");
		else if (!source_text_find(
				 &source, path, annotation_last(rows->annotation)->folder))
			buf_puts(out, " (not found: '--source DIR' says where sources are)");
		buf_putc(out, '\n');
		table_init(&table, rows->annotation->nsides == 2 ? two : one, ncolumns_of(rows));
		i = put_file(rows, i, &source, &table);
		table_write(&table, 0, out);
		table_release(&table);
		source_text_release(&source);
	}
	buf_release(&place);
}

static void
put_listed(const struct annotation_rows *rows, const struct annotation_instruction *instruction,
	const struct line_weight *sum, struct table *table)
{
	const size_t last = rows->annotation->nsides - 1;

	if (sum->self > 0)
		put_cell(rows, annotation_figure(rows, last, sum->self), table_cell(table));
	table_end_cell(table);
	if (sum->total > 0)
		put_cell(rows, annotation_figure(rows, last, sum->total), table_cell(table));
	table_end_cell(table);
	buf_printf(table_cell(table), "%" PRIx64, instruction->address);
	table_end_cell(table);
	table_put(table, instruction->text);
}

/* All instructions, each with the weight of all lines that it is of. */
static void
put_listing(const struct annotation_rows *rows, struct buf *out)
{
	static const struct table_column columns[] = {
		{"self", true, 0}, {"total", true, 0}, {"address", true, 0}, {"", false, 0}};
	const struct annotation *annotation = rows->annotation;
	const struct line_weights *weights = annotation_last(annotation)->weights;
	struct line_weight *sums = mem_zalloc(annotation->ninstructions + 1, sizeof(*sums));
	struct table table;

	for (size_t i = 0; i < weights->ncodes; i++) {
		const size_t at = instruction_of(annotation, &weights->codes[i]);

		if (at == SIZE_MAX)
			continue;
		sums[at].self += weights->codes[i].self;
		sums[at].total += weights->codes[i].total;
	}
	table_init(&table, columns, 4);
	for (size_t i = 0; i < annotation->ninstructions; i++)
		put_listed(rows, &annotation->instructions[i], &sums[i], &table);
	buf_putc(out, '\n');
	table_write(&table, 0, out);
	table_release(&table);
	free(sums);
}

void
annotation_write(const struct annotation *annotation, struct buf *out)
{
	struct annotation_rows rows;

	annotation_rows_init(&rows, annotation);
	put_heading(&rows, out);
	if (annotation->nsides == 2)
		put_growth(&rows, out);
	put_lines(&rows, out);
	if (annotation->listing && annotation->ninstructions > 0)
		put_listing(&rows, out);
	annotation_rows_release(&rows);
}
