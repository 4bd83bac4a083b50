/* Programs that are compiled here with their entries in .dwo files, and packages of those. */
#include "dwarf/split_units.h"

#include "base/file.h"
#include "base/mem.h"
#include "dwarf/inlines.h"
#include "unit.h"

#include <stdlib.h>

void suite_dwarf_split_units(void);

#define FRAMES_MAX 16

/*
 * `cold` makes a function's code come in two ranges, where compilers move it; the struct can have a
 * unit of types of its own.
 */
#define SOURCE(name)                                                                 \
	"#define ALWAYS static inline __attribute__((always_inline))\n"              \
	"extern volatile int seen; struct pair_" name " { int a; } made_" name ";\n" \
	"__attribute__((cold)) void rare_" name "(int a) { seen = a; }\n"            \
	"ALWAYS void leaf_" name "(int a)\n"                                         \
	"{\n"                                                                        \
	"	seen = a * 3;\n"                                                           \
	"	if (seen) rare_" name "(a);\n"                                       \
	"	seen = a ^ 5;\n"                                                           \
	"}\n"                                                                        \
	"void outer_" name "(int a)\n"                                               \
	"{\n"                                                                        \
	"	seen = 0;\n"                                                               \
	"	leaf_" name "(a);\n"                                                 \
	"}\n"

static const char one_source[] = SOURCE("one") "volatile int seen;\n";
static const char two_source[] = SOURCE("two");

static bool
run(const char *dir, const char *command)
{
	char *line = mem_printf("cd %s && { %s; } >log 2>&1", dir, command);
	/* NOLINTNEXTLINE(bugprone-command-processor,cert-env33-c): compilers are commands. */
	bool succeeded = system(line) == 0;

	free(line);
	return succeeded;
}

static void
put_source(const char *dir, const char *name, const char *text)
{
	char *path = file_join(dir, name);
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(file_write(path, text, strlen(text), &err), 0);
	free(path);
}

/* Compiles both sources into program.so. */
static bool
compile(const char *dir, const char *compiler, const char *flags)
{
	char *command = mem_printf("rm -f *.dwo *.dwp *.o && "
				   "%s -O2 -fPIC -nostdlib -g %s -c one.c && "
				   "%s -O2 -fPIC -nostdlib -g %s -c two.c && "
				   "%s -shared -nostdlib -o program.so one.o two.o",
		compiler, flags, compiler, flags, compiler);
	bool compiled = run(dir, command);

	free(command);
	return compiled;
}

static struct inlines *
open_program(const char *dir)
{
	char *path = file_join(dir, "program.so");
	struct elf_image image;
	struct inlines *inlines =
		elf_image_open(&image, path) ? inlines_open(&image, path, "") : NULL;

	free(path);
	return inlines;
}

/* Whether leaf_NAME is found inlined into outer_NAME, both at their lines. */
static bool
has_inlined(struct inlines *inlines, const char *name)
{
	struct inline_frame frames[FRAMES_MAX] = {0};
	char *leaf = mem_printf("leaf_%s", name);
	char *outer = mem_printf("outer_%s", name);
	bool found = false;

	for (uint64_t at = 0; inlines && at < 0x4000 && !found; at++)
		found = inlines_find(inlines, at, frames, FRAMES_MAX) == 2 && frames[0].name &&
			frames[1].name && strcmp(frames[0].name, leaf) == 0 &&
			strcmp(frames[1].name, outer) == 0 && frames[0].line == 4 &&
			frames[1].line == 10 && frames[1].at_line == 13 && frames[0].file &&
			strstr(frames[0].file, name) != NULL;
	free(leaf);
	free(outer);
	return found;
}

/* How many units' entries are missing, once all code has been looked at. */
static size_t
count_missing(const char *dir, size_t *inlined)
{
	struct inlines *inlines = open_program(dir);
	const char *first = NULL;
	size_t missing;

	CU_ASSERT_PTR_NOT_NULL_FATAL(inlines);
	*inlined = (size_t)has_inlined(inlines, "one") + (size_t)has_inlined(inlines, "two");
	missing = inlines_missing(inlines, &first);
	CU_ASSERT((missing > 0) == (first && strstr(first, ".dwo")));
	inlines_close(inlines);
	return missing;
}

/* Makes a folder, compiles in it in all ways and has each looked at. */
static void
check_all(const char *const *flags, bool (*check)(const char *dir))
{
	static const char *const compilers[] = {"gcc", "clang"};
	char dir[] = "/tmp/split_units_test.XXXXXX";
	struct err err = {0};
	unsigned nchecked = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	for (size_t i = 0; i < sizeof(compilers) / sizeof(compilers[0]); i++)
		for (size_t k = 0; flags[k]; k++) {
			put_source(dir, "one.c", one_source);
			put_source(dir, "two.c", two_source);
			if (compile(dir, compilers[i], flags[k]) && check(dir))
				nchecked++;
		}
	file_remove_tree(dir, &err);
	if (nchecked == 0)
		unit_skip("there is no compiler or other tool for it");
}

static bool
check_found(const char *dir)
{
	size_t inlined;

	CU_ASSERT_EQUAL(count_missing(dir, &inlined), 0);
	CU_ASSERT_EQUAL(inlined, 2);
	return true;
}

static void
test_dwo(void)
{
	static const char *const flags[] = {"-gdwarf-4 -gsplit-dwarf", "-gdwarf-5 -gsplit-dwarf",
		"-gdwarf-5 -gsplit-dwarf -gz", "-gdwarf-4 -gsplit-dwarf -fdebug-types-section",
		"-gdwarf-5 -gsplit-dwarf -fdebug-types-section",
		"-gdwarf-4 -gsplit-dwarf -ffunction-sections", "-gdwarf-5 -gsplit-dwarf=single",
		NULL};

	check_all(flags, check_found);
}

/* The whole build folder is somewhere else by now. */
static bool
check_moved(const char *dir)
{
	struct err err = {0};
	char *moved = mem_printf("%s.moved", dir);
	size_t inlined;

	CU_ASSERT(run(dir, "mkdir ../$(basename $PWD).moved && "
			   "mv program.so *.dwo ../$(basename $PWD).moved"));
	CU_ASSERT_EQUAL(count_missing(moved, &inlined), 0);
	CU_ASSERT_EQUAL(inlined, 2);
	file_remove_tree(moved, &err);
	free(moved);
	return true;
}

static const char *const both_flags[] = {
	"-gdwarf-4 -gsplit-dwarf", "-gdwarf-5 -gsplit-dwarf", NULL};

static void
test_moved(void)
{
	check_all(both_flags, check_moved);
}

/* Not all tools can pack all formats: some do not end then, or leave units out. */
static bool
check_packed(const char *dir)
{
	static const char *const tools[] = {"dwp", "llvm-dwp"};
	bool packed = false;

	CU_ASSERT(run(dir, "mkdir kept && mv *.dwo kept"));
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		char *command = mem_printf("rm -f program.so.dwp && "
					   "timeout 10 %s -o program.so.dwp kept/*.dwo && "
					   "readelf --debug-dump=cu_index program.so.dwp | "
					   "grep -q 'used entries: *2$'",
			tools[i]);
		bool made = run(dir, command);

		free(command);
		if (!made)
			continue;
		packed = true;
		check_found(dir);
	}
	CU_ASSERT(run(dir, "rm -r kept"));
	return packed;
}

static void
test_packed(void)
{
	check_all(both_flags, check_packed);
}

static bool
check_missing(const char *dir)
{
	struct inline_frame frames[FRAMES_MAX] = {0};
	size_t inlined;
	bool has_line = false;

	CU_ASSERT(run(dir, "rm one.dwo"));
	CU_ASSERT_EQUAL(count_missing(dir, &inlined), 1);
	CU_ASSERT_EQUAL(inlined, 1);
	CU_ASSERT(run(dir, "rm two.dwo"));
	CU_ASSERT_EQUAL(count_missing(dir, &inlined), 2);
	CU_ASSERT_EQUAL(inlined, 0);

	struct inlines *inlines = open_program(dir);

	/* Lines are in the program itself. */
	for (uint64_t at = 0; at < 0x4000 && !has_line; at++)
		has_line = inlines_find(inlines, at, frames, FRAMES_MAX) == 1 && !frames[0].name &&
			   frames[0].at_line == 8;
	CU_ASSERT(has_line);
	inlines_close(inlines);
	return true;
}

static void
test_missing(void)
{
	check_all(both_flags, check_missing);
}

/* A .dwo file that was written again by a later build. */
static bool
check_stale(const char *dir)
{
	size_t inlined;

	CU_ASSERT(run(dir, "mv two.dwo one.dwo"));
	CU_ASSERT_EQUAL(count_missing(dir, &inlined), 2);
	CU_ASSERT_EQUAL(inlined, 0);
	CU_ASSERT(run(dir, "echo no ELF file >one.dwo && rm -f two.dwo && mkfifo two.dwo"));
	CU_ASSERT_EQUAL(count_missing(dir, &inlined), 2);
	CU_ASSERT(run(dir, "rm one.dwo && mkdir one.dwo"));
	CU_ASSERT_EQUAL(count_missing(dir, &inlined), 2);
	CU_ASSERT(run(dir, "rmdir one.dwo"));
	return true;
}

static void
test_stale(void)
{
	check_all(both_flags, check_stale);
}

static void
test_useless(void)
{
	char dir[] = "/tmp/split_units_test.XXXXXX";
	struct debug_unit skeleton = {.dwo_name = "junk"};
	struct split_units split;
	struct err err = {0};

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	put_source(dir, skeleton.dwo_name, "no ELF file");
	skeleton.folder = dir;
	split_units_init(&split, NULL, "", NULL);
	CU_ASSERT_PTR_NULL(split_units_find(&split, &skeleton));
	CU_ASSERT_EQUAL(split.file_bytes, strlen("no ELF file"));
	split_units_release(&split);
	file_remove_tree(dir, &err);
}

void
suite_dwarf_split_units(void)
{
	static const struct unit_case cases[] = {
		{"entries_are_read_from_dwo_files_whatever_the_format", test_dwo},
		{"dwo_files_are_found_beside_a_program_that_was_moved", test_moved},
		{"entries_are_read_from_a_package_beside_the_program", test_packed},
		{"dwo_files_that_are_missing_are_counted_and_lines_stay", test_missing},
		{"a_dwo_file_of_another_id_is_not_taken", test_stale},
		{"what_is_read_in_vain_counts_towards_all_that_may_be_read", test_useless},
		{NULL, NULL},
	};

	unit_suite("dwarf/split_units", cases);
}
