#include "builds/commit_files.h"

#include "git_fixture.h"

void suite_builds_commit_files(void);

static bool
begin(struct git_fixture *f, struct commit_files *files, const char *script, const char *ref)
{
	if (!git_fixture_init(f))
		return false;
	git_fixture_sh(f, script);
	CU_ASSERT_EQUAL_FATAL(commit_files_open(files, "--policy-from", ref, &f->err), 0);
	return true;
}

static void
end(struct git_fixture *f, struct commit_files *files)
{
	commit_files_close(files);
	git_fixture_release(f);
}

static void
check_text(struct git_fixture *f, struct commit_files *files, const char *path, const char *text)
{
	struct buf out = {0};
	bool found;

	CU_ASSERT_EQUAL(commit_files_read(files, path, 100, &out, &found, &f->err), 0);
	CU_ASSERT_EQUAL(found, text != NULL);
	UNIT_STR_EQ(buf_text(&out), text ? text : "");
	buf_release(&out);
}

static void
check_refused(
	struct git_fixture *f, struct commit_files *files, const char *path, const char *message)
{
	struct buf out = {0};
	bool found;

	CU_ASSERT_EQUAL(commit_files_read(files, path, 100, &out, &found, &f->err), -1);
	UNIT_CONTAINS(f->err.text, message);
	buf_release(&out);
}

static void
files_are_those_of_the_commit(void)
{
	struct git_fixture f;
	struct commit_files files;

	if (!begin(&f, &files, "rm program.sh; echo other >sub/file; echo new >more", "one"))
		return;
	check_text(&f, &files, "program.sh", "echo one\n");
	check_text(&f, &files, "./sub//../sub/file", "in it\n");
	check_text(&f, &files, "more", NULL);
	check_text(&f, &files, "nowhere/more", NULL);
	git_fixture_enter(&f, "repo/sub");
	commit_files_close(&files);
	CU_ASSERT_EQUAL_FATAL(commit_files_open(&files, "--policy-from", "main", &f.err), 0);
	check_text(&f, &files, "file", "in it\n");
	check_text(&f, &files, "../program.sh", "echo two\n");
	char *absolute = mem_printf("%s/sub/file", files.repository.top);

	check_text(&f, &files, absolute, "in it\n");
	UNIT_STR_EQ(commit_files_name(&files, "a/b"), "main:a/b");
	free(absolute);
	end(&f, &files);
}

static void
a_link_here_leads_to_no_other_file(void)
{
	struct git_fixture f;
	struct commit_files files;

	if (!begin(&f, &files,
		    "mkdir other; echo mine >other/file; git add .; git commit -q -m three\n"
		    "rm -r sub; ln -s other sub",
		    "HEAD"))
		return;
	check_text(&f, &files, "sub/file", "in it\n");
	end(&f, &files);
}

static void
what_is_no_file_or_not_there_to_be_read_is_an_error(void)
{
	struct git_fixture f;
	struct commit_files files;

	if (!begin(&f, &files,
		    "head -c 101 /dev/zero >large; git add .; "
		    "git commit -q -m three",
		    "HEAD"))
		return;
	check_refused(&f, &files, "sub", "not an ordinary file (a folder)");
	check_refused(&f, &files, "large", "more than 100 bytes");
	check_refused(&f, &files, "../file", "outside of the repository");
	check_refused(&f, &files, "sub/../../repo/program.sh", "outside of the repository");
	check_refused(&f, &files, "/etc/passwd", "outside of the repository");
	end(&f, &files);
}

static void
links_of_the_commit_lead_through_it(void)
{
	struct git_fixture f;
	struct commit_files files;
	const char *const *names;

	if (!begin(&f, &files,
		    "mkdir -p deep/er; echo far >deep/er/file; ln -s deep/er way; ln -s way/../other again\n"
		    "echo near >deep/other; ln -s ../../program.sh deep/er/link; ln -s way/link chain\n"
		    "git add .; git commit -q -m three\n"
		    "rm way again chain; mkdir mine; echo mine >mine/file; ln -s mine way",
		    "HEAD"))
		return;
	check_text(&f, &files, "way/file", "far\n");
	check_text(&f, &files, "way/../other", "near\n");
	check_text(&f, &files, "again", "near\n");
	check_text(&f, &files, "chain", "echo two\n");
	check_text(&f, &files, "way/more", NULL);
	check_text(&f, &files, "way/file/more", NULL);
	CU_ASSERT_EQUAL_FATAL(commit_files_list(&files, "way", &names, &f.err), 0);
	UNIT_STR_EQ(names[0], "file");
	UNIT_STR_EQ(names[1], "link");
	CU_ASSERT_PTR_NULL(names[2]);
	CU_ASSERT_EQUAL_FATAL(commit_files_list(&files, "mine", &names, &f.err), 0);
	CU_ASSERT_PTR_NULL(names[0]);
	check_text(&f, &files, "mine/file", NULL);
	end(&f, &files);
}

static void
links_that_lead_nowhere_in_the_commit_are_errors(void)
{
	struct git_fixture f;
	struct commit_files files;
	const char *const *names;

	if (!begin(&f, &files,
		    "ln -s nowhere gone; ln -s /etc etc; ln -s ../repo/sub above; ln -s round1 round2\n"
		    "ln -s round2 round1; git init -q module; git -C module -c user.name=t "
		    "-c user.email=t@l commit -q --allow-empty -m one\n"
		    "git add . 2>/dev/null; git commit -q -m three",
		    "HEAD"))
		return;
	check_refused(&f, &files, "gone/file",
		"HEAD:gone/file: error: the symbolic link 'gone' leads to 'nowhere', which the commit does not have");
	check_refused(&f, &files, "etc/passwd", "outside of the commit");
	check_refused(&f, &files, "above/file", "outside of the repository");
	check_refused(&f, &files, "round1/file", "more than 40 symbolic links");
	check_refused(&f, &files, "module/file", "'module' is a submodule");
	check_refused(&f, &files, "module", "not an ordinary file (a submodule)");
	CU_ASSERT_EQUAL(commit_files_list(&files, "gone", &names, &f.err), -1);
	CU_ASSERT_EQUAL(commit_files_list(&files, "module", &names, &f.err), -1);
	end(&f, &files);
}

static void
names_are_no_patterns_of_git(void)
{
	struct git_fixture f;
	struct commit_files files;

	if (!begin(&f, &files,
		    "mkdir ':(top)sub' 's*'; echo colon >':(top)sub/file'; echo star >'s*/file'\n"
		    "git add .; git commit -q -m three",
		    "HEAD"))
		return;
	check_text(&f, &files, ":(top)sub/file", "colon\n");
	check_text(&f, &files, "s*/file", "star\n");
	check_text(&f, &files, ":/sub/file", NULL);
	check_text(&f, &files, "su?/file", NULL);
	end(&f, &files);
}

static void
a_folder_is_listed(void)
{
	struct git_fixture f;
	struct commit_files files;
	const char *const *names;

	if (!begin(&f, &files,
		    "touch sub/b.yaml 'sub/a b.yaml'; mkdir sub/c.yaml; touch sub/c.yaml/d; "
		    "git add .; git commit -q -m three; touch sub/e.yaml",
		    "HEAD"))
		return;
	CU_ASSERT_EQUAL_FATAL(commit_files_list(&files, "sub", &names, &f.err), 0);
	UNIT_STR_EQ(names[0], "a b.yaml");
	UNIT_STR_EQ(names[1], "b.yaml");
	UNIT_STR_EQ(names[2], "file");
	CU_ASSERT_PTR_NULL(names[3]);
	CU_ASSERT_EQUAL_FATAL(commit_files_list(&files, "nowhere", &names, &f.err), 0);
	CU_ASSERT_PTR_NULL(names[0]);
	CU_ASSERT_EQUAL_FATAL(commit_files_list(&files, ".", &names, &f.err), 0);
	UNIT_STR_EQ(names[0], "program.sh");
	end(&f, &files);
}

static void
no_commit_is_an_error_with_the_option(void)
{
	struct git_fixture f;
	struct commit_files files;

	if (!git_fixture_init(&f))
		return;
	CU_ASSERT_EQUAL(commit_files_open(&files, "--policy-from", "nowhere", &f.err), -1);
	UNIT_CONTAINS(f.err.text, "there is no commit 'nowhere' in this repository\n");
	CU_ASSERT_EQUAL(commit_files_open(&files, "--policy-from", "--all", &f.err), -1);
	UNIT_STR_EQ(f.err.text, "'--policy-from --all': expected a commit");
	git_fixture_release(&f);
}

static const struct unit_case cases[] = {
	{"files_are_those_of_the_commit", files_are_those_of_the_commit},
	{"a_link_here_leads_to_no_other_file", a_link_here_leads_to_no_other_file},
	{"what_is_no_file_or_not_there_to_be_read_is_an_error",
		what_is_no_file_or_not_there_to_be_read_is_an_error},
	{"links_of_the_commit_lead_through_it", links_of_the_commit_lead_through_it},
	{"links_that_lead_nowhere_in_the_commit_are_errors",
		links_that_lead_nowhere_in_the_commit_are_errors},
	{"names_are_no_patterns_of_git", names_are_no_patterns_of_git},
	{"a_folder_is_listed", a_folder_is_listed},
	{"no_commit_is_an_error_with_the_option", no_commit_is_an_error_with_the_option},
	{NULL, NULL},
};

void
suite_builds_commit_files(void)
{
	unit_suite("builds/commit_files", cases);
}
