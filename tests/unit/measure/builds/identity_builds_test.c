/* Whether two builds, or a run and earlier ones, execute and read the same. */
#include "builds/identity.h"

#include "git_fixture.h"

#include <stdio.h>

void suite_builds_identity_builds(void);

/* Two sides of a workload that runs ./program, a copy of /bin/true, in a repository. */
struct pair {
	struct git_fixture f;
	const char *argv[2];
	struct workload workload;
	struct build_side base;
	struct profile before;
	struct profile after;
};

static bool
pair_init(struct pair *pair)
{
	*pair = (struct pair){.argv = {"./program"}};
	if (!git_fixture_init(&pair->f))
		return false;
	pair->workload.run = pair->argv;
	pair->base.root = git_fixture_path(&pair->f, "base");
	profile_init(&pair->before);
	profile_init(&pair->after);
	git_fixture_sh(&pair->f, "cp /bin/true program; mkdir ../base; cp program ../base");
	return true;
}

static void
pair_release(struct pair *pair)
{
	free(pair->base.root);
	profile_release(&pair->before);
	profile_release(&pair->after);
	git_fixture_release(&pair->f);
}

static void
set_files(struct profile *profile, const char *files, const char *code)
{
	profile->files = strtab_intern_str(&profile->strings, files);
	profile->code = strtab_intern_str(&profile->strings, code);
}

static void
set_both(struct pair *pair, const char *files)
{
	set_files(&pair->before, files, "");
	set_files(&pair->after, files, "");
}

/* Before and after are compared, and the path that is found is "-" if there is none. */
static void
check_builds(struct pair *pair, enum identity expected, const char *data)
{
	char *changed = NULL;

	CU_ASSERT_EQUAL(identity_of_builds(&pair->workload, &pair->base, &pair->before,
				&pair->after, &changed),
		expected);
	UNIT_STR_EQ(changed ? changed : "-", data);
	free(changed);
}

static void
builds_that_execute_other_files_are_other(void)
{
	static const char *const others[] = {
		"", /* nothing is known */
		"1  program\n",
		"1  program\n2  script.py\n3  third\n",
		"1  program\n3  script.py\n",
		"1  program\n2  script.px\n",
		"1  program\n2  script.pyc\n",
		"1  program\n-  script.py\n",
	};
	struct pair pair;

	if (!pair_init(&pair))
		return;
	set_both(&pair, "1  program\n2  script.py\n");
	check_builds(&pair, IDENTITY_SAME, "-");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		set_files(&pair.before, others[i], "");
		check_builds(&pair, IDENTITY_OTHER, "-");
		set_files(&pair.before, "1  program\n2  script.py\n", "");
		set_files(&pair.after, others[i], "");
		check_builds(&pair, IDENTITY_OTHER, "-");
		set_files(&pair.after, "1  program\n2  script.py\n", "");
	}
	set_both(&pair, "");
	check_builds(&pair, IDENTITY_OTHER, "-");
	set_both(&pair, "-  program\n");
	check_builds(&pair, IDENTITY_OTHER, "-");
	pair_release(&pair);
}

static void
a_program_that_was_built_again_is_the_same(void)
{
	struct pair pair;

	if (!pair_init(&pair))
		return;
	set_files(&pair.before, "1  program\n", "7  program\n");
	set_files(&pair.after, "2  program\n", "7  program\n");
	check_builds(&pair, IDENTITY_SAME, "-");
	set_files(&pair.after, "2  program\n", "8  program\n");
	check_builds(&pair, IDENTITY_OTHER, "-");
	/* Where its contents are not known, its code does not help. */
	set_files(&pair.after, "-  program\n", "7  program\n");
	check_builds(&pair, IDENTITY_OTHER, "-");
	set_files(&pair.before, "-  program\n", "7  program\n");
	set_files(&pair.after, "2  program\n", "7  program\n");
	check_builds(&pair, IDENTITY_OTHER, "-");
	pair_release(&pair);
}

static void
a_command_that_is_no_program_of_ours_is_the_same_in_the_same_checkout(void)
{
	struct pair pair;

	if (!pair_init(&pair))
		return;
	set_both(&pair, "1  program\n");
	/* The kept build is only looked at for whether there is one. */
	pair.base.worktree = (struct worktree *)&pair;
	snprintf(pair.base.commit, sizeof(pair.base.commit), "two");
	for (size_t i = 0; i < 2; i++) {
		pair.argv[0] = i == 0 ? "/bin/true" : "./script";
		git_fixture_sh(&pair.f, "echo x >script; chmod +x script");
		check_builds(&pair, IDENTITY_OTHER, "-");
		git_fixture_sh(&pair.f, "rm script program");
		check_builds(&pair, IDENTITY_SAME, "-");
		git_fixture_sh(&pair.f, "cp /bin/true program");
	}
	pair_release(&pair);
}

static void
data_that_differs_from_the_commit_is_decided_by_runs(void)
{
	struct pair pair;

	if (!pair_init(&pair))
		return;
	set_both(&pair, "1  program\n");
	pair.base.worktree = (struct worktree *)&pair;
	snprintf(pair.base.commit, sizeof(pair.base.commit), "two");
	check_builds(&pair, IDENTITY_SAME, "-");
	git_fixture_sh(&pair.f, "echo x >new.md; echo more >>sub/file");
	check_builds(&pair, IDENTITY_BY_RUNS, "sub/file");
	pair.base.worktree = NULL;
	check_builds(&pair, IDENTITY_SAME, "-");
	pair_release(&pair);
}

static void
programs_and_libraries_of_both_folders_have_to_agree(void)
{
	struct pair pair;

	if (!pair_init(&pair))
		return;
	set_both(&pair, "1  program\n");
	git_fixture_sh(&pair.f, "cp /bin/true tool; echo x >libtext.so; echo x >only-here");
	check_builds(&pair, IDENTITY_SAME, "-");
	git_fixture_sh(&pair.f, "cp /bin/true ../base/tool");
	check_builds(&pair, IDENTITY_SAME, "-");
	git_fixture_sh(&pair.f, "cp /bin/false ../base/tool");
	check_builds(&pair, IDENTITY_BY_RUNS, "-");
	git_fixture_sh(&pair.f, "rm ../base/tool; cp /bin/true libplugin.so.1");
	check_builds(&pair, IDENTITY_BY_RUNS, "-");
	git_fixture_sh(&pair.f, "cp /bin/true ../base/libplugin.so.1");
	check_builds(&pair, IDENTITY_SAME, "-");
	/* A relocatable object (ET_REL) is linked, not loaded. */
	git_fixture_sh(&pair.f,
		"printf '\\1' | dd of=libplugin.so.1 bs=1 seek=16 conv=notrunc status=none");
	git_fixture_sh(&pair.f, "rm ../base/libplugin.so.1");
	check_builds(&pair, IDENTITY_SAME, "-");
	free(pair.base.root);
	pair.base.root = NULL;
	git_fixture_sh(&pair.f, "cp /bin/true libplugin.so.1");
	check_builds(&pair, IDENTITY_SAME, "-");
	pair_release(&pair);
}

static bool
is_unchanged(const struct pair *pair, const char *commit)
{
	return identity_is_unchanged(&pair->workload, &pair->before, commit, "", &pair->after);
}

/* The files of `pair.after` are known before the run; `before` also has those with samples. */
static void
a_run_of_the_same_files_and_data_is_unchanged(void)
{
	struct pair pair;
	char hash[SHA256_TEXT_SIZE];

	if (!pair_init(&pair))
		return;
	CU_ASSERT_EQUAL(
		identity_of_command(&pair.workload, NULL, &pair.after, hash, &pair.f.err), 0);
	char *files = mem_strdup(strtab_str(&pair.after.strings, pair.after.files));
	const char *code = strtab_str(&pair.after.strings, pair.after.code);
	char *more = mem_printf("%s0 *zz gone\n", files);

	set_files(&pair.before, files, code);
	CU_ASSERT_TRUE(is_unchanged(&pair, "two"));
	/* A sampled file that is gone since. */
	set_files(&pair.before, more, code);
	CU_ASSERT_FALSE(is_unchanged(&pair, "two"));
	set_files(&pair.before, "", "");
	CU_ASSERT_FALSE(is_unchanged(&pair, "two"));
	set_files(&pair.before, "1  other\n", code);
	CU_ASSERT_FALSE(is_unchanged(&pair, "two"));
	set_files(&pair.before, files, code);
	git_fixture_sh(&pair.f, "echo more >>sub/file");
	CU_ASSERT_FALSE(is_unchanged(&pair, "two"));
	set_files(&pair.after, "", "");
	CU_ASSERT_FALSE(is_unchanged(&pair, "two"));
	free(more);
	free(files);
	pair_release(&pair);
}

static void
a_sampled_file_counts_with_what_it_is_now(void)
{
	struct pair pair;
	struct profile sampled;
	char hash[SHA256_TEXT_SIZE];

	if (!pair_init(&pair))
		return;
	git_fixture_sh(&pair.f, "echo text >sampled.md");
	CU_ASSERT_EQUAL(
		identity_of_command(&pair.workload, NULL, &pair.after, hash, &pair.f.err), 0);
	profile_init(&sampled);
	set_files(&sampled, strtab_str(&pair.after.strings, pair.after.files),
		strtab_str(&pair.after.strings, pair.after.code));
	const frame_id frame = profile_frame(&sampled, "f", 1, FRAME_USER);
	char *path = git_fixture_path(&pair.f, "repo/sampled.md");

	sampled.frames.frames[frame].module = strtab_intern_str(&sampled.strings, path);
	identity_add_sampled(NULL, &sampled);
	set_files(&pair.before, strtab_str(&sampled.strings, sampled.files),
		strtab_str(&sampled.strings, sampled.code));
	UNIT_CONTAINS(strtab_str(&sampled.strings, sampled.files), " *sampled.md\n");
	CU_ASSERT_TRUE(is_unchanged(&pair, "two"));
	git_fixture_sh(&pair.f, "echo more >>sampled.md");
	CU_ASSERT_FALSE(is_unchanged(&pair, "two"));
	git_fixture_sh(&pair.f, "rm sampled.md");
	CU_ASSERT_FALSE(is_unchanged(&pair, "two"));
	free(path);
	profile_release(&sampled);
	pair_release(&pair);
}

/* A script's commit has to be checked out, not only its data. */
static void
a_run_of_a_script_is_unchanged_in_its_checkout_only(void)
{
	struct pair pair;

	if (!pair_init(&pair))
		return;
	pair.argv[0] = "/bin/true";
	set_both(&pair, "1  program\n");
	git_fixture_sh(&pair.f, "rm program");
	CU_ASSERT_TRUE(is_unchanged(&pair, "two"));
	CU_ASSERT_FALSE(is_unchanged(&pair, "one"));
	git_fixture_sh(&pair.f, "echo x >new.md");
	CU_ASSERT_FALSE(is_unchanged(&pair, "two"));
	pair_release(&pair);
}

static void
a_run_with_a_file_that_is_not_known_is_not_unchanged(void)
{
	static const char files[] = "1  program\n2  second\n";
	static const char unknown[] = "1  program\n-  second\n";
	struct pair pair;

	if (!pair_init(&pair))
		return;
	set_both(&pair, files);
	CU_ASSERT_TRUE(is_unchanged(&pair, "two"));
	/* Even where its code is the same. */
	set_files(&pair.before, files, "7  second\n");
	set_files(&pair.after, "1  program\n3  second\n", "7  second\n");
	CU_ASSERT_TRUE(is_unchanged(&pair, "two"));
	set_files(&pair.after, unknown, "7  second\n");
	CU_ASSERT_FALSE(is_unchanged(&pair, "two"));
	set_files(&pair.before, unknown, "7  second\n");
	set_files(&pair.after, files, "7  second\n");
	CU_ASSERT_FALSE(is_unchanged(&pair, "two"));
	pair_release(&pair);
}

static const struct unit_case cases[] = {
	{"builds_that_execute_other_files_are_other", builds_that_execute_other_files_are_other},
	{"a_program_that_was_built_again_is_the_same", a_program_that_was_built_again_is_the_same},
	{"a_command_that_is_no_program_of_ours_is_the_same_in_the_same_checkout",
		a_command_that_is_no_program_of_ours_is_the_same_in_the_same_checkout},
	{"data_that_differs_from_the_commit_is_decided_by_runs",
		data_that_differs_from_the_commit_is_decided_by_runs},
	{"programs_and_libraries_of_both_folders_have_to_agree",
		programs_and_libraries_of_both_folders_have_to_agree},
	{"a_run_of_the_same_files_and_data_is_unchanged",
		a_run_of_the_same_files_and_data_is_unchanged},
	{"a_sampled_file_counts_with_what_it_is_now", a_sampled_file_counts_with_what_it_is_now},
	{"a_run_of_a_script_is_unchanged_in_its_checkout_only",
		a_run_of_a_script_is_unchanged_in_its_checkout_only},
	{"a_run_with_a_file_that_is_not_known_is_not_unchanged",
		a_run_with_a_file_that_is_not_known_is_not_unchanged},
	{NULL, NULL},
};

void
suite_builds_identity_builds(void)
{
	unit_suite("builds/identity_builds", cases);
}
