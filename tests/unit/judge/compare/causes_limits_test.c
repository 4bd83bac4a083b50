/* The limits of what counts as a cause: parts, shares, numbers of callers, ties. */
#include "compare/causes_fixture.h"

#include "compare/stats.h"

#include <math.h>

void suite_compare_causes_limits(void);

/* Both orders of the stacks, which give functions other ids: the same is found. */
static void
check_found(const struct stack_case *stacks, enum comparison_mode mode, enum cause_domain moved,
	const char *domain, const char *from)
{
	for (int backwards = 0; backwards < 2; backwards++) {
		const struct causes_case of = {
			.stacks = stacks, .backwards = backwards, .mode = mode};
		struct causes_found found;

		causes_compare(&found, &of);
		causes_of(&found, "f");
		CU_ASSERT_EQUAL(found.causes.moved, moved);
		CU_ASSERT_STRING_EQUAL(found.causes.domain ? found.causes.domain : "", domain);
		CU_ASSERT_STRING_EQUAL(
			found.causes.from ? causes_name(&found, found.causes.from) : "", from);
		causes_release(&found);
	}
}

/* c1 to c4 are all common to f's samples. */
static void
three_nearest_callers_are_tried(void)
{
	static const struct stack_case third[] = {
		{"app;main;c4;c3;c2;c1;f", 500, 900},
		{"app;main;c4;c3;c2;c1", 100, 100},
		{"app;main;c4;c3;c2", 100, 100},
		{"app;main;c4;c3;g", 900, 500},
		{"app;main;c4", 400, 400},
		{"app;main;rest", 8000, 8000},
		{NULL, 0, 0},
	};
	static const struct stack_case fourth[] = {
		{"app;main;c4;c3;c2;c1;f", 500, 900},
		{"app;main;c4;c3;c2;c1", 100, 100},
		{"app;main;c4;c3;c2", 100, 100},
		{"app;main;c4;c3", 400, 400},
		{"app;main;c4;g", 900, 500},
		{"app;main;rest", 8000, 8000},
		{NULL, 0, 0},
	};

	check_found(third, COMPARISON_STORED, DOMAIN_CALLER, "c3", "g");
	check_found(fourth, COMPARISON_STORED, DOMAIN_NONE, "", "");
}

/* Among f's samples on both sides, 1400 are below a, and as many or a few more below b. */
static void
a_common_caller_has_half_of_the_samples(void)
{
	static const struct stack_case half[] = {
		{"app;main;a;f", 500, 900},
		{"app;main;a;g", 900, 500},
		{"app;main;b;f", 700, 700},
		{"app;main;rest", 7900, 7900},
		{NULL, 0, 0},
	};
	static const struct stack_case less[] = {
		{"app;main;a;f", 500, 900},
		{"app;main;a;g", 900, 500},
		{"app;main;b;f", 710, 710},
		{"app;main;rest", 7900, 7900},
		{NULL, 0, 0},
	};

	check_found(half, COMPARISON_STORED, DOMAIN_CALLER, "a", "g");
	check_found(less, COMPARISON_STORED, DOMAIN_NONE, "", "");
}

static void
a_domain_has_nine_tenths_of_the_program_at_most(void)
{
	static const struct stack_case nine_tenths[] = {
		{"app;main;run;f", 1000, 1400},
		{"app;main;run;g", 8000, 7600},
		{"app;main;rest", 1000, 1000},
		{NULL, 0, 0},
	};
	static const struct stack_case more[] = {
		{"app;main;run;f", 1000, 1400},
		{"app;main;run;g", 8010, 7610},
		{"app;main;rest", 990, 990},
		{NULL, 0, 0},
	};

	check_found(nine_tenths, COMPARISON_PAIRED, DOMAIN_CALLER, "run", "g");
	check_found(more, COMPARISON_PAIRED, DOMAIN_NONE, "", "");
}

/* f grew by 800. What lost 410 each is equally near; what lost 420 is nearer; a third is too
 * little. */
static void
the_origin_lost_half_of_the_growth_and_is_the_nearest(void)
{
	static const struct stack_case equal[] = {
		{"app;main;run;f", 1000, 1800},
		{"app;main;run;h", 800, 390},
		{"app;main;run;g", 800, 390},
		{"app;main;rest", 7400, 7400},
		{NULL, 0, 0},
	};
	static const struct stack_case nearer[] = {
		{"app;main;run;f", 1000, 1800},
		{"app;main;run;g", 800, 390},
		{"app;main;run;h", 800, 380},
		{"app;main;rest", 7400, 7400},
		{NULL, 0, 0},
	};
	static const struct stack_case thirds[] = {
		{"app;main;run;f", 1000, 1800},
		{"app;main;run;g", 500, 230},
		{"app;main;run;h", 500, 230},
		{"app;main;run;k", 500, 230},
		{"app;main;rest", 7500, 7500},
		{NULL, 0, 0},
	};
	/* Lost more than f gained: as far from it as 800 - 500 would be. */
	static const struct stack_case beyond[] = {
		{"app;main;run;f", 1000, 1800},
		{"app;main;run;g", 1700, 600},
		{"app;main;run;h", 900, 480},
		{"app;main;rest", 6400, 6400},
		{NULL, 0, 0},
	};

	check_found(equal, COMPARISON_PAIRED, DOMAIN_CALLER, "run", "g");
	check_found(nearer, COMPARISON_PAIRED, DOMAIN_CALLER, "run", "h");
	check_found(thirds, COMPARISON_PAIRED, DOMAIN_CALLER, "run", "");
	check_found(beyond, COMPARISON_PAIRED, DOMAIN_CALLER, "run", "g");
}

/* The bound by causes.h, with the machine's speed: (exp(ln(1 + c) + t_0.05 s) - 1) C. */
static void
the_bound_of_a_domain_is_in_cost_after(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;run;f", 1000, 1800},
		{"app;main;run;g", 1200, 500},
		{"app;main;run;h", 1500, 1500},
		{"app;main;rest", 6300, 6300},
		{NULL, 0, 0},
	};
	static const double speeds[] = {1, 1.1};

	for (size_t i = 0; i < 2; i++) {
		const struct causes_case of = {.stacks = stacks, .speed = speeds[i]};
		struct causes_found found;

		causes_compare(&found, &of);
		causes_of(&found, "f");
		const struct effect *effect = &found.causes.domain_effect;
		double bound = (1 + effect->change) * exp(stats_t_quantile(0.05, effect->df) *
							      effect->standard_error) -
			       1;

		CU_ASSERT_EQUAL(found.causes.moved, DOMAIN_CALLER);
		/* By the rest without h, which is in the domain: b, and the spread of sessions. */
		UNIT_NEAR(pow(effect->standard_error, 2),
			(1 / 3700.0 + 1 / 3800.0 + 2 / 6300.0) / CAUSES_RUNS + 2e-6, 1e-12);
		UNIT_NEAR(effect->change, 3800.0 / 3700 - 1, 1e-9);
		UNIT_NEAR(effect->before_cost, 3700 * CAUSES_COST, 1);
		UNIT_NEAR(found.causes.domain_most, bound * 3700 * CAUSES_COST * speeds[i], 100);
		UNIT_NEAR(found.causes.growth, 800 * CAUSES_COST * speeds[i], 1);
		UNIT_NEAR(found.causes.stacks[0].before_cost, 1000 * CAUSES_COST * speeds[i], 1);
		UNIT_NEAR(found.causes.stacks[0].after_cost, 1800 * CAUSES_COST * speeds[i], 1);
		causes_release(&found);
	}
}

/* Half of the samples of both have the same caller; or less than that. */
static void
a_former_name_shares_half_of_the_callers(void)
{
	static const struct stack_case half[] = {
		/* By two ways, which is one caller. */
		{"app;main;a;old", 250, 0},
		{"app;main;b;a;old", 250, 0},
		{"app;main;b;old", 500, 0},
		{"app;main;a;f", 0, 500},
		{"app;main;c;f", 0, 500},
		{"app;main;a;x", 500, 500},
		{"app;main;b;x", 500, 500},
		{"app;main;c;x", 500, 500},
		/* Gone as well, from elsewhere. */
		{"app;main;d;other_old", 700, 0},
		{"app;main;d", 300, 300},
		{"app;main;rest", 6500, 6500},
		{NULL, 0, 0},
	};
	static const struct stack_case less[] = {
		{"app;main;a;old", 490, 0},
		{"app;main;b;old", 510, 0},
		{"app;main;a;f", 0, 500},
		{"app;main;c;f", 0, 500},
		{"app;main;a;x", 500, 500},
		{"app;main;b;x", 500, 500},
		{"app;main;c;x", 500, 500},
		{"app;main;rest", 7500, 7500},
		{NULL, 0, 0},
	};

	check_found(half, COMPARISON_PAIRED, DOMAIN_NAMES, "old", "old");
	check_found(less, COMPARISON_PAIRED, DOMAIN_NONE, "", "");
}

static void
a_former_name_cost_twice_as_much_at_most(void)
{
	static const struct stack_case within[] = {
		{"app;main;a;old", 1980, 0},
		{"app;main;a;f", 0, 1000},
		{"app;main;rest", 8000, 8000},
		{NULL, 0, 0},
	};
	static const struct stack_case beyond[] = {
		{"app;main;b;old", 2020, 0},
		{"app;main;b;f", 0, 1000},
		{"app;main;rest", 8000, 8000},
		{NULL, 0, 0},
	};

	check_found(within, COMPARISON_PAIRED, DOMAIN_NAMES, "old", "old");
	/* It is no rename; that the cost below b fell is a reason all the same. */
	check_found(beyond, COMPARISON_PAIRED, DOMAIN_CALLER, "b", "old");
}

static void
the_first_of_equally_similar_former_names_is_named(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;a;old2", 1000, 0},
		{"app;main;a;old1", 1000, 0},
		{"app;main;a;old3", 1000, 0},
		{"app;main;a;f", 0, 1000},
		{"app;main;rest", 7000, 9000},
		{NULL, 0, 0},
	};

	check_found(stacks, COMPARISON_PAIRED, DOMAIN_NAMES, "old1", "old1");
}

/* f grew by 1000: a callee that did by 120 explains something, by 80 nothing. */
static void
a_neighbour_grew_by_a_tenth_of_the_growth(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;run;f", 1000, 2000},
		{"app;main;run;f;more", 500, 620},
		{"app;main;run;f;less", 500, 580},
		{"app;main;rest", 8000, 8000},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, stacks, "f");
	CU_ASSERT_EQUAL_FATAL(found.causes.ncallees, 1);
	CU_ASSERT_STRING_EQUAL(causes_name(&found, found.causes.callees[0].frame), "more");
	causes_release(&found);
}

/* A function of the program and one of the kernel. */
static void
neighbours_of_one_name_are_ordered_by_kind(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;f", 1000, 1500},
		{"app;main;f;x_[k]", 200, 500},
		{"app;main;f;x", 200, 500},
		{"app;main;rest", 8500, 8500},
		{NULL, 0, 0},
	};

	for (int backwards = 0; backwards < 2; backwards++) {
		const struct causes_case of = {.stacks = stacks, .backwards = backwards};
		struct causes_found found;

		causes_compare(&found, &of);
		causes_of(&found, "f");
		CU_ASSERT_EQUAL_FATAL(found.causes.ncallees, 2);
		for (size_t i = 0; i < 2; i++)
			CU_ASSERT_EQUAL(found.comparison.profile.frames
						.frames[found.causes.callees[i].frame]
						.kind,
				i == 0 ? FRAME_USER : FRAME_KERNEL);
		causes_release(&found);
	}
}

/* Where both inline it at some places and call it at others, the caller has all of it. */
static void
a_neighbour_that_both_inline_at_places_is_inlined_everywhere(void)
{
	static const struct stack_case stacks[2][5] = {
		{{"app;main;f", 1000, 1500}, {"app;main;f;x_[i]", 100, 400},
			{"app;main;f;x", 200, 300}, {"app;main;rest", 8500, 8500}, {NULL, 0, 0}},
		{{"app;main;f", 1000, 1500}, {"app;main;f;x_[i]", 100, 300},
			{"app;main;f;x", 200, 300}, {"app;main;rest", 8500, 8500}, {NULL, 0, 0}},
	};
	for (int i = 0; i < 4; i++) {
		const struct causes_case of = {.stacks = stacks[i / 2], .backwards = i % 2 == 1};
		struct causes_found found;

		causes_compare(&found, &of);
		causes_of(&found, "f");
		CU_ASSERT_EQUAL(found.causes.ncallees, 0);
		UNIT_NEAR(found.causes.before_cost, 1300 * CAUSES_COST, 1);
		UNIT_NEAR(found.causes.after_cost, (i / 2 ? 2100 : 2200) * CAUSES_COST, 1);
		causes_release(&found);
	}
}

/* Code was read of the frames below nframes; where f is not among them, nothing is known. */
static void
code_is_known_of_the_frames_that_were_read(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;f", 1000, 1500},
		{"app;main;rest", 8500, 8500},
		{NULL, 0, 0},
	};
	const struct causes_case of = {.stacks = stacks};
	struct causes_found found;
	enum code_state all_same[16];

	for (size_t i = 0; i < 16; i++)
		all_same[i] = CODE_SAME;
	causes_compare(&found, &of);
	frame_id f = causes_frame(&found.comparison, "f");

	CU_ASSERT_FATAL(found.comparison.nframes <= 16);
	for (size_t more = 0; more < 2; more++) {
		const struct code_states code = {.by_frame = all_same, .nframes = f + more};

		causes_look(&found, f, &code);
		CU_ASSERT_EQUAL(found.causes.code, more ? CODE_SAME : CODE_UNKNOWN);
		CU_ASSERT_EQUAL(found.causes.unreachable, more == 1);
	}
	/* Data that differs reaches all code. */
	all_same[0] = CODE_CHANGED;
	const struct code_states code = {.by_frame = all_same, .nframes = f + 1};

	causes_look(&found, f, &code);
	CU_ASSERT_EQUAL(found.causes.code, CODE_SAME);
	CU_ASSERT(!found.causes.unreachable);
	causes_release(&found);
}

static void
more_work_is_a_ratio_of_instructions(void)
{
	struct causes causes = {.instructions_before = 100, .instructions_after = 105};

	UNIT_NEAR(causes_more_work(&causes), 0.05, 1e-12);
	causes = (struct causes){.instructions_before = 0.5, .instructions_after = 0.6};
	UNIT_NEAR(causes_more_work(&causes), 0.2, 1e-12);
	causes.instructions_before = NAN;
	CU_ASSERT_TRUE(isnan(causes_more_work(&causes)));
	causes = (struct causes){.instructions_before = 0, .instructions_after = 5};
	CU_ASSERT_TRUE(isnan(causes_more_work(&causes)));
	causes = (struct causes){.instructions_before = 5, .instructions_after = 0};
	CU_ASSERT_TRUE(isnan(causes_more_work(&causes)));
}

void
suite_compare_causes_limits(void)
{
	static const struct unit_case cases[] = {
		{"three_nearest_callers_are_tried", three_nearest_callers_are_tried},
		{"a_common_caller_has_half_of_the_samples",
			a_common_caller_has_half_of_the_samples},
		{"a_domain_has_nine_tenths_of_the_program_at_most",
			a_domain_has_nine_tenths_of_the_program_at_most},
		{"the_origin_lost_half_of_the_growth_and_is_the_nearest",
			the_origin_lost_half_of_the_growth_and_is_the_nearest},
		{"the_bound_of_a_domain_is_in_cost_after", the_bound_of_a_domain_is_in_cost_after},
		{"a_former_name_shares_half_of_the_callers",
			a_former_name_shares_half_of_the_callers},
		{"a_former_name_cost_twice_as_much_at_most",
			a_former_name_cost_twice_as_much_at_most},
		{"the_first_of_equally_similar_former_names_is_named",
			the_first_of_equally_similar_former_names_is_named},
		{"a_neighbour_grew_by_a_tenth_of_the_growth",
			a_neighbour_grew_by_a_tenth_of_the_growth},
		{"neighbours_of_one_name_are_ordered_by_kind",
			neighbours_of_one_name_are_ordered_by_kind},
		{"a_neighbour_that_both_inline_at_places_is_inlined_everywhere",
			a_neighbour_that_both_inline_at_places_is_inlined_everywhere},
		{"code_is_known_of_the_frames_that_were_read",
			code_is_known_of_the_frames_that_were_read},
		{"more_work_is_a_ratio_of_instructions", more_work_is_a_ratio_of_instructions},
		{NULL, NULL},
	};

	unit_suite("compare/causes_limits", cases);
}
