#include "ingest/ingest.h"
#include "perfdata/writer.h"
#include "profile/weights.h"

#include "folded_check.h"
#include "scratch.h"
#include "unit.h"

#include <sys/utsname.h>

void suite_ingest_syscalls(void);

#define SAMPLE_TYPE                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW)

struct bench {
	struct scratch scratch;
	char path[128];
	struct perf_event_attr attr;
	uint64_t id;
	struct written_event event;
	struct perfdata_writer writer;
	struct profile profile;
	struct err err;
};

static void
begin(struct bench *bench, const char *event)
{
	*bench = (struct bench){
		.id = 11,
		.attr =
			{
				.type = PERF_TYPE_TRACEPOINT,
				.size = PERF_ATTR_SIZE_VER5,
				.config = 443,
				.sample_period = 1,
				.sample_type = SAMPLE_TYPE,
				.sample_id_all = 1,
			},
	};
	scratch_init(&bench->scratch);
	snprintf(bench->path, sizeof(bench->path), "%s/perf.data", bench->scratch.dir);
	bench->event = (struct written_event){
		.name = event, .attr = &bench->attr, .ids = &bench->id, .nids = 1};
	profile_init(&bench->profile);
	CU_ASSERT_EQUAL_FATAL(
		perfdata_writer_open(&bench->writer, bench->path, &bench->event, 1, &bench->err),
		0);
}

/* A call with `raw_bytes` of its fields. */
static void
put_call(struct bench *bench, uint64_t number, uint32_t raw_bytes)
{
	struct buf record = {0};
	struct perf_event_header header = {
		.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_KERNEL};
	const uint64_t head[] = {11, 0xffff888000000010, 7 | UINT64_C(7) << 32, 1000, 1};
	const uint64_t chain[] = {4, (uint64_t)PERF_CONTEXT_KERNEL, 0xffff888000000010,
		(uint64_t)PERF_CONTEXT_USER, 0x5000};
	uint64_t fields[8] = {443, number};

	buf_put(&record, &header, sizeof(header));
	buf_put(&record, head, sizeof(head));
	buf_put(&record, chain, sizeof(chain));
	buf_put_u32(&record, raw_bytes);
	buf_put(&record, fields, raw_bytes);
	header.size = (uint16_t)record.len;
	memcpy(record.data, &header, sizeof(header));
	CU_ASSERT_EQUAL(record.len % 8, 0);
	CU_ASSERT_EQUAL(
		perfdata_writer_put(&bench->writer, record.data, record.len, &bench->err), 0);
	buf_release(&record);
}

/* Reads what was put, and expects these lines. */
static void
expect(struct bench *bench, const char *folded)
{
	const struct perfdata_description description = {.last_sample_ns = 0};

	CU_ASSERT_EQUAL_FATAL(perfdata_writer_finish(&bench->writer, &description, &bench->err), 0);
	CU_ASSERT_EQUAL_FATAL(ingest_file(&bench->profile, bench->path, NULL, &bench->err), 0);
	folded_check(&bench->profile, folded);
}

static void
end(struct bench *bench)
{
	profile_release(&bench->profile);
	scratch_release(&bench->scratch);
}

static void
test_names(void)
{
	struct bench bench;
	struct utsname host;

	uname(&host);
	if (strcmp(host.machine, "x86_64") != 0) {
		unit_skip("the numbers are those of x86_64");
		return;
	}
	begin(&bench, "raw_syscalls:sys_enter");
	put_call(&bench, 75, 60);
	put_call(&bench, 75, 60);
	put_call(&bench, 0, 20);
	expect(&bench, ":7;[unknown];fdatasync_[k] 2\n:7;[unknown];read_[k] 1\n");
	CU_ASSERT(weights_are_counted(&bench.profile));
	UNIT_STR_EQ(weights_cost_unit(&bench.profile), "calls");
	UNIT_STR_EQ(strtab_str(&bench.profile.strings, bench.profile.metric), "syscalls");
	UNIT_NEAR(bench.profile.runs[0].cost_total, 3, 0);
	end(&bench);
}

static void
test_numbers(void)
{
	struct bench bench;

	begin(&bench, "raw_syscalls:sys_enter");
	put_call(&bench, 4000, 60);
	put_call(&bench, 4096, 60);
	put_call(&bench, UINT64_MAX, 60);
	put_call(&bench, 1 << 20, 60);
	expect(&bench, ":7;[unknown];syscall (no such number)_[k] 3\n"
		       ":7;[unknown];syscall 4000_[k] 1\n");
	end(&bench);
}

static void
test_short(void)
{
	struct bench bench;

	begin(&bench, "raw_syscalls:sys_enter");
	put_call(&bench, 75, 12);
	expect(&bench, ":7;[unknown];[kernel.kallsyms]_[k] 1\n");
	end(&bench);
}

static void
test_others(void)
{
	struct bench bench;

	begin(&bench, "sched:sched_switch");
	put_call(&bench, 75, 60);
	expect(&bench, ":7;[unknown];[kernel.kallsyms]_[k] 1\n");
	CU_ASSERT(weights_are_periods(&bench.profile));
	CU_ASSERT(!weights_are_syscalls(&bench.profile));
	end(&bench);
	begin(&bench, "raw_syscalls:sys_enter");
	bench.attr.sample_period = 100;
	perfdata_writer_abandon(&bench.writer);
	CU_ASSERT_EQUAL_FATAL(
		perfdata_writer_open(&bench.writer, bench.path, &bench.event, 1, &bench.err), 0);
	put_call(&bench, 75, 60);
	expect(&bench, ":7;[unknown];[kernel.kallsyms]_[k] 1\n");
	CU_ASSERT(weights_are_periods(&bench.profile));
	CU_ASSERT(!weights_are_syscalls(&bench.profile));
	end(&bench);
}

static const struct unit_case cases[] = {
	{"the_leaf_is_the_call_in_place_of_the_kernels_frames", test_names},
	{"numbers_without_a_name_are_shown", test_numbers},
	{"a_sample_without_its_number_is_no_call", test_short},
	{"other_tracepoints_and_sampled_calls_are_samples", test_others},
	{NULL, NULL},
};

void
suite_ingest_syscalls(void)
{
	unit_suite("ingest/syscalls", cases);
}
