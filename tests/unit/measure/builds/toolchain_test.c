#include "builds/worktree.h"

#include "git_fixture.h"

#include <string.h>

void suite_builds_toolchain(void);

static void
tokens_and_numbers_of_a_job_do_not_count(void)
{
	static const char *const those[] = {"GITHUB_RUN_ID=17", "GITHUB_TOKEN=x", "BUILD_NUMBER=9",
		"CARGO_REGISTRY_TOKEN=x", "GO_PIPELINE_COUNTER=4",
		"GOOGLE_APPLICATION_CREDENTIALS=x", "CI_JOB_ID=8", "RUNNER_TEMP=/tmp/1",
		"CCACHE_DIR=/x", "PATHS=/x", "_=/bin/true", NULL};

	for (size_t i = 0; those[i]; i++) {
		if (toolchain_variable_counts(those[i]))
			printf("  %s\n", those[i]);
		CU_ASSERT_FALSE(toolchain_variable_counts(those[i]));
	}
}

static void
variables_of_builds_count(void)
{
	static const char *const those[] = {"PATH=/bin", "CC=gcc", "CXX=g++", "CFLAGS=-O2",
		"KBUILD_CFLAGS=x", "CARGO_PROFILE_RELEASE_LTO=true", "RUSTFLAGS=x", "RUSTC=x",
		"GOAMD64=v3", "GO111MODULE=on", "PKG_CONFIG_PATH=x", "LD_LIBRARY_PATH=x",
		"CMAKE_BUILD_TYPE=Debug", "MAKEFLAGS=-j2", "CPATH=/x", NULL};

	for (size_t i = 0; those[i]; i++) {
		if (!toolchain_variable_counts(those[i]))
			printf("  %s\n", those[i]);
		CU_ASSERT_TRUE(toolchain_variable_counts(those[i]));
	}
}

/* Whether the text differs after `script`. */
static bool
differs_after(struct git_fixture *f, const char *script)
{
	struct buf before = {0};
	struct buf after = {0};

	toolchain_describe(&before);
	git_fixture_sh(f, script);
	toolchain_describe(&after);
	bool differs = strcmp(buf_text(&before), buf_text(&after)) != 0;

	buf_release(&before);
	buf_release(&after);
	return differs;
}

/* `cc` is a script here, which comes first in PATH. */
static void
another_compiler_is_seen(void)
{
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	char *first = mem_printf("%s/bin:%s", f.dir, getenv("PATH"));

	git_fixture_sh(&f, "mkdir ../bin; echo 'exec true' >../bin/cc; chmod +x ../bin/cc\n"
			   "printf '#!/bin/sh\\ncat \"$HOME/version\"\\n' >../bin/wrapped\n"
			   "chmod +x ../bin/wrapped; echo 1 >../version");
	setenv("PATH", first, 1);
	CU_ASSERT_FALSE(differs_after(&f, "true"));
	CU_ASSERT_TRUE(differs_after(&f, "echo 'exec false' >../bin/cc"));
	/* The compiler behind a wrapper is known by its version. */
	setenv("CC", "wrapped -m64", 1);
	CU_ASSERT_TRUE(differs_after(&f, "echo 2 >../version"));
	unsetenv("CC");
	CU_ASSERT_FALSE(differs_after(&f, "echo 3 >../version"));
	free(first);
	git_fixture_release(&f);
}

static void
the_job_server_of_make_does_not_count(void)
{
	struct buf before = {0};
	struct buf after = {0};
	struct buf other = {0};

	setenv("MAKEFLAGS", "s -j2 --jobserver-auth=fifo:/tmp/one CFLAGS=-O1", 1);
	toolchain_describe(&before);
	setenv("MAKEFLAGS", "s -j4 --jobserver-auth=fifo:/tmp/two CFLAGS=-O1", 1);
	toolchain_describe(&after);
	setenv("MAKEFLAGS", "s -j4 --jobserver-auth=fifo:/tmp/two CFLAGS=-O2", 1);
	toolchain_describe(&other);
	unsetenv("MAKEFLAGS");
	UNIT_STR_EQ(buf_text(&before), buf_text(&after));
	CU_ASSERT_NOT_EQUAL(strcmp(buf_text(&after), buf_text(&other)), 0);
	buf_release(&before);
	buf_release(&after);
	buf_release(&other);
}

/* `cc` notes each call. */
static void
compilers_are_asked_again_where_a_variable_changed(void)
{
	struct git_fixture f;
	char hash[4][HASH_TEXT_SIZE];

	if (!git_fixture_init(&f))
		return;
	char *path = mem_strdup(getenv("PATH"));
	char *first = mem_printf("%s/bin:%s", f.dir, path);

	git_fixture_sh(&f, "mkdir ../bin; printf '#!/bin/sh\\necho called >>\"$HOME/calls\"\\n' "
			   ">../bin/cc; chmod +x ../bin/cc; : >../calls");
	setenv("PATH", first, 1);
	toolchain_hash(hash[0]);
	toolchain_hash(hash[1]);
	git_fixture_sh(&f, "test $(wc -l <../calls) -eq 1");
	setenv("CFLAGS", "-DASKED_AGAIN", 1);
	toolchain_hash(hash[2]);
	unsetenv("CFLAGS");
	git_fixture_sh(&f, "test $(wc -l <../calls) -eq 2");
	toolchain_hash(hash[3]);
	UNIT_STR_EQ(hash[0], hash[1]);
	CU_ASSERT_NOT_EQUAL(strcmp(hash[1], hash[2]), 0);
	UNIT_STR_EQ(hash[1], hash[3]);
	setenv("PATH", path, 1);
	free(first);
	free(path);
	git_fixture_release(&f);
}

static const struct unit_case cases[] = {
	{"tokens_and_numbers_of_a_job_do_not_count", tokens_and_numbers_of_a_job_do_not_count},
	{"variables_of_builds_count", variables_of_builds_count},
	{"another_compiler_is_seen", another_compiler_is_seen},
	{"the_job_server_of_make_does_not_count", the_job_server_of_make_does_not_count},
	{"compilers_are_asked_again_where_a_variable_changed",
		compilers_are_asked_again_where_a_variable_changed},
	{NULL, NULL},
};

void
suite_builds_toolchain(void)
{
	unit_suite("builds/toolchain", cases);
}
