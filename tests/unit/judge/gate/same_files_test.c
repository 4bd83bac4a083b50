#include "gate/same_files.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

void suite_gate_same_files(void);

/* A profile with these files, and a module that has so many of 100 samples. */
static struct profile
profile_with(const char *files, const char *module, double weight)
{
	struct profile profile;

	profile_init(&profile);
	profile.files = strtab_intern_str(&profile.strings, files);
	size_t run = profile_add_run(&profile);
	frame_id rest = profile_frame_text(&profile, "rest", 4);
	frame_id f = profile_frame_text(&profile, "f", 1);

	profile.frames.frames[f].module = strtab_intern_str(&profile.strings, module);
	ctree_add(&profile.tree, run, ctree_child(&profile.tree, 0, rest), 100 - weight);
	ctree_add(&profile.tree, run, ctree_child(&profile.tree, 0, f), weight);
	return profile;
}

static enum same_program
compared(const char *before, const char *after, double weight)
{
	struct profile sides[] = {profile_with(before, "/lib/p.so", weight),
		profile_with(after, "/lib/p.so", weight)};
	enum same_program result = same_program(&sides[0], &sides[1]);

	CU_ASSERT_EQUAL(same_program(&sides[1], &sides[0]), result);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
	return result;
}

static void
the_same_files_are_the_same_program(void)
{
	CU_ASSERT_EQUAL(
		compared("aa  run\nbb  /lib/c.so\n", "aa  run\nbb  /lib/c.so\n", 50), PROGRAM_SAME);
	CU_ASSERT_EQUAL(compared("aa  run\n", "ab  run\n", 50), PROGRAM_DIFFERS);
	CU_ASSERT_EQUAL(compared("aa  run\n", "aa  run\nbb  /lib/c.so\n", 50), PROGRAM_DIFFERS);
}

/* For a program whose file differs, with these lines of profile->code. */
static enum same_program
built_again(const char *code_before, const char *code_after)
{
	struct profile sides[] = {profile_with("aa  run\nbb  lib.so\n", "/lib/p.so", 50),
		profile_with("ab  run\nbb  lib.so\n", "/lib/p.so", 50)};

	sides[0].code = strtab_intern_str(&sides[0].strings, code_before);
	sides[1].code = strtab_intern_str(&sides[1].strings, code_after);
	enum same_program result = same_program(&sides[0], &sides[1]);

	profile_release(&sides[0]);
	profile_release(&sides[1]);
	return result;
}

static void
a_program_that_was_built_again_is_the_same(void)
{
	CU_ASSERT_EQUAL(built_again("cc  run\n", "cc  run\n"), PROGRAM_SAME);
	CU_ASSERT_EQUAL(built_again("cc  run\n", "cd  run\n"), PROGRAM_DIFFERS);
	CU_ASSERT_EQUAL(built_again("", "cc  run\n"), PROGRAM_DIFFERS);
	CU_ASSERT_EQUAL(built_again("cc  lib.so\n", "cc  lib.so\n"), PROGRAM_DIFFERS);
}

static void
unknown_programs_are_not_the_same(void)
{
	CU_ASSERT_EQUAL(compared("", "aa  run\n", 50), PROGRAM_UNKNOWN);
	CU_ASSERT_EQUAL(compared("-  run\n", "-  run\n", 50), PROGRAM_UNKNOWN);
	CU_ASSERT_EQUAL(compared("aa  run\n- */lib/p.so\n", "aa  run\n- */lib/p.so\n", 50),
		PROGRAM_UNKNOWN);
}

static void
a_file_without_samples_may_have_run(void)
{
	CU_ASSERT_EQUAL(compared("aa  run\ncc */lib/p.so\n", "aa  run\n", 0.5), PROGRAM_SAME);
	CU_ASSERT_EQUAL(compared("aa  run\ncc */lib/p.so\n", "aa  run\n", 5), PROGRAM_DIFFERS);
	CU_ASSERT_EQUAL(compared("aa  run\ncc */lib/p.so\n", "aa  run\n", 1), PROGRAM_DIFFERS);
	CU_ASSERT_EQUAL(compared("aa  run\ncc */lib/p.so\n", "aa  run\n", 0.99), PROGRAM_SAME);
	/* One that both sides have has to be the same, however little it is. */
	CU_ASSERT_EQUAL(compared("cc */lib/p.so\n", "cd */lib/p.so\n", 0.5), PROGRAM_DIFFERS);
}

static void
hostile_lines_are_passed_over(void)
{
	CU_ASSERT_EQUAL(compared("no end", "no end", 50), PROGRAM_SAME);
	CU_ASSERT_EQUAL(compared("\n\nx\nx \nx  \naa  run\n", "aa  run\n", 50), PROGRAM_SAME);
}

static void
functions_of_the_same_file_have_the_same_code(void)
{
	struct profile before = profile_with("bb  p.so\naa  run\n", "/old/p.so", 5);
	struct profile after = profile_with("bb  p.so\nab  run\n", "/new/p.so", 5);
	struct code_states code = same_files_code(&before, &after, &after);

	CU_ASSERT_EQUAL(same_program(&before, &after), PROGRAM_DIFFERS);
	CU_ASSERT_EQUAL(code.nframes, after.frames.nframes);
	CU_ASSERT_EQUAL(code.by_frame[profile_frame_text(&after, "f", 1)], CODE_SAME);
	CU_ASSERT_EQUAL(code.by_frame[profile_frame_text(&after, "rest", 4)], CODE_UNKNOWN);
	size_t len = 0;
	const char *file =
		same_file_of(&before, &after, &after, profile_frame_text(&after, "f", 1), &len);

	CU_ASSERT(file && len == strlen("p.so") && memcmp(file, "p.so", len) == 0);
	CU_ASSERT_PTR_NULL(
		same_file_of(&before, &after, &after, profile_frame_text(&after, "rest", 4), &len));
	free(code.by_frame);
	profile_release(&before);
	profile_release(&after);
}

/* `rest`: the module of the functions that are not in p.so. */
static bool
other_differs_beside(const char *before, const char *after, const char *rest)
{
	struct profile sides[] = {
		profile_with(before, "/lib/p.so", 5), profile_with(after, "/lib/p.so", 5)};
	frame_id frame = profile_frame_text(&sides[1], "rest", 4);

	sides[1].frames.frames[frame].module = strtab_intern_str(&sides[1].strings, rest);
	bool differs = other_file_differs(&sides[0], &sides[1], &sides[1]);

	profile_release(&sides[0]);
	profile_release(&sides[1]);
	return differs;
}

static bool
other_differs(const char *before, const char *after)
{
	return other_differs_beside(before, after, "");
}

static void
a_file_without_functions_is_something_else(void)
{
	CU_ASSERT_TRUE(other_differs("aa  run.py\nbb  p.so\n", "ab  run.py\nbb  p.so\n"));
	CU_ASSERT_TRUE(other_differs("bb  p.so\n", "ab  run.py\nbb  p.so\n"));
	CU_ASSERT_TRUE(other_differs("ab  run.py\nbb  p.so\n", "bb  p.so\n"));
	CU_ASSERT_FALSE(other_differs("aa  run.py\nbb  p.so\n", "aa  run.py\nbc  p.so\n"));
	CU_ASSERT_FALSE(other_differs("", ""));
	/* Its functions tell whether it differs. */
	CU_ASSERT_FALSE(
		other_differs_beside("aa  run\nbb  p.so\n", "ab  run\nbb  p.so\n", "/src/run"));
	CU_ASSERT_TRUE(
		other_differs_beside("aa  run\nbb  p.so\n", "ab  run\nbb  p.so\n", "/src/rerun"));
}

static const struct unit_case cases[] = {
	{"a_program_that_was_built_again_is_the_same", a_program_that_was_built_again_is_the_same},
	{"the_same_files_are_the_same_program", the_same_files_are_the_same_program},
	{"unknown_programs_are_not_the_same", unknown_programs_are_not_the_same},
	{"a_file_without_samples_may_have_run", a_file_without_samples_may_have_run},
	{"hostile_lines_are_passed_over", hostile_lines_are_passed_over},
	{"functions_of_the_same_file_have_the_same_code",
		functions_of_the_same_file_have_the_same_code},
	{"a_file_without_functions_is_something_else", a_file_without_functions_is_something_else},
	{NULL, NULL},
};

void
suite_gate_same_files(void)
{
	unit_suite("gate/same_files", cases);
}
