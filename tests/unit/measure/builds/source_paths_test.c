#include "builds/source_paths.h"

#include "builds/git.h"
#include "git_fixture.h"

#include <stdlib.h>
#include <string.h>

void suite_builds_source_paths(void);

static void
files_of_the_commit_have_a_path(void)
{
	char commit[GIT_COMMIT_SIZE];
	struct arena arena = {0};
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	git_fixture_sh(&f, "mkdir -p build; echo >':(top)x*.c'; echo >-odd.c; ln -s sub link\n"
			   "git add -A; git commit --quiet -m files\n"
			   "echo >new.c; git add new.c; echo >build/made.c; echo >../outside.c");
	git_head(NULL, commit);
	char *absolute = git_fixture_path(&f, "repo/build/../program.sh");
	char *outside = git_fixture_path(&f, "outside.c");
	const char *const names[] = {absolute, "../sub/file", "../-odd.c", "../:(top)x*.c",
		"../new.c", "made.c", outside, "../gone.c", "", "/usr/include/stdio.h",
		"../link/file"};
	const char *const expected[] = {"program.sh", "sub/file", "-odd.c", ":(top)x*.c", NULL,
		NULL, NULL, NULL, NULL, NULL, "sub/file"};
	enum { FILES = sizeof(names) / sizeof(names[0]) };
	const char *paths[FILES];

	git_fixture_enter(&f, "repo/build");
	source_paths(names, FILES, commit, &arena, paths);
	for (size_t i = 0; i < FILES; i++)
		UNIT_STR_EQ(paths[i] ? paths[i] : "none", expected[i] ? expected[i] : "none");
	source_paths(names, FILES, "", &arena, paths);
	CU_ASSERT_PTR_NULL(paths[0]);
	arena_release(&arena);
	free(absolute);
	free(outside);
	git_fixture_release(&f);
}

static void
a_name_without_its_first_folders_is_found_where_it_is_unique(void)
{
	static const char *const names[] = {"./src/lex.c", "../src/lex.c", "src/twice.c", "lex.c",
		"rc/lex.c", "./src/new.c", "src/[x].c", "./src/gone.c", "c/src/lex.c", "top.c"};
	static const char *const expected[] = {
		"a/src/lex.c", "a/src/lex.c", NULL, NULL, NULL, NULL, NULL, NULL, NULL, "top.c"};
	enum { FILES = sizeof(names) / sizeof(names[0]) };
	char commit[GIT_COMMIT_SIZE];
	struct arena arena = {0};
	struct git_fixture f;
	const char *paths[FILES];

	if (!git_fixture_init(&f))
		return;
	git_fixture_sh(&f,
		"mkdir -p a/src b/src; echo >top.c\n"
		"for i in a/src/lex a/src/twice b/src/twice 'a/src/[x]'; do echo >\"$i.c\"; done\n"
		"git add -A; git commit --quiet -m files; echo >a/src/new.c; git add -A");
	git_head(NULL, commit);
	git_fixture_enter(&f, "repo/sub");
	source_paths(names, FILES, commit, &arena, paths);
	for (size_t i = 0; i < FILES; i++)
		UNIT_STR_EQ(paths[i] ? paths[i] : "none", expected[i] ? expected[i] : "none");
	arena_release(&arena);
	git_fixture_release(&f);
}

static void
a_name_with_a_module_of_go_is_found_in_its_folder(void)
{
	static const char *const names[] = {"example.org/tool/lex/lex.go",
		"example.org/tool/main.go", "example.org/tool/plugin/a.go",
		"example.org/toolbox/main.go", "runtime/proc.go", "quoted/b.go",
		"example.org/tool/gone.go", "././example.org/tool/main.go"};
	static const char *const expected[] = {"lex/lex.go", "main.go", "modules/plugin/a.go", NULL,
		NULL, "modules/quoted/b.go", NULL, "main.go"};
	enum { FILES = sizeof(names) / sizeof(names[0]) };
	char commit[GIT_COMMIT_SIZE];
	struct arena arena = {0};
	struct git_fixture f;
	const char *paths[FILES];

	if (!git_fixture_init(&f))
		return;
	git_fixture_sh(&f,
		"mkdir -p lex modules/plugin modules/quoted\n"
		"printf 'module example.org/tool // it\\n\\ngo 1.19\\n' >go.mod\n"
		"printf '// a plugin\\nmodule\\texample.org/tool/plugin\\r\\n' >modules/plugin/go.mod\n"
		"printf 'module \"quoted\"\\n' >modules/quoted/go.mod\n"
		"touch lex/lex.go main.go modules/plugin/a.go modules/quoted/b.go\n"
		"git add -A; git commit --quiet -m files");
	git_head(NULL, commit);
	git_fixture_enter(&f, "repo/sub");
	source_paths(names, FILES, commit, &arena, paths);
	for (size_t i = 0; i < FILES; i++)
		UNIT_STR_EQ(paths[i] ? paths[i] : "none", expected[i] ? expected[i] : "none");
	arena_release(&arena);
	git_fixture_release(&f);
}

static void
many_files_are_asked_for_in_parts(void)
{
	enum { FILES = 3000 };
	static const char *names[FILES];
	static const char *paths[FILES];
	char commit[GIT_COMMIT_SIZE];
	struct arena arena = {0};
	struct git_fixture f;
	size_t found = 0;

	if (!git_fixture_init(&f))
		return;
	git_fixture_sh(&f, "mkdir a_folder_with_a_long_name; cd a_folder_with_a_long_name\n"
			   "for i in $(seq 0 2 2998); do echo >file_$i.c; done\n"
			   "git add -A; git commit --quiet -m files\n"
			   "for i in $(seq 1 2 2999); do echo >file_$i.c; done");
	git_head(NULL, commit);
	for (size_t i = 0; i < FILES; i++)
		names[i] = arena_printf(&arena, "a_folder_with_a_long_name/file_%zu.c", i);
	source_paths(names, FILES, commit, &arena, paths);
	for (size_t i = 0; i < FILES; i++)
		found += (paths[i] != NULL) == (i % 2 == 0);
	CU_ASSERT_EQUAL(found, FILES);
	arena_release(&arena);
	git_fixture_release(&f);
}

void
suite_builds_source_paths(void)
{
	static const struct unit_case cases[] = {
		{"files_of_the_commit_have_a_path", files_of_the_commit_have_a_path},
		{"a_name_without_its_first_folders_is_found_where_it_is_unique",
			a_name_without_its_first_folders_is_found_where_it_is_unique},
		{"a_name_with_a_module_of_go_is_found_in_its_folder",
			a_name_with_a_module_of_go_is_found_in_its_folder},
		{"many_files_are_asked_for_in_parts", many_files_are_asked_for_in_parts},
		{NULL, NULL},
	};

	unit_suite("builds/source_paths", cases);
}
