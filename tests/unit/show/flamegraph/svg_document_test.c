#include "flamegraph/draw.h"

void suite_flamegraph_svg_document(void);

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

void
suite_flamegraph_svg_document(void)
{
#define CASE(name)          \
	{                   \
#name, name \
	}
	static const struct unit_case cases[] = {
		CASE(a_picture_for_a_page_has_no_shared_parts_and_no_ids),
		CASE(shared_parts_stand_in_an_element_of_a_page_unchanged),
		CASE(a_picture_of_its_own_has_all_parts_once),
		CASE(a_still_picture_has_style_but_neither_script_nor_data),
		{NULL, NULL},
	};
#undef CASE

	unit_suite("flamegraph/svg_document", cases);
}
