/* A small program, made by the compiler of this machine, whose functions are traced. */
#include "capture/entered_functions.h"

#include "base/mem.h"
#include "code/build_changes.h"
#include "scratch.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

void suite_capture_entered_functions(void);

static const char source[] =
	"#include <pthread.h>\n#include <signal.h>\n#include <stdlib.h>\n#include <string.h>\n"
	"#include <sys/wait.h>\n#include <unistd.h>\n"
	"#define KEEP __attribute__((noinline, noclone, used))\n"
	"volatile int sink;\nint (*volatile chosen)(int);\n"
	"KEEP int ahead(int x) { return x + ++sink; }\n"
	"KEEP int both(int x) { return x * 3 + sink; }\n"
	"KEEP int by_pointer(int x) { return x * 5 + sink; }\n"
	"KEEP int never(int x) { return x * 7 + sink; }\n"
	"KEEP int in_child(int x) { return x * 9 + sink; }\n"
	"KEEP void *in_thread(void *x) { sink += both(1); return x; }\n"
	"KEEP void on_signal(int number) { sink += number; }\n"
	"KEEP int begin_of_it(int x) { return both(x) + chosen(x); }\n"
	"int main(int argc, char **argv) {\n"
	"  chosen = argc > 5 ? never : by_pointer;\n"
	"  ahead(1); both(2);\n"
	"  signal(SIGTRAP, on_signal); raise(SIGTRAP);\n"
	"  for (int i = 0; i < 3; i++) sink += begin_of_it(i);\n"
	"  if (argc > 1 && strcmp(argv[1], \"fork\") == 0) {\n"
	"    pid_t pid = fork(); if (pid == 0) _exit(in_child(1) & 1);\n"
	"    waitpid(pid, 0, 0); }\n"
	"  if (argc > 1 && strcmp(argv[1], \"threads\") == 0) {\n"
	"    pthread_t threads[4];\n"
	"    for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, in_thread, 0);\n"
	"    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0); }\n"
	"  if (argc > 1 && strcmp(argv[1], \"exec\") == 0) execl(\"/bin/true\", \"true\", (char *)0);\n"
	"  if (argc > 1 && strcmp(argv[1], \"fail\") == 0) return 7;\n"
	"  return 0; }\n";

struct traced_run {
	struct scratch scratch;
	struct build_changes *changes;
	const struct build_function *functions;
	size_t count;
	uint64_t *offsets;
	size_t *numbers;
	bool *flags;
	struct entered_functions entered;
	struct err err;
	int result;
};

/* Builds the program; false, and the case is skipped, where that cannot be had. */
static bool
build(struct traced_run *run, const char *flags)
{
	char command[256];
	char *path = NULL;

	*run = (struct traced_run){0};
	scratch_init(&run->scratch);
	FILE *file = fopen(scratch_path(&run->scratch, "p.c"), "we");

	if (!file)
		return false;
	fputs(source, file);
	fclose(file);
	snprintf(command, sizeof(command),
		"cd %s && gcc -O1 -w -fno-inline %s -o p p.c -lpthread 2>log", run->scratch.dir,
		flags);
	const int status = system(command); /* NOLINT(cert-env33-c) */

	path = realpath(scratch_path(&run->scratch, "p"), NULL);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && path)
		run->changes = build_changes_open(&(struct build_program){path, NULL},
			&(struct build_program){path, NULL}, NULL, &run->err);
	free(path);
	if (!run->changes)
		unit_skip(run->err.kind != ERR_NONE ? run->err.text : "no compiler");
	return run->changes != NULL;
}

/* Traces a run with this argument; `begins` names the function that the part begins with. */
static void
trace(struct traced_run *run, const char *argument, const char *begins)
{
	const char *const argv[] = {scratch_path(&run->scratch, "p"), argument, NULL};
	char *path = realpath(argv[0], NULL);
	const struct capture_request request = {.argv = argv, .reader_cpu = -1};

	run->functions = build_changes_functions(run->changes, &run->count);
	run->offsets = mem_zalloc(run->count, sizeof(*run->offsets));
	run->numbers = mem_zalloc(run->count, sizeof(*run->numbers));
	run->flags = mem_zalloc(3 * run->count, sizeof(*run->flags));
	run->entered = (struct entered_functions){
		.path = path,
		.offsets = run->offsets,
		.begins = begins ? run->flags : NULL,
		.before = run->flags + run->count,
		.within = run->flags + 2 * run->count,
	};
	for (size_t i = 0; i < run->count; i++) {
		if (!run->functions[i].marked)
			continue;
		run->flags[run->entered.count] =
			begins && strcmp(run->functions[i].linker, begins) == 0;
		run->numbers[run->entered.count] = i;
		run->offsets[run->entered.count++] = run->functions[i].offset;
	}
	run->err = (struct err){0};
	run->result = entered_functions_run(&request, &run->entered, &run->err);
	free(path);
}

static bool
was_entered(const struct traced_run *run, const char *name, const bool *flags)
{
	for (size_t i = 0; i < run->entered.count; i++)
		if (strcmp(run->functions[run->numbers[i]].linker, name) == 0)
			return flags[i];
	return false;
}

static void
end(struct traced_run *run)
{
	build_changes_close(run->changes);
	free(run->offsets);
	free(run->numbers);
	free(run->flags);
	scratch_release(&run->scratch);
}

#define WITHIN(name) was_entered(&run, name, run.entered.within)
#define BEFORE(name) was_entered(&run, name, run.entered.before)

static void
check_parts(const char *flags)
{
	struct traced_run run;

	if (build(&run, flags)) {
		trace(&run, "plain", "begin_of_it");
		CU_ASSERT_EQUAL(run.result, 0);
		CU_ASSERT_PTR_NULL(run.entered.problem);
		CU_ASSERT_FALSE(run.entered.threads);
		CU_ASSERT_TRUE(BEFORE("main") && BEFORE("ahead") && BEFORE("both"));
		CU_ASSERT_TRUE(BEFORE("on_signal"));
		CU_ASSERT_FALSE(BEFORE("begin_of_it") || BEFORE("by_pointer") || BEFORE("never"));
		CU_ASSERT_TRUE(WITHIN("begin_of_it") && WITHIN("both") && WITHIN("by_pointer"));
		CU_ASSERT_FALSE(WITHIN("ahead") || WITHIN("never") || WITHIN("main"));
		CU_ASSERT_STRING_EQUAL(
			run.functions[run.numbers[run.entered.first]].linker, "begin_of_it");
	}
	end(&run);
}

static void
test_parts(void)
{
	check_parts("-fPIE -pie");
	check_parts("-fno-pie -no-pie");
	check_parts("-static");
}

static void
test_whole(void)
{
	struct traced_run run;

	if (build(&run, "")) {
		trace(&run, "plain", NULL);
		CU_ASSERT_EQUAL(run.result, 0);
		CU_ASSERT_TRUE(WITHIN("main") && WITHIN("ahead") && WITHIN("by_pointer"));
		CU_ASSERT_FALSE(WITHIN("never") || BEFORE("ahead"));
	}
	end(&run);
}

static void
test_threads(void)
{
	struct traced_run run;

	if (build(&run, "")) {
		trace(&run, "threads", "begin_of_it");
		CU_ASSERT_EQUAL(run.result, 0);
		CU_ASSERT_TRUE(run.entered.threads);
		CU_ASSERT_TRUE(WITHIN("in_thread"));
	}
	end(&run);
}

static void
test_processes(void)
{
	struct traced_run run;

	if (build(&run, "")) {
		trace(&run, "fork", NULL);
		CU_ASSERT_EQUAL(run.result, 0);
		CU_ASSERT_TRUE(run.entered.threads);
		CU_ASSERT_TRUE(WITHIN("in_child"));
	}
	end(&run);
	if (build(&run, "")) {
		trace(&run, "exec", NULL);
		CU_ASSERT_EQUAL(run.result, 0);
		CU_ASSERT_PTR_NOT_NULL(run.entered.problem);
	}
	end(&run);
}

static void
test_failures(void)
{
	struct traced_run run;

	if (build(&run, "")) {
		trace(&run, "fail", NULL);
		CU_ASSERT_EQUAL(run.result, -1);
		UNIT_CONTAINS(run.err.text, "exited with status 7");
	}
	end(&run);
	if (build(&run, "")) {
		trace(&run, "plain", "never");
		CU_ASSERT_EQUAL(run.result, 0);
		CU_ASSERT_EQUAL(run.entered.first, SIZE_MAX);
	}
	end(&run);
}

static const struct unit_case cases[] = {
	{"each_function_is_noted_in_the_part_that_enters_it", test_parts},
	{"without_a_begin_all_of_the_run_counts", test_whole},
	{"threads_are_traced", test_threads},
	{"other_processes_are_traced_and_other_programs_are_a_problem", test_processes},
	{"a_run_that_fails_is_an_error", test_failures},
	{NULL, NULL},
};

void
suite_capture_entered_functions(void)
{
	unit_suite("capture/entered_functions", cases);
}
