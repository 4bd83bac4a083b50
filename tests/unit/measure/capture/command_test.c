#include "capture/capture_internal.h"

#include "base/clock.h"
#include "unit.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

void suite_capture_command(void);

#define START_NS UINT64_C(5000000000)

/* A program that has ended, or was ended, and how. */
struct bench {
	const char *argv[4];
	struct capture_request request;
	struct command command;
	struct child child;
	struct err err;
};

static void
bench_init(struct bench *bench)
{
	*bench = (struct bench){
		.argv = {"/bin/sh", "-c", ":", NULL},
		.command = {.request = &bench->request, .timeout_factor = 1},
	};
	bench->request.argv = bench->argv;
}

static uint64_t
deadline(struct bench *bench, double duration_s, double timeout_s)
{
	bench->request.duration_s = duration_s;
	bench->request.timeout_s = timeout_s;
	return command_deadline_ns(&bench->command, START_NS);
}

static int
judge(struct bench *bench, enum watch_end end)
{
	return command_judge(&bench->command, &bench->child, end, &bench->err);
}

static void
without_limits_there_is_no_deadline(void)
{
	struct bench bench;

	bench_init(&bench);
	CU_ASSERT_EQUAL(deadline(&bench, 0, 0), 0);
	CU_ASSERT_FALSE(command_has_duration(&bench.command));
}

static void
the_earlier_of_both_limits_is_the_deadline(void)
{
	struct bench bench;

	bench_init(&bench);
	CU_ASSERT_EQUAL(deadline(&bench, 2, 0), START_NS + 2000000000);
	CU_ASSERT_TRUE(command_has_duration(&bench.command));
	CU_ASSERT_EQUAL(deadline(&bench, 0, 0.5), START_NS + 500000000);
	CU_ASSERT_FALSE(command_has_duration(&bench.command));
	CU_ASSERT_EQUAL(deadline(&bench, 2, 3), START_NS + 2000000000);
	CU_ASSERT_TRUE(command_has_duration(&bench.command));
	CU_ASSERT_EQUAL(deadline(&bench, 3, 2), START_NS + 2000000000);
	CU_ASSERT_FALSE(command_has_duration(&bench.command));
}

static void
a_tie_is_the_duration_s(void)
{
	struct bench bench;

	bench_init(&bench);
	CU_ASSERT_EQUAL(deadline(&bench, 2, 2), START_NS + 2000000000);
	CU_ASSERT_TRUE(command_has_duration(&bench.command));
}

static void
the_factor_is_for_the_timeout_only(void)
{
	struct bench bench;

	bench_init(&bench);
	bench.command.timeout_factor = 50;
	CU_ASSERT_EQUAL(deadline(&bench, 0, 2), START_NS + 100000000000);
	CU_ASSERT_EQUAL(deadline(&bench, 60, 2), START_NS + 60000000000);
	CU_ASSERT_TRUE(command_has_duration(&bench.command));
	CU_ASSERT_EQUAL(deadline(&bench, 101, 2), START_NS + 100000000000);
	CU_ASSERT_FALSE(command_has_duration(&bench.command));
}

static void
an_end_of_its_own_is_judged_by_its_status(void)
{
	struct bench bench;

	bench_init(&bench);
	bench.request.timeout_s = 1;
	bench.child.ended = true;
	CU_ASSERT_EQUAL(judge(&bench, WATCH_ENDED), 0);
	bench.child.status = 3 << 8;
	CU_ASSERT_EQUAL(judge(&bench, WATCH_ENDED), -1);
	CU_ASSERT_EQUAL(bench.err.kind, ERR_MEASURE);
	UNIT_CONTAINS(bench.err.text, "'/bin/sh' exited with status 3");
}

static void
the_end_of_the_duration_is_a_success(void)
{
	struct bench bench;

	bench_init(&bench);
	bench.request.duration_s = 1;
	bench.request.timeout_s = 2;
	bench.child.status = SIGTERM; /* ours */
	CU_ASSERT_EQUAL(judge(&bench, WATCH_TIME_OVER), 0);
}

static void
the_end_of_the_timeout_is_a_failure(void)
{
	struct bench bench;

	bench_init(&bench);
	bench.request.duration_s = 2;
	bench.request.timeout_s = 0.5;
	CU_ASSERT_EQUAL(judge(&bench, WATCH_TIME_OVER), -1);
	CU_ASSERT_EQUAL(bench.err.kind, ERR_MEASURE);
	UNIT_STR_EQ(bench.err.text,
		"'/bin/sh' ran longer than its timeout of 0.5 s and was ended\n  note: "
		"increase `timeout`, or reduce the work of the program");
}

static void
a_longer_timeout_is_told_with_its_reason(void)
{
	struct bench bench;

	bench_init(&bench);
	bench.request.timeout_s = 0.5;
	bench.command.timeout_factor = 50;
	bench.command.slowness = "under a tool programs are slow";
	CU_ASSERT_EQUAL(judge(&bench, WATCH_TIME_OVER), -1);
	UNIT_STR_EQ(bench.err.text,
		"'/bin/sh' ran longer than 50 times its timeout of 0.5 s and was ended\n  note: "
		"under a tool programs are slow: increase `timeout`, or reduce the work of the "
		"program");
}

static void
an_interruption_is_no_failure_of_the_program(void)
{
	struct bench bench;

	bench_init(&bench);
	bench.request.duration_s = 1;
	bench.child.status = SIGTERM;
	CU_ASSERT_EQUAL(judge(&bench, WATCH_INTERRUPTED), -1);
	CU_ASSERT_EQUAL(bench.err.kind, ERR_INTERRUPTED);
}

static void
the_request_says_how_it_is_started(void)
{
	const char *const env[] = {"A=b", NULL};
	struct bench bench;
	cpu_set_t pin;

	bench_init(&bench);
	bench.request.env = env;
	bench.request.cwd = "/tmp";
	bench.request.stdin_path = "input";
	bench.request.pin = &pin;
	struct child_spec spec = command_spec(&bench.command);

	CU_ASSERT_PTR_EQUAL(spec.argv, bench.argv);
	CU_ASSERT_PTR_EQUAL(spec.env, env);
	UNIT_STR_EQ(spec.cwd, "/tmp");
	UNIT_STR_EQ(spec.stdin_path, "input");
	CU_ASSERT_PTR_EQUAL(spec.pin, &pin);
	CU_ASSERT_EQUAL(spec.output, CHILD_KEEP);
	bench.request.output = CHILD_INHERIT;
	CU_ASSERT_EQUAL(command_spec(&bench.command).output, CHILD_INHERIT);
}

/* Runs it to its end, or until the deadline. */
static enum watch_end
run(struct bench *bench, const char *script, struct capture_result *result)
{
	enum watch_end end = WATCH_ENDED;

	memset(result, 0, sizeof(*result));
	bench->argv[2] = script;
	const struct child_spec spec = command_spec(&bench->command);

	CU_ASSERT_EQUAL_FATAL(child_start(&bench->child, &spec, &bench->err), 0);
	const uint64_t start_ns = clock_ns();
	const struct watch watch = {.child = &bench->child,
		.deadline_ns = command_deadline_ns(&bench->command, start_ns)};

	CU_ASSERT_EQUAL(child_go(&bench->child, &spec, &bench->err), 0);
	CU_ASSERT_EQUAL(watch_wait(&watch, &end, &bench->err), 0);
	command_end(&bench->command, &bench->child, end, start_ns, result);
	return end;
}

static void
the_result_tells_the_end_and_what_was_said(void)
{
	struct capture_result result;
	struct bench bench;

	bench_init(&bench);
	CU_ASSERT_EQUAL(run(&bench, "echo broken >&2; exit 3", &result), WATCH_ENDED);
	CU_ASSERT_EQUAL(result.exit_status, 3 << 8);
	UNIT_STR_EQ(result.last_output, "broken");
	CU_ASSERT_TRUE(result.run.wall_ns > 0);
	CU_ASSERT_FALSE(result.ended_by_us);
}

static void
only_the_duration_s_end_is_ours(void)
{
	struct capture_result result;
	struct bench bench;

	bench_init(&bench);
	bench.request.duration_s = 0.05;
	CU_ASSERT_EQUAL(run(&bench, "sleep 300", &result), WATCH_TIME_OVER);
	CU_ASSERT_TRUE(result.ended_by_us);
	CU_ASSERT_TRUE(result.run.wall_ns >= 50000000);
	CU_ASSERT_EQUAL(result.exit_status, SIGTERM);
	bench.request.duration_s = 0;
	bench.request.timeout_s = 0.05;
	CU_ASSERT_EQUAL(run(&bench, "sleep 300", &result), WATCH_TIME_OVER);
	CU_ASSERT_FALSE(result.ended_by_us);
	CU_ASSERT_EQUAL(result.exit_status, SIGTERM);
}

static const struct unit_case cases[] = {
	{"without_limits_there_is_no_deadline", without_limits_there_is_no_deadline},
	{"the_earlier_of_both_limits_is_the_deadline", the_earlier_of_both_limits_is_the_deadline},
	{"a_tie_is_the_duration_s", a_tie_is_the_duration_s},
	{"the_factor_is_for_the_timeout_only", the_factor_is_for_the_timeout_only},
	{"an_end_of_its_own_is_judged_by_its_status", an_end_of_its_own_is_judged_by_its_status},
	{"the_end_of_the_duration_is_a_success", the_end_of_the_duration_is_a_success},
	{"the_end_of_the_timeout_is_a_failure", the_end_of_the_timeout_is_a_failure},
	{"a_longer_timeout_is_told_with_its_reason", a_longer_timeout_is_told_with_its_reason},
	{"an_interruption_is_no_failure_of_the_program",
		an_interruption_is_no_failure_of_the_program},
	{"the_request_says_how_it_is_started", the_request_says_how_it_is_started},
	{"the_result_tells_the_end_and_what_was_said", the_result_tells_the_end_and_what_was_said},
	{"only_the_duration_s_end_is_ours", only_the_duration_s_end_is_ours},
	{NULL, NULL},
};

void
suite_capture_command(void)
{
	unit_suite("capture/command", cases);
}
