#include "flamegraph/draw.h"

#include <stdlib.h>

void suite_flamegraph_svg_box(void);

/* 2000 functions of which the first has nearly all the weight. */
static struct buf
draw_slivers(const struct flamegraph_options *options)
{
	struct buf text = {0};

	buf_puts(&text, "main;wide 1000000\n");
	for (int i = 0; i < 2000; i++)
		buf_printf(&text, "main;f%04d 300\n", i);
	struct buf out = draw_with(buf_text(&text), options);

	buf_release(&text);
	return out;
}

static size_t
paths(const struct buf *out, const char *layer)
{
	const char *at = strstr(buf_text(out), layer);
	const char *end = at ? strstr(at, "</g>") : NULL;
	size_t n = 0;

	for (; at && (at = strstr(at, "<path")) && at < end; at++)
		n++;
	return n;
}

static void
boxes_that_nobody_can_point_at_are_one_shape_a_colour(void)
{
	struct buf out = draw_slivers(&plain);

	CU_ASSERT_EQUAL(paths(&out, "<g class=\"boxes\""), 3); /* all, main, wide */
	CU_ASSERT_EQUAL(paths(&out, "<g class=\"slivers\""), 5);
	buf_release(&out);
}

static void
the_data_tells_which_boxes_have_no_shape(void)
{
	struct buf out = draw_slivers(&plain);
	const char *at = strstr(buf_text(&out), "<metadata class=\"slivers\">");
	bool seen[2003] = {false};
	size_t count = 0;

	CU_ASSERT_PTR_NOT_NULL(at);
	at = at ? at : "";
	for (at += strcspn(at, ">") + (*at != '\0'); *at && *at != '<'; at += *at == '\n') {
		size_t index = 0;

		at += strcspn(at, " \n");
		while (*at == ' ') {
			size_t step = strtoul(at + 1, (char **)&at, 10);

			index += step;
			CU_ASSERT_FATAL(index < 2003 && !seen[index]);
			seen[index] = true;
			count++;
		}
	}
	/* All but the whole, main and wide, which comes last by its name. */
	CU_ASSERT_EQUAL(count, 2000);
	CU_ASSERT_FALSE(seen[0] || seen[1] || seen[2002]);
	buf_release(&out);
}

static void
narrower_frames_than_asked_for_are_left_out_and_counted(void)
{
	struct flamegraph_options options = {.title = "test", .min_width_px = 0.5};
	struct buf out = draw_slivers(&options);

	UNIT_CONTAINS(buf_text(&out), "2,000 frames too small to draw");
	CU_ASSERT_EQUAL(paths(&out, "<g class=\"slivers\""), 0);
	buf_release(&out);
}

static void
the_height_of_a_frame_can_be_chosen(void)
{
	struct flamegraph_options options = {.title = "test", .row_px = 30, .icicle = true};
	struct buf out = draw_with("main;a 1\n", &options);

	CU_ASSERT_PTR_NOT_NULL(strstr(buf_text(&out), "data-row=\"30\""));
	CU_ASSERT_PTR_NOT_NULL(strstr(buf_text(&out), "v29h-1180z"));
	buf_release(&out);
}

void
suite_flamegraph_svg_box(void)
{
#define CASE(name)          \
	{                   \
#name, name \
	}
	static const struct unit_case cases[] = {
		CASE(boxes_that_nobody_can_point_at_are_one_shape_a_colour),
		CASE(the_data_tells_which_boxes_have_no_shape),
		CASE(narrower_frames_than_asked_for_are_left_out_and_counted),
		CASE(the_height_of_a_frame_can_be_chosen),
		{NULL, NULL},
	};
#undef CASE

	unit_suite("flamegraph/svg_box", cases);
}
