/* Operations by their marks: which are slow, and which times and waits lie in them. */
#include "ingest/perfdata_internal.h"

#include "base/file_view.h"
#include "folded_check.h"
#include "ingest/ingest.h"
#include "perfdata/make_perfdata.h"
#include "perfdata/writer.h"
#include "scratch.h"
#include "unit.h"

#define OUT PERF_RECORD_MISC_SWITCH_OUT
#define THREAD 7
#define STRANGER 9
#define CODE 0x5000
#define CALLER 0x5100
/* Functions of the kernel that samples lie in. */
#define SCHEDULE UINT64_C(0xffffffff81000010)
#define NANOSLEEP UINT64_C(0xffffffff81000110)
/* Stack pointers: of where operations are called from, and of calls from inside one. */
#define OUTER 0x7000
#define INNER 0x6000
#define HEAD                                                                            \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		PERF_SAMPLE_PERIOD)

void suite_ingest_slow_operations(void);

enum {
	CLOCK,
	SWITCHES,
	BEGINS,
	ENDS,
	EVENTS,
};

static const uint64_t ids[EVENTS] = {11, 12, 13, 14};
static const uint64_t running[] = {PERF_CONTEXT_USER, CODE};
static const uint64_t asleep[] = {
	PERF_CONTEXT_KERNEL, SCHEDULE, NANOSLEEP, PERF_CONTEXT_USER, CODE};

struct made {
	struct scratch scratch;
	struct perf_event_attr attrs[EVENTS];
	struct written_event events[EVENTS];
	struct perfdata_writer writer;
	struct err err;
	char path[128];
	unsigned condensed; /* before it is read: so many times */
};

static void
put(struct made *made, uint32_t type, uint16_t misc, struct buf *body)
{
	const struct perf_event_header header = {
		.type = type, .misc = misc, .size = (uint16_t)(sizeof(header) + body->len)};

	perfdata_writer_put(&made->writer, &header, sizeof(header), &made->err);
	CU_ASSERT_EQUAL(perfdata_writer_put(&made->writer, body->data, body->len, &made->err), 0);
	buf_release(body);
}

static void
put_comm(struct made *made, uint32_t tid, const char *name)
{
	struct buf body = {0};

	made_u32s(&body, tid, tid);
	made_text(&body, name);
	made_trailer(&body, tid, 2);
	put(made, PERF_RECORD_COMM, 0, &body);
}

static void
put_kernel(struct made *made, uint64_t address, const char *name)
{
	struct buf body = {0};

	made_ksymbol(&body, address, name);
	made_trailer(&body, THREAD, 1);
	put(made, PERF_RECORD_KSYMBOL, 0, &body);
}

/* FORK or EXIT. */
static void
put_task(struct made *made, uint32_t type, uint32_t tid, uint64_t time)
{
	struct buf body = {0};

	made_u32s(&body, tid, 1);
	made_u32s(&body, tid, 1);
	made_u64(&body, time);
	made_trailer(&body, tid, time);
	put(made, type, 0, &body);
}

/* `marks` "end" or "return"; NULL: none. */
static void
begin(struct made *made, const char *marks)
{
	*made = (struct made){.path = ""};
	for (size_t i = 0; i < EVENTS; i++) {
		made->attrs[i] = (struct perf_event_attr){
			.type = PERF_TYPE_SOFTWARE,
			.size = PERF_ATTR_SIZE_VER5,
			.config = i == CLOCK      ? PERF_COUNT_SW_CPU_CLOCK
				  : i == SWITCHES ? PERF_COUNT_SW_CONTEXT_SWITCHES
						  : PERF_COUNT_SW_BPF_OUTPUT,
			.sample_period = 1,
			.sample_type =
				HEAD | (i < BEGINS ? PERF_SAMPLE_CALLCHAIN : PERF_SAMPLE_REGS_USER),
			.sample_regs_user = i < BEGINS ? 0 : 1 << 7,
			.sample_id_all = 1,
			.context_switch = i == CLOCK,
		};
		made->events[i] =
			(struct written_event){.attr = &made->attrs[i], .ids = &ids[i], .nids = 1};
	}
	made->events[CLOCK].name = "cpu-clock";
	made->events[SWITCHES].name = "context-switches";
	made->events[BEGINS].name = "operation-begin:work";
	made->events[ENDS].name = marks && strcmp(marks, "return") == 0 ? "operation-return:work"
									: "operation-end:work";
	scratch_init(&made->scratch);
	snprintf(made->path, sizeof(made->path), "%s/perf.data", made->scratch.dir);
	CU_ASSERT_EQUAL_FATAL(perfdata_writer_open(&made->writer, made->path, made->events,
				      marks ? EVENTS : BEGINS, &made->err),
		0);
	put_kernel(made, SCHEDULE, "schedule");
	put_kernel(made, NANOSLEEP, "do_nanosleep");
	put_comm(made, THREAD, "p");
}

static void
put_head(struct buf *body, size_t event, uint32_t tid, uint64_t time, uint64_t ip)
{
	made_u64(body, ids[event]);
	made_u64(body, ip);
	made_u32s(body, tid, tid);
	made_u64(body, time);
	made_u64(body, 1);
}

static void
put_sample(struct made *made, size_t event, uint64_t time, const uint64_t *chain, size_t nchain)
{
	struct buf body = {0};

	put_head(&body, event, THREAD, time, chain[1]);
	made_u64(&body, nchain);
	buf_put(&body, chain, nchain * sizeof(*chain));
	put(made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, &body);
}

static void
put_mark(struct made *made, size_t event, uint32_t tid, uint64_t time, uint64_t stack)
{
	struct buf body = {0};

	put_head(&body, event, tid, time, CALLER);
	made_u64(&body, PERF_SAMPLE_REGS_ABI_64);
	made_u64(&body, stack);
	put(made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, &body);
}

static void
put_switch(struct made *made, uint16_t misc, uint64_t time)
{
	struct buf body = {0};

	made_trailer(&body, THREAD, time);
	put(made, PERF_RECORD_SWITCH, misc, &body);
}

static void
put_sleep(struct made *made, uint64_t from, uint64_t to)
{
	put_sample(made, SWITCHES, from - 1, asleep, 5);
	put_switch(made, OUT, from);
	put_switch(made, 0, to);
}

/* An operation from `from` to `to`. */
static void
put_operation(struct made *made, uint64_t from, uint64_t to)
{
	put_mark(made, BEGINS, THREAD, from, OUTER);
	put_mark(made, ENDS, THREAD, to, OUTER);
}

/* Makes it a file with stacks in place of copies. */
static void
condense(struct made *made)
{
	char path[sizeof(made->path)];
	const struct ingest_options options = {.condensed = path};
	struct profile profile;

	snprintf(path, sizeof(path), "%s/%u.data", made->scratch.dir, made->condensed);
	profile_init(&profile);
	CU_ASSERT_EQUAL_FATAL(ingest_file(&profile, made->path, &options, &made->err), 0);
	profile_release(&profile);
	memcpy(made->path, path, sizeof(path));
}

static int
end(struct made *made, uint64_t slower_than_ns, struct profile *profile)
{
	const struct perfdata_description description = {.last_sample_ns = 0};
	const struct ingest_options options = {
		.only_operations = true, .slower_than_ns = slower_than_ns};

	profile_init(profile);
	CU_ASSERT_EQUAL_FATAL(perfdata_writer_finish(&made->writer, &description, &made->err), 0);
	for (; made->condensed > 0; made->condensed--)
		condense(made);
	const int status = ingest_file(profile, made->path, &options, &made->err);

	scratch_release(&made->scratch);
	return status;
}

/* Reads it and compares the weights, and what is said of the operations. */
static void
expect(struct made *made, uint64_t slower_than_ns, const char *folded, const char *operations)
{
	struct profile profile;

	CU_ASSERT_EQUAL(end(made, slower_than_ns, &profile), 0);
	UNIT_STR_EQ(made->err.text, "");
	folded_check(&profile, folded);
	UNIT_CONTAINS(strtab_str(&profile.strings, profile.operations), operations);
	profile_release(&profile);
}

static void
expect_error(struct made *made, const char *text)
{
	struct profile profile;

	CU_ASSERT_EQUAL(end(made, 1000, &profile), -1);
	UNIT_CONTAINS(made->err.text, text);
	profile_release(&profile);
}

/* A quick one and two slow ones, with samples and waits inside, between and behind them. */
static void
put_some(struct made *made)
{
	put_switch(made, 0, 1000);
	put_sleep(made, 1100, 1500);
	put_mark(made, BEGINS, THREAD, 2000, OUTER);
	put_sample(made, CLOCK, 2100, running, 2);
	put_mark(made, ENDS, THREAD, 2300, OUTER);
	put_sample(made, CLOCK, 2500, running, 2);
	put_mark(made, BEGINS, THREAD, 3000, OUTER);
	put_sleep(made, 3100, 7100);
	put_sample(made, CLOCK, 7300, running, 2);
	put_mark(made, ENDS, THREAD, 7400, OUTER);
	put_sample(made, CLOCK, 7900, running, 2);
	put_mark(made, BEGINS, THREAD, 8000, OUTER);
	put_sleep(made, 8050, 10000);
	put_mark(made, ENDS, THREAD, 10030, OUTER);
	put_sleep(made, 11000, 12000);
}

static void
only_slow_operations_have_weights(void)
{
	struct made made;

	begin(&made, "end");
	put_some(&made);
	/* On the CPU for 100 + 300 ns with a sample, and for 50 + 30 without one. */
	expect(&made, 1000,
		"p;(not sampled) 80\n"
		"p;[unknown] 400\n"
		"p;[unknown];do_nanosleep_[k];sleep_[w] 5950\n",
		"3 of work: p50 2.03 us, p90 4.40 us, p99 4.40 us, p99.9 4.40 us, max 4.40 us; "
		"2 (66.7 %) took longer than 1.00 us: 6.43 us, 7.5 % on the CPU and 92.5 % off");
	begin(&made, "end");
	put_some(&made);
	expect(&made, 4000,
		"p;[unknown] 400\n"
		"p;[unknown];do_nanosleep_[k];sleep_[w] 4000\n",
		"1 (33.3 %) took longer than 4.00 us: 4.40 us, 9.1 % on the CPU and 90.9 % off");
	begin(&made, "end");
	put_some(&made);
	expect(&made, 0,
		"p;(not sampled) 80\n"
		"p;[unknown] 700\n"
		"p;[unknown];do_nanosleep_[k];sleep_[w] 5950\n",
		"max 4.40 us; together 6.73 us, 11.6 % on the CPU and 88.4 % off");
}

static void
an_operation_is_the_outermost(void)
{
	struct made made;

	begin(&made, "end");
	put_switch(&made, 0, 1000);
	put_mark(&made, BEGINS, THREAD, 2000, OUTER);
	put_mark(&made, BEGINS, THREAD, 2100, INNER);
	put_sleep(&made, 2200, 4200);
	put_mark(&made, ENDS, THREAD, 4300, INNER);
	put_sample(&made, CLOCK, 4400, running, 2);
	put_mark(&made, ENDS, THREAD, 4500, OUTER);
	expect(&made, 1000, "p;[unknown] 500\np;[unknown];do_nanosleep_[k];sleep_[w] 2000\n",
		"1 of work: p50 2.50 us");
}

/* Left by longjmp() or an exception: the next one begins no deeper. */
static void
an_operation_can_lack_its_end(void)
{
	struct made made;

	begin(&made, "end");
	put_switch(&made, 0, 1000);
	put_mark(&made, BEGINS, THREAD, 2000, OUTER);
	put_mark(&made, BEGINS, THREAD, 2100, INNER);
	put_operation(&made, 5000, 7000);
	put_sample(&made, CLOCK, 7100, running, 2);
	expect(&made, 1000, "p;(not sampled) 2000\n", "1 of work: p50 2.00 us");
	begin(&made, "end");
	put_switch(&made, 0, 1000);
	put_mark(&made, BEGINS, THREAD, 2000, OUTER);
	put_operation(&made, 5000, 7000);
	expect(&made, 1000, "p;(not sampled) 2000\n", "; 1 never came to an end");
}

/* The stack pointers of marks, by which it is known, are there. */
static void
a_file_says_the_same_however_often_it_was_condensed(void)
{
	struct made made;

	for (unsigned times = 0; times < 3; times++) {
		begin(&made, "end");
		made.condensed = times;
		put_switch(&made, 0, 1000);
		put_mark(&made, BEGINS, THREAD, 2000, OUTER);
		put_operation(&made, 5000, 7000);
		put_sample(&made, CLOCK, 7100, running, 2);
		expect(&made, 1000, "p;(not sampled) 2000\n", "; 1 never came to an end");
	}
}

static void
what_is_not_whole_is_said(void)
{
	struct made made;

	begin(&made, "end");
	put_switch(&made, 0, 1000);
	put_mark(&made, ENDS, THREAD, 1500, OUTER);
	put_operation(&made, 2000, 4000);
	put_mark(&made, BEGINS, THREAD, 5000, OUTER);
	put_sleep(&made, 5100, 8000);
	expect(&made, 1000, "p;(not sampled) 2000\n",
		"; 1 had not ended when the capture did, the oldest after 3.00 us; 1 end had no "
		"begin");
}

static void
a_thread_that_ends_or_loses_records_leaves_its_operation(void)
{
	struct buf lost = {0};
	struct made made;

	begin(&made, "end");
	put_switch(&made, 0, 1000);
	put_operation(&made, 2000, 4000);
	put_mark(&made, BEGINS, THREAD, 5000, OUTER);
	made_u64(&lost, ids[0]);
	made_u64(&lost, 3);
	made_trailer(&lost, THREAD, 5100);
	put(&made, PERF_RECORD_LOST, 0, &lost);
	put_mark(&made, ENDS, THREAD, 6000, OUTER);
	put_mark(&made, BEGINS, THREAD, 7000, OUTER);
	put_task(&made, PERF_RECORD_EXIT, THREAD, 7500);
	expect(&made, 1000, "p;(not sampled) 2000\n", "; 2 never came to an end");
}

static void
marks_of_other_programs_are_ignored(void)
{
	struct made made;

	begin(&made, "end");
	put_switch(&made, 0, 1000);
	put_operation(&made, 2000, 4000);
	put_mark(&made, BEGINS, STRANGER, 5000, OUTER);
	put_mark(&made, ENDS, STRANGER, 9000, OUTER);
	put_mark(&made, BEGINS, STRANGER, 9500, OUTER);
	put_sample(&made, CLOCK, 9600, running, 2);
	expect(&made, 1000, "p;(not sampled) 2000\n", "1 of work: p50 2.00 us");
}

/* Beyond 64 calls deep the kernel does not notice returns. */
static void
a_return_ends_all_below_it(void)
{
	struct made made;

	begin(&made, "return");
	put_switch(&made, 0, 1000);
	put_mark(&made, BEGINS, THREAD, 2000, OUTER);
	put_mark(&made, BEGINS, THREAD, 2100, INNER);
	put_mark(&made, BEGINS, THREAD, 2200, INNER - 64);
	put_mark(&made, ENDS, THREAD, 2500, INNER + 8);
	put_mark(&made, ENDS, THREAD, 4000, OUTER + 8);
	put_operation(&made, 5000, 5100);
	expect(&made, 1000, "p;(not sampled) 2000\n", "2 of work: p50 100 ns");
}

/* Innermost first, after the mark that was taken last; of those that did return. */
static void
replaced_return_addresses_are_known(void)
{
	const struct perfdata_description description = {.last_sample_ns = 0};
	struct file_view view;
	struct record record;
	struct operation_mark mark;
	uint64_t addresses[4];
	char depths[16] = "";
	struct made made;

	begin(&made, "return");
	put_mark(&made, BEGINS, THREAD, 2000, OUTER);
	put_mark(&made, BEGINS, THREAD, 2100, INNER);
	put_mark(&made, ENDS, THREAD, 2500, INNER + 8);
	put_mark(&made, ENDS, THREAD, 4000, OUTER + 8);
	put_mark(&made, BEGINS, THREAD, 5000, OUTER);
	CU_ASSERT_EQUAL_FATAL(perfdata_writer_finish(&made.writer, &description, &made.err), 0);
	CU_ASSERT_EQUAL_FATAL(file_view_open(&view, made.path, &made.err), 0);
	struct perfdata_reader *reader = perfdata_open(&view, "x", &made.err);

	UNIT_NEED(reader);
	struct slow_operations *operations = slow_operations_read(reader, &view, "x", 1, &made.err);

	UNIT_NEED(operations);
	slow_operations_rewind(operations);
	while (perfdata_next(reader, &record, &made.err) > 0) {
		if (!slow_operations_take(operations, &record, &mark))
			continue;
		const size_t count = slow_operations_returns(operations, THREAD, addresses, 4);

		snprintf(depths + strlen(depths), 4, "%zu ", count);
		for (size_t i = 0; i < count; i++)
			CU_ASSERT_EQUAL(addresses[i], CALLER);
	}
	UNIT_STR_EQ(depths, "1 2 1 0 0 ");
	CU_ASSERT_EQUAL(slow_operations_returns(operations, STRANGER, addresses, 4), 0);
	slow_operations_free(operations);
	perfdata_close(reader);
	file_view_close(&view);
	scratch_release(&made.scratch);
}

static void
without_operations_there_is_an_error(void)
{
	struct made made;

	begin(&made, NULL);
	put_sleep(&made, 2000, 3000);
	expect_error(&made, "does not say when operations began and ended");
	begin(&made, "end");
	put_sleep(&made, 2000, 3000);
	put_mark(&made, BEGINS, THREAD, 5000, OUTER);
	expect_error(&made,
		"no operation of work ended while it was recorded\n  note: 0 of work; 1 had not "
		"ended");
	begin(&made, "end");
	put_sleep(&made, 2000, 3000);
	expect_error(&made,
		"no operation of work ended while it was recorded\n  note: calls that the "
		"compiler inlined");
	begin(&made, "end");
	put_switch(&made, 0, 1000);
	put_operation(&made, 2000, 2500);
	expect_error(&made, "no operation took as long");
}

void
suite_ingest_slow_operations(void)
{
	static const struct unit_case cases[] = {
		{"only_slow_operations_have_weights", only_slow_operations_have_weights},
		{"an_operation_is_the_outermost", an_operation_is_the_outermost},
		{"an_operation_can_lack_its_end", an_operation_can_lack_its_end},
		{"a_file_says_the_same_however_often_it_was_condensed",
			a_file_says_the_same_however_often_it_was_condensed},
		{"what_is_not_whole_is_said", what_is_not_whole_is_said},
		{"a_thread_that_ends_or_loses_records_leaves_its_operation",
			a_thread_that_ends_or_loses_records_leaves_its_operation},
		{"marks_of_other_programs_are_ignored", marks_of_other_programs_are_ignored},
		{"a_return_ends_all_below_it", a_return_ends_all_below_it},
		{"replaced_return_addresses_are_known", replaced_return_addresses_are_known},
		{"without_operations_there_is_an_error", without_operations_there_is_an_error},
		{NULL, NULL},
	};

	unit_suite("ingest/slow_operations", cases);
}
