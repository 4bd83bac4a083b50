#include "process/process.h"

#include "unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

void suite_process_tool(void);

/* Runs a line of shell. */
static int
run(struct tool_output *output, const char *script, struct err *err)
{
	const char *const argv[] = {"sh", "-c", script, NULL};

	return tool_run(output, argv, NULL, "/", err);
}

static void
both_streams_and_the_status_are_taken(void)
{
	struct tool_output output;
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(run(&output, "echo told; echo wrong >&2; pwd; exit 3", &err), 0);
	CU_ASSERT_EQUAL(output.status, 3);
	UNIT_STR_EQ(buf_text(&output.out), "told\n/\n");
	UNIT_STR_EQ(buf_text(&output.complaint), "wrong\n");
	char *line = tool_line(&output);

	UNIT_STR_EQ(line, "told\n/");
	free(line);
	tool_output_release(&output);
}

static void
a_signal_is_a_status(void)
{
	struct tool_output output;
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(run(&output, "kill -KILL $$", &err), 0);
	CU_ASSERT_EQUAL(output.status, 128 + SIGKILL);
	tool_output_release(&output);
}

static void
a_program_that_is_not_there_is_an_error(void)
{
	static const char *const argv[] = {"no-such-program-of-ours", NULL};
	struct tool_output output;
	struct err err = {0};

	CU_ASSERT_EQUAL(tool_run(&output, argv, NULL, NULL, &err), -1);
	UNIT_CONTAINS(err.text, "cannot run 'no-such-program-of-ours'");
	UNIT_CONTAINS(err.text, "is it installed");
	tool_output_release(&output);
}

/* It would wait for ever for an answer, or for what it has left behind. */
static void
what_is_left_behind_is_ended_and_not_waited_for(void)
{
	struct tool_output output;
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(run(&output, "cat; sleep 600 & echo $!", &err), 0);
	CU_ASSERT_EQUAL(output.status, 0);
	int left = atoi(buf_text(&output.out));

	CU_ASSERT_TRUE_FATAL(left > 1);
	CU_ASSERT_EQUAL(kill(left, 0), -1);
	tool_output_release(&output);
}

/* What runs is ended with all that it started. */
static void
an_interruption_ends_it(void)
{
	int status = -1;

	fflush(NULL);
	pid_t child = fork();

	CU_ASSERT_TRUE_FATAL(child >= 0);
	if (child == 0) {
		struct tool_output output;
		struct err err = {0};

		signals_catch();
		int result = run(&output, "kill -INT $PPID; sleep 600; true", &err);

		_exit(result == -1 && err.kind == ERR_INTERRUPTED && err.signal == SIGINT ? 0 : 1);
	}
	CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
	CU_ASSERT_EQUAL(status, 0);
}

static void
much_output_is_cut(void)
{
	struct tool_output output;
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(run(&output, "head -c 300000 /dev/zero", &err), 0);
	CU_ASSERT_EQUAL(output.status, 0);
	CU_ASSERT_EQUAL(output.out.len, TOOL_OUTPUT_MAX);
	tool_output_release(&output);
}

static void
a_complaint_becomes_a_few_notes(void)
{
	struct tool_output output;
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(run(&output, "seq 100 199 >&2", &err), 0);
	err_set(&err, ERR_SYSTEM, "it failed");
	tool_note_complaint(&output, &err);
	UNIT_CONTAINS(err.text, "note: 100\n");
	UNIT_CONTAINS(err.text, "note: 105");
	CU_ASSERT_PTR_NULL(strstr(err.text, "106"));
	tool_output_release(&output);
}

static const struct unit_case cases[] = {
	{"both_streams_and_the_status_are_taken", both_streams_and_the_status_are_taken},
	{"a_signal_is_a_status", a_signal_is_a_status},
	{"a_program_that_is_not_there_is_an_error", a_program_that_is_not_there_is_an_error},
	{"what_is_left_behind_is_ended_and_not_waited_for",
		what_is_left_behind_is_ended_and_not_waited_for},
	{"an_interruption_ends_it", an_interruption_ends_it},
	{"much_output_is_cut", much_output_is_cut},
	{"a_complaint_becomes_a_few_notes", a_complaint_becomes_a_few_notes},
	{NULL, NULL},
};

void
suite_process_tool(void)
{
	unit_suite("process/tool", cases);
}
