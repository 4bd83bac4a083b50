/* The shim's files, which a program may have written anything into. */
#include "capture/capture_internal.h"
#include "capture/make_alloc.h"
#include "perfdata/reader.h"

#include "scratch.h"
#include "unit.h"

void suite_capture_alloc_files(void);

static const char *const command[] = {"./work", NULL};

struct bench {
	struct scratch scratch;
	struct alloc_totals totals;
	struct buf bytes; /* of perf.data, once it is read */
	struct file_view view;
	struct perfdata_reader *reader;
	struct err err;
};

static void
begin(struct bench *bench)
{
	memset(bench, 0, sizeof(*bench));
	scratch_init(&bench->scratch);
	alloc_put_file(bench->scratch.dir, "71.0", alloc_made(NULL, NULL));
}

static int
join(struct bench *bench, enum alloc_event first)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/perf.data", bench->scratch.dir);
	return alloc_files_join(
		bench->scratch.dir, 71, command, first, path, &bench->totals, &bench->err);
}

static void
end(struct bench *bench)
{
	if (bench->reader)
		perfdata_close(bench->reader);
	buf_release(&bench->bytes);
	scratch_release(&bench->scratch);
}

/* Reads what was joined. */
static void
open_joined(struct bench *bench)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/perf.data", bench->scratch.dir);
	CU_ASSERT_EQUAL_FATAL(file_read(path, &bench->bytes, 1 << 20, &bench->err), 0);
	bench->view = (struct file_view){.data = bench->bytes.data, .len = bench->bytes.len};
	bench->reader = perfdata_open(&bench->view, "perf.data", &bench->err);
	UNIT_NEED(bench->reader);
}

static bool
next_sample(struct bench *bench, struct record *record)
{
	while (perfdata_next(bench->reader, record, &bench->err) > 0)
		if (record->type == PERF_RECORD_SAMPLE)
			return true;
	return false;
}

static void
each_stack_is_a_sample_of_each_event(void)
{
	struct bench bench;
	struct record record;
	uint64_t periods[ALLOC_EVENTS] = {0};

	begin(&bench);
	CU_ASSERT_EQUAL_FATAL(join(&bench, ALLOC_EVENT_BYTES), 0);
	CU_ASSERT(bench.totals.first_seen);
	CU_ASSERT_EQUAL(bench.totals.stacks, 2);
	CU_ASSERT_EQUAL(bench.totals.events[ALLOC_EVENT_BYTES], 1100);
	CU_ASSERT_EQUAL(bench.totals.events[ALLOC_EVENT_COUNT], 12);
	CU_ASSERT_EQUAL(bench.totals.events[ALLOC_EVENT_LIVE], 300);
	/* The second stack did not change since the last peak. */
	CU_ASSERT_EQUAL(bench.totals.events[ALLOC_EVENT_PEAK], 500 + 100);
	open_joined(&bench);
	CU_ASSERT_EQUAL_FATAL(perfdata_nevents(bench.reader), ALLOC_EVENTS);
	while (next_sample(&bench, &record))
		periods[record.event] += record.u.sample.period;
	CU_ASSERT_EQUAL(periods[0], 1100);
	CU_ASSERT_EQUAL(periods[1], 12);
	CU_ASSERT_EQUAL(periods[2], 300);
	CU_ASSERT_EQUAL(periods[3], 600);
	end(&bench);
}

static void
event_that_is_asked_for_is_the_first(void)
{
	struct bench bench;

	begin(&bench);
	CU_ASSERT_EQUAL_FATAL(join(&bench, ALLOC_EVENT_LIVE), 0);
	open_joined(&bench);
	UNIT_STR_EQ(perfdata_event(bench.reader, 0)->name, "alloc:live");
	UNIT_STR_EQ(perfdata_event(bench.reader, 1)->name, "alloc:bytes");
	UNIT_STR_EQ(perfdata_event(bench.reader, 3)->name, "alloc:peak");
	end(&bench);
}

static void
innermost_address_is_in_the_call(void)
{
	struct bench bench;
	struct record record;

	begin(&bench);
	CU_ASSERT_EQUAL_FATAL(join(&bench, ALLOC_EVENT_BYTES), 0);
	open_joined(&bench);
	CU_ASSERT_FATAL(next_sample(&bench, &record));
	CU_ASSERT_EQUAL(record.u.sample.ip, 0x10ff);
	CU_ASSERT_EQUAL_FATAL(record.u.sample.nchain, 3);
	CU_ASSERT_EQUAL(record.u.sample.chain[1], 0x10ff);
	CU_ASSERT_EQUAL(record.u.sample.chain[2], 0x1200);
	end(&bench);
}

static void
files_that_are_not_whole_are_refused(void)
{
	static const struct {
		const char *what;
		size_t at;
		uint64_t value;
	} wrong[] = {
		{"used: behind the end", offsetof(struct alloc_file, used), 1 << 20},
		{"used: in the header", offsetof(struct alloc_file, used), 8},
		{"kind and size 0", sizeof(struct alloc_file), 0},
		{"unknown kind", sizeof(struct alloc_file), 3 | UINT64_C(64) << 32},
		{"size: not of words", sizeof(struct alloc_file), 2 | UINT64_C(65) << 32},
		{"text: longer than its record", sizeof(struct alloc_file) + 8,
			UINT64_C(4000) << 32},
		{"generation: far ahead", sizeof(struct alloc_file) + 8, 7 | UINT64_C(20) << 32},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct bench bench;

		begin(&bench);
		struct buf made = alloc_made(NULL, NULL);

		memcpy(made.data + wrong[i].at, &wrong[i].value, sizeof(wrong[i].value));
		alloc_put_file(bench.scratch.dir, "71.1", made);
		CU_ASSERT_EQUAL(join(&bench, ALLOC_EVENT_BYTES), -1);
		UNIT_CONTAINS(bench.err.text, "71.1: not as the allocation shim writes it");
		end(&bench);
	}
}

static void
file_that_was_never_begun_is_nothing(void)
{
	struct bench bench;

	begin(&bench);
	alloc_put_file(bench.scratch.dir, "72.0", (struct buf){0});
	CU_ASSERT_EQUAL(join(&bench, ALLOC_EVENT_BYTES), 0);
	CU_ASSERT_EQUAL(bench.totals.processes, 1);
	end(&bench);
}

void
suite_capture_alloc_files(void)
{
	static const struct unit_case cases[] = {
		{"each_stack_is_a_sample_of_each_event", each_stack_is_a_sample_of_each_event},
		{"event_that_is_asked_for_is_the_first", event_that_is_asked_for_is_the_first},
		{"innermost_address_is_in_the_call", innermost_address_is_in_the_call},
		{"files_that_are_not_whole_are_refused", files_that_are_not_whole_are_refused},
		{"file_that_was_never_begun_is_nothing", file_that_was_never_begun_is_nothing},
		{NULL, NULL},
	};

	unit_suite("capture/alloc_files", cases);
}
