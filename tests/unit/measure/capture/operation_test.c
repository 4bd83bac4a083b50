/* Operations are found by how they are named; errors say what is there instead. */
#include "capture/operation.h"

#include "capture/backend.h"
#include "scratch.h"
#include "unit.h"
#include "usdt_note.h"

#include <unistd.h>

void suite_capture_operation(void);
/* Marked functions of this program. */
void operation_test_begin(void);
void operation_test_end(void);

__attribute__((noinline)) void
operation_test_begin(void)
{
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void
operation_test_end(void)
{
	__asm__ volatile(USDT_NOTE("operation_test", "moment", "0")::: "memory");
}

static const char *const own[] = {"/proc/self/exe", NULL};

static int
find(struct operation *operation, const char *marks, struct err *err)
{
	const struct operation_program program = {.argv = own};

	*err = (struct err){.kind = ERR_NONE};
	const int status = operation_find(operation, marks, &program, err);

	if (status == 0 || !strstr(err->text, "has no uprobes"))
		return status;
	unit_skip("this kernel has no uprobes");
	return status;
}

static void
expect_error(const struct operation_program *program, const char *marks, const char *text)
{
	struct err err = {.kind = ERR_NONE};
	struct operation operation;

	CU_ASSERT_EQUAL(operation_find(&operation, marks, program, &err), -1);
	UNIT_CONTAINS(err.text, text);
	operation_release(&operation);
}

static void
a_function_is_marked_from_its_entry_to_its_return(void)
{
	struct operation operation;
	struct err err;

	operation_test_begin();
	operation_test_end();
	if (find(&operation, "operation_test_begin", &err) == 0) {
		CU_ASSERT_EQUAL_FATAL(operation.count, 2);
		CU_ASSERT_EQUAL(operation.probes[0].offset, operation.probes[1].offset);
		CU_ASSERT_FALSE(operation.probes[0].at_return || operation.probes[0].ends);
		CU_ASSERT_TRUE(operation.probes[1].at_return && operation.probes[1].ends);
		UNIT_STR_EQ(operation.begin_event, "operation-begin:operation_test_begin");
		UNIT_STR_EQ(operation.end_event, "operation-return:operation_test_begin");
	}
	operation_release(&operation);
}

static void
two_functions_mark_begin_and_end(void)
{
	struct operation operation;
	struct err err;

	if (find(&operation,
		    "operation_test_begin,operation_test_end,/proc/self/exe:suite_capture_operation",
		    &err) == 0) {
		CU_ASSERT_EQUAL_FATAL(operation.count, 3);
		CU_ASSERT_FALSE(operation.probes[0].ends);
		for (size_t i = 1; i < 3; i++)
			CU_ASSERT_TRUE(operation.probes[i].ends && !operation.probes[i].at_return);
		CU_ASSERT_STRING_EQUAL(operation.probes[2].path, "/proc/self/exe");
	}
	operation_release(&operation);
}

static void
the_file_of_a_running_process_is_its_program(void)
{
	const struct operation_program program = {.pid = getpid()};
	struct err err = {.kind = ERR_NONE};
	struct operation operation;

	if (operation_find(&operation, "operation_test_begin", &program, &err) == 0) {
		UNIT_CONTAINS(operation.probes[0].path, "/exe");
	} else {
		UNIT_CONTAINS(err.text, "has no uprobes");
	}
	operation_release(&operation);
	expect_error(&program, "libnowhere.so.1:f", "no library 'libnowhere.so.1' in the memory");
}

static void
errors_say_what_is_there(void)
{
	const struct operation_program program = {.argv = own};
	const struct operation_program nobody = {.argv = NULL};

	expect_error(&program, "", "'' is neither [FILE:]FUNCTION nor [FILE:]PROVIDER:NAME");
	expect_error(&program, "operation_test_begin,", "'' is neither");
	expect_error(&program, "a:b:c:d", "'a:b:c:d' is neither");
	expect_error(
		&program, "operation_test_nowhere", "has no function 'operation_test_nowhere'");
	expect_error(&program, "operation_test_beg", "similar names are operation_test_begin");
	expect_error(&program, "nobody:probe", "has no USDT probe nobody:probe");
	expect_error(&program, "operation_test:moment", "a USDT probe is one moment");
	expect_error(&program, "exe:nowhere", "has no function 'nowhere'");
	expect_error(&program, "nobody:probe,nobody:other", "has no USDT probe nobody:probe");
	expect_error(&program, "libnowhere.so:f", "there is no library 'libnowhere.so' where");
	expect_error(&program, "/nowhere/libx.so:f", "cannot read '/nowhere/libx.so'");
	expect_error(&nobody, "f", "with '--cpus', name the file, too");
}

/* Templates have commas, scopes have colons. */
static void
names_of_cpp_are_names(void)
{
	const struct operation_program program = {.argv = own};

	expect_error(&program, "a::map<int, long>::add", "no function 'a::map<int, long>::add'");
}

static void
a_script_is_no_program(void)
{
	struct scratch scratch;
	struct err err = {.kind = ERR_NONE};

	scratch_init(&scratch);
	const char *path = scratch_path(&scratch, "script");
	const char *const argv[] = {path, NULL};
	const struct operation_program program = {.argv = argv};

	CU_ASSERT_EQUAL(file_write(path, "#!/bin/sh\n", 10, &err), 0);
	expect_error(&program, "f", "is a script");
	scratch_release(&scratch);
}

static void
test_marks(void)
{
	static const struct {
		const char *text;
		const char *problem;
	} wrong[] = {
		{"", "names no phase"},
		{"=main", "names no phase"},
		{"pipe,", "names no phase"},
		{"a:b:c:d", "'--phases': 'a:b:c:d' is neither"},
	};
	const char *const argv[] = {"/bin/true", NULL};
	const struct operation_program program = {.argv = argv};
	struct capture_phases phases;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct err err = {0};

		CU_ASSERT_EQUAL(
			capture_phases_find(&phases, wrong[i].text, "phases", &program, &err), -1);
		UNIT_CONTAINS(err.text, wrong[i].problem);
		capture_phases_release(&phases);
	}
	struct err err = {0};

	CU_ASSERT_EQUAL(capture_phases_find(&phases, "pipe", "phases", &program, &err), 0);
	CU_ASSERT(phases.pipe);
	capture_phases_release(&phases);
}

static void
test_running(void)
{
	const struct operation_program program = {.pid = 1};
	struct capture_phases phases;
	struct err err = {0};

	CU_ASSERT_EQUAL(capture_phases_find(&phases, "pipe", "phases", &program, &err), -1);
	UNIT_CONTAINS(err.text, "a running process");
	capture_phases_release(&phases);
}

static const struct unit_case cases[] = {
	{"a_function_is_marked_from_its_entry_to_its_return",
		a_function_is_marked_from_its_entry_to_its_return},
	{"two_functions_mark_begin_and_end", two_functions_mark_begin_and_end},
	{"the_file_of_a_running_process_is_its_program",
		the_file_of_a_running_process_is_its_program},
	{"errors_say_what_is_there", errors_say_what_is_there},
	{"names_of_cpp_are_names", names_of_cpp_are_names},
	{"a_script_is_no_program", a_script_is_no_program},
	{"what_marks_nothing_is_an_error", test_marks},
	{"a_running_process_has_no_pipe", test_running},
	{NULL, NULL},
};

void
suite_capture_operation(void)
{
	unit_suite("capture/operation", cases);
}
