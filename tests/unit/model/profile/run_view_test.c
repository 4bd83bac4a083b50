#include "profile/profile.h"

#include "profile/functions.h"
#include "unit.h"

void suite_profile_run_view(void);

/* Run r has r + 1 samples of f. */
static void
make(struct profile *profile, size_t nruns)
{
	profile_init(profile);
	for (size_t r = 0; r < nruns; r++) {
		size_t column = profile_add_run(profile);
		node_id node = ctree_child(
			&profile->tree, CTREE_ROOT, profile_frame(profile, "f", 1, FRAME_USER));

		ctree_add(&profile->tree, column, node, (double)r + 1);
		profile->runs[column].cost_total = 10.0 * ((double)r + 1);
	}
}

static void
a_view_has_the_runs_that_were_added_in_their_order(void)
{
	struct profile profile;
	struct run_view view;

	make(&profile, 4);
	run_view_init(&view, &profile);
	CU_ASSERT_EQUAL(view.profile.nruns, 0);
	run_view_add(&view, 3)->pair = 7;
	run_view_add(&view, 1);
	CU_ASSERT_EQUAL(view.profile.nruns, 2);
	UNIT_NEAR(profile_column_total(&view.profile, 0), 4, 0);
	UNIT_NEAR(profile_column_total(&view.profile, 1), 2, 0);
	UNIT_NEAR(view.profile.runs[0].cost_total, 40, 0);
	CU_ASSERT_EQUAL(view.profile.runs[0].pair, 7);
	/* The number is the view's own. */
	CU_ASSERT_EQUAL(profile.runs[3].pair, 0);
	run_view_release(&view);
	profile_release(&profile);
}

static void
a_cleared_view_can_be_filled_again(void)
{
	struct profile profile;
	struct run_view view;
	struct functions functions;

	make(&profile, 3);
	run_view_init(&view, &profile);
	for (size_t i = 0; i < 3; i++)
		run_view_add(&view, i);
	run_view_clear(&view);
	run_view_add(&view, 2);
	functions_init(&functions, &view.profile);
	CU_ASSERT_EQUAL(functions.ncolumns, 1);
	UNIT_NEAR(functions.self[1], 3, 0);
	functions_release(&functions);
	run_view_release(&view);
	profile_release(&profile);
}

void
suite_profile_run_view(void)
{
	static const struct unit_case cases[] = {
		{"a_view_has_the_runs_that_were_added_in_their_order",
			a_view_has_the_runs_that_were_added_in_their_order},
		{"a_cleared_view_can_be_filled_again", a_cleared_view_can_be_filled_again},
		{NULL, NULL},
	};

	unit_suite("profile/run_view", cases);
}
