/* The shim's files, which a program may have written anything into; programs that are refused. */
#include "capture/backend.h"
#include "capture/capture_internal.h"
#include "capture/make_alloc.h"
#include "perfdata/reader.h"
#include "profile/counters.h"

#include "scratch.h"
#include "unit.h"

#include <elf.h>
#include <sys/stat.h>

void suite_capture_alloc(void);

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

static void
allocations_of_a_shell_are_counted(void)
{
	static const char *const argv[] = {"/bin/sh", "-c", "echo ${x:=y}", NULL};
	const struct capture_backend *backend = capture_backend_for("alloc");
	struct capture_request request = {.argv = argv, .reader_cpu = -1, .timeout_s = 60};
	struct capture_result result;
	struct scratch scratch;
	struct err err = {0};
	char path[128];

	if (backend->choose("alloc", "auto", &request.event, &err) < 0) {
		unit_skip(err.text);
		return;
	}
	CU_ASSERT(request.event.counts_all);
	UNIT_STR_EQ(request.event.name, "alloc:bytes");
	scratch_init(&scratch);
	snprintf(path, sizeof(path), "%s/a folder:100%%.data", scratch.dir);
	request.perfdata_path = path;
	CU_ASSERT_EQUAL_FATAL(backend->run(&request, &result, &err), 0);
	CU_ASSERT(result.run.cost_total > 0);
	CU_ASSERT_EQUAL(result.run.lost, 0);
	CU_ASSERT(counter_value(&result.run, COUNTER_ALLOC_COUNT) > 0);
	CU_ASSERT(counter_value(&result.run, COUNTER_ALLOC_PEAK) > 0);
	CU_ASSERT(counter_value(&result.run, COUNTER_ALLOC_LIVE) >= 0);
	double first = result.run.cost_total;

	CU_ASSERT_EQUAL_FATAL(backend->run(&request, &result, &err), 0);
	CU_ASSERT_EQUAL(result.run.cost_total, first);
	CU_ASSERT_EQUAL(access(path, F_OK), 0);
	/* Nothing else is left. */
	unlink(path);
	CU_ASSERT_EQUAL(rmdir(scratch.dir), 0);
}

static void
unknown_events_are_refused(void)
{
	struct capture_event event;
	struct err err = {0};

	CU_ASSERT_EQUAL(capture_backend_for("alloc")->choose("alloc", "cycles", &event, &err), -1);
	CU_ASSERT_EQUAL(err.kind, ERR_USAGE);
	UNIT_CONTAINS(err.text, "has no event 'cycles'");
}

/* An ELF file with a loader, unless that is NULL, and `more` behind it. */
static void
put_program(struct scratch *scratch, unsigned char class, const char *loader, const char *more)
{
	const char *path = scratch_path(scratch, "program");
	size_t len = loader ? strlen(loader) + 1 : 0;
	Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, class},
		.e_phoff = sizeof(head),
		.e_phnum = loader ? 1 : 0};
	const Elf64_Phdr segment = {
		.p_type = PT_INTERP, .p_offset = sizeof(head) + sizeof(segment), .p_filesz = len};
	struct buf file = {0};
	struct err err = {0};

	buf_put(&file, &head, sizeof(head));
	buf_put(&file, &segment, sizeof(segment));
	buf_put(&file, loader ? loader : "", len);
	buf_puts(&file, more);
	CU_ASSERT_EQUAL_FATAL(file_write(path, file.data, file.len, &err), 0);
	buf_release(&file);
	CU_ASSERT_EQUAL(chmod(path, 0755), 0);
}

static void
programs_that_cannot_be_counted_are_named_with_the_reason(void)
{
	static const struct {
		unsigned char class;
		const char *loader;
		const char *more;
		const char *reason; /* NULL: they can */
	} programs[] = {
		{ELFCLASS64, "/lib64/ld-linux-x86-64.so.2", "", NULL},
		{ELFCLASS64, NULL, "", "it is linked statically"},
		{ELFCLASS64, "/lib64/ld-linux-x86-64.so.2", "\xff Go buildinf:", "Go program"},
		{ELFCLASS32, "/lib/ld-linux.so.2", "", "it is a 32-bit program"},
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct scratch scratch;
		struct err err = {0};

		scratch_init(&scratch);
		put_program(&scratch, programs[i].class, programs[i].loader, programs[i].more);
		const char *const argv[] = {scratch.path, NULL};
		int result = alloc_check_program(argv, NULL, NULL, &err);

		CU_ASSERT_EQUAL(result, programs[i].reason ? -1 : 0);
		UNIT_CONTAINS(err.text, programs[i].reason ? programs[i].reason : "");
		scratch_release(&scratch);
	}
}

void
suite_capture_alloc(void)
{
	static const struct unit_case cases[] = {
		{"each_stack_is_a_sample_of_each_event", each_stack_is_a_sample_of_each_event},
		{"event_that_is_asked_for_is_the_first", event_that_is_asked_for_is_the_first},
		{"innermost_address_is_in_the_call", innermost_address_is_in_the_call},
		{"files_that_are_not_whole_are_refused", files_that_are_not_whole_are_refused},
		{"file_that_was_never_begun_is_nothing", file_that_was_never_begun_is_nothing},
		{"allocations_of_a_shell_are_counted", allocations_of_a_shell_are_counted},
		{"unknown_events_are_refused", unknown_events_are_refused},
		{"programs_that_cannot_be_counted_are_named_with_the_reason",
			programs_that_cannot_be_counted_are_named_with_the_reason},
		{NULL, NULL},
	};

	unit_suite("capture/alloc", cases);
}
