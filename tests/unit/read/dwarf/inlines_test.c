/* Debug information of small programs that are compiled here, and of none that ever was. */
#include "dwarf/inlines.h"

#include "base/file.h"
#include "base/mem.h"
#include "elf/elf_image.h"
#include "unit.h"

#include <dwarf.h>
#include <stdlib.h>

void suite_dwarf_inlines(void);

#define FRAMES_MAX 32

static const char c_source[] = "#define ALWAYS static inline __attribute__((always_inline))\n"
			       "extern volatile int seen;\n"
			       "ALWAYS void leaf(int a)\n"
			       "{\n"
			       "	seen = a * 3;\n"
			       "	seen = a ^ 5;\n"
			       "}\n"
			       "ALWAYS void middle(int a)\n"
			       "{\n"
			       "	seen = a;\n"
			       "	leaf(a + 1);\n"
			       "}\n"
			       "volatile int seen;\n"
			       "void outer(int a)\n"
			       "{\n"
			       "	seen = 0;\n"
			       "	middle(a);\n"
			       "	leaf(a);\n"
			       "}\n";

static const char cpp_source[] = "#define ALWAYS inline __attribute__((always_inline))\n"
				 "volatile int seen;\n"
				 "namespace space {\n"
				 "template <typename T> struct holder {\n"
				 "	ALWAYS void set(T a) { seen = a; seen = a + 1; }\n"
				 "};\n"
				 "namespace {\n"
				 "struct hidden { static ALWAYS void set(int a) { seen = a; } };\n"
				 "}\n"
				 "void outer(int a) { holder<int> h; h.set(a); hidden::set(a); }\n"
				 "}\n";

static const char *
text(const char *name)
{
	return name ? name : "";
}

/* Compiles `source` in `dir`; false where the command fails. */
static bool
compile(const char *dir, const char *name, const char *source, const char *command)
{
	char *path = file_join(dir, name);
	char *line = mem_printf("cd %s && %s %s >log 2>&1", dir, command, name);
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(file_write(path, source, strlen(source), &err), 0);
	/* NOLINTNEXTLINE(bugprone-command-processor,cert-env33-c): compilers are commands. */
	bool compiled = system(line) == 0;

	free(line);
	free(path);
	return compiled;
}

/* The frames of the first address in the program where the innermost function is `name`. */
static size_t
find_innermost(struct inlines *inlines, const char *name, struct inline_frame *frames)
{
	for (uint64_t at = 0; inlines && at < 0x4000; at++) {
		size_t count = inlines_find(inlines, at, frames, FRAMES_MAX);

		if (count > 1 && frames[0].name && strcmp(frames[0].name, name) == 0)
			return count;
	}
	return 0;
}

static struct inlines *
open_program(const char *dir)
{
	char *path = file_join(dir, "program.so");
	struct elf_image image;
	bool opened = elf_image_open(&image, path);

	free(path);
	return opened ? inlines_open(&image, NULL, "") : NULL;
}

static void
check_c(const char *dir)
{
	struct inlines *inlines = open_program(dir);
	struct inline_frame frames[FRAMES_MAX] = {0};

	CU_ASSERT_PTR_NOT_NULL_FATAL(inlines);
	/* The first is the one in middle(). */
	CU_ASSERT_EQUAL_FATAL(find_innermost(inlines, "leaf", frames), 3);
	CU_ASSERT_EQUAL(frames[0].line, 3);
	CU_ASSERT(frames[0].at_line == 5 || frames[0].at_line == 6);
	UNIT_STR_EQ(text(frames[1].name), "middle");
	CU_ASSERT_EQUAL(frames[1].line, 8);
	CU_ASSERT_EQUAL(frames[1].at_line, 11);
	UNIT_STR_EQ(text(frames[2].name), "outer");
	CU_ASSERT_EQUAL(frames[2].line, 14);
	CU_ASSERT_EQUAL(frames[2].at_line, 17);
	for (int i = 0; i < 3; i++) {
		UNIT_CONTAINS(frames[i].file ? frames[i].file : "", "/source.c");
		CU_ASSERT_EQUAL(frames[i].file ? frames[i].file[0] : 0, '/');
	}
	CU_ASSERT_EQUAL_FATAL(find_innermost(inlines, "middle", frames), 2);
	CU_ASSERT(frames[0].at_line == 10 || frames[0].at_line == 11);
	inlines_close(inlines);
}

static void
check_cpp(const char *dir)
{
	struct inlines *inlines = open_program(dir);
	struct inline_frame frames[FRAMES_MAX] = {0};

	CU_ASSERT_PTR_NOT_NULL_FATAL(inlines);
	CU_ASSERT_EQUAL_FATAL(find_innermost(inlines, "space::holder<int>::set", frames), 2);
	CU_ASSERT_EQUAL(frames[0].line, 5);
	CU_ASSERT_EQUAL(frames[0].at_line, 5);
	UNIT_STR_EQ(text(frames[1].name), "space::outer");
	CU_ASSERT_EQUAL(
		find_innermost(inlines, "space::(anonymous namespace)::hidden::set", frames), 2);
	inlines_close(inlines);
}

/* Compiles with each compiler and each of `flags`, and checks what came of it. */
static void
check_compiled(const char *name, const char *source, const char *const *compilers,
	const char *const *flags, void (*check)(const char *dir))
{
	char dir[] = "/tmp/inlines_test.XXXXXX";
	struct err err = {0};
	unsigned ncompiled = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	for (size_t i = 0; compilers[i]; i++)
		for (size_t k = 0; flags[k]; k++) {
			char *command = mem_printf("%s -O2 -fPIC -shared -nostdlib -g %s "
						   "-o program.so",
				compilers[i], flags[k]);

			if (compile(dir, name, source, command)) {
				ncompiled++;
				check(dir);
			}
			free(command);
		}
	file_remove_tree(dir, &err);
	if (ncompiled == 0)
		unit_skip("there is no compiler");
}

static const char *const all_flags[] = {"-gdwarf-4", "-gdwarf-5", "-gdwarf-5 -gz",
	"-gdwarf-4 -fdebug-types-section", "-gdwarf-5 -fdebug-types-section",
	"-gdwarf-5 -ffunction-sections", "-gdwarf-3", "-flto", "-gz=zlib-gnu", NULL};

static void
test_c(void)
{
	static const char *const compilers[] = {"gcc", "clang", NULL};

	check_compiled("source.c", c_source, compilers, all_flags, check_c);
}

static void
test_cpp(void)
{
	static const char *const compilers[] = {"g++", "clang++", NULL};

	check_compiled("source.cc", cpp_source, compilers, all_flags, check_cpp);
}

static void
check_no_inlines(const char *dir)
{
	struct inlines *inlines = open_program(dir);
	struct inline_frame frames[FRAMES_MAX] = {0};

	for (uint64_t at = 0; inlines && at < 0x2000; at++)
		CU_ASSERT(inlines_find(inlines, at, frames, FRAMES_MAX) <= 1);
	inlines_close(inlines);
}

static void
test_without(void)
{
	static const char *const compilers[] = {"gcc", "clang", NULL};
	static const char *const flags[] = {"-g0", NULL};

	check_compiled("source.c", c_source, compilers, flags, check_no_inlines);
}

/* Debug information in the making: a unit of DWARF 4 with entries of these kinds. */
enum {
	END,
	UNIT,     /* name, low, size */
	FUNCTION, /* name, low, size */
	SITE,     /* origin, low, size, line */
	ABSTRACT, /* origin */
	NAMED,    /* name */
};

static const unsigned char abbrevs[] = {UNIT, DW_TAG_compile_unit, 1, DW_AT_name, DW_FORM_string,
	DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0, 0, FUNCTION, DW_TAG_subprogram,
	1, DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0,
	0, SITE, DW_TAG_inlined_subroutine, 1, DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc,
	DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, DW_AT_call_line, DW_FORM_data1, 0, 0, ABSTRACT,
	DW_TAG_subprogram, 0, DW_AT_abstract_origin, DW_FORM_ref4, 0, 0, NAMED, DW_TAG_subprogram,
	0, DW_AT_name, DW_FORM_string, 0, 0, 0};

struct maker {
	struct buf info;
	struct debug_data data;
};

static void
put_code(struct maker *maker, uint64_t low, uint32_t size)
{
	buf_put_u64(&maker->info, low);
	buf_put_u32(&maker->info, size);
}

static void
begin(struct maker *maker)
{
	*maker = (struct maker){0};
	maker->info = (struct buf){0};
	buf_put_u32(&maker->info, 0);
	buf_put(&maker->info, "\4\0\0\0\0\0\10", 7);
	buf_putc(&maker->info, UNIT);
	buf_put(&maker->info, "unit", 5);
	put_code(maker, 0x1000, 0x1000);
}

static void
put_function(struct maker *maker, const char *name, uint64_t low, uint32_t size)
{
	buf_putc(&maker->info, FUNCTION);
	buf_put(&maker->info, name, strlen(name) + 1);
	put_code(maker, low, size);
}

static void
put_site(struct maker *maker, uint32_t origin, uint64_t low, uint32_t size, char line)
{
	buf_putc(&maker->info, SITE);
	buf_put_u32(&maker->info, origin);
	put_code(maker, low, size);
	buf_putc(&maker->info, line);
}

/* Ends the unit's children and gives what reads it. */
static struct inlines *
finish(struct maker *maker)
{
	buf_putc(&maker->info, END);

	uint32_t length = (uint32_t)maker->info.len - 4;

	memcpy(maker->info.data, &length, sizeof(length));
	maker->data.sections[DEBUG_INFO] =
		(struct debug_bytes){(const unsigned char *)maker->info.data, maker->info.len};
	maker->data.sections[DEBUG_ABBREV] = (struct debug_bytes){abbrevs, sizeof(abbrevs)};
	debug_data_grant(&maker->data);
	return inlines_new(&maker->data, NULL);
}

static void
test_made(void)
{
	struct inline_frame frames[FRAMES_MAX] = {0};
	struct maker maker;

	begin(&maker);

	uint32_t named = (uint32_t)maker.info.len;

	buf_putc(&maker.info, NAMED);
	buf_put(&maker.info, "inner", 6);
	put_function(&maker, "outer", 0x1100, 0x100);
	put_site(&maker, named, 0x1110, 0x10, 42);
	buf_put_zeros(&maker.info, 2);

	struct inlines *inlines = finish(&maker);

	CU_ASSERT_EQUAL_FATAL(inlines_find(inlines, 0x1110, frames, FRAMES_MAX), 2);
	UNIT_STR_EQ(text(frames[0].name), "inner");
	UNIT_STR_EQ(text(frames[1].name), "outer");
	CU_ASSERT_EQUAL(frames[1].at_line, 42);
	CU_ASSERT_EQUAL(inlines_find(inlines, 0x1110, frames, 1), 1);
	UNIT_STR_EQ(text(frames[0].name), "outer");
	CU_ASSERT_EQUAL(frames[0].at_line, 42);
	CU_ASSERT_EQUAL(inlines_find(inlines, 0x110f, frames, FRAMES_MAX), 1);
	CU_ASSERT_EQUAL(inlines_find(inlines, 0x1120, frames, FRAMES_MAX), 1);
	CU_ASSERT_EQUAL(inlines_find(inlines, 0x1200, frames, FRAMES_MAX), 0);
	CU_ASSERT_EQUAL(inlines_find(inlines, 0xfff, frames, FRAMES_MAX), 0);
	/* Elsewhere in the function, too. */
	CU_ASSERT_EQUAL_FATAL(inlines_within(inlines, 0x1150, frames, FRAMES_MAX), 1);
	UNIT_STR_EQ(text(frames[0].name), "inner");
	CU_ASSERT_EQUAL(inlines_within(inlines, 0x1200, frames, FRAMES_MAX), 0);
	inlines_close(inlines);
	buf_release(&maker.info);
}

static void
test_circle(void)
{
	struct inline_frame frames[FRAMES_MAX] = {0};
	struct maker maker;

	begin(&maker);

	uint32_t first = (uint32_t)maker.info.len;

	buf_putc(&maker.info, ABSTRACT);
	buf_put_u32(&maker.info, first + 5);
	buf_putc(&maker.info, ABSTRACT);
	buf_put_u32(&maker.info, first);
	put_function(&maker, "outer", 0x1100, 0x100);
	put_site(&maker, first, 0x1110, 0x10, 1);
	buf_putc(&maker.info, END);
	/* One that refers to itself, and one to nothing. */
	put_site(&maker, (uint32_t)maker.info.len, 0x1120, 0x10, 2);
	buf_putc(&maker.info, END);
	put_site(&maker, 0xfffffff0, 0x1130, 0x10, 3);
	buf_put_zeros(&maker.info, 2);

	struct inlines *inlines = finish(&maker);

	for (uint64_t at = 0x1110; at < 0x1140; at += 0x10) {
		CU_ASSERT_EQUAL_FATAL(inlines_find(inlines, at, frames, FRAMES_MAX), 2);
		CU_ASSERT_PTR_NULL(frames[0].name);
		UNIT_STR_EQ(text(frames[1].name), "outer");
	}
	inlines_close(inlines);
	buf_release(&maker.info);
}

/* A function with `depth` inlined calls, each within the one before. */
static size_t
frames_of_nested(size_t depth, size_t max)
{
	struct inline_frame frames[FRAMES_MAX] = {0};
	struct maker maker;

	begin(&maker);
	put_function(&maker, "outer", 0x1100, 0x100);
	for (size_t i = 0; i < depth; i++)
		put_site(&maker, 0, 0x1110, 0x10, (char)(i + 1));
	buf_put_zeros(&maker.info, depth + 1);

	struct inlines *inlines = finish(&maker);
	size_t count = inlines_find(inlines, 0x1111, frames, max);

	CU_ASSERT_FATAL(count > 0);
	UNIT_STR_EQ(text(frames[count - 1].name), "outer");
	if (count > 1)
		CU_ASSERT_EQUAL(frames[count - 1].at_line, 1);
	inlines_close(inlines);
	buf_release(&maker.info);
	return count;
}

static void
test_deep(void)
{
	CU_ASSERT_EQUAL(frames_of_nested(10, FRAMES_MAX), 11);
	CU_ASSERT_EQUAL(frames_of_nested(100, FRAMES_MAX), FRAMES_MAX);
	CU_ASSERT_EQUAL(frames_of_nested(100, 1), 1);
	CU_ASSERT_EQUAL(frames_of_nested(100000, FRAMES_MAX), 1);
}

static void
test_cut_short(void)
{
	struct inline_frame frames[FRAMES_MAX] = {0};
	struct maker maker;

	begin(&maker);
	put_function(&maker, "outer", 0x1100, 0x100);
	put_site(&maker, 0, 0x1110, 0x10, 1);
	buf_put_zeros(&maker.info, 2);

	size_t whole = maker.info.len + 1;

	inlines_close(finish(&maker));
	for (size_t len = 0; len < whole; len++) {
		/* Exactly as long, so that a read beyond the end is seen. */
		char *part = mem_dup(maker.info.data, len);
		uint32_t length = len > 4 ? (uint32_t)len - 4 : 0;

		memcpy(part, &length, len < sizeof(length) ? len : sizeof(length));
		maker.data.sections[DEBUG_INFO] =
			(struct debug_bytes){(const unsigned char *)part, len};

		struct inlines *inlines = inlines_new(&maker.data, NULL);

		for (uint64_t at = 0x10f0; at < 0x1210; at++)
			CU_ASSERT(inlines_find(inlines, at, frames, FRAMES_MAX) <= 2);
		inlines_close(inlines);
		free(part);
	}
	buf_release(&maker.info);
}

static const struct unit_case cases[] = {
	{"c_functions_have_their_names_and_lines_whatever_the_format", test_c},
	{"cpp_functions_have_their_scopes_whatever_the_format", test_cpp},
	{"programs_without_debug_information_have_one_frame_at_most", test_without},
	{"an_inlined_call_covers_its_bytes_and_no_more", test_made},
	{"entries_that_refer_to_each_other_in_a_circle_have_no_name", test_circle},
	{"too_many_levels_lose_the_innermost_and_absurdly_many_all", test_deep},
	{"debug_information_that_is_cut_short_is_no_danger", test_cut_short},
	{NULL, NULL},
};

void
suite_dwarf_inlines(void)
{
	unit_suite("dwarf/inlines", cases);
}
