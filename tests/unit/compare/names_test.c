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

void
suite_compare_names(void)
{
	static const struct unit_case cases[] = {
		{"builds_are_compared_by_canonical_name", builds_are_compared_by_canonical_name},
		{"full_names_are_kept_apart_where_asked", full_names_are_kept_apart_where_asked},
		{"marks_are_weighed_and_not_tested", marks_are_weighed_and_not_tested},
		{NULL, NULL},
	};

	unit_suite("compare/names", cases);
}
