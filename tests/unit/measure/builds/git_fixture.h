/*
 * A small repository in a scratch folder, with its own cache, for the tests of what is done
 * with git. We stand in it while the test runs.
 */
#ifndef UNIT_BUILDS_GIT_FIXTURE_H
#define UNIT_BUILDS_GIT_FIXTURE_H

#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "builds/repository.h"
#include "process/process.h"
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define GIT_FIXTURE_VARIABLES 5

struct git_fixture {
	char dir[40]; /* repo/, cache/ and compilers/ are in it */
	int old_folder;
	char *old_values[GIT_FIXTURE_VARIABLES];
	enum log_level old_level;
	struct err err;
};

static inline const char *
git_fixture_variable(size_t i)
{
	static const char *const names[GIT_FIXTURE_VARIABLES] = {
		"HOME", "XDG_CACHE_HOME", "GIT_CONFIG_NOSYSTEM", "PROFILE_RUN_NO_CACHE", "PATH"};

	return names[i];
}

/* Runs a script where we stand; it has to succeed. */
static inline void
git_fixture_sh(struct git_fixture *f, const char *script)
{
	char *all = mem_printf("set -e\n%s", script);

	if (process_run_shell("script", all, NULL, NULL, 60, &f->err) < 0) {
		printf("  %s\n", f->err.text);
		CU_FAIL_FATAL("a script of the test failed");
	}
	free(all);
}

/* As a script, with the scratch folder for %s. */
static inline char *
git_fixture_path(const struct git_fixture *f, const char *name)
{
	return mem_printf("%s/%s", f->dir, name);
}

static inline void
git_fixture_enter(const struct git_fixture *f, const char *name)
{
	char *path = git_fixture_path(f, name);

	CU_ASSERT_EQUAL_FATAL(chdir(path), 0);
	free(path);
}

/* What git says of where we stand, "" if nothing; free() it. */
static inline char *
git_fixture_ask(const char *command)
{
	char line[256] = "";
	FILE *pipe = popen(command, "re");

	CU_ASSERT_PTR_NOT_NULL_FATAL(pipe);
	if (!fgets(line, sizeof(line), pipe))
		line[0] = '\0';
	pclose(pipe);
	line[strcspn(line, "\n")] = '\0';
	return mem_strdup(line);
}

/*
 * Programs of no size for the compilers that no test here uses: to read the real ones and to ask
 * for their versions takes longer than all the rest.
 */
static inline void
git_fixture_hide_compilers(struct git_fixture *f)
{
	char *path = mem_printf("%s/compilers:%s", f->dir, getenv("PATH"));

	git_fixture_sh(f,
		"mkdir compilers; cd compilers\n"
		"for name in c++ g++ clang clang++ gfortran rustc go javac swiftc ghc zig nvcc; do\n"
		"echo '#!/bin/sh' >$name; done; chmod +x *\n");
	setenv("PATH", path, 1);
	free(path);
}

/*
 * Whether there is git; the test is skipped if not. The repository has two commits of `program.sh`,
 * tagged `one` and `two`, which print that, and `sub/file`.
 */
static inline bool
git_fixture_init(struct git_fixture *f)
{
	*f = (struct git_fixture){.dir = "/tmp/git-test-XXXXXX", .old_level = log_get_level()};
	if (system("git --version >/dev/null 2>&1") != 0) {
		unit_skip("git is not installed");
		return false;
	}
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(f->dir));
	f->old_folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < GIT_FIXTURE_VARIABLES; i++) {
		const char *value = getenv(git_fixture_variable(i));

		f->old_values[i] = value ? mem_strdup(value) : NULL;
	}
	char *cache = git_fixture_path(f, "cache");

	setenv("HOME", f->dir, 1);
	setenv("XDG_CACHE_HOME", cache, 1);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	unsetenv("PROFILE_RUN_NO_CACHE");
	free(cache);
	log_set_level(LOG_ERROR);
	git_fixture_enter(f, "");
	git_fixture_hide_compilers(f);
	git_fixture_sh(f, "cat >.gitconfig <<'END'\n"
			  "[user]\nname = tester\nemail = tester@localhost\n"
			  "[protocol \"file\"]\nallow = always\n"
			  "[maintenance]\nauto = false\n"
			  "END\n"
			  "git init -q -b main repo; cd repo\n"
			  "mkdir sub; echo in it >sub/file; echo echo one >program.sh\n"
			  "git add .; git commit -q -m one; git tag one\n"
			  "echo echo two >program.sh; git commit -q -a -m two; git tag two\n");
	git_fixture_enter(f, "repo");
	return true;
}

static inline void
git_fixture_release(struct git_fixture *f)
{
	CU_ASSERT_EQUAL(fchdir(f->old_folder), 0);
	close(f->old_folder);
	for (size_t i = 0; i < GIT_FIXTURE_VARIABLES; i++) {
		if (f->old_values[i])
			setenv(git_fixture_variable(i), f->old_values[i], 1);
		else
			unsetenv(git_fixture_variable(i));
		free(f->old_values[i]);
	}
	log_set_level(f->old_level);
	file_remove_tree(f->dir, &f->err);
}

/* The same with its repository open. */
static inline bool
git_fixture_open(struct git_fixture *f, struct repository *repository)
{
	if (!git_fixture_init(f))
		return false;
	CU_ASSERT_EQUAL_FATAL(repository_open(repository, &f->err), 0);
	return true;
}

static inline void
git_fixture_close(struct git_fixture *f, struct repository *repository)
{
	repository_release(repository);
	git_fixture_release(f);
}

#endif
