/*
 * Which lines of a function became slower from one side of its annotation to the other, as a
 * sentence.
 */
#include "analysis/annotation.h"

#include "base/escape.h"
#include "base/mem.h"
#include "format/figures.h"
#include "format/place.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define NAMED_GROWTH 0.2 /* a line with at least so much of the growth is named, ... */
#define NAMED_MOST 3     /* ... if it is among these, ... */
#define NAMED_ENOUGH 0.8 /* ... and those before it do not have so much together */
#define SEEN_REST 0.005  /* other lines with so much of the growth have a figure */
#define NAMED_SHIFT 0.05 /* of the function: a line with so much more than its part is named */

/* The weight of the function's own code on a side. */
static double
function_figure(const struct annotation_rows *rows, size_t side)
{
	return annotation_figure(rows, side, rows->annotation->sides[side].weights->self);
}

static void
put_place(const struct annotation_rows *rows, const struct annotation_row *row, struct buf *out)
{
	struct buf place = {0};

	place_put(&place, annotation_file_shown(&rows->files.all[row->file]), row->line);
	escape_utf8(out, buf_text(&place), place.len);
	buf_release(&place);
}

/* Appends how much the function shrank. */
static void
put_decrease(const struct annotation_rows *rows, double value, struct buf *out)
{
	annotation_put_figure(rows, value, out);
	buf_puts(out, rows->costs ? "" : " of the program");
}

/* " +12 ms" */
static void
put_growth(const struct annotation_rows *rows, double value, struct buf *out)
{
	buf_puts(out, value > 0 ? " +" : " ");
	annotation_put_figure(rows, value, out);
}

/* The growth of a line's own weight. */
static double
growth_of(const struct annotation_rows *rows, const struct annotation_row *row)
{
	return annotation_figure(rows, 1, row->self[1]) - annotation_figure(rows, 0, row->self[0]);
}

/* Whether it grew less than `other`, or as much and stands behind it. */
static bool
comes_after(const struct annotation_rows *rows, const struct annotation_row *row,
	const struct annotation_row *other)
{
	const double growth = growth_of(rows, row);
	const double before = growth_of(rows, other);

	return growth < before || (!(growth > before) && row > other);
}

/* The line that grew most of those that come after `last`, or of all; NULL if there is none. */
static const struct annotation_row *
next_growth(const struct annotation_rows *rows, const struct annotation_row *last)
{
	const struct annotation_row *next = NULL;

	for (size_t i = 0; i < rows->count; i++) {
		const struct annotation_row *row = &rows->rows[i];

		if (row->line > 0 && (!last || comes_after(rows, row, last)) &&
			(!next || comes_after(rows, next, row)))
			next = row;
	}
	return next;
}

/* The instruction of the line that has most weight, if it has at least half of the line's. */
static void
put_hottest(const struct annotation_rows *rows, const struct annotation_row *row, struct buf *out)
{
	const struct annotation_cell *most = NULL;
	const size_t at = (size_t)(row - rows->rows);

	for (size_t i = annotation_first_cell(rows, at);
		i < rows->ncells && rows->cells[i].row == at; i++)
		if (!most || rows->cells[i].self[1] > most->self[1])
			most = &rows->cells[i];
	if (!most || most->self[1] * 2 < row->self[1])
		return;
	const struct annotation_instruction *instruction =
		&rows->annotation->code[1].instructions[most->instruction];

	buf_printf(out, "; most of that line is at %" PRIx64 ": ", instruction->address);
	/* Operands stand in their own column. */
	for (const char *c = instruction->text; *c; c++)
		if (*c != ' ' || c[1] != ' ')
			buf_putc(out, *c);
}

void
annotation_put_growth(const struct annotation_rows *rows, struct buf *out)
{
	const double all = function_figure(rows, 1) - function_figure(rows, 0);
	const struct annotation_row *first = next_growth(rows, NULL);
	const struct annotation_row *row = first;
	double sum = 0;

	if (!first || !(all > 0) || growth_of(rows, first) < all * NAMED_GROWTH)
		return;
	for (size_t named = 0; row && named < NAMED_MOST; named++) {
		/* Others may have shrunk, but a line is not said to have grown by more than all. */
		const double growth = fmin(growth_of(rows, row), all);

		if (growth < all * NAMED_GROWTH || sum >= all * NAMED_ENOUGH)
			break;
		sum += growth;
		buf_puts(out, named > 0 ? ", " : "");
		put_place(rows, row, out);
		put_growth(rows, growth, out);
		row = next_growth(rows, row);
	}
	if (fabs(all - sum) >= all * SEEN_REST) {
		buf_puts(out, ", other lines");
		put_growth(rows, all - sum, out);
	}
	buf_puts(out, " of");
	put_growth(rows, all, out);
	buf_puts(out, rows->costs ? "" : " of the program");
	put_hottest(rows, first, out);
}

/* The weight of a line after, as a part of that before. */
struct line_change {
	double ratio;
	double before;
};

static int
compare_changes(const void *a, const void *b)
{
	const struct line_change *one = a;
	const struct line_change *other = b;

	return (one->ratio > other->ratio) - (one->ratio < other->ratio);
}

/*
 * The weights of the lines after, as a part of those before: the median, by their weight before.
 * On a machine that is faster now this is below 1, also where one of them became slower.
 */
static double
usual_change(const struct annotation_rows *rows)
{
	struct line_change *changes = mem_zalloc(rows->count + 1, sizeof(*changes));
	size_t count = 0;
	double all = 0;
	double sum = 0;
	double usual = 0;

	for (size_t i = 0; i < rows->count; i++) {
		const double before = annotation_figure(rows, 0, rows->rows[i].self[0]);

		if (!(before > 0))
			continue;
		changes[count++] = (struct line_change){
			annotation_figure(rows, 1, rows->rows[i].self[1]) / before, before};
		all += before;
	}
	qsort(changes, count, sizeof(*changes), compare_changes);
	for (size_t i = 0; i < count && sum * 2 < all; i++) {
		usual = changes[i].ratio;
		sum += changes[i].before;
	}
	free(changes);
	return usual;
}

void
annotation_put_shift(const struct annotation_rows *rows, struct buf *out)
{
	const double whole[2] = {function_figure(rows, 0), function_figure(rows, 1)};
	const double usual = usual_change(rows);
	const struct annotation_row *most = NULL;
	double most_share[2] = {0};
	double most_excess = whole[1] * NAMED_SHIFT;

	if (!(whole[0] > 0) || !(whole[1] > 0) || whole[1] > whole[0])
		return;
	for (size_t i = 0; i < rows->count; i++) {
		const struct annotation_row *row = &rows->rows[i];
		const double before = annotation_figure(rows, 0, row->self[0]);
		const double after = annotation_figure(rows, 1, row->self[1]);

		if (row->line == 0 || after - before * usual <= most_excess ||
			after / whole[1] <= before / whole[0])
			continue;
		most = row;
		most_excess = after - before * usual;
		most_share[0] = before / whole[0];
		most_share[1] = after / whole[1];
	}
	if (!most)
		return;
	put_place(rows, most, out);
	buf_puts(out, " grew from ");
	format_percent(out, most_share[0]);
	buf_puts(out, " to ");
	format_percent(out, most_share[1]);
	buf_puts(out, " of the function, which ");
	if (whole[1] < whole[0]) {
		buf_puts(out, "shrank by ");
		put_decrease(rows, whole[0] - whole[1], out);
	} else {
		buf_puts(out, "did not grow");
	}
	put_hottest(rows, most, out);
}
