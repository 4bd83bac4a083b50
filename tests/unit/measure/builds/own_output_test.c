#include "builds/own_output.h"

#include "builds/identity.h"
#include "git_fixture.h"

void suite_builds_own_output(void);

/* The first file that is changed, and the first one that is new, each "-" if there is none. */
static void
check_others(const char *changed, const char *added)
{
	static const char *const args[] = {"ls-files", "--others", "--exclude-standard", NULL};
	char *found = NULL;

	CU_ASSERT_EQUAL(own_output_find_change("HEAD", NULL, &found), changed[0] != '-');
	UNIT_STR_EQ(found ? found : "-", changed);
	free(found);
	CU_ASSERT_EQUAL(own_output_find_other(args, false, NULL, &found), added[0] != '-');
	UNIT_STR_EQ(found ? found : "-", added);
	free(found);
}

static void
what_profile_run_wrote_makes_no_checkout_different(void)
{
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	git_fixture_sh(&f,
		"mkdir -p out/a/work history/class .cache/profile_run/x capture-work b/c/w/cpu\n"
		"printf '{\\n\\t\"$schema\":\\t\"urn:profile-run:verdict:2\",' >out/a/verdict.json\n"
		"echo picture >out/a/work/diff.svg; echo '*.txt merge=union' >history/.gitattributes\n"
		"echo '# profile_run history 1' >history/class/work.txt; echo x >.cache/profile_run/x/y\n"
		"printf 'PERFILE2' >capture-work/perf.data\n"
		"echo {} >b/c/w/cpu/baseline.json; echo 'a 1' >b/c/w/cpu/runs.folded\n");
	check_others("-", "-");
	/* Committed, and written again. */
	git_fixture_sh(&f,
		"git add -f history b; git commit -q -m output; echo more >>history/class/work.txt\n"
		"echo 'a 2' >b/c/w/cpu/runs.folded");
	check_others("-", "-");
	git_fixture_enter(&f, "repo/sub");
	check_others("-", "-");
	git_fixture_release(&f);
}

static void
other_files_do(void)
{
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	git_fixture_sh(&f, "echo 1 >history; echo more >>sub/file");
	check_others("sub/file", "history");
	git_fixture_sh(&f, "rm -r sub history");
	check_others("sub/file", "-");
	git_fixture_release(&f);
}

/* As "profile_run gate >gate.log" makes it. */
static void
a_file_that_we_print_to_is_ours(void)
{
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	git_fixture_sh(&f, "echo x >gate.log");
	check_others("-", "gate.log");
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		const int kept = dup(fd);
		const int log = open("gate.log", O_WRONLY | O_APPEND | O_CLOEXEC);

		CU_ASSERT_TRUE_FATAL(kept >= 0 && log >= 0);
		fflush(NULL);
		dup2(log, fd);
		check_others("-", "-");
		fflush(NULL);
		dup2(kept, fd);
		close(kept);
		close(log);
	}
	git_fixture_sh(&f, "rm gate.log; ln -s nowhere gate.link");
	check_others("-", "gate.link");
	git_fixture_release(&f);
}

/* A commit can bring a verdict.json of ours beside the data that it changes. */
static void
a_tracked_file_is_none_by_its_folder(void)
{
	struct git_fixture f;
	char *path = NULL;

	if (!git_fixture_init(&f))
		return;
	git_fixture_sh(&f,
		"printf '{\"$schema\": \"urn:profile-run:verdict:2\"}' >sub/verdict.json\n"
		"echo more >>sub/file; git add .; git commit -q -m three");
	CU_ASSERT_EQUAL(identity_find_changed_data("two", &path), 1);
	UNIT_STR_EQ(path ? path : "", "sub/file");
	free(path);
	git_fixture_release(&f);
}

static const struct unit_case cases[] = {
	{"what_profile_run_wrote_makes_no_checkout_different",
		what_profile_run_wrote_makes_no_checkout_different},
	{"other_files_do", other_files_do},
	{"a_file_that_we_print_to_is_ours", a_file_that_we_print_to_is_ours},
	{"a_tracked_file_is_none_by_its_folder", a_tracked_file_is_none_by_its_folder},
	{NULL, NULL},
};

void
suite_builds_own_output(void)
{
	unit_suite("builds/own_output", cases);
}
