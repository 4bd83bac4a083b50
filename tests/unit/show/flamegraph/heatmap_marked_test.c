#include "flamegraph/heatmap_marked.h"

#include "flamegraph/xml_check.h"
#include "unit.h"

void suite_flamegraph_heatmap_marked(void);

static void
add_phase(struct sample_times *times, uint64_t begin_ns, const char *name)
{
	sample_times_begin_phase(times, begin_ns, name, strlen(name));
}

static size_t
count_of(const struct buf *text, const char *what)
{
	size_t count = 0;

	for (const char *at = buf_text(text); (at = strstr(at, what)); at++)
		count++;
	return count;
}

static void
they_are_counted_by_name_within_the_time_shown(void)
{
	struct heatmap_marked marked;
	struct sample_times times;
	struct buf out = {0};

	sample_times_init(&times);
	add_phase(&times, 0, "load");
	add_phase(&times, 1000000000, "parse");
	add_phase(&times, 2000000000, "print");
	add_phase(&times, 3000000000, "parse");
	add_phase(&times, 9000000000, "");
	heatmap_marked_init(&marked, &times, 1500000000, 5000000000);
	CU_ASSERT_EQUAL_FATAL(marked.count, 2);
	heatmap_marked_put_name(&marked, 0, &out);
	UNIT_STR_EQ(buf_text(&out), "parse: 2 times, 2.50 s");
	buf_clear(&out);
	heatmap_marked_put_name(&marked, 1, &out);
	UNIT_STR_EQ(buf_text(&out), "print: once, 1.00 s");
	buf_clear(&out);
	heatmap_marked_put_phase(&marked, &times.phases[1], &out);
	UNIT_STR_EQ(buf_text(&out), "parse, 1.50 s to 2.00 s");
	heatmap_marked_release(&marked);
	sample_times_release(&times);
	buf_release(&out);
}

static void
a_hostile_name_is_text(void)
{
	struct heatmap_marked marked;
	struct sample_times times;
	struct buf out = {0};
	unsigned y = 60;

	sample_times_init(&times);
	add_phase(&times, 0, "</svg><script>\"\033[31m");
	add_phase(&times, 1000, "");
	heatmap_marked_init(&marked, &times, 0, 2000);
	buf_puts(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<svg>");
	heatmap_marked_put_list(&marked, &y, &out);
	heatmap_marked_put_strip(&marked, &(struct marked_strip){.ns_px = 1, .height = 14}, &out);
	buf_puts(&out, "</svg>\n");
	CU_ASSERT_EQUAL(y, 60 + 2 * 17);
	CU_ASSERT(xml_is_well_formed(buf_text(&out), out.len));
	CU_ASSERT_EQUAL(count_of(&out, "<script"), 0);
	heatmap_marked_release(&marked);
	sample_times_release(&times);
	buf_release(&out);
}

/* Rounds of a few microseconds do not make a picture of megabytes. */
static void
those_that_meet_in_a_pixel_are_one(void)
{
	struct heatmap_marked marked;
	struct sample_times times;
	struct buf out = {0};

	sample_times_init(&times);
	for (uint64_t i = 0; i < 100000; i++)
		add_phase(&times, 1000 * i, i % 2 == 0 ? "even" : "odd");
	add_phase(&times, 100000000, "");
	heatmap_marked_init(&marked, &times, 0, 100000000);
	heatmap_marked_put_strip(
		&marked, &(struct marked_strip){.ns_px = 1e-5, .height = 14}, &out);
	CU_ASSERT(count_of(&out, "<path") >= 1000);
	CU_ASSERT(count_of(&out, "<path") <= 2001);
	heatmap_marked_release(&marked);
	sample_times_release(&times);
	buf_release(&out);
}

static void
without_marks_nothing_is_drawn(void)
{
	struct heatmap_marked marked;
	struct sample_times times;
	struct buf out = {0};
	unsigned y = 60;

	sample_times_init(&times);
	heatmap_marked_init(&marked, &times, 0, 1000);
	heatmap_marked_put_list(&marked, &y, &out);
	heatmap_marked_put_strip(&marked, &(struct marked_strip){.ns_px = 1}, &out);
	CU_ASSERT_EQUAL(out.len, 0);
	CU_ASSERT_EQUAL(y, 60);
	heatmap_marked_release(&marked);
	sample_times_release(&times);
}

void
suite_flamegraph_heatmap_marked(void)
{
	static const struct unit_case cases[] = {
		{"they_are_counted_by_name_within_the_time_shown",
			they_are_counted_by_name_within_the_time_shown},
		{"a_hostile_name_is_text", a_hostile_name_is_text},
		{"those_that_meet_in_a_pixel_are_one", those_that_meet_in_a_pixel_are_one},
		{"without_marks_nothing_is_drawn", without_marks_nothing_is_drawn},
		{NULL, NULL},
	};

	unit_suite("flamegraph/heatmap_marked", cases);
}
