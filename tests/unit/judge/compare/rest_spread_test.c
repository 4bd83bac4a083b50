#include "compare/rest_spread.h"

#include "compare/synthetic.h"
#include "unit.h"

#include <math.h>

void suite_compare_rest_spread(void);

/* Ten functions before and after, by their factors; the machine is `speed` times as slow after. */
static void
compare(struct comparison *comparison, const double *factor, double speed)
{
	const struct comparison_options options = {
		.mode = COMPARISON_STORED, .alpha = 0.05, .min_share = 0.01};
	struct synthetic program = synthetic_program(10);
	struct profile sides[2];
	struct rng rng = {.state = 3};
	const struct synthetic_side before = {.nruns = 10};
	const struct synthetic_side after = {.nruns = 10, .factor = factor, .speed = speed};

	program.hz *= 20;
	profile_init(&sides[0]);
	profile_init(&sides[1]);
	synthetic_add(&sides[0], &program, &before, &rng);
	synthetic_add(&sides[1], &program, &after, &rng);
	comparison_make(comparison, &sides[0], &sides[1], &options);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

static frame_id
frame_of(const struct comparison *comparison, const char *name)
{
	for (frame_id frame = 1; frame < comparison->nframes; frame++) {
		if (strcmp(profile_frame_name(&comparison->profile, frame), name) == 0)
			return frame;
	}
	return 0;
}

static void
one_function_that_grew_does_not_explain_itself(void)
{
	const double factor[10] = {1, 1, 3, 1, 1, 1, 1, 1, 1, 1};
	struct comparison comparison;

	compare(&comparison, factor, 1);
	const struct rest_spread rest = rest_spread_of(&comparison);
	const frame_id grown = frame_of(&comparison, "f02");

	CU_ASSERT_EQUAL(rest.nfunctions, 10);
	CU_ASSERT_EQUAL(rest.largest, grown);
	/* The others did not change: the least spread is assumed. */
	CU_ASSERT_DOUBLE_EQUAL(
		rest_spread_beside(&rest, &comparison, grown), COMPARISON_SESSION_SPREAD, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(rest_explains(&rest, &comparison, grown, true),
		REST_FACTOR * COMPARISON_SESSION_SPREAD, 1e-12);
	CU_ASSERT(
		log1p(comparison.self[grown].low) > rest_explains(&rest, &comparison, grown, true));
	/* Nor does it explain the whole program, but it does another function. */
	CU_ASSERT_DOUBLE_EQUAL(
		rest_spread_beside(&rest, &comparison, 0), COMPARISON_SESSION_SPREAD, 1e-12);
	CU_ASSERT(rest_spread_beside(&rest, &comparison, frame_of(&comparison, "f05")) > 0.3);
	comparison_release(&comparison);
}

static void
functions_that_moved_apart_explain_what_one_of_them_did(void)
{
	const double factor[10] = {1, 1.3, 1.3, 0.8, 1, 1.2, 0.8, 1.3, 1, 1};
	struct comparison comparison;

	compare(&comparison, factor, 1);
	const struct rest_spread rest = rest_spread_of(&comparison);
	const frame_id moved = frame_of(&comparison, "f01");

	CU_ASSERT(rest_spread_beside(&rest, &comparison, moved) > 0.1);
	CU_ASSERT(log1p(comparison.self[moved].high) <
		  rest_explains(&rest, &comparison, moved, true));
	comparison_release(&comparison);
}

static void
the_growth_of_the_rest_explains_that_of_plain_costs(void)
{
	struct comparison comparison;

	compare(&comparison, NULL, 1.5);
	const struct rest_spread rest = rest_spread_of(&comparison);

	CU_ASSERT_DOUBLE_EQUAL(rest.rest_grew, log(1.5), 0.02);
	CU_ASSERT_DOUBLE_EQUAL(rest_explains(&rest, &comparison, 0, false),
		rest.rest_grew + REST_FACTOR * rest_spread_beside(&rest, &comparison, 0), 1e-12);
	CU_ASSERT(log1p(comparison.whole.low) < rest_explains(&rest, &comparison, 0, false));
	comparison_release(&comparison);
	/* A faster machine explains no growth. */
	compare(&comparison, NULL, 0.7);
	CU_ASSERT_EQUAL(rest_spread_of(&comparison).rest_grew, 0);
	comparison_release(&comparison);
}

static void
fewer_than_two_other_functions_tell_nothing(void)
{
	struct comparison comparison;

	compare(&comparison, NULL, 1);
	for (frame_id frame = 1; frame < comparison.nframes; frame++)
		comparison.self[frame].tested = comparison.self[frame].tested &&
						(frame == frame_of(&comparison, "f00") ||
							frame == frame_of(&comparison, "f01"));
	const struct rest_spread two = rest_spread_of(&comparison);

	CU_ASSERT_EQUAL(two.nfunctions, 2);
	CU_ASSERT(isnan(rest_explains(&two, &comparison, frame_of(&comparison, "f00"), true)));
	/* For a function that is not among them there are two others. */
	CU_ASSERT_FALSE(
		isnan(rest_explains(&two, &comparison, frame_of(&comparison, "f07"), true)));
	comparison_release(&comparison);
}

void
suite_compare_rest_spread(void)
{
	static const struct unit_case cases[] = {
		{"one_function_that_grew_does_not_explain_itself",
			one_function_that_grew_does_not_explain_itself},
		{"functions_that_moved_apart_explain_what_one_of_them_did",
			functions_that_moved_apart_explain_what_one_of_them_did},
		{"the_growth_of_the_rest_explains_that_of_plain_costs",
			the_growth_of_the_rest_explains_that_of_plain_costs},
		{"fewer_than_two_other_functions_tell_nothing",
			fewer_than_two_other_functions_tell_nothing},
		{NULL, NULL},
	};

	unit_suite("compare/rest_spread", cases);
}
