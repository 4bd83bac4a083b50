/* Timelines of events that are known by their names. */
#include "ingest/timeline.h"

#include "perfdata/make_named.h"

#define OUT PERF_RECORD_MISC_SWITCH_OUT
#define PREEMPTED (PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)

void suite_ingest_timeline_events(void);

/* From thread `prev`, in this state, to thread `next`. */
static void
put_sched_switch(struct named *named, uint32_t prev, uint64_t state, uint32_t next, uint64_t time)
{
	struct buf raw = {0};

	buf_put_zeros(&raw, 24);
	made_u32s(&raw, prev, 120);
	made_u64(&raw, state);
	buf_put_zeros(&raw, 16);
	made_u32s(&raw, next, 120);
	put_named(named, prev, time, 1, &raw);
	buf_release(&raw);
}

static void
test_tracepoint(void)
{
	struct named named;

	begin_named(&named, "sched:sched_switch", PERF_TYPE_TRACEPOINT, 372, NULL);
	put_sched_switch(&named, 0, 0, 7, 900);
	put_sched_switch(&named, 7, 1, 8, 1000);
	put_sched_switch(&named, 8, 0x100, 7, 1300);
	put_sched_switch(&named, 7, 2, 8, 1400);
	put_sched_switch(&named, 8, 1, 0, 1450);
	put_sched_switch(&named, 0, 0, 7, 1500);
	expect_named(&named, NULL, "ns",
		":7;[unknown];blocked_[w] 400\n"
		":8;[unknown];blocked_[w] 50\n"
		":8;[unknown];run queue_[w] 100\n");
	/* The threads of one program, without those between: nobody comes back. */
	begin_named(&named, "sched:sched_switch", PERF_TYPE_TRACEPOINT, 372, NULL);
	for (uint64_t time = 1000; time < 1010; time++)
		put_sched_switch(&named, 7, 1, 99, time);
	expect_named(&named, NULL, "sched:sched_switch", ":7;[unknown] 10\n");
}

static void
test_off_cpu(void)
{
	struct named named;

	begin_named(&named, "offcpu-time", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT, NULL);
	put_named(&named, 7, 1000, 250, NULL);
	put_named(&named, 7, 1001, 30, NULL);
	expect_named(&named, NULL, "ns", ":7;[unknown];blocked_[w] 280\n");
}

static void
test_wakes(void)
{
	struct named named;

	begin_named(&named, "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,
		"sched:sched_waking");
	put_named_switch(&named, OUT, 7, 1000);
	/* Recorded for both threads. */
	put_wake(&named, 8, 7, 1200);
	put_wake(&named, 8, 7, 1201);
	put_named_switch(&named, 0, 7, 1230);
	/* Nobody waits for it. */
	put_wake(&named, 8, 7, 1240);
	put_named_switch(&named, PREEMPTED, 7, 1300);
	put_wake(&named, 8, 7, 1301);
	put_named_switch(&named, 0, 7, 1304);
	put_wake(&named, 8, 99, 1305);
	/* At once. */
	put_named_switch(&named, OUT, 7, 1400);
	put_wake(&named, 0, 7, 1400);
	put_named_switch(&named, 0, 7, 1405);
	/* By what is not recorded. */
	put_named_switch(&named, OUT, 7, 1500);
	put_named_switch(&named, 0, 7, 1600);
	/* Woken, but the capture ends first. */
	put_named_switch(&named, OUT, 7, 2000);
	put_wake(&named, 8, 7, 2050);
	put_named_switch(&named, 0, 0, 2060);
	expect_named(&named, NULL, "ns", ":7;blocked_[w] 350\n:7;run queue_[w] 49\n");
}

static const struct unit_case cases[] = {
	{"a_tracepoint_tells_who_goes_and_who_comes", test_tracepoint},
	{"behind_its_wake_up_a_thread_waits_for_a_cpu", test_wakes},
	{"samples_of_perfs_off_cpu_state_their_time", test_off_cpu},
	{NULL, NULL},
};

void
suite_ingest_timeline_events(void)
{
	unit_suite("ingest/timeline_events", cases);
}
