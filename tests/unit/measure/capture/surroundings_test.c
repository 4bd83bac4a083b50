#include "capture/surroundings.h"

#include "base/mem.h"
#include "scratch.h"
#include "unit.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void suite_capture_surroundings(void);

/* A checkout with a folder in it. */
struct bench {
	struct scratch scratch;
	char checkout[PATH_MAX];
	char folder[PATH_MAX + 16];
	struct surroundings made;
};

static void
begin(struct bench *bench)
{
	char git[PATH_MAX + 16];

	memset(bench, 0, sizeof(*bench));
	scratch_init(&bench->scratch);
	UNIT_NEED(realpath(bench->scratch.dir, bench->checkout));
	snprintf(git, sizeof(git), "%s/.git", bench->checkout);
	snprintf(bench->folder, sizeof(bench->folder), "%s/bench", bench->checkout);
	CU_ASSERT_EQUAL(mkdir(git, 0755), 0);
	CU_ASSERT_EQUAL(mkdir(bench->folder, 0755), 0);
}

static void
end(struct bench *bench)
{
	surroundings_release(&bench->made);
	scratch_release(&bench->scratch);
}

/* The last value of a variable, NULL if it has none. */
static const char *
value_of(const struct bench *bench, const char *name)
{
	const size_t len = strlen(name);
	const char *value = NULL;

	for (const char *const *at = bench->made.env; *at; at++)
		if (strncmp(*at, name, len) == 0 && (*at)[len] == '=')
			value = *at + len + 1;
	return value;
}

static void
paths_of_the_checkout_are_those_of_the_place(void)
{
	struct bench bench;

	begin(&bench);
	char *option = mem_printf("--data=%s/data", bench.checkout);
	char *list = mem_printf("LIST=/usr/lib:%s/lib:%s_other", bench.checkout, bench.checkout);
	char *other = mem_printf("/usr/lib:" FIXED_PLACE_FOLDER "/lib:%s_other", bench.checkout);
	const char *const argv[] = {bench.folder, option, "./relative", NULL};
	const char *const env[] = {list, NULL};

	surroundings_make(&bench.made, argv, env, bench.folder, true);
	UNIT_STR_EQ(bench.made.argv[0], FIXED_PLACE_FOLDER "/bench");
	UNIT_STR_EQ(bench.made.argv[1], "--data=" FIXED_PLACE_FOLDER "/data");
	UNIT_STR_EQ(bench.made.argv[2], "./relative");
	UNIT_STR_EQ(bench.made.cwd, FIXED_PLACE_FOLDER "/bench");
	UNIT_STR_EQ(value_of(&bench, "PWD"), FIXED_PLACE_FOLDER "/bench");
	UNIT_STR_EQ(value_of(&bench, "HOME"), FIXED_PLACE_HOME);
	UNIT_STR_EQ(value_of(&bench, "LIST"), other);
	free(other);
	free(list);
	free(option);
	end(&bench);
}

static void
without_a_place_paths_stay(void)
{
	struct bench bench;

	begin(&bench);
	const char *const argv[] = {bench.folder, NULL};

	surroundings_make(&bench.made, argv, NULL, bench.folder, false);
	UNIT_STR_EQ(bench.made.argv[0], bench.folder);
	UNIT_STR_EQ(bench.made.cwd, bench.folder);
	CU_ASSERT_PTR_NULL(bench.made.place.folder);
	end(&bench);
}

static void
the_callers_variables_are_not_there_and_the_workloads_are(void)
{
	static const char *const argv[] = {"/bin/true", NULL};
	static const char *const env[] = {"OWN=1", "PYTHONHASHSEED=5", "TZ", NULL};
	struct bench bench;

	begin(&bench);
	setenv("UNIT_CALLER_PATH", "1", 1);
	surroundings_make(&bench.made, argv, env, NULL, true);
	CU_ASSERT_PTR_NULL(value_of(&bench, "UNIT_CALLER_PATH"));
	UNIT_STR_EQ(value_of(&bench, "OWN"), "1");
	UNIT_STR_EQ(value_of(&bench, "PYTHONHASHSEED"), "5");
	UNIT_STR_EQ(value_of(&bench, "PERL_HASH_SEED"), "0");
	UNIT_STR_EQ(value_of(&bench, "GODEBUG"), "asyncpreemptoff=1");
	struct err err = {0};

	err_set(&err, ERR_MEASURE, "it failed");
	surroundings_note_missing(&bench.made, &err);
	UNIT_CONTAINS(err.text, "UNIT_CALLER_PATH");
	CU_ASSERT_PTR_NULL(strstr(err.text, "OWN"));
	unsetenv("UNIT_CALLER_PATH");
	end(&bench);
}

static void
put_program(const struct bench *bench, const char *name, const char *text)
{
	char path[PATH_MAX + 32];
	struct err err = {0};

	snprintf(path, sizeof(path), "%s/%s", bench->folder, name);
	CU_ASSERT_EQUAL_FATAL(file_write(path, text, strlen(text), &err), 0);
	CU_ASSERT_EQUAL(chmod(path, 0755), 0);
}

static void
programs_outside_of_the_usual_folders_are_found(void)
{
#define USUAL "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	static const struct {
		const char *argv[4];
		bool found;
	} cases[] = {
		{{"unit-tool", NULL}, true},
		{{"sh", "-c", "true && unit-tool 1", NULL}, true},
		{{"unit-script", NULL}, true},
		{{"sh", NULL}, false},
		{{"/bin/sh", "-c", "true", NULL}, false},
	};
	struct bench bench;
	char *own;

	begin(&bench);
	const char *const before = getenv("PATH");
	char *kept = mem_strdup(before ? before : USUAL);
	char *path = mem_printf("/nonexistent:%s:%s", bench.folder, kept);

	setenv("PATH", path, 1);
	put_program(&bench, "unit-tool", "#!/bin/sh\n");
	put_program(&bench, "unit-script", "#!/usr/bin/env unit-tool\n");
	own = mem_printf("%s:" USUAL, bench.folder);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		surroundings_make(&bench.made, cases[i].argv, NULL, "/", false);
		UNIT_STR_EQ(value_of(&bench, "PATH"), cases[i].found ? own : USUAL);
		surroundings_release(&bench.made);
	}
	setenv("PATH", kept, 1);
	free(own);
	free(path);
	free(kept);
	end(&bench);
}

static void
files_have_their_names_outside_of_the_place(void)
{
	static const char *const argv[] = {"/bin/true", NULL};
	static const char inside[] = FIXED_PLACE_FOLDER "/bench/x";
	struct bench bench;
	struct buf out = {0};

	begin(&bench);
	surroundings_make(&bench.made, argv, NULL, bench.folder, true);
	CU_ASSERT_TRUE(surroundings_outside(&bench.made, inside, sizeof(inside) - 1, &out));
	char *expected = mem_printf("%s/x", bench.folder);

	UNIT_STR_EQ(buf_text(&out), expected);
	CU_ASSERT_FALSE(surroundings_outside(
		&bench.made, FIXED_PLACE_FOLDER "_x", strlen(FIXED_PLACE_FOLDER "_x"), &out));
	CU_ASSERT_FALSE(surroundings_outside(&bench.made, "/usr/lib", 8, &out));
	free(expected);
	buf_release(&out);
	end(&bench);
}

static bool
has(const char *const *list, const char *entry)
{
	for (; *list; list++)
		if (strcmp(*list, entry) == 0)
			return true;
	return false;
}

static void
a_run_to_compare_with_has_what_was_dropped_added(void)
{
	static const char *const argv[] = {"/bin/true", NULL};
	static const char *const env[] = {"UNIT_OWN=1", NULL};
	static const char *const own_tunables[] = {"GLIBC_TUNABLES=own", NULL};
	struct bench bench;
	size_t n = 0;

	begin(&bench);
	setenv("UNIT_OWN", "2", 1);
	setenv("UNIT_OTHER", "3", 1);
	setenv("UNIT_LIB", "4", 1);
	setenv("GLIBC_TUNABLES", "callers", 1);
	surroundings_make(&bench.made, argv, env, "/", false);
	const char *const *dropped = surroundings_dropped(&bench.made, &n);

	CU_ASSERT_TRUE(has(dropped, "UNIT_OTHER=3"));
	CU_ASSERT_FALSE(has(dropped, "UNIT_OWN=2"));
	CU_ASSERT_FALSE(has(dropped, "GLIBC_TUNABLES=callers"));
	CU_ASSERT_PTR_NULL(dropped[n]);
	for (size_t i = 0; i < n && strcmp(dropped[i], "UNIT_LIB=4") != 0; i++)
		CU_ASSERT_STRING_NOT_EQUAL(dropped[i], "UNIT_OTHER=3");
	const char *const *all = surroundings_uncounted_env(&bench.made, dropped, 1);

	CU_ASSERT_TRUE(has(all, "UNIT_OWN=1"));
	CU_ASSERT_TRUE(has(all, dropped[0]));
	CU_ASSERT_TRUE(has(all, "GLIBC_TUNABLES=callers"));
	surroundings_release(&bench.made);
	surroundings_make(&bench.made, argv, own_tunables, "/", false);
	all = surroundings_uncounted_env(&bench.made, NULL, 0);
	CU_ASSERT_TRUE(has(all, "GLIBC_TUNABLES=own"));
	CU_ASSERT_FALSE(has(all, "GLIBC_TUNABLES=callers"));
	unsetenv("UNIT_OWN");
	unsetenv("UNIT_OTHER");
	unsetenv("UNIT_LIB");
	unsetenv("GLIBC_TUNABLES");
	end(&bench);
}

static const struct unit_case cases[] = {
	{"paths_of_the_checkout_are_those_of_the_place",
		paths_of_the_checkout_are_those_of_the_place},
	{"without_a_place_paths_stay", without_a_place_paths_stay},
	{"the_callers_variables_are_not_there_and_the_workloads_are",
		the_callers_variables_are_not_there_and_the_workloads_are},
	{"programs_outside_of_the_usual_folders_are_found",
		programs_outside_of_the_usual_folders_are_found},
	{"files_have_their_names_outside_of_the_place",
		files_have_their_names_outside_of_the_place},
	{"a_run_to_compare_with_has_what_was_dropped_added",
		a_run_to_compare_with_has_what_was_dropped_added},
	{NULL, NULL},
};

void
suite_capture_surroundings(void)
{
	unit_suite("capture/surroundings", cases);
}
