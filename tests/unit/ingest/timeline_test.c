#include "ingest/timeline.h"

#include "ingest/ingest.h"
#include "perfdata/make_perfdata.h"
#include "perfdata/writer.h"
#include "profile/folded.h"
#include "profile/weights.h"
#include "scratch.h"
#include "unit.h"

#include <stdio.h>

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
	const uint16_t kind[] = {1, 0};

	made_u64(&body, address - 0x10);
	buf_put(&body, &(uint32_t){0x80}, 4);
	buf_put(&body, kind, sizeof(kind));
	made_text(&body, name);
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
read_made(struct made_file *made, const char *event, struct profile *profile)
{
	struct file_view view = made_view(made);
	const struct ingest_options options = {.event = event};
	struct err err = {0};

	profile_init(profile);
	CU_ASSERT_EQUAL(ingest_perfdata.read(profile, &view, "x.data", &options, &err), 0);
	UNIT_STR_EQ(err.text, "");
}

/* Reads it as `event`, and releases it. */
static void
expect(struct made_file *made, const char *event, const char *metric, const char *folded)
{
	struct profile profile;
	struct buf out = {0};

	read_made(made, event, &profile);
	profile_sort(&profile);
	folded_write(&profile, FOLDED_SUM, &out);
	UNIT_STR_EQ(buf_text(&out), folded);
	UNIT_STR_EQ(strtab_str(&profile.strings, profile.metric), metric);
	buf_release(&out);
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

/*
 * Files of events that are known by their names: sample by sample in the order IDENTIFIER, IP, TID,
 * TIME, PERIOD, and the fields of a tracepoint.
 */
struct named {
	struct scratch scratch;
	char path[128];
	struct perf_event_attr attr;
	uint64_t id;
	struct written_event event;
	struct perfdata_writer writer;
	struct err err;
};

static void
begin_named(struct named *named, const char *name, uint32_t type, uint64_t config)
{
	*named = (struct named){.id = 11};
	named->attr = (struct perf_event_attr){
		.type = type,
		.size = PERF_ATTR_SIZE_VER5,
		.config = config,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD,
		.sample_id_all = 1,
	};
	if (type == PERF_TYPE_TRACEPOINT)
		named->attr.sample_type |= PERF_SAMPLE_RAW;
	scratch_init(&named->scratch);
	snprintf(named->path, sizeof(named->path), "%s/perf.data", named->scratch.dir);
	named->event = (struct written_event){
		.name = name, .attr = &named->attr, .ids = &named->id, .nids = 1};
	CU_ASSERT_EQUAL_FATAL(
		perfdata_writer_open(&named->writer, named->path, &named->event, 1, &named->err),
		0);
}

static void
put_named(struct named *named, uint32_t tid, uint64_t time, uint64_t period, const struct buf *raw)
{
	struct perf_event_header header = {
		.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER};
	const uint64_t head[] = {11, 0x5000, tid | (uint64_t)tid << 32, time, period};
	struct buf record = {0};

	buf_put(&record, &header, sizeof(header));
	buf_put(&record, head, sizeof(head));
	if (raw) {
		buf_put_u32(&record, (uint32_t)raw->len + 4);
		buf_put(&record, raw->data, raw->len);
		buf_put_zeros(&record, 4);
	}
	header.size = (uint16_t)record.len;
	memcpy(record.data, &header, sizeof(header));
	CU_ASSERT_EQUAL(
		perfdata_writer_put(&named->writer, record.data, record.len, &named->err), 0);
	buf_release(&record);
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
expect_named(struct named *named, const char *unit, const char *folded)
{
	const struct perfdata_description description = {.last_sample_ns = 0};
	struct profile profile;
	struct buf out = {0};

	profile_init(&profile);
	CU_ASSERT_EQUAL_FATAL(perfdata_writer_finish(&named->writer, &description, &named->err), 0);
	CU_ASSERT_EQUAL_FATAL(ingest_file(&profile, named->path, NULL, &named->err), 0);
	profile_sort(&profile);
	folded_write(&profile, FOLDED_SUM, &out);
	UNIT_STR_EQ(buf_text(&out), folded);
	UNIT_STR_EQ(weights_unit(&profile), unit);
	buf_release(&out);
	profile_release(&profile);
	scratch_release(&named->scratch);
}

static void
test_tracepoint(void)
{
	struct named named;

	begin_named(&named, "sched:sched_switch", PERF_TYPE_TRACEPOINT, 372);
	put_sched_switch(&named, 0, 0, 7, 900);
	put_sched_switch(&named, 7, 1, 8, 1000);
	put_sched_switch(&named, 8, 0x100, 7, 1300);
	put_sched_switch(&named, 7, 2, 8, 1400);
	put_sched_switch(&named, 8, 1, 0, 1450);
	put_sched_switch(&named, 0, 0, 7, 1500);
	expect_named(&named, "ns",
		":7;[unknown];blocked_[w] 400\n"
		":8;[unknown];blocked_[w] 50\n"
		":8;[unknown];run queue_[w] 100\n");
	/* Of the threads of one program, without those between: nobody comes back. */
	begin_named(&named, "sched:sched_switch", PERF_TYPE_TRACEPOINT, 372);
	for (uint64_t time = 1000; time < 1010; time++)
		put_sched_switch(&named, 7, 1, 99, time);
	expect_named(&named, "samples", ":7;[unknown] 10\n");
}

static void
test_off_cpu(void)
{
	struct named named;

	begin_named(&named, "offcpu-time", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT);
	put_named(&named, 7, 1000, 250, NULL);
	put_named(&named, 7, 1001, 30, NULL);
	expect_named(&named, "ns", ":7;[unknown];blocked_[w] 280\n");
}

static const struct unit_case cases[] = {
	{"a_wait_lasts_until_the_thread_has_a_cpu_again", test_waits},
	{"who_could_go_on_waits_for_a_cpu", test_preempted},
	{"without_samples_there_are_times_by_thread", test_no_stacks},
	{"a_wait_ends_with_the_file_but_not_with_its_thread", test_ends},
	{"waits_with_losses_are_left_out", test_losses},
	{"with_a_clock_the_whole_time_is_known", test_wall},
	{"without_times_switches_are_counted", test_counts},
	{"a_tracepoint_tells_who_goes_and_who_comes", test_tracepoint},
	{"samples_of_perfs_off_cpu_state_their_time", test_off_cpu},
	{"weights_are_ns_and_samples_their_number", test_description},
	{NULL, NULL},
};

void suite_ingest_timeline(void);

void
suite_ingest_timeline(void)
{
	unit_suite("ingest/timeline", cases);
}
