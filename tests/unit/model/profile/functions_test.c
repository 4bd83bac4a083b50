#include "profile/functions.h"

#include "profile/folded.h"
#include "unit.h"

#include <stdlib.h>

void suite_profile_functions(void);

static void
load(struct profile *profile, const char *text)
{
	struct err err = {0};

	profile_init(profile);
	CU_ASSERT_EQUAL_FATAL(folded_read(profile, "t", text, strlen(text), &err), 0);
	profile_sort(profile);
}

static frame_id
frame(struct profile *profile, const char *text)
{
	return profile_frame_text(profile, text, strlen(text));
}

static void
recursion_counts_once(void)
{
	struct profile p;
	struct functions f;

	load(&p, "m;a;b;a;b 4\nm;a 1\nm;c;b 2\n");
	functions_init(&f, &p);
	CU_ASSERT_EQUAL(functions_self(&f, frame(&p, "a"), 0, 1), 1);
	CU_ASSERT_EQUAL(functions_total(&f, frame(&p, "a"), 0, 1), 5);
	CU_ASSERT_EQUAL(functions_self(&f, frame(&p, "b"), 0, 1), 6);
	CU_ASSERT_EQUAL(functions_total(&f, frame(&p, "b"), 0, 1), 6);
	CU_ASSERT_EQUAL(functions_total(&f, frame(&p, "m"), 0, 1), 7);
	functions_release(&f);
	profile_release(&p);
}

static void
inlined_code_is_its_holders(void)
{
	struct profile p;
	struct functions f;
	double group = 0;

	load(&p, "m;a;x_[i];y_[i] 4\nm;a 1\nm;b;x_[i] 2\nm;x_[i] 8\n");
	functions_init(&f, &p);
	CU_ASSERT_EQUAL(functions_self(&f, frame(&p, "a"), 0, 1), 5);
	CU_ASSERT_EQUAL(functions_self(&f, frame(&p, "b"), 0, 1), 2);
	CU_ASSERT_EQUAL(functions_self(&f, frame(&p, "y_[i]"), 0, 1), 0);
	CU_ASSERT_EQUAL(functions_total(&f, frame(&p, "y_[i]"), 0, 1), 4);
	/* Right below a process there is no function that holds it. */
	CU_ASSERT_EQUAL(functions_self(&f, frame(&p, "x_[i]"), 0, 1), 8);
	CU_ASSERT_EQUAL(functions_total(&f, frame(&p, "x_[i]"), 0, 1), 14);

	bool *member = calloc(p.frames.nframes, sizeof(*member));

	member[frame(&p, "a")] = true;
	functions_group(&p, member, true, &group);
	CU_ASSERT_EQUAL(group, 5);
	member[frame(&p, "a")] = false;
	member[frame(&p, "x_[i]")] = true;
	functions_group(&p, member, true, &group);
	CU_ASSERT_EQUAL(group, 10);
	free(member);
	functions_release(&f);
	profile_release(&p);
}

static void
columns_stay_apart(void)
{
	struct profile p;
	struct functions f;

	load(&p, "# runs: 2\nm;a 1 10\nm;b 2 20\n");
	functions_init(&f, &p);
	CU_ASSERT_EQUAL(functions_self(&f, frame(&p, "a"), 0, 1), 1);
	CU_ASSERT_EQUAL(functions_self(&f, frame(&p, "a"), 1, 1), 10);
	CU_ASSERT_EQUAL(functions_total(&f, frame(&p, "m"), 1, 1), 30);
	CU_ASSERT_EQUAL(functions_total(&f, frame(&p, "m"), 0, 2), 33);
	functions_release(&f);
	profile_release(&p);
}

static void
a_group_counts_each_sample_once(void)
{
	struct profile p;
	double out[1];

	load(&p, "m;a;b 4\nm;a 1\nm;b;c 2\nm;d 8\n");
	bool *member = calloc(p.frames.nframes, sizeof(*member));

	member[frame(&p, "a")] = true;
	member[frame(&p, "b")] = true;
	functions_group(&p, member, false, out);
	CU_ASSERT_EQUAL(out[0], 7);
	functions_group(&p, member, true, out);
	CU_ASSERT_EQUAL(out[0], 5);
	free(member);
	profile_release(&p);
}

static void
callers_are_ranked(void)
{
	struct profile p;
	struct function_edge e[8];

	load(&p, "m;a;x 5\nm;a;y 7\nm;z;a;x 1\nm;a;a;x 2\nm;a 9\n");
	CU_ASSERT_EQUAL(functions_callers(&p, frame(&p, "a"), e, 8), 2);
	CU_ASSERT_EQUAL(e[0].frame, frame(&p, "m"));
	CU_ASSERT_EQUAL(e[0].weight, 23);
	CU_ASSERT_EQUAL(e[1].weight, 1);
	profile_release(&p);
}

static void
appending_keeps_columns_and_frames(void)
{
	struct profile a;
	struct profile b;
	struct buf out = {0};

	load(&a, "m;x 1\nm;y 2\n");
	load(&b, "m;y 3\nm;z;x 4\n");
	CU_ASSERT_EQUAL(profile_append(&a, &b), 1);
	profile_sort(&a);
	folded_write(&a, FOLDED_RUNS, &out);
	UNIT_CONTAINS(buf_text(&out), "m;x 1 0\nm;y 2 3\nm;z;x 0 4\n");
	buf_release(&out);
	profile_release(&a);
	profile_release(&b);
}

static void
appending_to_an_empty_profile_copies_it(void)
{
	struct profile a;
	struct profile b;
	struct buf out = {0};

	profile_init(&a);
	load(&b, "# runs: 2\nm;x 1 2\n");
	b.runs[1].cpu_ns = 7;
	for (size_t i = 0; i < 40; i++)
		CU_ASSERT_EQUAL(profile_append(&a, &b), 2 * i);
	CU_ASSERT_EQUAL(a.nruns, 80);
	CU_ASSERT_EQUAL(a.runs[79].cpu_ns, 7);
	profile_drop_runs(&a, 2);
	folded_write(&a, FOLDED_RUNS, &out);
	UNIT_STR_EQ(buf_text(&out), "# runs: 2\nm;x 1 2\n");
	buf_release(&out);
	profile_release(&a);
	profile_release(&b);
}

static void
dropped_runs_take_their_columns_along(void)
{
	struct profile p;
	struct buf out = {0};

	load(&p, "# runs: 3\nm;x 1 2 3\n");
	profile_drop_runs(&p, 2);
	CU_ASSERT_EQUAL(profile_add_run(&p), 2);
	folded_write(&p, FOLDED_RUNS, &out);
	UNIT_CONTAINS(buf_text(&out), "m;x 1 2 0\n");
	buf_release(&out);
	profile_release(&p);
}

void
suite_profile_functions(void)
{
	static const struct unit_case cases[] = {
		{"recursion_counts_once", recursion_counts_once},
		{"inlined_code_counts_for_the_function_that_holds_it", inlined_code_is_its_holders},
		{"columns_stay_apart", columns_stay_apart},
		{"a_group_counts_each_sample_once", a_group_counts_each_sample_once},
		{"callers_are_ranked", callers_are_ranked},
		{"appending_keeps_columns_and_frames", appending_keeps_columns_and_frames},
		{"appending_to_an_empty_profile_copies_it",
			appending_to_an_empty_profile_copies_it},
		{"dropped_runs_take_their_columns_along", dropped_runs_take_their_columns_along},
		{NULL, NULL},
	};

	unit_suite("profile/functions", cases);
}
