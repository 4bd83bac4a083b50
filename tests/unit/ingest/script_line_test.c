#include "ingest/script_internal.h"

#include "unit.h"

#include <stdlib.h>

void suite_ingest_script_line(void);

static struct line
span(const char *text)
{
	return (struct line){text, strlen(text)};
}

static bool
span_eq(struct line got, const char *expected)
{
	return got.len == strlen(expected) && memcmp(got.at, expected, got.len) == 0;
}

static void
test_headers(void)
{
	struct script_header header;

	CU_ASSERT(script_header_parse(
		span("sqlite3  8420  1381.362126:     200040 cpu-clock:ppp: "), &header));
	CU_ASSERT(span_eq(header.comm, "sqlite3"));
	CU_ASSERT(span_eq(header.event, "cpu-clock:ppp"));
	CU_ASSERT(header.has_event);
	CU_ASSERT(span_eq(header.time, "1381.362126"));
	CU_ASSERT(span_eq(header.ids, "8420"));
	CU_ASSERT(
		script_header_parse(span("my worker 2 12/34 [001] d..1. 5.5: cycles:u:"), &header));
	CU_ASSERT(span_eq(header.comm, "my worker 2"));
	CU_ASSERT(span_eq(header.event, "cycles:u"));
	CU_ASSERT(script_header_parse(span("java 12 cycles:"), &header));
	CU_ASSERT(span_eq(header.comm, "java"));
	CU_ASSERT(span_eq(header.event, "cycles"));
	CU_ASSERT_FALSE(script_header_parse(span("main;parse 12"), &header) && header.has_event);
	CU_ASSERT_FALSE(script_header_parse(span("no number here"), &header));
	CU_ASSERT_FALSE(script_header_parse(span(""), &header));
}

static void
test_single_line(void)
{
	struct script_header header;
	struct script_frame frame;

	CU_ASSERT(script_header_parse(
		span("  xz  9  1.5:  100 cpu-clock:   7f10 lzma_code+0x10 (/usr/lib/liblzma.so)"),
		&header));
	CU_ASSERT(span_eq(header.comm, "xz"));
	CU_ASSERT(script_frame_parse(header.rest, &frame));
	CU_ASSERT(span_eq(frame.name, "lzma_code"));
}

static void
test_known_front(void)
{
	struct script_header header;

	CU_ASSERT(script_header_parse_rest(
		span("a b  12/34 [001]  5.25:  100 cycles:u: "), strlen("a b  12/34"), &header));
	CU_ASSERT(span_eq(header.time, "5.25"));
	CU_ASSERT(span_eq(header.event, "cycles:u"));
	CU_ASSERT(script_header_parse_rest(span("a 1 5.5: cycles:"), 3, &header));
	/* Another number, or more of the same one: the front is not the one that is known. */
	CU_ASSERT_FALSE(script_header_parse_rest(span("a 1 2 5.5: cycles:"), 3, &header));
	CU_ASSERT_FALSE(script_header_parse_rest(span("a 12 5.5: cycles:"), 3, &header));
	CU_ASSERT_FALSE(script_header_parse_rest(span("a 15.5: 5.5: cycles:"), 3, &header));
	CU_ASSERT_FALSE(script_header_parse_rest(span("a 1 d..1. 5.5: cycles:"), 3, &header));
	CU_ASSERT_FALSE(script_header_parse_rest(span("a 1"), 3, &header));
}

static void
test_aligned_frames(void)
{
	CU_ASSERT(script_frame_is_aligned("\t           153e0 main (/a)"));
	CU_ASSERT(script_frame_is_aligned("\tffffffff81000C82 main (/a)"));
	CU_ASSERT(script_frame_is_aligned("\t               0 main (/a)"));
	CU_ASSERT_FALSE(script_frame_is_aligned(" ffffffff81000c82 main (/a)"));
	CU_ASSERT_FALSE(script_frame_is_aligned("\t                 main (/a)"));
	CU_ASSERT_FALSE(script_frame_is_aligned("\t        1234 53e0 main (/a)"));
	CU_ASSERT_FALSE(script_frame_is_aligned("\t           153g0 main (/a)"));
	CU_ASSERT_FALSE(script_frame_is_aligned("\t           153e01 main (/a)"));
	CU_ASSERT_FALSE(script_frame_is_aligned("\t        0x153e0 main (/a) "));
}

static void
expect_frame(const char *line, const char *name, enum frame_kind kind)
{
	struct script_frame frame;

	CU_ASSERT(script_frame_parse(span(line), &frame));
	char *text = script_frame_name(&frame);

	UNIT_STR_EQ(text, name);
	CU_ASSERT_EQUAL(frame.kind, kind);
	free(text);
}

static void
test_frames(void)
{
	expect_frame("\t  15c51 main+0x5c1 (/tmp/my prog)", "main", FRAME_USER);
	expect_frame("\t  15c51 main (/tmp/prog (deleted))", "main", FRAME_USER);
	expect_frame("\t  1 [unknown] (/tmp/my prog (deleted))", "[my prog]", FRAME_USER);
	expect_frame("\t  1 [unknown] (/usr/lib/libc.so.6)", "[libc.so.6]", FRAME_USER);
	expect_frame("\t  0 [unknown] ([unknown])", "[unknown]", FRAME_USER);
	expect_frame("\tffffffff81 do_mmap+0x494 ([kernel.kallsyms])", "do_mmap", FRAME_KERNEL);
	expect_frame("\tffffffff81 ext4_map+0x1 ([ext4])", "ext4_map", FRAME_KERNEL);
	expect_frame("\t7fff clock_gettime+0x1 ([vdso])", "clock_gettime", FRAME_USER);
	expect_frame("\t7f LazyCompile:~f a.js:1+0x3 (/tmp/perf-12.map)", "LazyCompile:~f a.js:1",
		FRAME_JIT);
	expect_frame("\t7f [unknown] (/tmp/perf-12.map)", "[anon]", FRAME_JIT);
	expect_frame("\t1139 helper (inlined)", "helper", FRAME_INLINED);
	expect_frame(
		"\t1 ns::Op::operator() (x)+0x2 (/tmp/a)", "ns::Op::operator() (x)", FRAME_USER);
	expect_frame("\t1 f(int) (/tmp/a)", "f(int)", FRAME_USER);
}

static void
test_not_frames(void)
{
	struct script_frame frame;

	CU_ASSERT_FALSE(script_frame_parse(span("  file.c:123"), &frame));
	CU_ASSERT_FALSE(script_frame_parse(span("  12ab"), &frame));
	CU_ASSERT_FALSE(script_frame_parse(span("  12ab (/tmp/x)"), &frame));
	CU_ASSERT_FALSE(script_frame_parse(span("  12ab name )"), &frame));
	CU_ASSERT_FALSE(script_frame_parse(span(")"), &frame));
	CU_ASSERT_FALSE(script_frame_parse(span(""), &frame));
}

void
suite_ingest_script_line(void)
{
	static const struct unit_case cases[] = {
		{"headers_give_comm_time_and_event", test_headers},
		{"a_sample_without_chain_has_its_frame_in_the_header", test_single_line},
		{"a_front_that_is_known_is_not_read_again", test_known_front},
		{"an_address_stands_where_perf_aligns_it", test_aligned_frames},
		{"frames_give_name_module_and_kind", test_frames},
		{"other_lines_are_no_frames", test_not_frames},
		{NULL, NULL},
	};

	unit_suite("ingest/script_line", cases);
}
