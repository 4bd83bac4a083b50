/* A program that is compiled here with its entries in a .dwo file. */
#include "dwarf/inlines.h"
#include "symbols/module_table.h"

#include "base/file.h"
#include "base/mem.h"
#include "symbols/module.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

void suite_symbols_module_inlines(void);

#define FRAMES_MAX 8

static const char source[] = "volatile int seen;\n"
			     "static inline __attribute__((always_inline)) void leaf(int a)\n"
			     "{ seen = a; seen = a * 3; }\n"
			     "void outer(int a) { leaf(a); }\n";

/* Makes program.so and source.dwo in `dir`; false where there is no compiler. */
static bool
compile(const char *dir)
{
	char *path = file_join(dir, "source.c");
	char *line = mem_printf("cd %s && cc -O2 -fPIC -nostdlib -g -gsplit-dwarf -c source.c "
				">log 2>&1 && cc -shared -nostdlib -o program.so source.o "
				">>log 2>&1 && test -f source.dwo",
		dir);
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(file_write(path, source, strlen(source), &err), 0);
	/* NOLINTNEXTLINE(bugprone-command-processor,cert-env33-c): compilers are commands. */
	bool compiled = system(line) == 0;

	free(line);
	free(path);
	return compiled;
}

/* The most frames of an address of the module in `dir`; its table of modules is the caller's. */
static size_t
most_frames(struct module_table *table, const char *dir)
{
	char *path = file_join(dir, "program.so");
	struct module *module = module_find(table, &(struct module_key){.path = path});
	struct inline_frame frames[FRAMES_MAX];
	size_t most = 0;

	for (uint64_t at = 0; at < 0x4000; at++) {
		size_t count = module_inlined(module, at, frames, FRAMES_MAX);

		most = count > most ? count : most;
	}
	free(path);
	return most;
}

/* Makes the folder, and the program in it; false, and the case skipped, where there is no compiler.
 */
static bool
begin(char *dir)
{
	struct err err = {0};

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	if (compile(dir))
		return true;
	file_remove_tree(dir, &err);
	unit_skip("there is no compiler that makes .dwo files");
	return false;
}

static void
test_note(void)
{
	char dir[] = "/tmp/module_inlines_test.XXXXXX";
	struct module_table table;
	struct err err = {0};

	if (!begin(dir))
		return;
	module_table_init(&table);
	CU_ASSERT_EQUAL(most_frames(&table, dir), 2);
	module_table_take_notes(&table);
	CU_ASSERT_EQUAL(module_table_nnotes(&table), 0);
	module_table_release(&table);

	char *path = file_join(dir, "source.dwo");

	CU_ASSERT_EQUAL(remove(path), 0);
	module_table_init(&table);
	CU_ASSERT_EQUAL(most_frames(&table, dir), 1);
	/* However often it is requested, once. */
	for (int i = 0; i < 2; i++) {
		module_table_take_notes(&table);
		CU_ASSERT_EQUAL_FATAL(module_table_nnotes(&table), 1);
		UNIT_CONTAINS(
			module_table_note(&table, 0), "program.so: a unit's .dwo file is missing");
		UNIT_CONTAINS(module_table_note(&table, 0), path);
	}
	module_table_release(&table);
	file_remove_tree(dir, &err);
	free(path);
}

/* Below `dir`/root there is the program, and where it was compiled its .dwo file. */
static bool
move_below(const char *dir)
{
	char *line = mem_printf("cd %s && mkdir -p root/bin root%s && mv program.so root/bin && "
				"mv source.dwo root%s",
		dir, dir, dir);
	/* NOLINTNEXTLINE(bugprone-command-processor,cert-env33-c): as above. */
	bool moved = system(line) == 0;

	free(line);
	return moved;
}

static void
test_root(void)
{
	char dir[] = "/tmp/module_inlines_test.XXXXXX";
	struct module_table table;
	struct err err = {0};

	if (!begin(dir))
		return;
	CU_ASSERT_TRUE_FATAL(move_below(dir));
	char *root = file_join(dir, "root");

	module_table_init(&table);
	module_table_set_root(&table, root);
	CU_ASSERT_EQUAL(most_frames(&table, "/bin"), 2);
	module_table_take_notes(&table);
	CU_ASSERT_EQUAL(module_table_nnotes(&table), 0);
	module_table_release(&table);
	file_remove_tree(dir, &err);
	free(root);
}

/* A lambda that is compiled here: debug information declares its class, and not its function. */

static const char module_lambda_source[] =
	"volatile int seen;\n"
	"template <typename F> __attribute__((noinline)) void call(F f)\n"
	"{ for (int i = 0; i < 9; i++) f(i); }\n"
	"void outer()\n"
	"{\n"
	"\tcall([](int a) __attribute__((noinline)) {\n"
	"\t\tseen = a;\n"
	"\t});\n"
	"}\n";

static bool
module_lambda_compile(const char *dir)
{
	char *path = file_join(dir, "source.cpp");
	char *line =
		mem_printf("cd %s && c++ -O2 -fPIC -shared -nostdlib -g -o program.so source.cpp "
			   ">log 2>&1",
			dir);
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(
		file_write(path, module_lambda_source, strlen(module_lambda_source), &err), 0);
	/* NOLINTNEXTLINE(bugprone-command-processor,cert-env33-c): compilers are commands. */
	const bool compiled = system(line) == 0;

	free(line);
	free(path);
	return compiled;
}

static void
it_has_the_place_of_its_class(void)
{
	char dir[] = "/tmp/profile_run_lambda_XXXXXX";
	struct module_table table;
	struct err err = {0};
	struct inline_frame frames[FRAMES_MAX];
	size_t found = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	if (!module_lambda_compile(dir)) {
		unit_skip("there is no compiler of C++");
		file_remove_tree(dir, &err);
		return;
	}
	char *path = file_join(dir, "program.so");

	module_table_init(&table);
	struct module *module = module_find(&table, &(struct module_key){.path = path});

	for (uint64_t at = 0; at < 0x4000; at++) {
		const size_t count = module_inlined(module, at, frames, FRAMES_MAX);

		for (size_t i = 0; i < count; i++) {
			if (!frames[i].name || !strstr(frames[i].name, "operator()"))
				continue;
			found++;
			CU_ASSERT_EQUAL(frames[i].line, 6);
			UNIT_CONTAINS(frames[i].file ? frames[i].file : "none", "source.cpp");
		}
	}
	CU_ASSERT(found > 0);
	module_table_release(&table);
	free(path);
	file_remove_tree(dir, &err);
}

void
suite_symbols_module_inlines(void)
{
	static const struct unit_case cases[] = {
		{"a_dwo_file_that_is_missing_is_reported_once", test_note},
		{"below_a_root_dwo_files_are_where_they_were_made", test_root},
		{"it_has_the_place_of_its_class", it_has_the_place_of_its_class},
		{NULL, NULL},
	};

	unit_suite("symbols/module_inlines", cases);
}
