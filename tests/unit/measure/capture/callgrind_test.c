/* What needs no valgrind; and, where it is, a run of it. */
#include "capture/backend.h"
#include "profile/quality.h"

#include "scratch.h"
#include "unit.h"

#include <unistd.h>

void suite_capture_callgrind(void);

static const struct capture_backend *
backend(void)
{
	return capture_backend_for("instructions");
}

struct bench {
	struct scratch scratch;
	struct capture_request request;
	struct capture_result result;
	const char *argv[4];
	char path[128];
	struct err err;
};

/* False, and the case skipped, where there is no valgrind. */
static bool
begin(struct bench *bench, const char *script)
{
	memset(bench, 0, sizeof(*bench));
	if (backend()->choose("instructions", "auto", &bench->request.event, &bench->err) < 0) {
		unit_skip("valgrind is not here, or does not work");
		return false;
	}
	scratch_init(&bench->scratch);
	bench->argv[0] = "/bin/sh";
	bench->argv[1] = "-c";
	bench->argv[2] = script;
	bench->request.argv = bench->argv;
	bench->request.reader_cpu = -1;
	bench->request.callchain = true;
	bench->request.timeout_s = 60;
	snprintf(bench->path, sizeof(bench->path), "%s/100%%.out", bench->scratch.dir);
	bench->request.perfdata_path = bench->path;
	return true;
}

static int
run(struct bench *bench)
{
	return backend()->run(&bench->request, &bench->result, &bench->err);
}

static bool
left_behind(const struct bench *bench)
{
	char parts[160];

	snprintf(parts, sizeof(parts), "%s.parts", bench->path);
	return file_exists(parts);
}

static void
it_takes_instructions(void)
{
	UNIT_NEED(backend());
	UNIT_STR_EQ(backend()->name, "callgrind");
}

static void
an_event_that_it_has_not_is_refused(void)
{
	struct capture_event event;
	struct err err = {0};

	CU_ASSERT_EQUAL(backend()->choose("instructions", "cycles", &event, &err), -1);
	CU_ASSERT_EQUAL(err.kind, ERR_USAGE);
	UNIT_CONTAINS(err.text, "expected auto, callgrind or instructions");
}

static void
a_simulation_has_the_event_of_its_metric(void)
{
	struct capture_event event;
	struct err err = {0};

	CU_ASSERT_PTR_EQUAL(capture_backend_for("ll_misses"), backend());
	CU_ASSERT_EQUAL(backend()->choose("ll_misses", "instructions", &event, &err), -1);
	UNIT_CONTAINS(err.text, "the metric 'll_misses' has no event 'instructions'");
	err = (struct err){0};
	if (backend()->choose("ll_misses", "auto", &event, &err) < 0) {
		unit_skip("valgrind is not here, or does not work");
		return;
	}
	UNIT_STR_EQ(event.name, "ll_misses");
	UNIT_CONTAINS(event.reason, "simulates a cache");
}

static void
without_valgrind_it_says_what_to_install(void)
{
	struct capture_event event;
	struct err err = {0};
	const char *found = getenv("PATH");
	char *path = strdup(found ? found : "");

	UNIT_NEED(path);
	setenv("PATH", "/nonexistent", 1);
	CU_ASSERT_EQUAL(backend()->choose("instructions", "auto", &event, &err), -1);
	setenv("PATH", path, 1);
	free(path);
	CU_ASSERT_EQUAL(err.kind, ERR_MEASURE);
	UNIT_CONTAINS(err.text, "apt-get install valgrind");
}

static void
a_run_counts_all_and_is_never_poor(void)
{
	struct bench bench;
	char weakness[QUALITY_TEXT_MAX];

	if (!begin(&bench, "exit 0"))
		return;
	CU_ASSERT_TRUE(bench.request.event.counts_all);
	CU_ASSERT_EQUAL(run(&bench), 0);
	CU_ASSERT_TRUE(bench.result.run.measured);
	CU_ASSERT_TRUE(bench.result.run.cost_total > 10000);
	CU_ASSERT_EQUAL(bench.result.run.cost_total, (double)bench.result.run.samples);
	CU_ASSERT_TRUE(bench.result.run.cpu_ns > 0);
	CU_ASSERT_FALSE(quality_of_run(&bench.result.run, weakness));
	CU_ASSERT_TRUE(file_exists(bench.path));
	CU_ASSERT_FALSE(left_behind(&bench));
	scratch_release(&bench.scratch);
}

/*
 * Both scripts are equally long: where strings of a shell lie, what its environment was and how it
 * compares them are worth some percent of its instructions, more than four children are.
 */
static void
a_child_is_counted_once(void)
{
#define SCRIPT(nchildren)                                   \
	"i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; " \
	"k=0; while [ $k -lt " nchildren " ]; do (:); k=$((k+1)); done"
	struct bench bench;

	if (!begin(&bench, SCRIPT("4")))
		return;
	CU_ASSERT_EQUAL(run(&bench), 0);
	double with = bench.result.run.cost_total;

	bench.argv[2] = SCRIPT("0");
	CU_ASSERT_EQUAL(run(&bench), 0);
	double without = bench.result.run.cost_total;

	CU_ASSERT_TRUE(with > without);
	CU_ASSERT_TRUE(with < 1.2 * without);
	scratch_release(&bench.scratch);
#undef SCRIPT
}

static void
a_program_that_fails_is_an_error_with_what_it_said(void)
{
	struct bench bench;

	if (!begin(&bench, "echo broken >&2; exit 3"))
		return;
	CU_ASSERT_EQUAL(run(&bench), -1);
	CU_ASSERT_EQUAL(bench.err.kind, ERR_MEASURE);
	UNIT_CONTAINS(bench.err.text, "'/bin/sh' exited with status 3");
	UNIT_CONTAINS(bench.err.text, "broken");
	CU_ASSERT_FALSE(file_exists(bench.path));
	CU_ASSERT_FALSE(left_behind(&bench));
	scratch_release(&bench.scratch);
}

static void
an_error_of_valgrinds_own_is_no_ones_environment(void)
{
	struct bench bench;

	if (!begin(&bench, "echo 'please report this bug to: www.valgrind.org' >&2; exit 1"))
		return;
	bench.request.output = CHILD_KEEP;
	setenv("UNIT_CALLER_PATH", "1", 1);
	CU_ASSERT_EQUAL(run(&bench), -1);
	unsetenv("UNIT_CALLER_PATH");
	UNIT_CONTAINS(bench.err.text, "valgrind failed with an internal error");
	CU_ASSERT_PTR_NULL(strstr(bench.err.text, "UNIT_CALLER_PATH"));
	scratch_release(&bench.scratch);
}

static void
the_timeout_is_a_longer_one(void)
{
	struct bench bench;

	if (!begin(&bench, "sleep 60"))
		return;
	bench.request.timeout_s = 0.06;
	CU_ASSERT_EQUAL(run(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "ran longer than 50 times its timeout of 0.06 s");
	CU_ASSERT_FALSE(left_behind(&bench));
	scratch_release(&bench.scratch);
}

static void
folder_environment_and_input_are_those_asked_for(void)
{
	struct bench bench;
	const char *const env[] = {"GREETING=hello", NULL};

	if (!begin(&bench, "read word && [ \"$word\" = welcome ] && [ $GREETING = hello ] && "
			   "[ -f input ]"))
		return;
	char input[128];

	snprintf(input, sizeof(input), "%s/input", bench.scratch.dir);
	CU_ASSERT_EQUAL(file_write(input, "welcome\n", 8, &bench.err), 0);
	bench.request.env = env;
	bench.request.cwd = bench.scratch.dir;
	bench.request.stdin_path = input;
	CU_ASSERT_EQUAL(run(&bench), 0);
	scratch_release(&bench.scratch);
}

static void
what_runs_already_cannot_be_counted(void)
{
	struct bench bench;

	if (!begin(&bench, ":"))
		return;
	bench.request.argv = NULL;
	bench.request.attach_pid = getpid();
	CU_ASSERT_EQUAL(run(&bench), -1);
	CU_ASSERT_EQUAL(bench.err.kind, ERR_USAGE);
	scratch_release(&bench.scratch);
}

void
suite_capture_callgrind(void)
{
	static const struct unit_case cases[] = {
		{"it_takes_instructions", it_takes_instructions},
		{"an_event_that_it_has_not_is_refused", an_event_that_it_has_not_is_refused},
		{"a_simulation_has_the_event_of_its_metric",
			a_simulation_has_the_event_of_its_metric},
		{"without_valgrind_it_says_what_to_install",
			without_valgrind_it_says_what_to_install},
		{"a_run_counts_all_and_is_never_poor", a_run_counts_all_and_is_never_poor},
		{"a_child_is_counted_once", a_child_is_counted_once},
		{"a_program_that_fails_is_an_error_with_what_it_said",
			a_program_that_fails_is_an_error_with_what_it_said},
		{"an_error_of_valgrinds_own_is_no_ones_environment",
			an_error_of_valgrinds_own_is_no_ones_environment},
		{"the_timeout_is_a_longer_one", the_timeout_is_a_longer_one},
		{"folder_environment_and_input_are_those_asked_for",
			folder_environment_and_input_are_those_asked_for},
		{"what_runs_already_cannot_be_counted", what_runs_already_cannot_be_counted},
		{NULL, NULL},
	};

	unit_suite("capture/callgrind", cases);
}
