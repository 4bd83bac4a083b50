/* Files with marks of phases, read as a whole. */
#include "perfdata/make_named.h"
#include "profile/sample_times.h"
#include "unit.h"

void suite_ingest_phase_marks(void);

#define MARK 12

static void
put_mark(struct named *named, uint32_t tid, uint64_t time, const char *name)
{
	struct buf raw = {0};

	buf_puts(&raw, name);
	buf_put_zeros(&raw, 8 - raw.len % 8);
	put_sample(named, MARK, tid, time, 1, &raw);
	buf_release(&raw);
}

/* Two samples in no phase, two in "parse all", one in "print"; `event` is that of the marks. */
static void
make(struct named *named, const char *event, uint32_t marking_tid)
{
	struct buf comm = {0};

	begin_named(named, "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, event);
	made_u32s(&comm, 7, 7);
	made_text(&comm, "app");
	made_trailer(&comm, 7, 1);
	put_whole(named, PERF_RECORD_COMM, 0, &comm);
	buf_release(&comm);
	put_named(named, 7, 10, 1, NULL);
	put_mark(named, marking_tid, 15, "parse all");
	put_named(named, 7, 20, 1, NULL);
	put_named(named, 7, 30, 1, NULL);
	put_mark(named, marking_tid, 35, "print");
	put_named(named, 7, 40, 1, NULL);
	put_mark(named, marking_tid, 45, "");
	put_named(named, 7, 50, 1, NULL);
}

static void
expect(struct named *named, const struct ingest_options *options, const char *folded)
{
	const struct perfdata_description description = {.last_sample_ns = 0};
	struct profile profile;

	profile_init(&profile);
	CU_ASSERT_EQUAL_FATAL(perfdata_writer_finish(&named->writer, &description, &named->err), 0);
	CU_ASSERT_EQUAL_FATAL(ingest_file(&profile, named->path, options, &named->err), 0);
	folded_check(&profile, folded);
	profile_release(&profile);
	scratch_release(&named->scratch);
}

static const struct labels by_phase = {{{LABEL_PHASE, "phase"}, {LABEL_THREAD, "thread"}}, 2};

static void
test_pipe(void)
{
	struct named named;

	make(&named, "phase", 0);
	expect(&named, &(struct ingest_options){.by = by_phase},
		"(no phase);app;[unknown] 2\nphase=parse all;app;[unknown] 2\n"
		"phase=print;app;[unknown] 1\n");
}

static void
a_phase_that_is_not_there_is_refused_with_those_that_are(void)
{
	const struct perfdata_description description = {.last_sample_ns = 0};
	const struct ingest_options options = {
		.only = {LABEL_PHASE, "phase"}, .only_value = "solve"};
	struct named named;
	struct profile profile;

	make(&named, "phase", 0);
	profile_init(&profile);
	CU_ASSERT_EQUAL_FATAL(perfdata_writer_finish(&named.writer, &description, &named.err), 0);
	CU_ASSERT_EQUAL(ingest_file(&profile, named.path, &options, &named.err), -1);
	UNIT_CONTAINS(named.err.text, "its phases are: parse all, print");
	profile_release(&profile);
	scratch_release(&named.scratch);
}

static void
test_times(void)
{
	const struct perfdata_description description = {.last_sample_ns = 0};
	struct named named;
	struct profile profile;
	struct sample_times times;

	make(&named, "phase", 0);
	profile_init(&profile);
	sample_times_init(&times);
	CU_ASSERT_EQUAL_FATAL(perfdata_writer_finish(&named.writer, &description, &named.err), 0);
	CU_ASSERT_EQUAL_FATAL(ingest_file(&profile, named.path,
				      &(struct ingest_options){.times = &times}, &named.err),
		0);
	CU_ASSERT_EQUAL_FATAL(times.nphases, 2);
	UNIT_STR_EQ(strtab_str(&times.names, times.phases[0].name), "parse all");
	UNIT_STR_EQ(strtab_str(&times.names, times.phases[1].name), "print");
	/* Since the first record, which is at 1. */
	CU_ASSERT_EQUAL(times.phases[0].begin_ns, 14);
	CU_ASSERT_EQUAL(times.phases[0].end_ns, 34);
	CU_ASSERT_EQUAL(times.phases[1].end_ns, 44);
	/* No event of the file begins with an exec. */
	CU_ASSERT(times.was_running);
	sample_times_release(&times);
	profile_release(&profile);
	scratch_release(&named.scratch);
}

static void
test_not_asked(void)
{
	struct named named;

	make(&named, "phase", 0);
	expect(&named, &(struct ingest_options){.event = NULL}, "app;[unknown] 5\n");
}

static void
test_only(void)
{
	const struct ingest_options only = {
		.only = {LABEL_PHASE, "phase"},
		.only_value = "parse_all",
	};
	struct named named;

	make(&named, "phase", 0);
	expect(&named, &only, "app;[unknown] 2\n");
}

static void
test_probe(void)
{
	struct named named;

	make(&named, "phase:load", 7);
	expect(&named, &(struct ingest_options){.by = by_phase},
		"(no phase);app;[unknown] 1\nphase=load;app;[unknown] 4\n");
}

/* A uprobe is noticed in all processes. */
static void
test_other_program(void)
{
	struct named named;

	make(&named, "phase:load", 99);
	expect(&named, &(struct ingest_options){.by = by_phase}, "(no phase);app;[unknown] 5\n");
}

static const struct unit_case cases[] = {
	{"samples_belong_to_the_phase_that_began_last", test_pipe},
	{"a_phase_that_is_not_there_is_refused_with_those_that_are",
		a_phase_that_is_not_there_is_refused_with_those_that_are},
	{"their_times_are_known", test_times},
	{"marks_are_no_samples", test_not_asked},
	{"one_phase_is_selected", test_only},
	{"a_probe_marks_the_phase_of_its_event", test_probe},
	{"marks_of_other_programs_are_ignored", test_other_program},
	{NULL, NULL},
};

void
suite_ingest_phase_marks(void)
{
	unit_suite("ingest/phase_marks", cases);
}
