#include "flamegraph/movers.h"

#include "base/mem.h"
#include "flamegraph/change.h"
#include "format/name_fit.h"

#include <stdlib.h>
#include <string.h>

#define TOP 5
#define GAP_COLUMNS 4 /* the sign ahead of a name, and the gap before the numbers */
#define LEAST_NAME_COLUMNS 16
#define LINE_PX 15
#define TWO_COLUMNS_PX 1000

struct mover {
	struct flamegraph_change change;
	frame_id frame;
	const char *name;
	double worth; /* of the whole, drift taken out; positive for growth */
};

static int
compare_movers(const void *a, const void *b)
{
	const struct mover *x = a;
	const struct mover *y = b;

	if (x->worth != y->worth)
		return x->worth < y->worth ? 1 : -1;
	int order = strcmp(x->name, y->name);

	return order != 0 ? order : (x->frame > y->frame) - (x->frame < y->frame);
}

/* All functions that changed significantly, from most grown to most shrunk; free() them. */
static struct mover *
find_movers(const struct flamegraph_sides *sides, size_t *count)
{
	const struct profile *profile = &sides->comparison->profile;
	struct flamegraph_change *changes = flamegraph_change_functions(sides);
	struct mover *movers = NULL;
	size_t capacity = 0;

	*count = 0;
	for (frame_id frame = 1; frame < profile->frames.nframes; frame++) {
		const struct flamegraph_change *change = &changes[frame];

		if (!change->significant || frame_name_is_mark(profile_frame_name(profile, frame)))
			continue;
		movers = mem_grow(movers, &capacity, *count + 1, sizeof(*movers));
		movers[(*count)++] = (struct mover){
			.change = *change,
			.frame = frame,
			.name = profile_frame_name(profile, frame),
			.worth = change->after / sides->drift - change->before,
		};
	}
	if (*count > 1)
		qsort(movers, *count, sizeof(*movers), compare_movers);
	free(changes);
	return movers;
}

static void
put_mover_numbers(const struct flamegraph_sides *sides, const struct mover *mover, struct buf *out)
{
	flamegraph_change_put_costs(sides, &mover->change, out);
	buf_puts(out, "  ");
	flamegraph_change_put_ratio(&mover->change, out);
}

struct column {
	unsigned x;
	unsigned width_px;
	size_t name_columns; /* the longest, of all that are drawn */
	size_t numbers_columns;
};

static void
draw_mover(struct flamegraph_svg *svg, const struct flamegraph_sides *sides,
	const struct mover *mover, const struct column *column)
{
	size_t columns = (size_t)(column->width_px / FLAMEGRAPH_COLUMN_PX);
	bool beside = columns >= column->numbers_columns + GAP_COLUMNS + LEAST_NAME_COLUMNS;
	size_t columns_of_name = beside ? columns - column->numbers_columns - 2 : columns;
	double x = column->x + FLAMEGRAPH_COLUMN_PX * 2;
	struct buf name = {0};
	struct buf text = {0};

	profile_put_frame(&sides->comparison->profile, mover->frame, &name);
	buf_puts(&text, mover->worth > 0 ? FLAMEGRAPH_UP " " : FLAMEGRAPH_DOWN " ");
	name_fit_as(&text, buf_text(&name), name.len, columns_of_name - (beside ? GAP_COLUMNS : 2),
		&name_picture);
	flamegraph_svg_text_at(svg, column->x, "mono", buf_text(&text));
	buf_clear(&text);
	put_mover_numbers(sides, mover, &text);
	if (beside)
		x = column->x + (double)(column->name_columns < columns_of_name
						 ? column->name_columns
						 : columns_of_name) *
					FLAMEGRAPH_COLUMN_PX;
	else
		svg->y += LINE_PX;
	flamegraph_svg_text_at(svg, (unsigned)x, "mono", buf_text(&text));
	svg->y += LINE_PX;
	buf_release(&name);
	buf_release(&text);
}

/* A heading and its movers, from the current line on; returns the line below. */
static unsigned
draw_list(struct flamegraph_svg *svg, const struct flamegraph_sides *sides,
	const struct mover *const *movers, const struct column *column, const char *heading)
{
	unsigned start = svg->y;
	unsigned end;

	flamegraph_svg_text_at(svg, column->x, "heading", heading);
	svg->y += 16;
	if (!movers[0]) {
		flamegraph_svg_text_at(svg, column->x, "quiet", "nothing beyond noise");
		svg->y += LINE_PX;
	}
	for (size_t i = 0; movers[i]; i++)
		draw_mover(svg, sides, movers[i], column);
	end = svg->y;
	svg->y = start;
	return end;
}

/* Makes the column wide enough for the texts of its movers. */
static void
measure_labels(const struct flamegraph_sides *sides, const struct mover *const *movers,
	struct column *column)
{
	const struct profile *profile = &sides->comparison->profile;
	struct buf text = {0};

	for (size_t i = 0; movers[i]; i++) {
		buf_clear(&text);
		put_mover_numbers(sides, movers[i], &text);
		size_t numbers = name_columns(buf_text(&text), text.len);

		buf_clear(&text);
		profile_put_frame(profile, movers[i]->frame, &text);
		size_t name = name_columns(buf_text(&text), text.len) + GAP_COLUMNS;

		if (numbers > column->numbers_columns)
			column->numbers_columns = numbers;
		if (name > column->name_columns)
			column->name_columns = name;
	}
	buf_release(&text);
}

void
flamegraph_draw_movers(struct flamegraph_svg *svg, const struct flamegraph_sides *sides)
{
	const struct mover *grown[TOP + 1] = {0};
	const struct mover *shrunk[TOP + 1] = {0};
	unsigned drawing = svg->width_px - 2 * FLAMEGRAPH_MARGIN_PX;
	bool beside = svg->width_px >= TWO_COLUMNS_PX;
	struct column left = {
		.x = FLAMEGRAPH_MARGIN_PX, .width_px = beside ? drawing / 2 : drawing};
	size_t count;
	struct mover *movers = find_movers(sides, &count);

	for (size_t i = 0; i < count && i < TOP && movers[i].worth > 0; i++)
		grown[i] = &movers[i];
	for (size_t i = 0; i < count && i < TOP && movers[count - 1 - i].worth < 0; i++)
		shrunk[i] = &movers[count - 1 - i];
	measure_labels(sides, grown, &left);
	if (!beside)
		measure_labels(sides, shrunk, &left);
	struct column right = left;

	if (beside) {
		right.x += drawing / 2;
		right.name_columns = right.numbers_columns = 0;
		measure_labels(sides, shrunk, &right);
	}
	svg->y += 6;
	unsigned end = draw_list(svg, sides, grown, &left, "Grew most, own cost with inlined code");

	if (!beside)
		svg->y = end + 6;
	unsigned right_end =
		draw_list(svg, sides, shrunk, &right, "Shrank most, own cost with inlined code");

	svg->y = end > right_end ? end : right_end;
	free(movers);
}
