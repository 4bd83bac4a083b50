#include "builds/identity.h"

#include "git_fixture.h"

void suite_builds_commit_data(void);

/* Whether the digest of HEAD's data is another one after the script's commit. */
static bool
digest_changes(struct git_fixture *f, const char *script)
{
	char before[SHA256_TEXT_SIZE];
	char after[SHA256_TEXT_SIZE];

	CU_ASSERT_TRUE(data_digest_of("HEAD", before));
	git_fixture_sh(f, script);
	git_fixture_sh(f, "git add .; git commit -q -m next");
	CU_ASSERT_TRUE(data_digest_of("HEAD", after));
	CU_ASSERT_EQUAL(strlen(after), 64);
	return strcmp(before, after) != 0;
}

static void
the_digest_is_of_the_files_that_a_run_may_read(void)
{
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	CU_ASSERT_FALSE(digest_changes(&f,
		"for name in a.md b.c c.yaml LICENSE Makefile .hidden; do echo x >$name; done"));
	CU_ASSERT_TRUE(digest_changes(&f, "echo other >sub/file"));
	CU_ASSERT_TRUE(digest_changes(&f, "git mv sub/file sub/renamed"));
	/* A program that is tracked is data: other programs may run it. */
	CU_ASSERT_TRUE(digest_changes(&f, "printf '\\177ELF' >tool"));
	git_fixture_release(&f);
}

static void
a_stored_baseline_is_no_data_but_files_of_its_names_are(void)
{
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	CU_ASSERT_TRUE(
		digest_changes(&f, "echo 'a 1' >runs.folded; echo {} >sub/baseline.json.in"));
	CU_ASSERT_FALSE(digest_changes(&f,
		"mkdir -p b/cpu; echo {} >b/cpu/baseline.json\n"
		"for name in runs.stacks runs.folded counts.json code.txt; do echo x >b/cpu/$name; done"));
	CU_ASSERT_TRUE(digest_changes(&f, "echo x >b/cpu/other"));
	git_fixture_release(&f);
}

static void
a_commit_that_git_does_not_have_has_no_digest(void)
{
	struct git_fixture f;
	char digest[SHA256_TEXT_SIZE] = "digest";

	if (!git_fixture_init(&f))
		return;
	CU_ASSERT_FALSE(data_digest_of("0123456789012345678901234567890123456789", digest));
	UNIT_STR_EQ(digest, "");
	git_fixture_release(&f);
}

static void
data_is_compared_by_digest_if_the_commit_is_not_here(void)
{
	static const char nowhere[] = "0123456789012345678901234567890123456789";
	struct git_fixture f;
	char one[SHA256_TEXT_SIZE];
	char two[SHA256_TEXT_SIZE];

	if (!git_fixture_init(&f))
		return;
	CU_ASSERT_TRUE(data_digest_of("one", one));
	CU_ASSERT_TRUE(data_digest_of("two", two));
	CU_ASSERT_TRUE(identity_has_data_of("two", ""));
	CU_ASSERT_FALSE(identity_has_data_of("one", two));
	CU_ASSERT_TRUE(identity_has_data_of(nowhere, two));
	CU_ASSERT_FALSE(identity_has_data_of(nowhere, one));
	CU_ASSERT_FALSE(identity_has_data_of(nowhere, ""));
	git_fixture_sh(&f, "echo more >>sub/file");
	CU_ASSERT_FALSE(identity_has_data_of("two", ""));
	CU_ASSERT_FALSE(identity_has_data_of(nowhere, two));
	git_fixture_release(&f);
}

/* What identity_find_changed_data() and identity_find_uncommitted() find, "-" if nothing. */
static void
check_found(const char *data, const char *uncommitted)
{
	char *path = NULL;

	CU_ASSERT_EQUAL(identity_find_changed_data("HEAD", &path), data[0] != '-');
	UNIT_STR_EQ(path ? path : "-", data);
	free(path);
	path = NULL;
	CU_ASSERT_EQUAL(identity_find_uncommitted("HEAD", &path), uncommitted[0] != '-');
	UNIT_STR_EQ(path ? path : "-", uncommitted);
	free(path);
}

static void
a_file_is_data_source_or_document_by_its_name(void)
{
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	check_found("-", "-");
	CU_ASSERT_TRUE(identity_is_checked_out("HEAD"));
	git_fixture_sh(&f, "echo x >notes.md; echo x >COPYING");
	check_found("-", "-");
	CU_ASSERT_FALSE(identity_is_checked_out("HEAD"));
	/* A new program is not one that the workload runs. */
	git_fixture_sh(&f, "cp /bin/true new-program");
	check_found("-", "-");
	git_fixture_sh(&f, "echo x >new.c");
	check_found("-", "new.c");
	git_fixture_sh(&f, "echo x >.c; echo x >a.data");
	check_found("a.data", "a.data");
	git_fixture_sh(&f, "git clean -q -f");
	CU_ASSERT_TRUE(identity_is_checked_out("HEAD"));
	CU_ASSERT_FALSE(identity_is_checked_out("one"));
	git_fixture_release(&f);
}

static const struct unit_case cases[] = {
	{"the_digest_is_of_the_files_that_a_run_may_read",
		the_digest_is_of_the_files_that_a_run_may_read},
	{"a_stored_baseline_is_no_data_but_files_of_its_names_are",
		a_stored_baseline_is_no_data_but_files_of_its_names_are},
	{"a_commit_that_git_does_not_have_has_no_digest",
		a_commit_that_git_does_not_have_has_no_digest},
	{"data_is_compared_by_digest_if_the_commit_is_not_here",
		data_is_compared_by_digest_if_the_commit_is_not_here},
	{"a_file_is_data_source_or_document_by_its_name",
		a_file_is_data_source_or_document_by_its_name},
	{NULL, NULL},
};

void
suite_builds_commit_data(void)
{
	unit_suite("builds/commit_data", cases);
}
