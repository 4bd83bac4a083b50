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
		    "ln -s program.sh link; head -c 101 /dev/zero >large; git add .; "
		    "git commit -q -m three",
		    "HEAD"))
		return;
	check_refused(
		&f, &files, "link", "HEAD:link: error: not an ordinary file (a symbolic link)");
	check_refused(&f, &files, "sub", "not an ordinary file (a folder)");
	check_refused(&f, &files, "large", "more than 100 bytes");
	check_refused(&f, &files, "../file", "outside of the repository");
	check_refused(&f, &files, "sub/../../repo/program.sh", "outside of the repository");
	check_refused(&f, &files, "/etc/passwd", "outside of the repository");
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

void
suite_builds_commit_files(void)
{
	static const struct unit_case cases[] = {
		{"files_are_those_of_the_commit", files_are_those_of_the_commit},
		{"a_link_here_leads_to_no_other_file", a_link_here_leads_to_no_other_file},
		{"what_is_no_file_or_not_there_to_be_read_is_an_error",
			what_is_no_file_or_not_there_to_be_read_is_an_error},
		{"a_folder_is_listed", a_folder_is_listed},
		{"no_commit_is_an_error_with_the_option", no_commit_is_an_error_with_the_option},
		{NULL, NULL},
	};

	unit_suite("builds/commit_files", cases);
}
