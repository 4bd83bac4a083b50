#include "ingest/script_internal.h"

#include "unit.h"

#include <stdlib.h>

void suite_ingest_script_frame(void);

static const struct script_layout all_fields;

static struct line
span(const char *text)
{
	return (struct line){text, strlen(text)};
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

	CU_ASSERT(script_frame_parse(span(line), &all_fields, &frame));
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

	CU_ASSERT_FALSE(script_frame_parse(span("  file.c:123"), &all_fields, &frame));
	CU_ASSERT_FALSE(script_frame_parse(span("  12ab"), &all_fields, &frame));
	CU_ASSERT_FALSE(script_frame_parse(span("  12ab (/tmp/x)"), &all_fields, &frame));
	CU_ASSERT_FALSE(script_frame_parse(span("  12ab name )"), &all_fields, &frame));
	CU_ASSERT_FALSE(script_frame_parse(span(")"), &all_fields, &frame));
	CU_ASSERT_FALSE(script_frame_parse(span(""), &all_fields, &frame));
}

void
suite_ingest_script_frame(void)
{
	static const struct unit_case cases[] = {
		{"an_address_stands_where_perf_aligns_it", test_aligned_frames},
		{"frames_give_name_module_and_kind", test_frames},
		{"other_lines_are_no_frames", test_not_frames},
		{NULL, NULL},
	};

	unit_suite("ingest/script_frame", cases);
}
