#include "compare/comparison.h"

#include "unit.h"

#include <string.h>

void suite_compare_names(void);

static void
add(struct profile *profile, const char *name, double weight)
{
	node_id app = ctree_child(
		&profile->tree, CTREE_ROOT, profile_frame(profile, "app", 3, FRAME_USER));
	node_id node =
		ctree_child(&profile->tree, app, profile_frame_text(profile, name, strlen(name)));

	ctree_add(&profile->tree, 0, node, weight);
}

/* One build has foo whole, the other a clone of it. */
static void
compare(struct comparison *comparison, bool full_names)
{
	const struct comparison_options options = {
		.alpha = 0.05, .min_share = 0.01, .full_names = full_names};
	struct profile before;
	struct profile after;

	profile_init(&before);
	profile_init(&after);
	profile_add_run(&before);
	profile_add_run(&after);
	add(&before, "foo", 600);
	add(&before, "bar", 400);
	add(&before, FRAME_BROKEN, 100);
	add(&after, "foo.isra.0", 600);
	add(&after, "bar", 400);
	add(&after, FRAME_BROKEN, 300);
	comparison_make(comparison, &before, &after, &options);
	profile_release(&after);
	profile_release(&before);
}

static const struct effect *
effect_of(struct comparison *comparison, const char *name)
{
	frame_id frame = profile_frame_text(&comparison->profile, name, strlen(name));

	CU_ASSERT_FATAL(frame < comparison->nframes);
	return &comparison->self[frame];
}

static void
builds_are_compared_by_canonical_name(void)
{
	struct comparison comparison;

	compare(&comparison, false);
	const struct effect *foo = effect_of(&comparison, "foo");

	CU_ASSERT_TRUE(foo->tested);
	UNIT_NEAR(foo->before_weight, 600, 0);
	UNIT_NEAR(foo->after_weight, 600, 0);
	CU_ASSERT_EQUAL(comparison.nbefore, 1);
	CU_ASSERT_EQUAL(comparison.profile.nruns, 2);
	comparison_release(&comparison);
}

static void
full_names_are_kept_apart_where_asked(void)
{
	struct comparison comparison;

	compare(&comparison, true);
	UNIT_NEAR(effect_of(&comparison, "foo")->after_weight, 0, 0);
	UNIT_NEAR(effect_of(&comparison, "foo.isra.0")->after_weight, 600, 0);
	comparison_release(&comparison);
}

static void
marks_are_weighed_and_not_tested(void)
{
	struct comparison comparison;

	compare(&comparison, false);
	const struct effect *mark = effect_of(&comparison, FRAME_BROKEN);

	CU_ASSERT_FALSE(mark->tested);
	UNIT_NEAR(mark->after_weight, 300, 0);
	comparison_release(&comparison);
}

/* The weight of a function by itself, in and below a caller. */
static void
add_called(struct profile *profile, const char *caller, const char *callee, double weight)
{
	struct ctree *tree = &profile->tree;
	node_id app = ctree_child(tree, CTREE_ROOT, profile_frame(profile, "app", 3, FRAME_USER));
	node_id above = ctree_child(tree, app, profile_frame_text(profile, caller, strlen(caller)));

	ctree_add(tree, 0,
		ctree_child(tree, above, profile_frame_text(profile, callee, strlen(callee))),
		weight);
}

/* `inlined` of the weight of g, called by f, is inlined there before, `inlined_after` after. */
static void
compare_inlined(struct comparison *comparison, double inlined, double inlined_after)
{
	const struct comparison_options options = {.alpha = 0.05, .min_share = 0.01};
	struct profile sides[2];

	for (int i = 0; i < 2; i++) {
		const double in = i == 0 ? inlined : inlined_after;

		profile_init(&sides[i]);
		profile_add_run(&sides[i]);
		add(&sides[i], "f", 500);
		add(&sides[i], "rest", 2000);
		if (in > 0)
			add_called(&sides[i], "f", "g_[i]", in);
		if (in < 1000)
			add_called(&sides[i], "f", "g", 1000 - in);
		add_called(&sides[i], "h", "g", 300);
	}
	comparison_make(comparison, &sides[0], &sides[1], &options);
	profile_release(&sides[1]);
	profile_release(&sides[0]);
}

static void
a_function_inlined_on_one_side_is_part_of_its_caller_on_both(void)
{
	static const double inlined[][2] = {{1000, 0}, {0, 1000}, {300, 0}, {200, 600}};
	struct comparison comparison;

	for (size_t i = 0; i < sizeof(inlined) / sizeof(inlined[0]); i++) {
		compare_inlined(&comparison, inlined[i][0], inlined[i][1]);
		UNIT_NEAR(effect_of(&comparison, "f")->before_weight, 1500, 0);
		UNIT_NEAR(effect_of(&comparison, "f")->after_weight, 1500, 0);
		UNIT_NEAR(effect_of(&comparison, "g")->before_weight, 300, 0);
		UNIT_NEAR(effect_of(&comparison, "g")->after_weight, 300, 0);
		comparison_release(&comparison);
	}
}

static void
functions_that_are_inlined_alike_stay_as_they_are(void)
{
	struct comparison comparison;

	compare_inlined(&comparison, 0, 0);
	UNIT_NEAR(effect_of(&comparison, "g")->after_weight, 1300, 0);
	comparison_release(&comparison);
	/* Chance moves as much. */
	compare_inlined(&comparison, 400, 430);
	UNIT_NEAR(effect_of(&comparison, "g")->before_weight, 900, 0);
	UNIT_NEAR(effect_of(&comparison, "g")->after_weight, 870, 0);
	comparison_release(&comparison);
}

void
suite_compare_names(void)
{
	static const struct unit_case cases[] = {
		{"builds_are_compared_by_canonical_name", builds_are_compared_by_canonical_name},
		{"full_names_are_kept_apart_where_asked", full_names_are_kept_apart_where_asked},
		{"marks_are_weighed_and_not_tested", marks_are_weighed_and_not_tested},
		{"a_function_inlined_on_one_side_is_part_of_its_caller_on_both",
			a_function_inlined_on_one_side_is_part_of_its_caller_on_both},
		{"functions_that_are_inlined_alike_stay_as_they_are",
			functions_that_are_inlined_alike_stay_as_they_are},
		{NULL, NULL},
	};

	unit_suite("compare/names", cases);
}
