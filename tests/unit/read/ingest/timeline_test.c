/* Timelines of events that are known by their names. */
#include "ingest/perfdata_internal.h"

#include "folded_check.h"
#include "ingest/ingest.h"
#include "perfdata/make_named.h"
#include "perfdata/make_perfdata.h"
#include "profile/weights.h"
#include "unit.h"

void suite_ingest_timeline(void);

#define OUT PERF_RECORD_MISC_SWITCH_OUT
#define PREEMPTED (PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)
#define SWITCHES 11
#define CLOCK 12
/* Functions of the kernel that samples lie in. */
#define SCHEDULE UINT64_C(0xffffffff81000010)
#define NANOSLEEP UINT64_C(0xffffffff81000110)
#define IO_SCHEDULE UINT64_C(0xffffffff81000210)
#define PAGE_FAULT UINT64_C(0xffffffff81000310)
#define NAMELESS UINT64_C(0xffffffff81000410)

static const uint64_t sleeps[] = {
	PERF_CONTEXT_KERNEL, SCHEDULE, NANOSLEEP, PERF_CONTEXT_USER, 0x5000};

static void
put_body(struct made_file *made, uint32_t type, uint16_t misc, struct buf *body, uint32_t tid,
	uint64_t time)
{
	made_trailer(body, tid, time);
	made_record(made, type, misc, body);
	buf_release(body);
}

static void
put_switch(struct made_file *made, uint16_t misc, uint32_t tid, uint64_t time)
{
	struct buf body = {0};

	put_body(made, PERF_RECORD_SWITCH, misc, &body, tid, time);
}

/* FORK or EXIT. */
static void
put_task(struct made_file *made, uint32_t type, uint32_t tid, uint64_t time)
{
	struct buf body = {0};

	made_u32s(&body, tid, 1);
	made_u32s(&body, tid, 1);
	made_u64(&body, time);
	put_body(made, type, 0, &body, tid, time);
}

static void
put_kernel(struct made_file *made, uint64_t address, const char *name)
{
	struct buf body = {0};

	made_ksymbol(&body, address, name);
	put_body(made, PERF_RECORD_KSYMBOL, 0, &body, 7, 1);
}

/* Switches, and with a clock besides both. */
static void
begin(struct made_file *made, bool clock)
{
	made_init(made);
	made->nattrs = clock ? 2 : 1;
	made->attrs[0].config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	made->attrs[0].sample_period = 1;
	made->attrs[0].context_switch = 1;
	made->attrs[1].config = PERF_COUNT_SW_CPU_CLOCK;
	made->attrs[1].sample_period = 100;
	put_kernel(made, SCHEDULE, "schedule");
	put_kernel(made, NANOSLEEP, "do_nanosleep");
	put_kernel(made, IO_SCHEDULE, "io_schedule");
	put_kernel(made, PAGE_FAULT, "exc_page_fault");
	put_kernel(made, NAMELESS, "some_function");
	made_comm(made, 7, 2, "p");
	made_mmap(made, 7, 3, 0x5000, 0x1000, "/nowhere/a.so");
}

/* A wait with its stack. */
static void
put_wait(struct made_file *made, const uint64_t *chain, size_t nchain, uint64_t from, uint64_t to)
{
	made_sample(made, SWITCHES, 7, from - 1, chain, nchain);
	put_switch(made, OUT, 7, from);
	put_switch(made, 0, 7, to);
}

static void
read_with(struct made_file *made, const struct ingest_options *options, struct profile *profile)
{
	struct file_view view = made_view(made);
	struct err err = {0};

	profile_init(profile);
	CU_ASSERT_EQUAL(ingest_perfdata.read(profile, &view, "x.data", options, &err), 0);
	UNIT_STR_EQ(err.text, "");
}

static void
read_made(struct made_file *made, const char *event, struct profile *profile)
{
	read_with(made, &(struct ingest_options){.event = event}, profile);
}

/* Reads it as `event`, and releases it. */
static void
expect(struct made_file *made, const char *event, const char *metric, const char *folded)
{
	struct profile profile;

	read_made(made, event, &profile);
	folded_check(&profile, folded);
	UNIT_STR_EQ(strtab_str(&profile.strings, profile.metric), metric);
	profile_release(&profile);
	made_release(made);
}

static void
test_waits(void)
{
	static const uint64_t reads[] = {PERF_CONTEXT_KERNEL, SCHEDULE, IO_SCHEDULE};
	static const uint64_t faults[] = {PERF_CONTEXT_KERNEL, SCHEDULE, IO_SCHEDULE, PAGE_FAULT};
	static const uint64_t others[] = {PERF_CONTEXT_KERNEL, SCHEDULE, NAMELESS};
	static const uint64_t user[] = {PERF_CONTEXT_USER, 0x5000};
	struct made_file made;

	begin(&made, false);
	put_wait(&made, sleeps, 5, 1000, 1300);
	put_wait(&made, sleeps, 5, 2000, 2030);
	put_wait(&made, reads, 3, 3000, 3005);
	put_wait(&made, faults, 4, 4000, 4006);
	put_wait(&made, others, 3, 5000, 5007);
	put_wait(&made, user, 2, 6000, 6008);
	expect(&made, NULL, "offcpu",
		"p;[a.so];blocked_[w] 8\n"
		"p;[a.so];do_nanosleep_[k];sleep_[w] 330\n"
		"p;exc_page_fault_[k];io_schedule_[k];page fault_[w] 6\n"
		"p;io_schedule_[k];io_[w] 5\n"
		"p;some_function_[k];other_[w] 7\n");
}

static void
test_preempted(void)
{
	struct made_file made;

	begin(&made, false);
	made_sample(&made, SWITCHES, 7, 999, sleeps, 5);
	put_switch(&made, PREEMPTED, 7, 1000);
	put_switch(&made, 0, 7, 1040);
	expect(&made, NULL, "offcpu", "p;[a.so];do_nanosleep_[k];run queue_[w] 40\n");
}

/* As without the right to sample the kernel. */
static void
test_no_stacks(void)
{
	struct made_file made;

	begin(&made, false);
	put_switch(&made, OUT, 7, 1000);
	put_switch(&made, 0, 7, 1300);
	put_switch(&made, PREEMPTED, 7, 1400);
	put_switch(&made, 0, 7, 1450);
	expect(&made, NULL, "offcpu", "p;blocked_[w] 300\np;run queue_[w] 50\n");
}

static void
test_ends(void)
{
	struct made_file made;

	begin(&made, false);
	made_comm(&made, 8, 900, "other");
	put_switch(&made, OUT, 7, 1000);
	/* One waits until the end, the other has ended. */
	put_task(&made, PERF_RECORD_EXIT, 8, 1100);
	put_switch(&made, OUT, 8, 1110);
	put_switch(&made, 0, 0, 1500);
	expect(&made, NULL, "offcpu", "p;blocked_[w] 500\n");
	/* Its number is used again. */
	begin(&made, false);
	put_switch(&made, OUT, 7, 1000);
	put_task(&made, PERF_RECORD_EXIT, 7, 1100);
	put_task(&made, PERF_RECORD_FORK, 7, 1200);
	put_switch(&made, 0, 7, 1250);
	put_switch(&made, OUT, 7, 1300);
	put_switch(&made, 0, 7, 1302);
	expect(&made, NULL, "offcpu", "p;blocked_[w] 2\n");
}

static void
test_losses(void)
{
	struct made_file made;

	begin(&made, false);
	put_wait(&made, sleeps, 5, 1000, 1300);
	put_switch(&made, OUT, 7, 2000);
	made_lost(&made, 2500, 3);
	put_switch(&made, 0, 7, 9000);
	put_wait(&made, sleeps, 5, 9100, 9101);
	expect(&made, NULL, "offcpu", "p;[a.so];do_nanosleep_[k];sleep_[w] 301\n");
}

static void
test_wall(void)
{
	static const uint64_t runs[] = {PERF_CONTEXT_USER, 0x5000};
	const char *const all = "p;[a.so] 700\np;[a.so];do_nanosleep_[k];sleep_[w] 300\n";
	struct made_file made;

	/* From the switch to the CPU at 1300 on, 700 ns of it until the end. */
	for (int event = 0; event < 3; event++) {
		const char *const names[] = {NULL, "context-switches", "cpu-clock"};
		const char *const folded[] = {
			all, "p;[a.so];do_nanosleep_[k];sleep_[w] 300\n", "p;[a.so] 2\n"};
		const char *const metrics[] = {"wall", "offcpu", "cpu"};

		begin(&made, true);
		put_wait(&made, sleeps, 5, 1000, 1200);
		made_sample(&made, CLOCK, 7, 1500, runs, 2);
		put_wait(&made, sleeps, 5, 1600, 1700);
		made_sample(&made, CLOCK, 7, 1900, runs, 2);
		put_task(&made, PERF_RECORD_EXIT, 7, 2000);
		expect(&made, names[event], metrics[event], folded[event]);
	}
}

static void
test_counts(void)
{
	struct made_file made;

	begin(&made, false);
	made.attrs[0].context_switch = 0;
	made_sample(&made, SWITCHES, 7, 999, sleeps, 5);
	made_sample(&made, SWITCHES, 7, 1999, sleeps, 5);
	expect(&made, NULL, "context-switches", "p;[a.so];do_nanosleep_[k];schedule_[k] 2\n");
}

/* The child's, and that of another thread of the program, are left out. */
static void
test_first_threads(void)
{
	static const uint16_t ways[] = {OUT, 0};
	const struct ingest_options options = {.first_threads = true};
	struct made_file made;
	struct profile profile;

	begin(&made, false);
	put_task(&made, PERF_RECORD_FORK, 8, 900);
	put_switch(&made, OUT, 7, 1000);
	put_switch(&made, OUT, 8, 1000);
	for (uint64_t i = 0; i < 2; i++) {
		struct buf body = {0};

		made_u32s(&body, 7, 9);
		made_u64(&body, 1000 + 100 * i);
		made_u64(&body, SWITCHES);
		made_record(&made, PERF_RECORD_SWITCH, ways[i], &body);
		buf_release(&body);
	}
	put_switch(&made, 0, 7, 1300);
	put_switch(&made, 0, 8, 1500);
	read_with(&made, &options, &profile);
	UNIT_NEAR(profile.runs[0].cost_total, 300, 0);
	profile_release(&profile);
	made_release(&made);
}

static void
test_description(void)
{
	struct made_file made;
	struct profile profile;

	begin(&made, false);
	put_wait(&made, sleeps, 5, 1000, 1300);
	put_wait(&made, sleeps, 5, 2000, 2030);
	read_made(&made, NULL, &profile);
	CU_ASSERT(weights_are_times(&profile) && !weights_are_counted(&profile));
	UNIT_STR_EQ(weights_cost_unit(&profile), "ns");
	CU_ASSERT_EQUAL(profile.runs[0].samples, 2);
	UNIT_NEAR(profile.runs[0].cost_total, 330, 0);
	profile_release(&profile);
	made_release(&made);
}

static const struct ingest_options middle = {.from_ns = 100, .to_ns = 200};

static void
a_range_counts_from_the_captures_start(void)
{
	const struct time_range range = time_range_at(&middle, 1000);
	const struct ingest_options rest = {.from_ns = 100};
	const struct time_range open = time_range_at(&rest, 1000);

	CU_ASSERT_FALSE(time_range_has(&range, 1099));
	CU_ASSERT_TRUE(time_range_has(&range, 1100));
	CU_ASSERT_TRUE(time_range_has(&range, 1199));
	CU_ASSERT_FALSE(time_range_has(&range, 1200));
	CU_ASSERT_TRUE(time_range_has(&open, UINT64_MAX - 1));
}

static void
a_wait_counts_as_far_as_it_is_in_the_range(void)
{
	const struct time_range range = time_range_at(&middle, 1000);
	struct timeline_entry wait = {.ns = 80, .kind = WAIT_FOR_EVENT, .queued_ns = 90};

	/* From 1050 to 1130, then for a CPU until 1220. */
	CU_ASSERT_EQUAL(time_range_clip(&range, 1050, &wait), 1100);
	CU_ASSERT_EQUAL(wait.ns, 30);
	CU_ASSERT_EQUAL(wait.queued_ns, 70);
}

static void
time_on_the_cpu_ends_with_its_record(void)
{
	const struct time_range range = time_range_at(&middle, 1000);
	struct timeline_entry ran = {.ns = 80, .kind = WAIT_NONE};
	CU_ASSERT_EQUAL(time_range_clip(&range, 1110, &ran), 1100);
	CU_ASSERT_EQUAL(ran.ns, 10);
	ran = (struct timeline_entry){.ns = 80, .kind = WAIT_NONE};
	time_range_clip(&range, 1090, &ran);
	CU_ASSERT_EQUAL(ran.ns, 0);
}

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
	{"a_wait_lasts_until_the_thread_has_a_cpu_again", test_waits},
	{"who_could_go_on_waits_for_a_cpu", test_preempted},
	{"without_samples_there_are_times_by_thread", test_no_stacks},
	{"a_wait_ends_with_the_file_but_not_with_its_thread", test_ends},
	{"waits_with_losses_are_left_out", test_losses},
	{"with_a_clock_the_whole_time_is_known", test_wall},
	{"without_times_switches_are_counted", test_counts},
	{"only_the_first_thread_is_read_where_that_is_wanted", test_first_threads},
	{"weights_are_ns_and_samples_their_number", test_description},
	{"a_range_counts_from_the_captures_start", a_range_counts_from_the_captures_start},
	{"a_wait_counts_as_far_as_it_is_in_the_range", a_wait_counts_as_far_as_it_is_in_the_range},
	{"time_on_the_cpu_ends_with_its_record", time_on_the_cpu_ends_with_its_record},
	{"a_tracepoint_tells_who_goes_and_who_comes", test_tracepoint},
	{"behind_its_wake_up_a_thread_waits_for_a_cpu", test_wakes},
	{"samples_of_perfs_off_cpu_state_their_time", test_off_cpu},
	{NULL, NULL},
};

void
suite_ingest_timeline(void)
{
	unit_suite("ingest/timeline", cases);
}
