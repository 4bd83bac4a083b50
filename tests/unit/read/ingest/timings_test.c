/* Files with the starts and the ends of system calls; the times are made up. */
#include "ingest/perfdata_internal.h"

#include "folded_check.h"
#include "ingest/ingest.h"
#include "perfdata/writer.h"
#include "profile/weights.h"
#include "scratch.h"
#include "unit.h"

#include <sys/utsname.h>

void suite_ingest_timings(void);

#define SAMPLE_TYPE                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW)
#define START 11
#define END 12
/* Numbers that no processor has calls for. */
#define CALL_A 4001
#define CALL_B 4002

struct bench {
	struct scratch scratch;
	char path[128];
	struct perf_event_attr attrs[2];
	uint64_t ids[2];
	struct written_event events[2];
	struct perfdata_writer writer;
	struct profile profile;
	struct err err;
};

static void
begin_named(struct bench *bench, const char *start, size_t nevents)
{
	const char *const names[] = {start, CALL_TIMES_END};

	*bench = (struct bench){.ids = {START, END}};
	scratch_init(&bench->scratch);
	snprintf(bench->path, sizeof(bench->path), "%s/perf.data", bench->scratch.dir);
	for (size_t i = 0; i < 2; i++) {
		bench->attrs[i] = (struct perf_event_attr){
			.type = PERF_TYPE_TRACEPOINT,
			.size = PERF_ATTR_SIZE_VER5,
			.config = 443 - i,
			.sample_period = 1,
			.sample_type = SAMPLE_TYPE,
			.sample_id_all = 1,
		};
		bench->events[i] = (struct written_event){.name = names[i],
			.attr = &bench->attrs[i],
			.ids = &bench->ids[i],
			.nids = 1};
	}
	profile_init(&bench->profile);
	CU_ASSERT_EQUAL_FATAL(perfdata_writer_open(&bench->writer, bench->path, bench->events,
				      nevents, &bench->err),
		0);
}

static void
begin(struct bench *bench, size_t nevents)
{
	begin_named(bench, CALL_TIMES_START, nevents);
}

/* For an end, with what the call returned. */
static void
put_result(struct bench *bench, uint64_t id, uint32_t tid, uint64_t time_ns, uint64_t number,
	int64_t result)
{
	struct buf record = {0};
	struct perf_event_header header = {
		.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER};
	const uint64_t head[] = {id, 0x5000, 7 | (uint64_t)tid << 32, time_ns, 1};
	const uint64_t fields[] = {443, number, (uint64_t)result, 0};

	buf_put(&record, &header, sizeof(header));
	buf_put(&record, head, sizeof(head));
	buf_put_u32(&record, 28);
	buf_put(&record, fields, 28);
	header.size = (uint16_t)record.len;
	memcpy(record.data, &header, sizeof(header));
	CU_ASSERT_EQUAL(
		perfdata_writer_put(&bench->writer, record.data, record.len, &bench->err), 0);
	buf_release(&record);
}

static void
put(struct bench *bench, uint64_t id, uint32_t tid, uint64_t time_ns, uint64_t number)
{
	put_result(bench, id, tid, time_ns, number, 0);
}

static void
put_lost(struct bench *bench, uint64_t time_ns)
{
	const struct perf_event_header header = {.type = PERF_RECORD_LOST, .size = 48};
	const uint64_t body[] = {START, 1, 7 | UINT64_C(7) << 32, time_ns, START};

	CU_ASSERT_EQUAL(
		perfdata_writer_put(&bench->writer, &header, sizeof(header), &bench->err), 0);
	CU_ASSERT_EQUAL(perfdata_writer_put(&bench->writer, body, sizeof(body), &bench->err), 0);
}

static int
read_times(struct bench *bench, const char *event)
{
	const struct perfdata_description description = {.last_sample_ns = 0};
	const struct ingest_options options = {.event = event};

	if (bench->writer.events)
		CU_ASSERT_EQUAL_FATAL(
			perfdata_writer_finish(&bench->writer, &description, &bench->err), 0);
	bench->writer.events = NULL;
	profile_release(&bench->profile);
	profile_init(&bench->profile);
	return ingest_file(&bench->profile, bench->path, &options, &bench->err);
}

static void
expect(struct bench *bench, const char *event, const char *folded)
{

	CU_ASSERT_EQUAL_FATAL(read_times(bench, event), 0);
	folded_check(&bench->profile, folded);
}

static void
end(struct bench *bench)
{
	profile_release(&bench->profile);
	scratch_release(&bench->scratch);
}

static void
times_are_those_between_start_and_end(void)
{
	struct bench bench;

	begin(&bench, 2);
	put(&bench, END, 7, 50, 59); /* of a call that began before the file */
	put(&bench, START, 7, 100, CALL_A);
	put(&bench, START, 8, 110, CALL_B); /* of another thread meanwhile */
	put(&bench, END, 7, 130, CALL_A);
	put(&bench, START, 7, 200, CALL_A);
	put(&bench, END, 7, 205, CALL_A);
	put(&bench, END, 8, 1110, CALL_B);
	put(&bench, START, 7, 300, CALL_B); /* never returns */
	expect(&bench, "syscalls:time", ":7;syscall 4001_[k] 35\n:8;syscall 4002_[k] 1000\n");
	CU_ASSERT(weights_are_times(&bench.profile));
	CU_ASSERT_FALSE(weights_are_counted(&bench.profile));
	UNIT_STR_EQ(strtab_str(&bench.profile.strings, bench.profile.metric), "syscalls");
	UNIT_STR_EQ(strtab_str(&bench.profile.strings, bench.profile.event), "syscalls:time");
	UNIT_NEAR(bench.profile.runs[0].cost_total, 1035, 0);
	CU_ASSERT_EQUAL(bench.profile.runs[0].samples, 3);
	/* And their number is as ever. */
	expect(&bench, NULL,
		":7;syscall 4001_[k] 2\n:7;syscall 4002_[k] 1\n"
		":8;syscall 4002_[k] 1\n");
	CU_ASSERT(weights_are_counted(&bench.profile));
	end(&bench);
}

static void
what_records_are_missing_of_has_no_time(void)
{
	struct bench bench;

	begin(&bench, 2);
	put(&bench, START, 7, 100, CALL_A);
	put_lost(&bench, 120);
	put(&bench, END, 7, 130, CALL_A);
	put(&bench, START, 7, 200, CALL_B);
	put(&bench, END, 7, 203, CALL_B);
	put(&bench, START, 7, 210, CALL_A); /* back in time */
	put(&bench, END, 7, 209, CALL_A);
	expect(&bench, "syscalls:time", ":7;syscall 4002_[k] 3\n");
	end(&bench);
}

static void
a_file_without_ends_has_no_times(void)
{
	struct bench bench;

	begin(&bench, 1);
	put(&bench, START, 7, 100, CALL_A);
	CU_ASSERT_EQUAL(read_times(&bench, "syscalls:time"), -1);
	UNIT_CONTAINS(bench.err.text, "has no ends of system calls");
	end(&bench);
	begin(&bench, 2);
	put(&bench, START, 7, 100, CALL_A);
	CU_ASSERT_EQUAL(read_times(&bench, "syscalls:time"), -1);
	CU_ASSERT_EQUAL(bench.err.kind, ERR_INPUT);
	end(&bench);
}

/* read() and write() of x86_64, and one that returns no bytes. */
#define READ 0
#define WRITE 1
#define GETPID 39

static void
put_io(struct bench *bench)
{
	put(bench, START, 7, 100, READ);
	put_result(bench, END, 7, 130, READ, 4096);
	put(bench, START, 7, 200, READ); /* the end of the file */
	put_result(bench, END, 7, 210, READ, 0);
	put(bench, START, 7, 300, WRITE);
	put_result(bench, END, 7, 310, WRITE, 100);
	put(bench, START, 7, 320, WRITE); /* fails */
	put_result(bench, END, 7, 330, WRITE, -11);
	put(bench, START, 7, 400, GETPID);
	put_result(bench, END, 7, 410, GETPID, 7);
	put(bench, START, 7, 500, READ); /* never returns */
}

static void
bytes_are_what_calls_return(void)
{
	struct bench bench;
	struct utsname host;

	uname(&host);
	if (strcmp(host.machine, "x86_64") != 0) {
		unit_skip("the numbers are those of x86_64");
		return;
	}
	begin_named(&bench, "io:bytes", 2);
	put_io(&bench);
	expect(&bench, NULL, ":7;read_[k] 4096\n:7;write_[k] 100\n");
	CU_ASSERT(weights_are_counted(&bench.profile));
	UNIT_STR_EQ(weights_unit(&bench.profile), "bytes");
	UNIT_STR_EQ(strtab_str(&bench.profile.strings, bench.profile.metric), "io");
	UNIT_NEAR(bench.profile.runs[0].cost_total, 4196, 0);
	expect(&bench, "io:calls", ":7;read_[k] 3\n:7;write_[k] 2\n");
	UNIT_STR_EQ(weights_unit(&bench.profile), "calls");
	expect(&bench, "syscalls:time", ":7;getpid_[k] 10\n:7;read_[k] 40\n:7;write_[k] 20\n");
	end(&bench);
	begin(&bench, 2);
	put_io(&bench);
	expect(&bench, "io:bytes", ":7;read_[k] 4096\n:7;write_[k] 100\n");
	end(&bench);
}

static void
without_bytes_there_is_nothing_to_read(void)
{
	struct bench bench;

	begin_named(&bench, "io:bytes", 2);
	put(&bench, START, 7, 100, CALL_A);
	put_result(&bench, END, 7, 110, CALL_A, 7);
	CU_ASSERT_EQUAL(read_times(&bench, NULL), -1);
	UNIT_CONTAINS(bench.err.text, "no system call read or wrote a byte");
	end(&bench);
}

static const struct unit_case cases[] = {
	{"times_are_those_between_start_and_end", times_are_those_between_start_and_end},
	{"what_records_are_missing_of_has_no_time", what_records_are_missing_of_has_no_time},
	{"bytes_are_what_calls_return", bytes_are_what_calls_return},
	{"without_bytes_there_is_nothing_to_read", without_bytes_there_is_nothing_to_read},
	{"a_file_without_ends_has_no_times", a_file_without_ends_has_no_times},
	{NULL, NULL},
};

void
suite_ingest_timings(void)
{
	unit_suite("ingest/timings", cases);
}
