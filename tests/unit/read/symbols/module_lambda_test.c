/* A lambda that is compiled here: debug information declares its class, and not its function. */
#include "dwarf/inlines.h"

#include "base/file.h"
#include "base/mem.h"
#include "symbols/module.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

void suite_symbols_module_lambda(void);

#define FRAMES_MAX 8

static const char source[] = "volatile int seen;\n"
			     "template <typename F> __attribute__((noinline)) void call(F f)\n"
			     "{ for (int i = 0; i < 9; i++) f(i); }\n"
			     "void outer()\n"
			     "{\n"
			     "\tcall([](int a) __attribute__((noinline)) {\n"
			     "\t\tseen = a;\n"
			     "\t});\n"
			     "}\n";

static bool
compile(const char *dir)
{
	char *path = file_join(dir, "source.cpp");
	char *line =
		mem_printf("cd %s && c++ -O2 -fPIC -shared -nostdlib -g -o program.so source.cpp "
			   ">log 2>&1",
			dir);
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(file_write(path, source, strlen(source), &err), 0);
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
	if (!compile(dir)) {
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
suite_symbols_module_lambda(void)
{
	static const struct unit_case cases[] = {
		{"it_has_the_place_of_its_class", it_has_the_place_of_its_class},
		{NULL, NULL},
	};

	unit_suite("symbols/module_lambda", cases);
}
