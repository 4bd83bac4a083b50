/* Runs of programs that wait a known time, where the kernel records context switches. */
#include "ingest/ingest.h"

#include "capture/bench.h"

void suite_capture_waits(void);

static const struct capture_backend *
backend(void)
{
	return capture_backend_for("offcpu");
}

/* False, and the case skipped, where it does not. */
static bool
begin(struct bench *bench, const char *metric, const char *script)
{
	if (!bench_init(bench, script))
		return false;
	if (backend()->choose(metric, "auto", &bench->request.event, &bench->err) == 0)
		return true;
	unit_skip("context switches are not recorded here");
	bench_release(bench);
	return false;
}

/* The time in all threads of this name, in ns; "" are those that waited. */
static double
read_ns(struct bench *bench, struct profile *profile, const char *comm)
{
	double ns = 0;

	profile_init(profile);
	CU_ASSERT_EQUAL(ingest_file(profile, bench->perfdata,
				&(struct ingest_options){.comm = *comm ? comm : NULL}, &bench->err),
		0);
	UNIT_STR_EQ(bench->err.text, "");
	for (node_id node = 0; node < profile->tree.nnodes; node++) {
		frame_id frame = profile->tree.nodes[node].frame;

		if (*comm || profile->frames.frames[frame].kind == FRAME_WAIT)
			ns += ctree_weight(&profile->tree, 0, node);
	}
	return ns;
}

static void
run(struct bench *bench)
{
	CU_ASSERT_EQUAL(backend()->run(&bench->request, &bench->result, &bench->err), 0);
	UNIT_STR_EQ(bench->err.text, "");
}

static void
test_chosen(void)
{
	struct capture_event event;
	struct err err = {0};

	CU_ASSERT_EQUAL(backend()->choose("offcpu", "cycles", &event, &err), -1);
	CU_ASSERT_EQUAL(err.kind, ERR_USAGE);
	UNIT_CONTAINS(err.text, "'offcpu' has no event 'cycles'");
	err = (struct err){0};
	CU_ASSERT_EQUAL(backend()->choose("wall", "page-faults", &event, &err), -1);
	UNIT_CONTAINS(err.text, "'wall' has no event 'page-faults'");
	err = (struct err){0};
	CU_ASSERT_EQUAL(backend()->choose("locks", "cpu-clock", &event, &err), -1);
	UNIT_CONTAINS(err.text, "'locks' has no event 'cpu-clock'");
	err = (struct err){0};
	CU_ASSERT_EQUAL(capture_backend_for("io")->choose("io", "seccomp", &event, &err), -1);
	UNIT_CONTAINS(err.text, "'io' has no event 'seccomp'");
}

static void
test_offcpu(void)
{
	struct bench bench;
	struct profile profile;

	if (!begin(&bench, "offcpu", "sleep 0.1; sleep 0.1"))
		return;
	run(&bench);

	double ns = read_ns(&bench, &profile, "sleep");

	CU_ASSERT(ns > 0.19e9 && ns < 1e9);
	CU_ASSERT_EQUAL(bench.result.run.lost, 0);
	CU_ASSERT(profile.runs[0].cost_total > 0.2e9);
	UNIT_STR_EQ(strtab_str(&profile.strings, profile.metric), "offcpu");
	profile_release(&profile);
	bench_release(&bench);
}

/* It is ended by us, while it waits. */
static void
test_end(void)
{
	struct bench bench;
	struct profile profile;

	if (!begin(&bench, "offcpu", "exec sleep 60"))
		return;
	bench.request.duration_s = 0.3;
	run(&bench);
	CU_ASSERT(bench.result.ended_by_us);

	double ns = read_ns(&bench, &profile, "");

	CU_ASSERT(ns > 0.2e9 && ns < 2e9);
	profile_release(&profile);
	bench_release(&bench);
}

static void
test_wall(void)
{
	struct bench bench;
	struct profile profile;

	if (!begin(&bench, "wall",
		    "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; sleep 0.1"))
		return;
	run(&bench);
	double all = read_ns(&bench, &profile, "sh");

	/* From its exec to its end. */
	UNIT_NEAR(all / (double)bench.result.run.wall_ns, 1, 0.25);
	UNIT_STR_EQ(strtab_str(&profile.strings, profile.metric), "wall");
	profile_release(&profile);

	double waited = read_ns(&bench, &profile, "");

	CU_ASSERT(waited > 0.2e9);
	profile_release(&profile);
	bench_release(&bench);
}

/* flock(1) waits for who has the file; on a busy machine it takes a while to start. */
static void
test_locks(void)
{
	struct bench bench;
	struct profile profile;

	if (!begin(&bench, "locks",
		    "exec 9<.; flock 9; (exec 9<.; flock 9) & sleep 1; flock -u 9; wait"))
		return;
	run(&bench);
	double ns = read_ns(&bench, &profile, "");

	UNIT_NEAR(ns / 1e9, 1, 0.5);
	UNIT_STR_EQ(strtab_str(&profile.strings, profile.metric), "locks");
	UNIT_STR_EQ(strtab_str(&profile.strings, profile.event), "locks:wait");
	UNIT_NEAR(profile.runs[0].cost_total, ns, 0);
	profile_release(&profile);
	bench_release(&bench);
}

static const struct unit_case cases[] = {
	{"waits_have_events_of_their_own", test_chosen},
	{"threads_wait_as_long_as_they_sleep", test_offcpu},
	{"who_waits_at_the_end_waits_until_then", test_end},
	{"running_and_waiting_are_all_of_the_time", test_wall},
	{"who_waits_for_a_lock_waits_until_it_is_released", test_locks},
	{NULL, NULL},
};

void
suite_capture_waits(void)
{
	unit_suite("capture/waits", cases);
}
