/* The callers of a new function, as one group: whether they grew with it. */
#include "gate/new_function.h"

#include "base/mem.h"
#include "compare/model.h"
#include "compare/stats.h"
#include "gate/stacked_bench.h"
#include "unit.h"

#include <math.h>

void suite_gate_new_function(void);

static frame_id
frame_named(const struct bench *bench, const char *name)
{
	const struct profile *profile = &bench->judgement.comparison.profile;

	for (frame_id frame = 1; frame < profile->frames.nframes; frame++) {
		if (strcmp(profile_frame_name(profile, frame), name) == 0)
			return frame;
	}
	return 0;
}

/* Both sides in one stage; release the bench. The test lives as long as it. */
static const struct test *
callers_in(struct bench *bench, const struct stacked *stacks, const char *added)
{
	struct judgement *judgement = &bench->judgement;

	stacked_init(bench, stacks);
	judgement->input.mode = GATE_PAIRED;
	judge_tests(&judgement, 1);
	bool was_called;

	return new_function_callers_test(judgement, frame_named(bench, added), &was_called);
}

static void
expect_growth(const struct stacked *stacks, const char *added, double change)
{
	struct bench bench;
	const struct test *test = callers_in(&bench, stacks, added);

	if (isnan(change)) {
		CU_ASSERT_PTR_NULL(test);
	} else {
		UNIT_NEED(test);
		UNIT_NEAR(test->all->change, change, 1e-9);
	}
	bench_release(&bench);
}

static void
callers_are_those_that_were_there_with_all_they_call(void)
{
	/* parse() and load() together: 3000 and 1000 before, 3500 more after. */
	const struct stacked direct[] = {{"main;run;parse", 3000, 3000},
		{"main;run;parse;check", 0, 2500}, {"main;load", 1000, 1000},
		{"main;load;check", 0, 1000}, {"main;print", 5000, 5000}, {NULL, 0, 0}};
	/* By way of another new function, and of itself. */
	const struct stacked by_new[] = {{"main;run;parse", 4000, 4000},
		{"main;run;parse;verify;check", 0, 1500}, {"main;run;parse;check;verify", 0, 500},
		{"main;run;parse;check;check", 0, 500}, {"main;print", 5000, 5000}, {NULL, 0, 0}};
	/* verify() is called by load(), and more often by check() itself. */
	const struct stacked around[] = {{"main;load", 4000, 4000},
		{"main;load;verify;check", 0, 500}, {"check;verify", 0, 1500},
		{"main;print", 5000, 5000}, {NULL, 0, 0}};
	/* No code that was there calls it. */
	const struct stacked by_none[] = {
		{"main;parse", 4000, 4000}, {"check", 0, 2500}, {NULL, 0, 0}};

	expect_growth(direct, "check", 3500.0 / 4000);
	expect_growth(by_new, "check", 2500.0 / 4000);
	expect_growth(by_new, "verify", 2500.0 / 4000);
	expect_growth(around, "check", 500.0 / 4000);
	expect_growth(by_none, "check", NAN);
}

static void
own_cost_that_is_new_grows_with_all_it_calls(void)
{
	/* check() took nothing itself, but scan() did, 2000 below it: not 1500 of all 10,500. */
	const struct stacked thin[] = {{"main;parse;check", 0, 1500},
		{"main;parse;check;scan", 2000, 2000}, {"main;parse", 3500, 3500},
		{"main;print", 5000, 5000}, {NULL, 0, 0}};
	/* It took over what scan() did. */
	const struct stacked inlined[] = {{"main;parse;check", 0, 1500},
		{"main;parse;check;scan", 1500, 0}, {"main;parse", 3500, 3500},
		{"main;print", 5000, 5000}, {NULL, 0, 0}};
	/* The little that it was cannot tell whether that moved there. */
	const struct stacked rare[] = {{"main;parse;check", 0, 1500},
		{"main;parse;check;scan", 400, 400}, {"main;parse", 3500, 3500},
		{"main;print", 5000, 5000}, {NULL, 0, 0}};

	expect_growth(thin, "check", 1500.0 / 2000);
	expect_growth(inlined, "check", 0);
	expect_growth(rare, "check", 1500.0 / 3900);
}

/* A chain of `count` new functions below parse(), the last of which has the cost. */
static void
expect_chain(int count, double change)
{
	struct buf stack = {0};

	buf_puts(&stack, "main;parse");
	for (int i = 1; i < count; i++)
		buf_printf(&stack, ";new%d", i);
	buf_puts(&stack, ";check");
	const struct stacked stacks[] = {{"main;parse", 4000, 4000}, {buf_text(&stack), 0, 2000},
		{"main;print", 5000, 5000}, {NULL, 0, 0}};

	expect_growth(stacks, "check", change);
	buf_release(&stack);
}

static void
a_chain_of_new_functions_is_followed_for_16_calls(void)
{
	expect_chain(1, 0.5);
	expect_chain(17, 0.5);
	expect_chain(18, NAN);
}

#define RECURSIVE 8

/* Each calls each other one: by paths, there would be 7^16 of them. */
static void
each_new_function_is_visited_once(void)
{
	struct buf texts[RECURSIVE * RECURSIVE] = {{0}};
	struct stacked stacks[RECURSIVE * RECURSIVE + 3];
	size_t count = 0;

	for (int caller = 0; caller < RECURSIVE; caller++) {
		for (int callee = 0; callee < RECURSIVE; callee++) {
			if (caller == callee)
				continue;
			buf_printf(&texts[count], "new%d;new%d", caller, callee);
			stacks[count] = (struct stacked){buf_text(&texts[count]), 0, 100};
			count++;
		}
	}
	stacks[count] = (struct stacked){"main;parse", 4000, 4000};
	stacks[count + 1] = (struct stacked){"main;parse;new0", 0, 1000};
	stacks[count + 2] = (struct stacked){NULL, 0, 0};
	expect_growth(stacks, "new7", 0.25);
	while (count > 0)
		buf_release(&texts[--count]);
}

static const struct stacked added[] = {{"main;run;parse", 3000, 3000},
	{"main;run;parse;check", 0, 150}, {"main;print", 5000, 5000}, {NULL, 0, 0}};

/* Bonferroni: beside the tests of the gate one more. */
static void
their_test_is_corrected_like_one_more(void)
{
	struct bench bench;
	const struct test *test = callers_in(&bench, added, "check");
	const double ntests = (double)bench.judgement.ncorrected[COMPARISON_SCREEN] + 1;

	UNIT_NEED(test);
	const struct effect *effect = test->all;
	struct effect alone = *effect;

	CU_ASSERT_EQUAL(test->rule, FINDING_FUNCTIONS);
	CU_ASSERT(ntests >= 4);
	CU_ASSERT(effect->p > 0 && effect->p * ntests < 1);
	UNIT_NEAR(effect->p_adjusted, effect->p * ntests, effect->p * 1e-9);
	UNIT_NEAR(effect->detectable,
		model_detectable(effect->margin, effect->standard_error, effect->df, 0.05 / ntests),
		1e-12);
	/* In pairs, growth worth 0.125 % of the program counts as none: model.h. */
	UNIT_NEAR(effect->margin, 0.00125 / effect->before_share, 1e-12);
	UNIT_NEAR(log1p(effect->detectable),
		log1p(effect->margin) +
			model_detectable_reach(effect->df, 0.05 / ntests) * effect->standard_error,
		1e-12);
	model_set_interval(&alone, 0.05 / ntests);
	UNIT_NEAR(effect->low, alone.low, 1e-12);
	/* Below its threshold: the one-sided limit. */
	UNIT_NEAR(log1p(effect->high),
		log1p(effect->change) + stats_t_quantile(0.05, effect->df) * effect->standard_error,
		1e-12);
	UNIT_NEAR(test->limits.fail_at, 0.15, 1e-12);
	CU_ASSERT_PTR_NULL(test->stages[COMPARISON_SCREEN]);
	CU_ASSERT_PTR_NULL(test->evidence.work);
	CU_ASSERT_FALSE(test->flagged);
	bench_release(&bench);
}

static void
fresh_runs_are_tested_by_themselves(void)
{
	const struct stacked again[] = {{"main;run;parse", 3000, 3000},
		{"main;run;parse;check", 0, 2400}, {"main;print", 5000, 5000}, {NULL, 0, 0}};
	struct bench bench;
	struct judgement *judgement = &bench.judgement;

	stacked_init(&bench, added);
	add_stacked(&bench.baseline.profile, again, false, 1);
	add_stacked(&bench.candidate, again, true, 1);
	judgement->input.mode = GATE_PAIRED;
	judge_tests(&judgement, 1);
	bool was_called;
	const struct test *test =
		new_function_callers_test(judgement, frame_named(&bench, "check"), &was_called);

	UNIT_NEED(test);
	UNIT_NEED(test->stages[COMPARISON_SCREEN]);
	UNIT_NEED(test->stages[COMPARISON_CONFIRM]);
	UNIT_NEAR(test->stages[COMPARISON_SCREEN]->change, 0.05, 1e-9);
	UNIT_NEAR(test->stages[COMPARISON_CONFIRM]->change, 0.8, 1e-9);
	/* Each by the number of tests of its stage: here the second one had none to confirm. */
	const struct effect *first = test->stages[COMPARISON_SCREEN];
	const struct effect *second = test->stages[COMPARISON_CONFIRM];

	UNIT_NEAR(
		first->p_adjusted, first->p * (double)(judgement->nflagging + 1), first->p * 1e-9);
	UNIT_NEAR(second->p_adjusted,
		second->p * (double)(judgement->ncorrected[COMPARISON_CONFIRM] + 1),
		second->p * 1e-9);
	bench_release(&bench);
}

/* parse() is the first frame of the profile. */
static const struct stacked first[] = {
	{"parse", 3000, 3000}, {"parse;check", 0, 150}, {"main;print", 5000, 5000}, {NULL, 0, 0}};

/* The change of their instructions; NAN: it is not known. */
static double
work_with(double before_all, double before_parse, double added_check)
{
	struct bench bench;
	struct judgement *judgement = &bench.judgement;
	struct instruction_counts counts = {0};

	callers_in(&bench, first, "check");
	counts.nframes = judgement->comparison.nframes;
	counts.before = mem_zalloc(counts.nframes, sizeof(*counts.before));
	counts.after = mem_zalloc(counts.nframes, sizeof(*counts.after));
	counts.before[0] = before_all;
	/* What others execute is not theirs. */
	counts.after[frame_named(&bench, "print")] = 7e6;
	counts.before[frame_named(&bench, "parse")] = before_parse;
	counts.after[frame_named(&bench, "parse")] = 1.2e6;
	counts.after[frame_named(&bench, "check")] = added_check;
	judgement->input.instructions = &counts;
	bool was_called;
	const struct test *test =
		new_function_callers_test(judgement, frame_named(&bench, "check"), &was_called);

	UNIT_NEED(test);
	const double change = test->evidence.work ? test->evidence.work->change : NAN;

	instruction_counts_release(&counts);
	bench_release(&bench);
	return change;
}

static void
their_instructions_are_a_part_of_the_whole_program(void)
{
	/* 0.2 and 0.3 million more of 10 million. */
	UNIT_NEAR(work_with(10e6, 1e6, 0.3e6), 0.05, 1e-12);
	CU_ASSERT(isnan(work_with(0, 1e6, 0.3e6)));
	CU_ASSERT(isnan(work_with(10e6, NAN, 0.3e6)));
	CU_ASSERT(isnan(work_with(10e6, 1e6, NAN)));
}

void
suite_gate_new_function(void)
{
	static const struct unit_case cases[] = {
		{"own_cost_that_is_new_grows_with_all_it_calls",
			own_cost_that_is_new_grows_with_all_it_calls},
		{"callers_are_those_that_were_there_with_all_they_call",
			callers_are_those_that_were_there_with_all_they_call},
		{"a_chain_of_new_functions_is_followed_for_16_calls",
			a_chain_of_new_functions_is_followed_for_16_calls},
		{"their_test_is_corrected_like_one_more", their_test_is_corrected_like_one_more},
		{"fresh_runs_are_tested_by_themselves", fresh_runs_are_tested_by_themselves},
		{"their_instructions_are_a_part_of_the_whole_program",
			their_instructions_are_a_part_of_the_whole_program},
		{"each_new_function_is_visited_once", each_new_function_is_visited_once},
		{NULL, NULL},
	};

	unit_suite("gate/new_function", cases);
}
