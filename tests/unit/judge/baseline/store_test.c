#include "baseline_fixture.h"

#include "base/buf.h"
#include "profile/counters.h"

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
write_counts(struct baseline_fixture *f)
{
	struct baseline_info info = f->info;
	struct profile counts;

	baseline_fixture_fill(&counts, 900);
	snprintf(info.machine_class, sizeof(info.machine_class), "x86_64-avx2-callgrind");
	CU_ASSERT_EQUAL_FATAL(baseline_write_counts(f->folder, &info, &counts, &f->err), 0);
	profile_release(&counts);
}

static bool
read_counts(struct baseline_fixture *f)
{
	CU_ASSERT_EQUAL_FATAL(baseline_read_counts(&f->read, f->folder, &f->found, &f->err), 0);
	return f->found;
}

static void
counts_stand_beside_the_runs(void)
{
	struct baseline_fixture f;
	enum baseline_change change;

	baseline_fixture_init(&f);
	CU_ASSERT(!read_counts(&f));
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	CU_ASSERT(!read_counts(&f));
	write_counts(&f);
	CU_ASSERT_FATAL(read_counts(&f));
	UNIT_STR_EQ(f.read.info.machine_class, "x86_64-avx2-callgrind");
	UNIT_NEAR(profile_column_total(&f.read.profile, 0), 11 * 900, 0);
	baseline_release(&f.read);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_read(&f), 0);
	UNIT_STR_EQ(f.read.info.machine_class, "x86_64-a-b");
	UNIT_NEAR(profile_column_total(&f.read.profile, 0), 11 * 7, 0);
	baseline_release(&f.read);
	/* They are of the same program as a further session, and not as another program's. */
	CU_ASSERT_EQUAL_FATAL(baseline_add(f.folder, &f.info, &f.profile, &change, &f.err), 0);
	CU_ASSERT_EQUAL(change, BASELINE_EXTENDED);
	CU_ASSERT_FATAL(read_counts(&f));
	baseline_release(&f.read);
	memset(f.info.program_hash, 'b', 64);
	CU_ASSERT_EQUAL_FATAL(baseline_add(f.folder, &f.info, &f.profile, &change, &f.err), 0);
	CU_ASSERT_EQUAL(change, BASELINE_REPLACED);
	CU_ASSERT(!read_counts(&f));
	baseline_fixture_release(&f);
}

static void
edited_counts_are_an_error(void)
{
	struct baseline_fixture f;

	baseline_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	write_counts(&f);
	char *path = file_join(f.folder, "counts.stacks");

	CU_ASSERT_EQUAL_FATAL(file_write(path, "# runs: 1\nmain 1\n", 17, &f.err), 0);
	CU_ASSERT_EQUAL(baseline_read_counts(&f.read, f.folder, &f.found, &f.err), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(f.err.text, "counts.stacks"));
	CU_ASSERT_PTR_NOT_NULL(strstr(f.err.text, "that counts.json was written with"));
	f.err = (struct err){0};
	CU_ASSERT_EQUAL_FATAL(remove(path), 0);
	CU_ASSERT_EQUAL(baseline_read_counts(&f.read, f.folder, &f.found, &f.err), -1);
	f.err = (struct err){0};
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_read(&f), 0);
	baseline_release(&f.read);
	free(path);
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
	UNIT_CONTAINS(f.err.text, "no sample");
	CU_ASSERT_EQUAL(baseline_fixture_count(f.dir), 0);
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
		{"counts_stand_beside_the_runs", counts_stand_beside_the_runs},
		{"edited_counts_are_an_error", edited_counts_are_an_error},
		{"a_baseline_reads_back_bit_for_bit", a_baseline_reads_back_bit_for_bit},
		{"text_that_is_no_utf8_still_reads_back", text_that_is_no_utf8_still_reads_back},
		{"nothing_but_the_two_files_is_left", nothing_but_the_two_files_is_left},
		{"a_missing_baseline_is_no_error", a_missing_baseline_is_no_error},
		{"a_baseline_that_is_no_folder_is_an_error",
			a_baseline_that_is_no_folder_is_an_error},
		{"runs_without_samples_are_refused_and_leave_nothing",
			runs_without_samples_are_refused_and_leave_nothing},
		{"adding_keeps_sessions_apart", adding_keeps_sessions_apart},
		{"the_oldest_session_goes_when_there_are_too_many",
			the_oldest_session_goes_when_there_are_too_many},
		{"runs_of_another_frequency_or_program_replace",
			runs_of_another_frequency_or_program_replace},
		{NULL, NULL},
	};

	unit_suite("baseline/store", cases);
}
