/* Runs of two stages: what each says by itself. */
#include "compare/comparison.h"

#include "compare/comparison_fixture.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>

void suite_compare_comparison_stages(void);

static struct comparison_options
options_of(enum comparison_mode mode)
{
	struct comparison_options options = plain_options;

	options.mode = mode;
	return options;
}

/* Adds runs of one stage: pairs of 20 functions, of which f00 costs `factor` as much after. */
static void
add_stage(struct profile sides[2], const struct synthetic *program, uint32_t stage, double factor,
	struct rng *rng)
{
	struct synthetic_pairs pairs = {.autocorrelation = 0.5, .sides = {sides[0], sides[1]}};
	double factors[SYNTHETIC_MAX];

	for (size_t i = 0; i < SYNTHETIC_MAX; i++)
		factors[i] = i == 0 ? factor : 1;
	synthetic_add_pairs(&pairs, program, 8, stage);
	synthetic_draw_pairs(&pairs, program, factors, rng);
	sides[0] = pairs.sides[0];
	sides[1] = pairs.sides[1];
}

static void
release_sides(struct profile sides[2])
{
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

static bool
same_stage(const struct comparison *staged, const struct comparison_stage *stage,
	struct comparison *alone)
{
	bool same = same_effect(&stage->whole, &alone->whole);

	for (frame_id frame = 1; frame < staged->nframes; frame++) {
		const char *name = profile_frame_name(&staged->profile, frame);

		same = same && same_effect(&stage->self[frame], effect_of(alone, name));
	}
	return same;
}

static void
runs_of_one_stage_are_not_staged(void)
{
	const struct comparison_options options = options_of(COMPARISON_PAIRED);
	const struct synthetic program = synthetic_program(20);
	struct rng rng = {.state = 5};
	struct profile sides[2];
	struct comparison comparison;

	profile_init(&sides[0]);
	profile_init(&sides[1]);
	add_stage(sides, &program, 0, 1, &rng);
	comparison_make(&comparison, &sides[0], &sides[1], &options);
	CU_ASSERT_FALSE(comparison.staged);
	CU_ASSERT_PTR_NULL(comparison.stages[0].self);
	comparison_release(&comparison);
	release_sides(sides);
}

/* Pair numbers begin anew in each stage. */
static void
a_stage_is_what_its_runs_alone_say(void)
{
	const struct comparison_options options = options_of(COMPARISON_PAIRED);
	const struct synthetic program = synthetic_program(20);
	struct rng rng = {.state = 6};
	struct profile both[2];
	struct comparison staged;

	profile_init(&both[0]);
	profile_init(&both[1]);
	for (uint32_t stage = 0; stage < 2; stage++)
		add_stage(both, &program, stage, stage == 0 ? 1.1 : 1, &rng);
	comparison_make(&staged, &both[0], &both[1], &options);
	CU_ASSERT_TRUE_FATAL(staged.staged);
	CU_ASSERT_EQUAL(staged.model.npairs, 16);
	rng.state = 6;
	for (uint32_t stage = 0; stage < 2; stage++) {
		struct profile alone[2];
		struct comparison comparison;

		profile_init(&alone[0]);
		profile_init(&alone[1]);
		add_stage(alone, &program, stage, stage == 0 ? 1.1 : 1, &rng);
		/* By itself it is of the first stage, or there would be two. */
		for (size_t i = 0; i < 8; i++)
			alone[0].runs[i].stage = alone[1].runs[i].stage = 0;
		comparison_make(&comparison, &alone[0], &alone[1], &options);
		CU_ASSERT_EQUAL(staged.stages[stage].model.npairs, 8);
		CU_ASSERT(same_stage(&staged, &staged.stages[stage], &comparison));
		comparison_release(&comparison);
		release_sides(alone);
	}
	comparison_release(&staged);
	release_sides(both);
}

static void
a_stored_baseline_belongs_to_both_stages(void)
{
	const enum comparison_mode modes[] = {COMPARISON_STORED, COMPARISON_EXACT};
	const struct synthetic program = synthetic_program(20);
	struct rng rng = {.state = 7};
	struct profile sides[2];

	profile_init(&sides[0]);
	profile_init(&sides[1]);
	for (uint32_t stage = 0; stage < 2; stage++)
		add_stage(sides, &program, stage, 1, &rng);
	profile_drop_runs(&sides[0], 8);
	for (size_t i = 0; i < 2; i++) {
		const struct comparison_options options = options_of(modes[i]);
		struct comparison comparison;

		comparison_make(&comparison, &sides[0], &sides[1], &options);
		CU_ASSERT_TRUE_FATAL(comparison.staged);
		for (int stage = 0; stage < COMPARISON_STAGES; stage++) {
			const struct model *model = &comparison.stages[stage].model;

			CU_ASSERT_EQUAL(model->first[MODEL_AFTER], 8);
			CU_ASSERT_EQUAL(model->nruns, 16);
			CU_ASSERT_TRUE(comparison.stages[stage].whole.tested);
		}
		CU_ASSERT_EQUAL(comparison.model.nruns, 24);
		comparison_release(&comparison);
	}
	release_sides(sides);
}

/* Most functions changed, up and down: their spread, found from all runs, is that of both stages.
 */
static void
stages_have_the_spread_of_the_functions_in_all_runs(void)
{
	struct comparison_options options = options_of(COMPARISON_STORED);
	struct comparison comparison;
	struct profile sides[2];

	options.spread_of_functions = true;
	for (int side = 0; side < 2; side++) {
		profile_init(&sides[side]);
		for (uint32_t run = 0; run < 6; run++) {
			double samples[12];

			for (size_t i = 0; i < 12; i++)
				samples[i] = side == 0 ? 10000 : i % 2 == 0 ? 10600 : 9400;
			add_run(&sides[side], samples, 12, 1e9 + 1e6 * run);
			sides[side].runs[run].stage = side == 1 && run >= 3;
		}
	}
	comparison_make(&comparison, &sides[0], &sides[1], &options);
	CU_ASSERT_EQUAL_FATAL(comparison.model.session_spread_from, SPREAD_OF_FUNCTIONS);
	UNIT_NEAR(comparison.model.session_df, 0.367 * 12, 1e-12);
	for (int stage = 0; stage < COMPARISON_STAGES; stage++) {
		const struct model *model = &comparison.stages[stage].model;

		CU_ASSERT_EQUAL(model->session_spread, comparison.model.session_spread);
		CU_ASSERT_EQUAL(model->session_df, comparison.model.session_df);
	}
	comparison_release(&comparison);
	release_sides(sides);
}

static void
a_group_is_judged_by_the_stage_that_is_asked(void)
{
	const struct comparison_options options = options_of(COMPARISON_PAIRED);
	const struct synthetic program = synthetic_program(20);
	struct rng rng = {.state = 8};
	struct profile sides[2];
	struct comparison comparison;
	struct effect group;

	profile_init(&sides[0]);
	profile_init(&sides[1]);
	for (uint32_t stage = 0; stage < 2; stage++)
		add_stage(sides, &program, stage, stage == 0 ? 1.2 : 1, &rng);
	comparison_make(&comparison, &sides[0], &sides[1], &options);
	CU_ASSERT_TRUE_FATAL(comparison.staged);
	bool *member = calloc(comparison.nframes, sizeof(*member));
	frame_id f00 = profile_frame(&comparison.profile, "f00", 3, FRAME_USER);

	member[f00] = true;
	for (int stage = 0; stage < COMPARISON_STAGES; stage++) {
		comparison_group(
			&comparison, &comparison.stages[stage].model, member, true, &group);
		CU_ASSERT(same_effect(&group, &comparison.stages[stage].self[f00]));
		UNIT_NEAR(group.change, stage == 0 ? 0.2 : 0, 0.05);
	}
	free(member);
	comparison_release(&comparison);
	release_sides(sides);
}

static void
the_first_run_may_be_the_confirming_one(void)
{
	const double samples[] = {2000, 8000};
	struct comparison comparison;
	struct profile sides[2];

	for (int side = 0; side < 2; side++) {
		profile_init(&sides[side]);
		for (int run = 0; run < 2; run++)
			add_run(&sides[side], samples, 2, 1e9);
	}
	sides[0].runs[0].stage = COMPARISON_CONFIRM;
	comparison_make(&comparison, &sides[0], &sides[1], &plain_options);
	CU_ASSERT_TRUE(comparison.staged);
	comparison_release(&comparison);
	release_sides(sides);
}

void
suite_compare_comparison_stages(void)
{
	static const struct unit_case cases[] = {
		{"runs_of_one_stage_are_not_staged", runs_of_one_stage_are_not_staged},
		{"a_stage_is_what_its_runs_alone_say", a_stage_is_what_its_runs_alone_say},
		{"a_stored_baseline_belongs_to_both_stages",
			a_stored_baseline_belongs_to_both_stages},
		{"stages_have_the_spread_of_the_functions_in_all_runs",
			stages_have_the_spread_of_the_functions_in_all_runs},
		{"a_group_is_judged_by_the_stage_that_is_asked",
			a_group_is_judged_by_the_stage_that_is_asked},
		{"the_first_run_may_be_the_confirming_one",
			the_first_run_may_be_the_confirming_one},
		{NULL, NULL},
	};

	unit_suite("compare/comparison_stages", cases);
}
