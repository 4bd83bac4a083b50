#include "baseline_fixture.h"

#include "base/buf.h"
#include "profile/counters.h"
#include "stderr_file.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

void suite_baseline_store(void);

static void
check_same_run(const struct run *a, const struct run *b)
{
	CU_ASSERT_EQUAL(a->measured, b->measured);
	CU_ASSERT_EQUAL(a->session, b->session);
	UNIT_NEAR(a->cost_total, b->cost_total, 0);
	UNIT_NEAR(a->expected_samples, b->expected_samples, 0);
	CU_ASSERT_EQUAL(a->cpu_ns, b->cpu_ns);
	CU_ASSERT_EQUAL(a->wall_ns, b->wall_ns);
	CU_ASSERT_EQUAL(a->period, b->period);
	CU_ASSERT_EQUAL(a->samples, b->samples);
	CU_ASSERT_EQUAL(a->lost, b->lost);
	CU_ASSERT_EQUAL(a->throttled, b->throttled);
	CU_ASSERT_EQUAL(a->broken_stacks, b->broken_stacks);
	CU_ASSERT_EQUAL(a->truncated_stacks, b->truncated_stacks);
	CU_ASSERT_EQUAL(a->unknown_frames, b->unknown_frames);
	CU_ASSERT_EQUAL(a->context_switches, b->context_switches);
	CU_ASSERT_EQUAL(a->migrations, b->migrations);
	CU_ASSERT_EQUAL(a->harness_cpu_ns, b->harness_cpu_ns);
	CU_ASSERT_EQUAL(a->counters.known, b->counters.known);
	for (enum counter_id id = 0; id < NCOUNTERS; id++)
		UNIT_NEAR(a->counters.values[id], b->counters.values[id], 0);
}

static void
how_many_runs_were_disturbed_is_stored(void)
{
	struct baseline_fixture f;

	baseline_fixture_init(&f);
	for (size_t i = 0; i < RUNS; i++) {
		f.profile.runs[i].program_cpus = 1;
		f.profile.runs[i].wall_ns = 1000000000;
		f.profile.runs[i].others_ns = i < 2 ? 300000000 : 90000000;
	}
	f.info.disturbed_runs = 77;
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_read(&f), 0);
	CU_ASSERT_EQUAL(f.read.info.disturbed_runs, 2);
	baseline_release(&f.read);
	baseline_fixture_release(&f);
}

static void
a_baseline_reads_back_bit_for_bit(void)
{
	struct baseline_fixture f;

	baseline_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_read(&f), 0);
	CU_ASSERT_FATAL(f.found);
	CU_ASSERT_EQUAL_FATAL(f.read.profile.nruns, RUNS);
	for (size_t i = 0; i < RUNS; i++) {
		check_same_run(&f.read.profile.runs[i], &f.profile.runs[i]);
		UNIT_NEAR(profile_column_total(&f.read.profile, i),
			profile_column_total(&f.profile, i), 0);
	}
	UNIT_STR_EQ(strtab_str(&f.read.profile.strings, f.read.profile.command), "./a \"b\"");
	UNIT_STR_EQ(strtab_str(&f.read.profile.strings, f.read.profile.event), "cpu-clock");
	CU_ASSERT_EQUAL(f.read.profile.started, 1767225600);
	CU_ASSERT_EQUAL(f.read.info.created, 1767225600);
	CU_ASSERT_EQUAL(f.read.info.format_version, BASELINE_FORMAT_VERSION);
	UNIT_STR_EQ(f.read.info.tool_version, PROFILE_RUN_VERSION);
	UNIT_STR_EQ(f.read.info.workload_hash, f.info.workload_hash);
	UNIT_STR_EQ(f.read.info.program_hash, "");
	UNIT_STR_EQ(f.read.info.machine.cpu_model, "A \xef\xbf\xbd B");
	CU_ASSERT_EQUAL(f.read.info.nsessions, 1);
	baseline_release(&f.read);
	baseline_fixture_release(&f);
}

/* Each of these bytes becomes three, which would not fit. */
static void
text_that_is_no_utf8_still_reads_back(void)
{
	struct baseline_fixture f;

	baseline_fixture_init(&f);
	memset(f.info.machine.cpu_model, 0xff, sizeof(f.info.machine.cpu_model) - 1);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_read(&f), 0);
	CU_ASSERT_EQUAL(strlen(f.read.info.machine.cpu_model), 126);
	UNIT_CONTAINS(f.read.info.machine.cpu_model, "\xef\xbf\xbd");
	baseline_release(&f.read);
	baseline_fixture_release(&f);
}

static void
nothing_but_the_two_files_is_left(void)
{
	struct baseline_fixture f;
	char parent[128];

	baseline_fixture_init(&f);
	snprintf(parent, sizeof(parent), "%s/x86_64-a-b/parse", f.dir);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	CU_ASSERT_EQUAL(baseline_fixture_count(f.folder), 2);
	CU_ASSERT_EQUAL(baseline_fixture_count(parent), 1);
	CU_ASSERT_EQUAL(baseline_fixture_count(f.dir), 1);
	baseline_fixture_release(&f);
}

static void
a_missing_baseline_is_no_error(void)
{
	struct baseline_fixture f;

	baseline_fixture_init(&f);
	CU_ASSERT_EQUAL(baseline_fixture_read(&f), 0);
	CU_ASSERT(!f.found);
	baseline_fixture_release(&f);
}

/* Each as it could be met in a store that came out of a merge or a bad copy. */
static void
a_baseline_that_is_no_folder_is_an_error(void)
{
	struct baseline_fixture f;
	char *json;

	baseline_fixture_init(&f);
	json = file_join(f.folder, "baseline.json");
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	CU_ASSERT_EQUAL(unlink(json), 0);
	CU_ASSERT_EQUAL(mkfifo(json, 0600), 0);
	CU_ASSERT_EQUAL(baseline_fixture_read(&f), -1);
	UNIT_CONTAINS(f.err.text, "not an ordinary file");
	CU_ASSERT_EQUAL(file_remove_tree(f.folder, &f.err), 0);
	CU_ASSERT_EQUAL(symlink("cpu", f.folder), 0);
	CU_ASSERT_EQUAL(baseline_fixture_read(&f), -1);
	UNIT_CONTAINS(f.err.text, "symbolic links");
	CU_ASSERT_EQUAL(unlink(f.folder), 0);
	CU_ASSERT_EQUAL(symlink("nowhere", f.folder), 0);
	CU_ASSERT_EQUAL(baseline_fixture_read(&f), -1);
	CU_ASSERT_EQUAL(unlink(f.folder), 0);
	CU_ASSERT_EQUAL(file_write(f.folder, "", 0, &f.err), 0);
	CU_ASSERT_EQUAL(baseline_fixture_read(&f), -1);
	UNIT_CONTAINS(f.err.text, "is not a folder");
	free(json);
	baseline_fixture_release(&f);
}

static void
runs_without_samples_are_refused_and_leave_nothing(void)
{
	struct baseline_fixture f;

	baseline_fixture_init(&f);
	profile_release(&f.profile);
	profile_init(&f.profile);
	profile_add_run(&f.profile);
	CU_ASSERT_EQUAL(baseline_fixture_write(&f), -1);
	UNIT_CONTAINS(f.err.text, "no sample in 1 runs");
	UNIT_CONTAINS(f.err.text, "while writing the baseline '");
	CU_ASSERT_EQUAL(baseline_fixture_count(f.dir), 0);
	/* One is enough. */
	f.err = (struct err){.kind = ERR_NONE};
	ctree_add(&f.profile.tree, 0,
		ctree_child(&f.profile.tree, CTREE_ROOT,
			profile_frame(&f.profile, "main", 4, FRAME_USER)),
		1);
	CU_ASSERT_EQUAL(baseline_fixture_write(&f), 0);
	baseline_fixture_release(&f);
}

static void
runs_without_a_finite_cost_are_refused(void)
{
	static const double wrong[] = {-1, INFINITY, NAN};
	struct baseline_fixture f;
	enum baseline_change change;

	baseline_fixture_init(&f);
	for (size_t i = 0; i < 6; i++) {
		struct run *run = &f.profile.runs[i % RUNS];
		const struct run kept = *run;
		char says[40];

		snprintf(says, sizeof(says), "run %zu has no finite cost", i % RUNS + 1);
		*(i < 3 ? &run->cost_total : &run->expected_samples) = wrong[i % 3];
		f.err = (struct err){0};
		CU_ASSERT_EQUAL(baseline_add(f.folder, &f.info, &f.profile, &change, &f.err), -1);
		UNIT_CONTAINS(f.err.text, says);
		UNIT_CONTAINS(f.err.text, "while adding to the baseline '");
		CU_ASSERT_EQUAL(baseline_write_counts(f.folder, &f.info, &f.profile, &f.err), -1);
		*run = kept;
	}
	CU_ASSERT_EQUAL(baseline_fixture_count(f.dir), 0);
	/* A cost of nothing is one, and a run without a sample stands among others. */
	f.profile.runs[1].cost_total = 0;
	f.profile.runs[1].expected_samples = 0;
	profile_add_run(&f.profile);
	CU_ASSERT_EQUAL(baseline_fixture_write(&f), 0);
	baseline_fixture_release(&f);
}

static void
runs_of_another_event_unit_or_workload_replace(void)
{
	struct baseline_fixture f;
	enum baseline_change change;
	char *const texts[] = {f.info.event, f.info.unit, f.info.workload_hash};

	baseline_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	for (size_t i = 0; i < 3; i++) {
		texts[i][0] = 'b';
		CU_ASSERT_EQUAL(baseline_add(f.folder, &f.info, &f.profile, &change, &f.err), 0);
		CU_ASSERT_EQUAL(change, BASELINE_REPLACED);
	}
	baseline_fixture_release(&f);
}

static void
a_broken_baseline_is_replaced_with_a_warning(void)
{
	struct baseline_fixture f;
	struct stderr_file file;
	enum baseline_change change;
	char text[1024];

	baseline_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	char *json = file_join(f.folder, "baseline.json");

	CU_ASSERT_EQUAL(unlink(json), 0);
	stderr_file_begin(&file);
	CU_ASSERT_EQUAL(baseline_add(f.folder, &f.info, &f.profile, &change, &f.err), 0);
	CU_ASSERT_EQUAL(baseline_add(f.folder, &f.info, &f.profile, &change, &f.err), 0);
	stderr_file_end(&file, text, sizeof(text));
	CU_ASSERT_EQUAL(change, BASELINE_EXTENDED);
	const char *warning = strstr(text, "the stored baseline is replaced: ");

	UNIT_NEED(warning);
	UNIT_CONTAINS(warning, "baseline.json");
	CU_ASSERT_PTR_NULL(strstr(warning + 1, "the stored baseline is replaced: "));
	free(json);
	baseline_fixture_release(&f);
}

static void
the_files_of_the_latest_runs_are_stored(void)
{
	struct baseline_fixture f;
	enum baseline_change change;

	baseline_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	f.profile.files = strtab_intern_str(&f.profile.strings, "cc  bin/program\n");
	CU_ASSERT_EQUAL_FATAL(baseline_add(f.folder, &f.info, &f.profile, &change, &f.err), 0);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_read(&f), 0);
	CU_ASSERT_EQUAL(f.read.info.nsessions, 2);
	UNIT_STR_EQ(strtab_str(&f.read.profile.strings, f.read.profile.files), "cc  bin/program\n");
	baseline_release(&f.read);
	baseline_fixture_release(&f);
}

static void
adding_keeps_sessions_apart(void)
{
	struct baseline_fixture f;
	enum baseline_change change;

	baseline_fixture_init(&f);
	for (int i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL_FATAL(
			baseline_add(f.folder, &f.info, &f.profile, &change, &f.err), 0);
		CU_ASSERT_EQUAL(change, i == 0 ? BASELINE_STORED : BASELINE_EXTENDED);
	}
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_read(&f), 0);
	CU_ASSERT_EQUAL(f.read.info.nsessions, 3);
	CU_ASSERT_EQUAL_FATAL(f.read.profile.nruns, (size_t)3 * RUNS);
	for (size_t i = 0; i < (size_t)3 * RUNS; i++) {
		CU_ASSERT_EQUAL(f.read.profile.runs[i].session, i / RUNS);
		UNIT_NEAR(profile_column_total(&f.read.profile, i),
			profile_column_total(&f.profile, i % RUNS), 0);
	}
	baseline_release(&f.read);
	baseline_fixture_release(&f);
}

static void
the_oldest_session_goes_when_there_are_too_many(void)
{
	struct baseline_fixture f;
	enum baseline_change change;

	baseline_fixture_init(&f);
	for (uint64_t i = 0; i < BASELINE_SESSIONS_MAX + 3; i++) {
		for (size_t run = 0; run < f.profile.nruns; run++)
			f.profile.runs[run].cpu_ns = 1000 + i;
		CU_ASSERT_EQUAL_FATAL(
			baseline_add(f.folder, &f.info, &f.profile, &change, &f.err), 0);
	}
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_read(&f), 0);
	CU_ASSERT_EQUAL(f.read.info.nsessions, BASELINE_SESSIONS_MAX);
	CU_ASSERT_EQUAL_FATAL(f.read.profile.nruns, (size_t)BASELINE_SESSIONS_MAX * RUNS);
	CU_ASSERT_EQUAL(f.read.profile.runs[0].cpu_ns, 1003);
	CU_ASSERT_EQUAL(f.read.profile.runs[f.read.profile.nruns - 1].cpu_ns,
		1000 + BASELINE_SESSIONS_MAX + 2);
	baseline_release(&f.read);
	baseline_fixture_release(&f);
}

static void
runs_of_another_frequency_or_program_replace(void)
{
	struct baseline_fixture f;
	enum baseline_change change;

	baseline_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	f.info.frequency_hz = 99;
	CU_ASSERT_EQUAL(baseline_add(f.folder, &f.info, &f.profile, &change, &f.err), 0);
	CU_ASSERT_EQUAL(change, BASELINE_REPLACED);
	/* A hash of any other length could not be read back, and be replaced for that reason. */
	for (int digit = 'b'; digit <= 'c'; digit++) {
		memset(f.info.program_hash, digit, 64);
		CU_ASSERT_EQUAL(baseline_add(f.folder, &f.info, &f.profile, &change, &f.err), 0);
		CU_ASSERT_EQUAL(change, BASELINE_REPLACED);
		CU_ASSERT_EQUAL_FATAL(baseline_fixture_read(&f), 0);
		UNIT_NEAR(f.read.info.frequency_hz, 99, 0);
		UNIT_STR_EQ(f.read.info.program_hash, f.info.program_hash);
		CU_ASSERT_EQUAL(f.read.info.nsessions, 1);
		CU_ASSERT_EQUAL(f.read.profile.nruns, RUNS);
		baseline_release(&f.read);
	}
	CU_ASSERT_EQUAL(baseline_add(f.folder, &f.info, &f.profile, &change, &f.err), 0);
	CU_ASSERT_EQUAL(change, BASELINE_EXTENDED);
	baseline_fixture_release(&f);
}

void
suite_baseline_store(void)
{
	static const struct unit_case cases[] = {
		{"how_many_runs_were_disturbed_is_stored", how_many_runs_were_disturbed_is_stored},
		{"a_baseline_reads_back_bit_for_bit", a_baseline_reads_back_bit_for_bit},
		{"text_that_is_no_utf8_still_reads_back", text_that_is_no_utf8_still_reads_back},
		{"nothing_but_the_two_files_is_left", nothing_but_the_two_files_is_left},
		{"a_missing_baseline_is_no_error", a_missing_baseline_is_no_error},
		{"a_baseline_that_is_no_folder_is_an_error",
			a_baseline_that_is_no_folder_is_an_error},
		{"runs_without_samples_are_refused_and_leave_nothing",
			runs_without_samples_are_refused_and_leave_nothing},
		{"runs_without_a_finite_cost_are_refused", runs_without_a_finite_cost_are_refused},
		{"runs_of_another_event_unit_or_workload_replace",
			runs_of_another_event_unit_or_workload_replace},
		{"a_broken_baseline_is_replaced_with_a_warning",
			a_broken_baseline_is_replaced_with_a_warning},
		{"the_files_of_the_latest_runs_are_stored",
			the_files_of_the_latest_runs_are_stored},
		{"adding_keeps_sessions_apart", adding_keeps_sessions_apart},
		{"the_oldest_session_goes_when_there_are_too_many",
			the_oldest_session_goes_when_there_are_too_many},
		{"runs_of_another_frequency_or_program_replace",
			runs_of_another_frequency_or_program_replace},
		{NULL, NULL},
	};

	unit_suite("baseline/store", cases);
}
