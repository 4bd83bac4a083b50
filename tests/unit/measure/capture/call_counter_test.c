/* Runs of programs whose system calls are known, where the kernel's tracepoints are accessible. */
#include "ingest/ingest.h"

#include "capture/bench.h"
#include "profile/counters.h"

#include <unistd.h>

void suite_capture_call_counter(void);

static const struct capture_backend *
backend(void)
{
	return capture_backend_for("syscalls");
}

/* False, and the case skipped, where they are not. */
static bool
begin(struct bench *bench, const char *event, const char *script)
{
	if (!bench_init(bench, script))
		return false;
	if (backend()->choose("syscalls", event, &bench->request.event, &bench->err) == 0)
		return true;
	unit_skip("system calls cannot be counted here");
	bench_release(bench);
	return false;
}

/* The number of calls named `call` in a run. */
static double
count(struct bench *bench, const char *call)
{
	struct profile profile;
	frame_id found;
	double calls = 0;

	CU_ASSERT_EQUAL(backend()->run(&bench->request, &bench->result, &bench->err), 0);
	UNIT_STR_EQ(bench->err.text, "");
	profile_init(&profile);
	CU_ASSERT_EQUAL(ingest_file(&profile, bench->perfdata, NULL, &bench->err), 0);
	str_id name = strtab_intern_str(&profile.strings, call);
	if (frame_find(&profile.frames, name, FRAME_KERNEL, &found))
		for (node_id node = 0; node < profile.tree.nnodes; node++)
			if (profile.tree.nodes[node].frame == found)
				calls += ctree_weight(&profile.tree, 0, node);
	profile_release(&profile);
	return calls;
}

static void
test_chosen(void)
{
	struct capture_event event;
	struct err err = {0};

	CU_ASSERT_EQUAL(backend()->choose("syscalls", "cycles", &event, &err), -1);
	CU_ASSERT_EQUAL(err.kind, ERR_USAGE);
	UNIT_CONTAINS(err.text, "no event 'cycles'");
}

static void
test_counts(void)
{
	struct bench bench;

	if (!begin(&bench, "raw_syscalls", "cd /; cd /; cd /"))
		return;
	bench.request.stack_bytes = 16384;
	UNIT_NEAR(count(&bench, "chdir"), 3, 0);
	UNIT_NEAR(bench.result.run.cost_total, (double)bench.result.run.samples, 0);
	bench_release(&bench);
}

/* Both ways, of a program with a child. */
static void
test_traced(void)
{
	static const char script[] = "cd /; (cd /; cd /); /bin/true";
	struct bench bench;

	if (!begin(&bench, "seccomp", script))
		return;
	bench.request.stack_bytes = 16384;
	UNIT_NEAR(count(&bench, "chdir"), 3, 0);
	UNIT_NEAR(count(&bench, "execve"), 1, 0);
	uint64_t traced = bench.result.run.samples;

	UNIT_NEAR(counter_value(&bench.result.run, COUNTER_SYSCALLS), (double)traced, 0);

	bench_release(&bench);
	if (!begin(&bench, "raw_syscalls", script))
		return;
	UNIT_NEAR(count(&bench, "chdir"), 3, 0);
	CU_ASSERT_EQUAL(bench.result.run.samples, traced);
	UNIT_NEAR(counter_value(&bench.result.run, COUNTER_SYSCALLS), (double)traced, 0);
	bench_release(&bench);
}

static void
test_refused(void)
{
	struct bench bench;

	if (!begin(&bench, "seccomp", "exit 3"))
		return;
	CU_ASSERT_EQUAL(backend()->run(&bench.request, &bench.result, &bench.err), -1);
	UNIT_CONTAINS(bench.err.text, "exited with status 3");
	bench.argv[0] = "/nowhere/program";
	bench.err = (struct err){0};
	CU_ASSERT_EQUAL(backend()->run(&bench.request, &bench.result, &bench.err), -1);
	UNIT_CONTAINS(bench.err.text, "cannot run '/nowhere/program'");
	bench.request.argv = NULL;
	bench.request.attach_pid = getpid();
	bench.err = (struct err){0};
	CU_ASSERT_EQUAL(backend()->run(&bench.request, &bench.result, &bench.err), -1);
	UNIT_CONTAINS(bench.err.text, "not of processes that run already");
	bench_release(&bench);
}

static const struct unit_case cases[] = {
	{"a_tracer_counts_the_same", test_traced},
	{"a_program_that_fails_or_is_not_there_is_an_error", test_refused},
	{"an_event_of_another_metric_is_refused", test_chosen},
	{"each_call_is_counted", test_counts},
	{NULL, NULL},
};

void
suite_capture_call_counter(void)
{
	unit_suite("capture/call_counter", cases);
}
