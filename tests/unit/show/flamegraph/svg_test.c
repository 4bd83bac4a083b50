#include "flamegraph/draw.h"

void suite_flamegraph_svg(void);

static size_t
times(const struct buf *out, const char *text)
{
	size_t n = 0;

	for (const char *at = buf_text(out); (at = strstr(at, text)); at++)
		n++;
	return n;
}

static void
a_picture_for_a_page_has_no_shared_parts_and_no_ids(void)
{
	struct flamegraph_options options = {.title = "in a page", .embedded = true};
	struct profile profile;
	struct buf out = {0};

	read_folded(&profile, "main;a 1\nmain;b 2\n");
	flamegraph_write(&profile, &options, &out);
	profile_release(&profile);

	CU_ASSERT_EQUAL(strncmp(buf_text(&out), "<svg ", 5), 0);
	CU_ASSERT_EQUAL(times(&out, "<?xml"), 0);
	CU_ASSERT_EQUAL(times(&out, "<style"), 0);
	CU_ASSERT_EQUAL(times(&out, "<script"), 0);
	CU_ASSERT_EQUAL(times(&out, "<defs"), 0);
	CU_ASSERT_EQUAL(times(&out, " id="), 0);
	CU_ASSERT_EQUAL(times(&out, "</svg>"), 1);
	buf_release(&out);
}

static struct buf
draw_in_page(const char *folded, struct flamegraph_page *page)
{
	const struct flamegraph_options options = {
		.title = "in a page", .embedded = true, .coarse = true, .page = page};
	struct profile profile;
	struct buf out = {0};

	read_folded(&profile, folded);
	flamegraph_write(&profile, &options, &out);
	profile_release(&profile);
	return out;
}

/* The first two names of each are those of small frames and of the whole. */
static void
pictures_of_a_page_name_a_function_once(void)
{
	struct flamegraph_page page;
	struct buf list = {0};

	flamegraph_page_init(&page);
	struct buf first = draw_in_page("main;alpha 1\nmain;beta 2\n", &page);
	struct buf second = draw_in_page("main;beta 9999999\nmain;gamma 1\n", &page);

	flamegraph_page_put(&page, &list);
	CU_ASSERT_EQUAL(times(&list, "\nbeta"), 1);
	CU_ASSERT_EQUAL(times(&list, "\ngamma"), 1);
	/* Lines one after the other, with classes; the second picture knows but the last of them
	 * not. */
	UNIT_CONTAINS(buf_text(&first), "<metadata class=\"names\">C{o}C{z}C{");
	UNIT_CONTAINS(buf_text(&second), "<metadata class=\"names\">C{o}C{z}C{");
	CU_ASSERT_EQUAL(times(&second, "gamma"), 0);
	CU_ASSERT_EQUAL(times(&first, "<title>"), 1);
	flamegraph_page_release(&page);
	buf_release(&list);
	buf_release(&second);
	buf_release(&first);
}

static void
shared_parts_stand_in_an_element_of_a_page_unchanged(void)
{
	/* What would end the element, or be taken for its end, must not occur. */
	CU_ASSERT_PTR_NULL(strstr(flamegraph_page_part(FLAMEGRAPH_STYLE), "</"));
	CU_ASSERT_PTR_NULL(strstr(flamegraph_page_part(FLAMEGRAPH_SCRIPT), "</"));
	CU_ASSERT_PTR_NULL(strstr(flamegraph_page_part(FLAMEGRAPH_SCRIPT), "<!--"));
	CU_ASSERT_PTR_NULL(strstr(flamegraph_page_part(FLAMEGRAPH_SCRIPT), "]]>"));
	UNIT_CONTAINS(flamegraph_page_part(FLAMEGRAPH_PATTERNS), "<pattern id=\"flamegraph-new\"");
}

static void
a_picture_of_its_own_has_all_parts_once(void)
{
	struct buf out = draw("main;a 1\nmain;b 2\n");

	CU_ASSERT_EQUAL(times(&out, "<?xml"), 1);
	CU_ASSERT_EQUAL(times(&out, "<style>"), 1);
	CU_ASSERT_EQUAL(times(&out, "<script>"), 1);
	CU_ASSERT_EQUAL(times(&out, "<defs>"), 1);
	buf_release(&out);
}

static void
a_still_picture_has_style_but_neither_script_nor_data(void)
{
	struct flamegraph_options options = {.title = "still", .still = true};
	struct profile profile;
	struct buf out = {0};
	struct buf live = draw("main;a 1\nmain;b 2\n");

	read_folded(&profile, "main;a 1\nmain;b 2\n");
	flamegraph_write(&profile, &options, &out);
	profile_release(&profile);

	CU_ASSERT_EQUAL(times(&out, "<style>"), 1);
	CU_ASSERT_EQUAL(times(&out, "<script"), 0);
	CU_ASSERT_EQUAL(times(&out, "<metadata"), 0);
	CU_ASSERT_EQUAL(times(&out, "<path class=\"w "), times(&live, "<path class=\"w "));
	buf_release(&live);
	buf_release(&out);
}

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
	CU_ASSERT_EQUAL(paths(&out, "<g class=\"slivers\""), 1);
	/* Neighbours run together. */
	CU_ASSERT_EQUAL(count(&out, "v15h-"), 4);
	buf_release(&out);
}

/* 2000 of a twentieth of a pixel: together a hundred pixels of the picture. */
static void
boxes_too_narrow_to_draw_are_one_that_says_so_and_all_in_the_data(void)
{
	struct buf text = {0};

	buf_puts(&text, "main;wide 21600\n");
	for (int i = 0; i < 2000; i++)
		buf_printf(&text, "main;f%04d;g 1\n", i);
	struct buf out = draw(buf_text(&text));

	CU_ASSERT_EQUAL(paths(&out, "<g class=\"slivers\""), 1);
	UNIT_CONTAINS(buf_text(&out), "<path class=\"o\" d=\"M10 ");
	CU_ASSERT_EQUAL(count(&out, "\n2 "), 2001);
	CU_ASSERT_EQUAL(count(&out, "\n3 "), 2000);
	buf_release(&out);
	buf_release(&text);
}

static void
narrower_frames_than_asked_for_are_left_out_and_counted(void)
{
	struct flamegraph_options options = {.title = "test", .min_width_px = 0.5};
	struct buf out = draw_slivers(&options);

	UNIT_CONTAINS(buf_text(&out), "2,000 frames, the smallest, are left out of this file");
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
suite_flamegraph_svg(void)
{
#define CASE(name)          \
	{                   \
#name, name \
	}
	static const struct unit_case cases[] = {
		CASE(a_picture_for_a_page_has_no_shared_parts_and_no_ids),
		CASE(pictures_of_a_page_name_a_function_once),
		CASE(shared_parts_stand_in_an_element_of_a_page_unchanged),
		CASE(a_picture_of_its_own_has_all_parts_once),
		CASE(a_still_picture_has_style_but_neither_script_nor_data),
		CASE(boxes_that_nobody_can_point_at_are_one_shape_a_colour),
		CASE(boxes_too_narrow_to_draw_are_one_that_says_so_and_all_in_the_data),
		CASE(narrower_frames_than_asked_for_are_left_out_and_counted),
		CASE(the_height_of_a_frame_can_be_chosen),
		{NULL, NULL},
	};
#undef CASE

	unit_suite("flamegraph/svg", cases);
}
