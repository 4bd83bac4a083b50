/* What needs no valgrind; and, where it is, a run of it. */
#include "capture/backend.h"

#include "capture/capture_internal.h"
#include "capture/surroundings.h"
#include "profile/quality.h"
#include "scratch.h"
#include "unit.h"

#include <math.h>
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

struct fixture {
	struct scratch scratch;
	char into[128];
	struct surroundings surroundings;
	struct callgrind_totals totals;
	struct err err;
};

static void
callgrind_files_begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	scratch_init(&f->scratch);
	snprintf(f->into, sizeof(f->into), "%s/joined", f->scratch.dir);
}

static void
put(struct fixture *f, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", f->scratch.dir, name);
	CU_ASSERT_EQUAL_FATAL(file_write(path, text, strlen(text), &f->err), 0);
}

static int
join(struct fixture *f, pid_t first)
{
	return callgrind_files_join(f->scratch.dir, first, metric_find("instructions"),
		&f->surroundings, f->into, &f->totals, &f->err);
}

static void
the_program_is_first_and_costs_are_added_up(void)
{
	struct fixture f;
	struct buf got = {0};

	callgrind_files_begin(&f);
	put(&f, "100", "events: Ir\na\ntotals: 5\n");
	put(&f, "200.1", "events: Dr Ir\nb\ntotals: 1 7 9\n\n");
	put(&f, "200", "events: Ir\nc\ntotals: 11\n");
	put(&f, "other", "d\n");
	CU_ASSERT_EQUAL(join(&f, 200), 0);
	CU_ASSERT_EQUAL(f.totals.program, 23);
	CU_ASSERT_EQUAL(file_read(f.into, &got, 1000, &f.err), 0);
	UNIT_STR_EQ(buf_text(&got), "events: Ir\nc\ntotals: 11\nevents: Dr Ir\nb\ntotals: 1 7 9\n\n"
				    "events: Ir\na\ntotals: 5\n");
	buf_release(&got);
	scratch_release(&f.scratch);
}

static void
processes_are_in_the_order_of_their_numbers(void)
{
	struct fixture f;
	struct buf got = {0};

	callgrind_files_begin(&f);
	put(&f, "1000", "events: Ir\nd\ntotals: 1\n");
	put(&f, "200.10", "events: Ir\nc\ntotals: 1\n");
	put(&f, "200.9", "events: Ir\nb\ntotals: 1\n");
	put(&f, "99", "events: Ir\na\ntotals: 1\n");
	CU_ASSERT_EQUAL(join(&f, 1), 0);
	CU_ASSERT_EQUAL(file_read(f.into, &got, 1000, &f.err), 0);
	UNIT_STR_EQ(buf_text(&got), "events: Ir\na\ntotals: 1\nevents: Ir\nb\ntotals: 1\n"
				    "events: Ir\nc\ntotals: 1\nevents: Ir\nd\ntotals: 1\n");
	buf_release(&got);
	scratch_release(&f.scratch);
}

static void
a_sum_of_events_is_stated(void)
{
	struct fixture f;
	struct buf got = {0};

	callgrind_files_begin(&f);
	put(&f, "100", "a\nevents: Ir I1mr D1mr D1mw\nb\ntotals: 1000 1 20 300\n");
	put(&f, "200", "events: Ir I1mr D1mr D1mw\ntotals: 1000 1\n");
	CU_ASSERT_EQUAL(callgrind_files_join(f.scratch.dir, 100, metric_find("l1_misses"),
				&f.surroundings, f.into, &f.totals, &f.err),
		0);
	CU_ASSERT_EQUAL(f.totals.program, 322);
	CU_ASSERT_EQUAL(file_read(f.into, &got, 1000, &f.err), 0);
	UNIT_STR_EQ(buf_text(&got),
		"a\ndesc: Metric: l1_misses\nevents: Ir I1mr D1mr D1mw\nb\n"
		"totals: 1000 1 20 300\n"
		"desc: Metric: l1_misses\nevents: Ir I1mr D1mr D1mw\ntotals: 1000 1\n");
	CU_ASSERT_EQUAL(callgrind_files_join(f.scratch.dir, 100, metric_find("ll_misses"),
				&f.surroundings, f.into, &f.totals, &f.err),
		-1);
	UNIT_CONTAINS(f.err.text, "no events of the metric 'll_misses'");
	buf_release(&got);
	scratch_release(&f.scratch);
}

#define LOADER \
	"desc: Trigger: " CALLGRIND_LOADER_END "\nevents: Ir\nob=(1) /lib/ld-linux-x86-64.so.2\n"

static void
the_loader_is_counted_by_itself(void)
{
	struct fixture f;
	struct buf got = {0};

	callgrind_files_begin(&f);
	put(&f, "100", "events: Ir\nob=(1) /lib/ld-linux-x86-64.so.2\ntotals: 5\n");
	put(&f, "100.1", LOADER "totals: 70\n");
	put(&f, "200", "events: Ir\nob=(1) /bin/static\ntotals: 1\n");
	CU_ASSERT_EQUAL(join(&f, 100), 0);
	CU_ASSERT_EQUAL(f.totals.program, 6);
	CU_ASSERT_EQUAL(f.totals.loader, 70);
	CU_ASSERT_EQUAL(file_read(f.into, &got, 1000, &f.err), 0);
	CU_ASSERT_PTR_NULL(strstr(buf_text(&got), "totals: 70"));
	buf_release(&got);
	scratch_release(&f.scratch);
}

static void
a_loader_that_is_not_told_apart_is_not_known(void)
{
	struct fixture f;

	callgrind_files_begin(&f);
	put(&f, "100", "events: Ir\nob=(1) /lib/ld-linux-x86-64.so.2\ntotals: 5\n");
	put(&f, "200", "events: Ir\nob=(1) /lib/ld-linux-x86-64.so.2\ntotals: 5\n");
	put(&f, "200.1", LOADER "totals: 70\n");
	CU_ASSERT_EQUAL(join(&f, 100), 0);
	CU_ASSERT_EQUAL(f.totals.program, 10);
	CU_ASSERT_TRUE(isnan(f.totals.loader));
	scratch_release(&f.scratch);
}

static void
files_of_the_place_are_named_as_outside(void)
{
	static char folder[] = "/srv/checkout";
	struct fixture f;
	struct buf got = {0};

	callgrind_files_begin(&f);
	f.surroundings.place = (struct fixed_place){.folder = folder};
	put(&f, "100",
		"cmd: " FIXED_PLACE_FOLDER "/a b\nevents: Ir\nob=(1) " FIXED_PLACE_FOLDER
		"/lib/x.so\nfl=(1) " FIXED_PLACE "/other/y.c\n1 5\ntotals: 5\n");
	CU_ASSERT_EQUAL(join(&f, 100), 0);
	CU_ASSERT_EQUAL(file_read(f.into, &got, 1000, &f.err), 0);
	UNIT_STR_EQ(buf_text(&got),
		"cmd: /srv/checkout/a b\nevents: Ir\nob=(1) "
		"/srv/checkout/lib/x.so\nfl=(1) " FIXED_PLACE "/other/y.c\n1 5\ntotals: 5\n");
	buf_release(&got);
	scratch_release(&f.scratch);
}

static void
a_file_that_is_not_whole_is_an_error(void)
{
	static const char *const texts[] = {"", "\n", "events: Ir\nfn=f\n1 2\n", "totals: 3\n",
		"events: Ir\na\ntotals: 5\nfn=f\n",
		"events: Ir\na\ntotals:", "events: Ir\na\ntotals: 5", "events: Ir\na\ntotals: 5x\n",
		"events: Ir"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct fixture f;

		callgrind_files_begin(&f);
		put(&f, "100", texts[i]);
		CU_ASSERT_EQUAL(join(&f, 100), -1);
		UNIT_CONTAINS(f.err.text, "not whole");
		CU_ASSERT_FALSE(file_exists(f.into));
		scratch_release(&f.scratch);
	}
}

static void
a_folder_without_a_file_is_an_error(void)
{
	struct fixture f;

	callgrind_files_begin(&f);
	CU_ASSERT_EQUAL(join(&f, 1), -1);
	UNIT_CONTAINS(f.err.text, "left no profile");
	scratch_release(&f.scratch);
}

static const struct unit_case cases[] = {
	{"it_takes_instructions", it_takes_instructions},
	{"an_event_that_it_has_not_is_refused", an_event_that_it_has_not_is_refused},
	{"a_simulation_has_the_event_of_its_metric", a_simulation_has_the_event_of_its_metric},
	{"without_valgrind_it_says_what_to_install", without_valgrind_it_says_what_to_install},
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
	{"the_program_is_first_and_costs_are_added_up",
		the_program_is_first_and_costs_are_added_up},
	{"processes_are_in_the_order_of_their_numbers",
		processes_are_in_the_order_of_their_numbers},
	{"a_sum_of_events_is_stated", a_sum_of_events_is_stated},
	{"the_loader_is_counted_by_itself", the_loader_is_counted_by_itself},
	{"a_loader_that_is_not_told_apart_is_not_known",
		a_loader_that_is_not_told_apart_is_not_known},
	{"files_of_the_place_are_named_as_outside", files_of_the_place_are_named_as_outside},
	{"a_file_that_is_not_whole_is_an_error", a_file_that_is_not_whole_is_an_error},
	{"a_folder_without_a_file_is_an_error", a_folder_without_a_file_is_an_error},
	{NULL, NULL},
};

void
suite_capture_callgrind(void)
{
	unit_suite("capture/callgrind", cases);
}
