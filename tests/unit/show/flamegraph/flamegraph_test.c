#include "flamegraph/flamegraph.h"

#include "base/mem.h"
#include "flamegraph/draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void suite_flamegraph_flamegraph(void);

static void
siblings_whose_names_continue_one_another_are_one_box_each(void)
{
	struct buf out = draw("a;foo 1\na;foo.part.0 1\na;foo;bar 2\n");
	char class[16];
	double x;
	double width;

	CU_ASSERT_EQUAL(count(&out, "<title>foo\n"), 1);
	CU_ASSERT_EQUAL(count(&out, "<title>foo.part.0\n"), 1);
	CU_ASSERT_TRUE(find_box(&out, "foo", class, &x, &width));
	UNIT_NEAR(x, 10, 0.001);
	UNIT_NEAR(width, 1180 * 0.75, 0.011);
	CU_ASSERT_TRUE(find_box(&out, "foo.part.0", class, &x, &width));
	UNIT_NEAR(x, 10 + 1180 * 0.75, 0.011);
	UNIT_CONTAINS(buf_text(&out), "foo\n3 samples, 75.0 %\nself 1 samples, 25.0 %");
	buf_release(&out);
}

static void
the_order_of_lines_does_not_matter(void)
{
	struct buf one = draw("m;a;x 3\nm;b 2.5\nm;a_[k] 4\nm;a;y 1\nn 1\n");
	struct buf other = draw("n 1\nm;a;y 1\nm;a_[k] 4\nm;b 2.5\nm;a;x 1\nm;a;x 2\n");

	CU_ASSERT_STRING_EQUAL(buf_text(&one), buf_text(&other));
	buf_release(&one);
	buf_release(&other);
}

static const char hostile[] =
	"<script>alert(1)</script>;]]>;\"on&#x27;load='x;\x01\x1b[31m;\xff\xc3(;\xe2\x80\xaeright 3\n"
	"</metadata></svg>;<![CDATA[;-->;a\tb 5\n";

static void
hostile_names_stay_text(void)
{
	struct buf out = draw(hostile);

	CU_ASSERT_EQUAL(count(&out, "<script>"), 1); /* ours */
	CU_ASSERT_EQUAL(count(&out, "</svg>"), 1);
	CU_ASSERT_EQUAL(count(&out, "\x1b"), 0);
	CU_ASSERT_EQUAL(count(&out, "\xe2\x80\xae"), 0);
	UNIT_CONTAINS(buf_text(&out), "&lt;script&gt;alert(1)&lt;/script&gt;");
	buf_release(&out);
}

static void
xmllint_accepts_hostile_names(void)
{
	char path[] = "/tmp/flamegraph-XXXXXX";
	char command[128];
	struct buf out = {0};

	if (system("command -v xmllint >/dev/null 2>&1") != 0) {
		unit_skip("xmllint is not installed");
		return;
	}
	out = draw_difference(hostile, "</metadata></svg>;<![CDATA[;--> 5\n\xf0\x9f\x98\x80 2\n");
	int fd = mkstemp(path);

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(write(fd, buf_text(&out), out.len), (ssize_t)out.len);
	close(fd);
	snprintf(command, sizeof(command), "xmllint --noout %s", path);
	CU_ASSERT_EQUAL(system(command), 0);
	unlink(path);
	buf_release(&out);
}

/* A line for each of `functions`, whose name is `part` so many times between its start and end. */
static struct buf
draw_long_names(int functions, const char *part, int times)
{
	struct buf text = {0};

	for (int k = 0; k < functions; k++) {
		buf_printf(&text, "main;box%d<", k);
		for (int i = 0; i < times; i++)
			buf_puts(&text, part);
		buf_puts(&text, "int>::grow 1\n");
	}
	struct buf out = draw(buf_text(&text));

	buf_release(&text);
	return out;
}

static void
a_long_name_is_whole_in_its_tooltip(void)
{
	struct buf out = draw_long_names(3, "std::map<int, long>, ", 2000);

	/* In the tooltip and in the data; of its box it is too long. */
	CU_ASSERT_EQUAL(count(&out, "std::map&lt;int, long&gt;, int&gt;::grow\n"), 3);
	CU_ASSERT_EQUAL(count(&out, "std::map&lt;int, long&gt;, int&gt;::grow\tu"), 3);
	CU_ASSERT_EQUAL(count(&out, "std::map&lt;int, long&gt;, "), 12000);
	CU_ASSERT_EQUAL(count(&out, "::grow</text>"), 3);
	buf_release(&out);
}

static void
many_long_names_are_cut_between_characters(void)
{
	struct buf out = draw_long_names(10, "\xe6\xbc\xa2", 30000);

	/* Nothing is cut inside a character, and each name stands in two places only in part. */
	CU_ASSERT_EQUAL(count(&out, "\xef\xbf\xbd"), 0);
	CU_ASSERT_TRUE(count(&out, "\xe6\xbc\xa2") < 10000);
	CU_ASSERT_TRUE(count(&out, "\xe6\xbc\xa2") > 6000);
	/* They keep what the function is called. */
	CU_ASSERT_EQUAL(count(&out, "int&gt;::grow\n"), 10);
	CU_ASSERT_EQUAL(count(&out, "int&gt;::grow\tu"), 10);
	buf_release(&out);
}

static void
titles_are_cut_at_their_end_and_are_no_names(void)
{
	const struct flamegraph_options narrow = {
		.title = "run 'f(a<b, c>d)' and then a second program f(x)",
		.subtitle = "A::B <c> (d)",
		.width_px = 400,
	};
	struct buf out = draw_with("main 1\n", &narrow);

	UNIT_CONTAINS(buf_text(&out),
		">run &#39;f(a&lt;b, c&gt;d)&#39; and then a second\xe2\x80\xa6</text>");
	UNIT_CONTAINS(buf_text(&out), ">A::B &lt;c&gt; (d)</text>");
	UNIT_CONTAINS(buf_text(&out), "and then a second program f(x)</title>");
	buf_release(&out);
}

static void
long_names_lose_arguments_then_templates_then_their_middle(void)
{
	/* 1180 px for 100 samples: 10 % hold 16 columns. */
	struct buf out = draw("f(int, char const*, unsigned long) 10\n"
			      "ns::vector<std::string>::push 10\n"
			      "outer::inner::deep::call_me 10\n"
			      "a_rather_long_c_name 10\n"
			      "X::operator()(int, long, short) 10\n"
			      "outer::inner::short_one 6\nz 44\n");

	UNIT_CONTAINS(buf_text(&out), ">f</text>");
	UNIT_CONTAINS(buf_text(&out), ">X::operator()</text>");
	UNIT_CONTAINS(buf_text(&out), ">outer\xe2\x80\xa6p::call_me</text>");
	UNIT_CONTAINS(buf_text(&out), ">short_one</text>");
	UNIT_CONTAINS(buf_text(&out), ">a_rather_l\xe2\x80\xa6_name</text>");
	UNIT_CONTAINS(buf_text(&out), "\xe2\x80\xa6");
	CU_ASSERT_EQUAL(count(&out, "&lt;std::string&gt;::push</text>"), 0);
	buf_release(&out);
}

static void
a_level_needs_a_box_to_see_or_many_slivers_to_have_a_row(void)
{
	/* 1180 px for 10,000 samples: 30 are 3.5 px, 40 are 4.7 px, and 4 times 30 are 14 px. */
	static const struct {
		const char *profile;
		const char *rows;
	} levels[] = {
		{"a 9970\na;b;c 30\n", "data-rows=\"2\""},
		{"a 9960\na;b;c 40\n", "data-rows=\"4\""},
		{"a 9880\na;b;c 30\na;d;e 30\na;f;g 30\na;h;i 30\n", "data-rows=\"4\""},
	};

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		struct buf out = draw(levels[i].profile);

		UNIT_CONTAINS(buf_text(&out), levels[i].rows);
		buf_release(&out);
	}
}

static void
a_stack_of_ten_thousand_frames_is_drawn_to_a_height_and_in_the_data_whole(void)
{
	struct buf text = {0};

	for (int i = 0; i < 10000; i++)
		buf_puts(&text, i > 0 ? ";f" : "f");
	buf_puts(&text, " 3\n");
	struct buf out = draw(buf_text(&text));

	/* 400 levels, one of them the root's. */
	UNIT_CONTAINS(buf_text(&out), "data-rows=\"400\"");
	UNIT_CONTAINS(buf_text(&out), "\n10000 2 3</metadata>");
	CU_ASSERT_EQUAL(count(&out, "<title>f\n"), 399);
	buf_release(&out);
	buf_release(&text);
}

static void
the_budget_holds_and_what_is_left_out_is_said(void)
{
	const struct flamegraph_options few = {.title = "test", .max_frames = 10};
	struct buf text = {0};

	for (int i = 0; i < 100; i++)
		buf_printf(&text, "main;f%02d;g 1\n", i);
	struct buf out = draw_with(buf_text(&text), &few);

	UNIT_CONTAINS(buf_text(&out), "191 frames, the smallest, are left out of this file");
	CU_ASSERT_EQUAL(count(&out, "<title>f"), 9);
	CU_ASSERT_EQUAL(count(&out, "<title>main\n"), 1);
	UNIT_CONTAINS(buf_text(&out), "<title>91 called functions too small to draw\n91 samples");
	buf_release(&out);
	buf_release(&text);
}

/* As search finds them: by what they weigh where they are in no box, below themselves not. */
static void
functions_that_are_left_out_are_listed(void)
{
	const struct flamegraph_options few = {.title = "test", .max_frames = 3};
	struct buf out = draw_with("main;a 50\nmain;b;c 20\nmain;d;c;e;c 6\nc 4\n", &few);

	UNIT_CONTAINS(buf_text(&out),
		"<metadata class=\"names\">frames too small to draw\to\nall\tz\n"
		"c\tu");
	UNIT_CONTAINS(buf_text(&out), "<metadata class=\"functions\">30\n6\n6</metadata>");
	UNIT_CONTAINS(buf_text(&out),
		"6 frames, the smallest, are left out of this file; the weight "
		"is in the callers. Search finds their functions.");
	UNIT_CONTAINS(buf_text(&out), " data-unlisted=\"0\"");
	buf_release(&out);
}

static void
no_frame_is_left_out_without_need(void)
{
	struct buf out = draw("main;a 1000000\nmain;b;c 2\n");

	UNIT_CONTAINS(buf_text(&out), "\n2 4 2\n3 5 2</metadata>");
	CU_ASSERT_EQUAL(count(&out, "left out"), 0);
	buf_release(&out);
}

static void
fractional_weights_are_shown_as_they_are(void)
{
	struct buf out = draw("m;a 0.25\nm;b 1.5\n");

	UNIT_CONTAINS(buf_text(&out), "a\n0.25 samples, 14.3 %");
	UNIT_CONTAINS(buf_text(&out), "1.75 samples");
	buf_release(&out);
}

static void
the_legend_names_the_kinds_that_occur(void)
{
	struct buf out = draw("m;sys_read_[k] 3\nm;[unknown] 1\n");

	UNIT_CONTAINS(buf_text(&out), ">kernel</text>");
	UNIT_CONTAINS(buf_text(&out), ">no name known</text>");
	CU_ASSERT_EQUAL(count(&out, ">inlined</text>"), 0);
	buf_release(&out);
}

static void
an_empty_profile_is_a_picture_too(void)
{
	struct buf out = draw("a;b 0\n");

	UNIT_CONTAINS(buf_text(&out), "0 samples");
	buf_release(&out);
}

/* The folded text of `text` reversed; free() it. */
static char *
reversed(const char *text)
{
	struct profile profile;
	struct buf out = {0};

	read_folded(&profile, text);
	flamegraph_reverse(&profile);
	profile_sort(&profile);
	for (node_id node = 1; node < profile.tree.nnodes; node++) {
		struct buf line = {0};
		double weight = ctree_weight(&profile.tree, 0, node);

		for (node_id at = node; weight > 0 && at != CTREE_ROOT;
			at = profile.tree.nodes[at].parent)
			buf_printf(&line, "%s<",
				profile_frame_name(&profile, profile.tree.nodes[at].frame));
		if (weight > 0)
			buf_printf(&out, "%s %g\n", buf_text(&line), weight);
		buf_release(&line);
	}
	profile_release(&profile);
	char *result = mem_strdup(buf_text(&out));

	buf_release(&out);
	return result;
}

static void
stacks_are_merged_from_their_ends(void)
{
	char *text = reversed("app;main;parse 3\napp;init;parse 2\napp;main 1\n");

	/* Outermost last: what began the stack is what the reversed one ends with. */
	UNIT_CONTAINS(text, "app<main<parse< 3\n");
	UNIT_CONTAINS(text, "app<init<parse< 2\n");
	UNIT_CONTAINS(text, "app<main< 1\n");
	free(text);
}

static void
a_function_is_one_box_whoever_called_it(void)
{
	struct profile profile;

	read_folded(&profile, "app;main;parse 3\napp;init;parse 2\n");
	flamegraph_reverse(&profile);
	const struct ctree_node *nodes = profile.tree.nodes;
	node_id first = nodes[CTREE_ROOT].first_child;

	CU_ASSERT_STRING_EQUAL(profile_frame_name(&profile, nodes[first].frame), "parse");
	CU_ASSERT_EQUAL(nodes[first].next_sibling, CTREE_NONE);
	UNIT_NEAR(profile_column_total(&profile, 0), 5, 0);
	profile_release(&profile);
}

static void
a_deep_recursion_is_cut_and_keeps_its_weight(void)
{
	struct buf text = {0};
	struct profile profile;

	for (int depth = 1; depth <= 2000; depth++) {
		for (int i = 0; i < depth; i++)
			buf_puts(&text, i > 0 ? ";f" : "f");
		buf_puts(&text, " 1\n");
	}
	read_folded(&profile, buf_text(&text));
	flamegraph_reverse(&profile);
	CU_ASSERT_EQUAL(profile.tree.nnodes, FLAMEGRAPH_REVERSE_LEVELS + 1);
	UNIT_NEAR(profile_column_total(&profile, 0), 2000, 0);
	profile_release(&profile);
	buf_release(&text);
}

/* How large flame graphs of large profiles become, and what has room in them. */

static void
a_large_profile_stays_within_the_limit(void)
{
	struct buf text = {0};

	for (int i = 0; i < 60000; i++)
		buf_printf(&text, "main;level_one_%d;some_namespace::level_two_%d;leaf_%d %d\n",
			i % 50, i % 7000, i, 1 + i % 5);
	struct buf out = draw(buf_text(&text));

	CU_ASSERT_TRUE(out.len <= 1200000);
	CU_ASSERT_TRUE(out.len > 300000);
	UNIT_CONTAINS(buf_text(&out), "are left out of this file");
	buf_release(&out);
	buf_release(&text);
}

/* A difference of `stacks` stacks above `main`, each of `levels` functions wide enough to draw. */
static struct buf
draw_stacks(int stacks, int levels, const char *parameters)
{
	struct buf sides[2] = {0};

	for (int i = 0; i < 2 * stacks; i++) {
		struct buf *side = &sides[i % 2];

		buf_puts(side, "main");
		for (int level = 0; level < levels; level++)
			buf_printf(side, ";a::f%d_%d%s", i / 2, level, parameters);
		buf_printf(side, " %d\n", 2 + i % 3);
	}
	struct buf out = draw_difference(buf_text(&sides[0]), buf_text(&sides[1]));

	buf_release(&sides[0]);
	buf_release(&sides[1]);
	return out;
}

/* For `main` and 10000 functions. */
static void
a_large_difference_of_short_names_is_whole(void)
{
	struct buf out = draw_stacks(5000, 2, "");

	CU_ASSERT_EQUAL(count(&out, "left out"), 0);
	CU_ASSERT_TRUE(out.len <= 1200000);
	buf_release(&out);
}

/*
 * As slivers, and with a tooltip each. The bytes are guessed ahead and rather too high, most for
 * tooltips as short as these: that may waste an eighth of the room, and no more.
 */
static void
a_large_difference_of_long_names_fills_the_room_and_no_more(void)
{
	static const struct {
		int stacks;
		int levels;
	} shapes[] = {{5000, 2}, {700, 13}};

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct buf out = draw_stacks(shapes[i].stacks, shapes[i].levels,
			"(std::vector<std::string, pool_allocator<std::string> > const&, "
			"std::function<bool(char const*)>, unsigned long)");

		CU_ASSERT_TRUE(out.len <= 1200000);
		CU_ASSERT_TRUE(out.len >= 1000000);
		buf_release(&out);
	}
}

/* There is room for all of the names, and for half of the small functions. */
static void
a_difference_of_long_names_above_small_functions_has_all_that_is_wide(void)
{
	enum { CALLERS = 760, CALLED = 30 };
	struct buf text = {0};

	buf_puts(&text, "main;wide;leaf 300\n");
	for (int i = 0; i < CALLERS * CALLED; i++)
		buf_printf(&text, "main;f%d_%0400d;leaf_%d 1\n", i / CALLED, 0, i % CALLED);
	struct buf out = draw_difference(buf_text(&text), buf_text(&text));

	CU_ASSERT_EQUAL(count(&out, "<title>f"), CALLERS);
	CU_ASSERT_TRUE(out.len <= 1200000);
	buf_release(&out);
	buf_release(&text);
}

/* Ten functions each of ten widths, of which three, `main` and half of a fourth have room. */
static void
a_budget_keeps_the_widest_and_of_equals_the_first_by_name(void)
{
	const struct flamegraph_options few = {.title = "test", .max_frames = 36};

	for (int reversed = 0; reversed < 2; reversed++) {
		struct buf text = {0};

		for (int line = 0; line < 100; line++) {
			int i = reversed ? 99 - line : line;

			buf_printf(&text, "main;f%02d %.3f\n", i, 1 + i % 10 * 0.125);
		}
		struct buf out = draw_with(buf_text(&text), &few);

		for (int i = 0; i < 100; i++) {
			bool kept = i % 10 > 6 || (i % 10 == 6 && i < 50);
			char title[32];

			snprintf(title, sizeof(title), "<title>f%02d\n", i);
			CU_ASSERT_EQUAL(count(&out, title), kept);
		}
		buf_release(&out);
		buf_release(&text);
	}
}

/* Wide numbers: the first picture takes more bytes than were guessed, and is drawn again. */
static void
a_large_sandwich_stays_within_the_limit(void)
{
	struct profile profile;
	struct buf text = {0};
	struct buf out = {0};

	for (int i = 0; i < 40000; i++)
		buf_printf(&text, "main;f%d 9007199254740991\n", i);
	read_folded(&profile, buf_text(&text));
	bool *focus = mem_zalloc(profile.frames.nframes, sizeof(*focus));

	focus[profile.tree.nodes[profile.tree.nodes[CTREE_ROOT].first_child].frame] = true;
	flamegraph_write_sandwich(&profile, focus, "main", &plain, &out);
	CU_ASSERT_TRUE(xml_is_well_formed(buf_text(&out), out.len));
	CU_ASSERT_TRUE(out.len <= 1200000);
	UNIT_CONTAINS(buf_text(&out), "are left out of this file");
	free(focus);
	profile_release(&profile);
	buf_release(&out);
	buf_release(&text);
}

void
suite_flamegraph_flamegraph(void)
{
#define CASE(name)          \
	{                   \
#name, name \
	}
	static const struct unit_case cases[] = {
		CASE(siblings_whose_names_continue_one_another_are_one_box_each),
		CASE(the_order_of_lines_does_not_matter),
		CASE(hostile_names_stay_text),
		CASE(xmllint_accepts_hostile_names),
		CASE(many_long_names_are_cut_between_characters),
		CASE(a_long_name_is_whole_in_its_tooltip),
		CASE(titles_are_cut_at_their_end_and_are_no_names),
		CASE(long_names_lose_arguments_then_templates_then_their_middle),
		CASE(a_level_needs_a_box_to_see_or_many_slivers_to_have_a_row),
		CASE(a_stack_of_ten_thousand_frames_is_drawn_to_a_height_and_in_the_data_whole),
		CASE(the_budget_holds_and_what_is_left_out_is_said),
		CASE(functions_that_are_left_out_are_listed),
		CASE(no_frame_is_left_out_without_need),
		CASE(fractional_weights_are_shown_as_they_are),
		CASE(the_legend_names_the_kinds_that_occur),
		CASE(an_empty_profile_is_a_picture_too),
		CASE(stacks_are_merged_from_their_ends),
		CASE(a_function_is_one_box_whoever_called_it),
		CASE(a_deep_recursion_is_cut_and_keeps_its_weight),
		{"a_large_profile_stays_within_the_limit", a_large_profile_stays_within_the_limit},
		{"a_large_difference_of_short_names_is_whole",
			a_large_difference_of_short_names_is_whole},
		{"a_large_difference_of_long_names_fills_the_room_and_no_more",
			a_large_difference_of_long_names_fills_the_room_and_no_more},
		{"a_difference_of_long_names_above_small_functions_has_all_that_is_wide",
			a_difference_of_long_names_above_small_functions_has_all_that_is_wide},
		{"a_large_sandwich_stays_within_the_limit",
			a_large_sandwich_stays_within_the_limit},
		{"a_budget_keeps_the_widest_and_of_equals_the_first_by_name",
			a_budget_keeps_the_widest_and_of_equals_the_first_by_name},
		{NULL, NULL},
	};
#undef CASE

	unit_suite("flamegraph/flamegraph", cases);
}
