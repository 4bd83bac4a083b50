#include "gate/count_scope.h"
#include "profile/folded.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

void suite_gate_count_scope(void);

#define OURS_BEFORE "1111  bin/app\n"
#define OURS_AFTER "2222  bin/app\n"

static void
read_side(struct profile *profile, const char *text, const char *files)
{
	struct err err = {0};

	profile_init(profile);
	CU_ASSERT_EQUAL_FATAL(folded_read(profile, "text", text, strlen(text), &err), 0);
	profile->files = strtab_intern_str(&profile->strings, files);
	profile->runs[0].cost_total = profile_column_total(profile, 0);
}

struct scope {
	double left_out;
	double before; /* what is kept of either side */
	double after;
	struct buf note;
};

static struct scope
select_sides(const char *files_before, const char *files_after, const char *text_after)
{
	struct profile before;
	struct profile after;
	struct profile kept_before;
	struct profile kept_after;
	struct scope scope = {.left_out = 0};

	read_side(&before, "bin/app;parse 600\nlibc.so.6;memcpy 300\nlibm.so.6;sin 100\n",
		files_before);
	read_side(&after, text_after, files_after);
	scope.left_out =
		count_scope_select(&before, &after, &kept_before, &kept_after, &scope.note);
	scope.before = kept_before.runs[0].cost_total;
	scope.after = kept_after.runs[0].cost_total;
	profile_release(&kept_before);
	profile_release(&kept_after);
	profile_release(&before);
	profile_release(&after);
	return scope;
}

#define AFTER "bin/app;parse 780\nlibc.so.6;memcpy 150\nlibm.so.6;sin 70\n"

static void
all_is_judged_where_the_libraries_are_the_same(void)
{
	struct scope scope = select_sides(OURS_BEFORE "cc  /lib/libc.so.6\nmm  /lib/libm.so.6\n",
		OURS_AFTER "cc  /usr/lib64/libc.so.6\nmm */lib/libm.so.6\n", AFTER);

	UNIT_NEAR(scope.left_out, 0, 0);
	UNIT_NEAR(scope.before, 1000, 1e-9);
	UNIT_NEAR(scope.after, 1000, 1e-9);
	UNIT_STR_EQ(buf_text(&scope.note), "");
	buf_release(&scope.note);
}

static void
another_build_of_a_library_is_one_line(void)
{
	struct scope scope = select_sides(OURS_BEFORE "cc  /lib/libc.so.6\nmm  /lib/libm.so.6\n",
		OURS_AFTER "dd  /lib/libc.so.6\nmm  /lib/libm.so.6\n", AFTER);

	UNIT_NEAR(scope.left_out, 0.3, 1e-9);
	UNIT_NEAR(scope.before, 700, 1e-9);
	UNIT_NEAR(scope.after, 850, 1e-9);
	UNIT_STR_EQ(buf_text(&scope.note),
		"libc.so.6 is another build: its functions (30.0 % of the instructions) are not "
		"judged");
	buf_release(&scope.note);
}

static void
a_file_of_less_than_a_thousandth_is_not_named(void)
{
	struct scope scope =
		select_sides(OURS_BEFORE "1  /lib/libx.so\n1  /lib/liby.so\n1  /lib/libz.so\n",
			OURS_AFTER "2  /lib/libx.so\n2  /lib/liby.so\n2  /lib/libz.so\n",
			"bin/app;parse 9970\nlibx.so;f 11\nliby.so;g 11\nlibz.so;h 8\n");

	UNIT_CONTAINS(buf_text(&scope.note), "libx.so");
	UNIT_CONTAINS(buf_text(&scope.note), "liby.so");
	CU_ASSERT_PTR_NULL(strstr(buf_text(&scope.note), "libz.so"));
	UNIT_NEAR(scope.after, 9970, 1e-9);
	buf_release(&scope.note);
}

static void
a_library_of_the_checkout_is_judged_beside_one_of_the_system(void)
{
	struct scope scope = select_sides("1  /lib/libc.so.6\n1  bin/app\n1  libc.so.6\n",
		"2  /lib/libc.so.6\n2  bin/app\n2  libc.so.6\n", AFTER);

	UNIT_NEAR(scope.left_out, 0, 0);
	UNIT_NEAR(scope.after, 1000, 1e-9);
	buf_release(&scope.note);
}

static void
contents_that_are_not_known_are_another_build(void)
{
	struct scope scope = select_sides(OURS_BEFORE "-  /lib/libc.so.6\nmm  /lib/libm.so.6\n",
		OURS_AFTER "-  /lib/libc.so.6\n", AFTER);

	UNIT_NEAR(scope.before, 600, 1e-9);
	UNIT_NEAR(scope.after, 780, 1e-9);
	UNIT_STR_EQ(buf_text(&scope.note),
		"libc.so.6, libm.so.6 are other builds: their functions (40.0 % of the "
		"instructions) are not judged");
	buf_release(&scope.note);
}

static const struct unit_case cases[] = {
	{"all_is_judged_where_the_libraries_are_the_same",
		all_is_judged_where_the_libraries_are_the_same},
	{"another_build_of_a_library_is_one_line", another_build_of_a_library_is_one_line},
	{"a_file_of_less_than_a_thousandth_is_not_named",
		a_file_of_less_than_a_thousandth_is_not_named},
	{"a_library_of_the_checkout_is_judged_beside_one_of_the_system",
		a_library_of_the_checkout_is_judged_beside_one_of_the_system},
	{"contents_that_are_not_known_are_another_build",
		contents_that_are_not_known_are_another_build},
	{NULL, NULL},
};

void
suite_gate_count_scope(void)
{
	unit_suite("gate/count_scope", cases);
}
