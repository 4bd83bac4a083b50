/* The parts of a baseline: runs, counts and code, each written while the others stay. */
#include "baseline_fixture.h"

#include "base/buf.h"
#include "base/mem.h"

#include <sys/stat.h>

void suite_baseline_store_parts(void);

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

/* As a merge or a bad copy leaves them: no counts are not "no counts yet". */
static void
half_of_the_counts_is_an_error(void)
{
	static const char *const names[] = {"counts.json", "counts.stacks"};

	for (size_t i = 0; i < 2; i++) {
		struct baseline_fixture f;

		baseline_fixture_init(&f);
		CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
		write_counts(&f);
		char *path = file_join(f.folder, names[i]);

		CU_ASSERT_EQUAL_FATAL(remove(path), 0);
		CU_ASSERT_EQUAL(baseline_read_counts(&f.read, f.folder, &f.found, &f.err), -1);
		UNIT_CONTAINS(f.err.text, names[i]);
		free(path);
		baseline_fixture_release(&f);
	}
}

static void
check_code(struct baseline_fixture *f, const char *expected)
{
	struct buf text = {0};

	CU_ASSERT_EQUAL(baseline_read_code(&text, f->folder, &f->found, &f->err), 0);
	CU_ASSERT_EQUAL(f->found, expected != NULL);
	UNIT_STR_EQ(buf_text(&text), expected ? expected : "");
	buf_release(&text);
}

static void
write_code(struct baseline_fixture *f, const char *text)
{
	struct buf code = {0};

	buf_puts(&code, text);
	CU_ASSERT_EQUAL_FATAL(baseline_write_code(f->folder, &code, &f->err), 0);
	buf_release(&code);
}

/* Runs and counts stay where the code is written, and it stays where they are. */
static void
code_stays_until_the_runs_are_replaced(void)
{
	struct baseline_fixture f;
	enum baseline_change change;

	baseline_fixture_init(&f);
	check_code(&f, NULL);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	check_code(&f, NULL);
	write_code(&f, "old");
	write_code(&f, "new");
	check_code(&f, "new");
	write_counts(&f);
	check_code(&f, "new");
	CU_ASSERT_EQUAL_FATAL(baseline_add(f.folder, &f.info, &f.profile, &change, &f.err), 0);
	CU_ASSERT_EQUAL(change, BASELINE_EXTENDED);
	check_code(&f, "new");
	write_code(&f, "newest");
	CU_ASSERT_FATAL(read_counts(&f));
	baseline_release(&f.read);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_read(&f), 0);
	CU_ASSERT_EQUAL(f.read.info.nsessions, 2);
	baseline_release(&f.read);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	check_code(&f, NULL);
	CU_ASSERT_EQUAL(f.err.kind, ERR_NONE);
	UNIT_STR_EQ(f.err.text, "");
	baseline_fixture_release(&f);
}

/* As a merge or a bad copy leaves it. */
static void
code_that_cannot_be_read_is_an_error(void)
{
	struct baseline_fixture f;
	struct buf text = {0};

	baseline_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	char *path = baseline_code_path(f.folder);

	CU_ASSERT_EQUAL_FATAL(mkdir(path, 0700), 0);
	CU_ASSERT_EQUAL(baseline_read_code(&text, f.folder, &f.found, &f.err), -1);
	UNIT_CONTAINS(f.err.text, "code.txt");
	/* It cannot be kept then. */
	f.err = (struct err){0};
	CU_ASSERT_EQUAL(baseline_write_counts(f.folder, &f.info, &f.profile, &f.err), -1);
	UNIT_CONTAINS(f.err.text, "while adding counts to the baseline");
	f.err = (struct err){0};
	CU_ASSERT_FALSE(read_counts(&f));
	CU_ASSERT_EQUAL(file_remove_tree(f.folder, &f.err), 0);
	CU_ASSERT_EQUAL(file_write(f.folder, "", 0, &f.err), 0);
	CU_ASSERT_EQUAL(baseline_read_code(&text, f.folder, &f.found, &f.err), -1);
	CU_ASSERT_FALSE(f.found);
	UNIT_CONTAINS(f.err.text, "is not a folder");
	buf_release(&text);
	free(path);
	baseline_fixture_release(&f);
}

static void
code_that_cannot_be_written_leaves_nothing(void)
{
	struct baseline_fixture f;
	struct buf text = {0};

	baseline_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	char *path = file_join(f.folder, "counts.json");
	char *parent = mem_dup(f.folder, (size_t)(file_basename(f.folder) - f.folder));
	const unsigned names = baseline_fixture_count(parent);

	/* It cannot be kept. */
	CU_ASSERT_EQUAL_FATAL(mkdir(path, 0700), 0);
	buf_puts(&text, "code");
	CU_ASSERT_EQUAL(baseline_write_code(f.folder, &text, &f.err), -1);
	UNIT_CONTAINS(f.err.text, "counts.json");
	CU_ASSERT_EQUAL(baseline_fixture_count(parent), names);
	CU_ASSERT_EQUAL(remove(path), 0);
	check_code(&f, NULL);
	buf_release(&text);
	free(path);
	free(parent);
	baseline_fixture_release(&f);
}

static void
copy_fixture(struct baseline_fixture *f, const char *name)
{
	char *from = file_join("tests/fixtures/baselines/ci-small/parse/cpu", name);
	char *to = file_join(f->folder, name);
	struct buf text = {0};

	CU_ASSERT_EQUAL_FATAL(file_read(from, &text, 1 << 20, &f->err), 0);
	CU_ASSERT_EQUAL_FATAL(file_write(to, text.data, text.len, &f->err), 0);
	buf_release(&text);
	free(to);
	free(from);
}

static bool
convert(struct baseline_fixture *f)
{
	bool changed = true;

	CU_ASSERT_EQUAL(baseline_convert(f->folder, &changed, &f->err), 0);
	CU_ASSERT_EQUAL(f->err.kind, ERR_NONE);
	UNIT_STR_EQ(f->err.text, "");
	return changed;
}

static void
an_old_format_is_converted_once_with_its_counts_and_code(void)
{
	struct baseline_fixture f;
	double total;

	baseline_fixture_init(&f);
	CU_ASSERT_FALSE(convert(&f));
	CU_ASSERT_EQUAL_FATAL(file_make_dirs(f.folder, &f.err), 0);
	copy_fixture(&f, "baseline.json");
	copy_fixture(&f, "runs.folded");
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_read(&f), 0);
	total = profile_column_total(&f.read.profile, 0);
	baseline_release(&f.read);
	CU_ASSERT_TRUE(convert(&f));
	CU_ASSERT_EQUAL(baseline_fixture_count(f.folder), 2);
	CU_ASSERT_FALSE(convert(&f));
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_read(&f), 0);
	UNIT_NEAR(profile_column_total(&f.read.profile, 0), total, 0);
	baseline_release(&f.read);
	/* Only the counts are of the old one. */
	write_code(&f, "code");
	copy_fixture(&f, "counts.json");
	copy_fixture(&f, "counts.folded");
	CU_ASSERT_TRUE(convert(&f));
	CU_ASSERT_EQUAL(baseline_fixture_count(f.folder), 5);
	CU_ASSERT_FALSE(convert(&f));
	CU_ASSERT_FATAL(read_counts(&f));
	UNIT_STR_EQ(f.read.info.event, "callgrind");
	baseline_release(&f.read);
	check_code(&f, "code");
	/* Only the runs are; the counts are kept as they are. */
	copy_fixture(&f, "baseline.json");
	copy_fixture(&f, "runs.folded");
	CU_ASSERT_TRUE(convert(&f));
	CU_ASSERT_EQUAL(baseline_fixture_count(f.folder), 5);
	CU_ASSERT_FATAL(read_counts(&f));
	baseline_release(&f.read);
	baseline_fixture_release(&f);
}

static void
a_broken_baseline_is_not_converted(void)
{
	struct baseline_fixture f;
	bool changed = true;

	baseline_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	copy_fixture(&f, "counts.json");
	CU_ASSERT_EQUAL(baseline_convert(f.folder, &changed, &f.err), -1);
	CU_ASSERT_FALSE(changed);
	UNIT_CONTAINS(f.err.text, "counts.folded");
	UNIT_CONTAINS(f.err.text, "while reading the baseline '");
	UNIT_CONTAINS(f.err.text, "while converting the baseline '");
	CU_ASSERT_EQUAL(baseline_fixture_count(f.folder), 3);
	baseline_fixture_release(&f);
}

static void
nothing_is_converted_where_no_folder_can_be(void)
{
	struct baseline_fixture f;
	bool changed = true;

	baseline_fixture_init(&f);
	char *path = file_join(f.dir, "x86_64-a-b");

	CU_ASSERT_EQUAL_FATAL(file_write(path, "", 0, &f.err), 0);
	CU_ASSERT_EQUAL(baseline_convert(f.folder, &changed, &f.err), -1);
	CU_ASSERT_FALSE(changed);
	free(path);
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

void
suite_baseline_store_parts(void)
{
	static const struct unit_case cases[] = {
		{"counts_stand_beside_the_runs", counts_stand_beside_the_runs},
		{"half_of_the_counts_is_an_error", half_of_the_counts_is_an_error},
		{"code_stays_until_the_runs_are_replaced", code_stays_until_the_runs_are_replaced},
		{"code_that_cannot_be_written_leaves_nothing",
			code_that_cannot_be_written_leaves_nothing},
		{"code_that_cannot_be_read_is_an_error", code_that_cannot_be_read_is_an_error},
		{"an_old_format_is_converted_once_with_its_counts_and_code",
			an_old_format_is_converted_once_with_its_counts_and_code},
		{"nothing_is_converted_where_no_folder_can_be",
			nothing_is_converted_where_no_folder_can_be},
		{"a_broken_baseline_is_not_converted", a_broken_baseline_is_not_converted},
		{"edited_counts_are_an_error", edited_counts_are_an_error},
		{NULL, NULL},
	};

	unit_suite("baseline/store_parts", cases);
}
