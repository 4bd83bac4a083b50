#include "compare/coverage.h"

#include "folded_check.h"
#include "unit.h"

#include <string.h>

void suite_compare_coverage(void);

#define WORKLOADS_MAX 2

struct covered {
	struct profile production;
	struct profile profiles[WORKLOADS_MAX];
	struct coverage_workload workloads[WORKLOADS_MAX];
	struct coverage coverage;
};

static void
read_folded(struct profile *profile, const char *text)
{
	struct err err = {.kind = ERR_NONE};

	profile_init(profile);
	CU_ASSERT_EQUAL_FATAL(folded_read(profile, "x", text, strlen(text), &err), 0);
}

/* `second` may be NULL. */
static void
cover(struct covered *covered, const char *production, const char *first, const char *second)
{
	const char *const texts[WORKLOADS_MAX] = {first, second};
	size_t n = 0;

	read_folded(&covered->production, production);
	for (; n < WORKLOADS_MAX && texts[n]; n++) {
		read_folded(&covered->profiles[n], texts[n]);
		covered->workloads[n] = (struct coverage_workload){
			n == 0 ? "first" : "second", &covered->profiles[n]};
	}
	coverage_init(&covered->coverage, &covered->production, covered->workloads, n);
}

static void
release(struct covered *covered)
{
	const size_t n = covered->coverage.nworkloads;

	coverage_release(&covered->coverage);
	for (size_t i = 0; i < n; i++)
		profile_release(&covered->profiles[i]);
	profile_release(&covered->production);
}

static const char *
name_of(const struct covered *covered, frame_id frame)
{
	return frame == 0 ? "" : profile_frame_name(&covered->coverage.joined, frame);
}

static void
check_entry(const struct covered *covered, size_t i, const char *name, const char *caller,
	double weight)
{
	const struct coverage_entry *entry = &covered->coverage.entries[i];

	CU_ASSERT_FATAL(i < covered->coverage.nentries);
	UNIT_STR_EQ(name_of(covered, entry->frame), name);
	UNIT_STR_EQ(name_of(covered, entry->caller), caller);
	UNIT_NEAR(entry->weight, weight, 1e-9);
}

static void
the_cost_of_a_function_that_no_workload_has_is_not_reached(void)
{
	struct covered covered;
	const struct coverage *coverage = &covered.coverage;

	cover(&covered, "app;main;a 60\napp;main;b 30\napp;main;c 10\n", "bench;main;a 7\n",
		"bench;main;b 5\nbench;main;a 5\n");
	UNIT_NEAR(coverage_ratio(coverage), 0.9, 1e-12);
	UNIT_NEAR(coverage->weights[COVERAGE_NOT_REACHED], 10, 1e-12);
	UNIT_NEAR(coverage->weights[COVERAGE_OTHER_CALLERS], 0, 0);
	CU_ASSERT_EQUAL_FATAL(coverage->nfunctions, 3);
	UNIT_STR_EQ(name_of(&covered, coverage->functions[0].frame), "a");
	UNIT_NEAR(coverage->functions[0].share, 1, 1e-12);
	CU_ASSERT_EQUAL(coverage->functions[0].workload, 0);
	UNIT_STR_EQ(name_of(&covered, coverage->functions[1].frame), "b");
	UNIT_NEAR(coverage->functions[1].share, 0.5, 1e-12);
	CU_ASSERT_EQUAL(coverage->functions[1].workload, 1);
	UNIT_STR_EQ(name_of(&covered, coverage->functions[2].frame), "c");
	UNIT_NEAR(coverage->functions[2].share, 0, 0);
	CU_ASSERT_EQUAL_FATAL(coverage->nentries, 1);
	check_entry(&covered, 0, "c", "main", 10);
	release(&covered);
}

static void
other_callers_count_apart(void)
{
	struct covered covered;

	cover(&covered,
		"app;main;parse;copy 40\napp;main;vacuum;copy 25\napp;main;vacuum 5\napp;main;parse 30\n",
		"app;main;parse;copy 9\napp;main;parse 1\n", NULL);
	UNIT_NEAR(covered.coverage.weights[COVERAGE_REACHED], 70, 1e-12);
	UNIT_NEAR(covered.coverage.weights[COVERAGE_OTHER_CALLERS], 25, 1e-12);
	UNIT_NEAR(covered.coverage.weights[COVERAGE_NOT_REACHED], 5, 1e-12);
	/* A workload that calls vacuum() would reach both. */
	CU_ASSERT_EQUAL_FATAL(covered.coverage.nentries, 1);
	check_entry(&covered, 0, "vacuum", "main", 30);
	release(&covered);
}

/* What a benchmark calls from code of its own stands for all calls; what that calls does not. */
static void
callers_of_the_benchmark_stand_for_productions(void)
{
	struct covered covered;

	cover(&covered, "app;main;serve;parse;copy 40\napp;main;serve;copy 60\n",
		"bench;main;BM_parse;parse;copy 9\n", NULL);
	UNIT_NEAR(covered.coverage.weights[COVERAGE_REACHED], 40, 1e-12);
	UNIT_NEAR(covered.coverage.weights[COVERAGE_OTHER_CALLERS], 60, 1e-12);
	check_entry(&covered, 0, "copy", "serve", 60);
	release(&covered);
	cover(&covered, "app;main;serve;parse 40\napp;main;copy 60\n", "bench;main;parse 9\n",
		NULL);
	UNIT_NEAR(covered.coverage.weights[COVERAGE_REACHED], 40, 1e-12);
	release(&covered);
}

static void
unknown_callers_and_recursion_are_no_other_callers(void)
{
	struct covered covered;

	cover(&covered,
		"app;[broken];copy 10\napp;main;[unknown];copy 10\napp;main;parse;parse;copy 10\n"
		"app;main;parse;parse 10\n",
		"app;main;parse;copy 9\napp;main;parse 1\n", NULL);
	UNIT_NEAR(coverage_ratio(&covered.coverage), 1, 1e-12);
	CU_ASSERT_EQUAL(covered.coverage.nentries, 0);
	release(&covered);
	/* A stack of a workload that lacks the caller may be of any. */
	cover(&covered, "app;main;save;copy 10\n", "app;main;load;copy 9\napp;[broken];copy 1\n",
		NULL);
	UNIT_NEAR(coverage_ratio(&covered.coverage), 1, 1e-12);
	release(&covered);
}

static void
code_without_a_name_is_not_reached_by_anything(void)
{
	struct covered covered;

	cover(&covered, "app;main;[unknown] 10\napp;main;[libx.so] 10\napp;main;a 20\n",
		"app;main;[unknown] 10\napp;main;a 20\n", NULL);
	UNIT_NEAR(covered.coverage.weights[COVERAGE_NO_NAME], 20, 1e-12);
	UNIT_NEAR(coverage_ratio(&covered.coverage), 0.5, 1e-12);
	CU_ASSERT_EQUAL(covered.coverage.nentries, 0);
	release(&covered);
}

static void
inlined_functions_need_names_on_both_sides(void)
{
	struct covered covered;

	/* Both have them: copy is not in parse of the workload. */
	cover(&covered, "app;main;parse;copy_[i] 10\napp;main;parse 10\n",
		"app;main;parse;scan_[i] 5\napp;main;parse 5\n", NULL);
	CU_ASSERT(covered.coverage.inlined);
	UNIT_NEAR(coverage_ratio(&covered.coverage), 0.5, 1e-12);
	release(&covered);
	cover(&covered, "app;main;parse;copy_[i] 10\napp;main;parse 10\n", "app;main;parse 5\n",
		NULL);
	CU_ASSERT(covered.coverage.held);
	UNIT_NEAR(coverage_ratio(&covered.coverage), 1, 1e-12);
	CU_ASSERT_EQUAL(covered.coverage.nfunctions, 1);
	release(&covered);
	/* The workload's is called by scan, and by parse, which holds scan. */
	cover(&covered, "app;main;parse;copy 10\n",
		"app;main;parse;scan_[i];copy 5\napp;main;other;copy 5\n", NULL);
	UNIT_NEAR(coverage_ratio(&covered.coverage), 1, 1e-12);
	release(&covered);
}

static void
clones_and_kinds_are_one_function(void)
{
	struct covered covered;

	cover(&covered, "app;main;parse.constprop.0;copy_[i] 10\napp;main;sys_[k] 10\n",
		"bench;main;parse;copy 5\nbench;main;parse;x_[i] 5\nbench;main;sys 5\n", NULL);
	UNIT_NEAR(covered.coverage.weights[COVERAGE_REACHED], 10, 1e-12);
	UNIT_NEAR(covered.coverage.weights[COVERAGE_NOT_REACHED], 10, 1e-12);
	release(&covered);
}

/* The outermost function that is missed would be serve() for all of it. */
static void
entries_are_parts_of_the_program(void)
{
	struct covered covered;

	cover(&covered,
		"app;serve;loop;vacuum;scan 20\napp;serve;loop;analyze;scan 18\n"
		"app;serve;loop;analyze;sort 10\napp;serve;loop;parse 2\napp;serve 1\n",
		"bench;BM;parse 5\n", NULL);
	/* analyze() has more than half of it, too. */
	CU_ASSERT_EQUAL_FATAL(covered.coverage.nentries, 4);
	check_entry(&covered, 0, "vacuum", "loop", 20);
	check_entry(&covered, 1, "scan", "analyze", 18);
	check_entry(&covered, 2, "sort", "analyze", 10);
	release(&covered);
	cover(&covered,
		"app;serve;loop;vacuum;scan 20\napp;serve;loop;analyze;scan 12\n"
		"app;serve;loop;analyze;sort 10\napp;serve;loop;parse 12\napp;serve 1\n",
		"bench;BM;parse 5\n", NULL);
	CU_ASSERT_EQUAL_FATAL(covered.coverage.nentries, 3);
	check_entry(&covered, 0, "analyze", "loop", 22);
	check_entry(&covered, 1, "vacuum", "loop", 20);
	check_entry(&covered, 2, "serve", "", 1);
	release(&covered);
}

static void
folded_text_of_functions_alone_is_read(void)
{
	struct covered covered;

	cover(&covered, "a 60\nb 30\nc 10\n", "bench;main;a 7\nbench;main;b 2\n", NULL);
	UNIT_NEAR(coverage_ratio(&covered.coverage), 0.9, 1e-12);
	check_entry(&covered, 0, "c", "", 10);
	release(&covered);
}

static void
the_picture_has_a_frame_for_each_state(void)
{
	struct covered covered;
	struct profile picture;
	unsigned states[COVERAGE_STATES] = {0};

	cover(&covered, "app;main;parse;copy 40\napp;main;vacuum;copy 25\napp;main;vacuum;x 1\n",
		"app;main;parse;copy 9\napp;main;parse 1\n", NULL);
	unsigned char *by_frame = coverage_picture(&covered.coverage, &picture);

	for (frame_id id = 1; id < picture.frames.nframes; id++)
		states[by_frame[id]]++;
	/* app, main, parse and its copy; vacuum's copy; vacuum and x. */
	CU_ASSERT_EQUAL(states[COVERAGE_REACHED], 4);
	CU_ASSERT_EQUAL(states[COVERAGE_OTHER_CALLERS], 1);
	CU_ASSERT_EQUAL(states[COVERAGE_NOT_REACHED], 2);
	folded_check(
		&picture, "app;main;parse;copy 40\napp;main;vacuum;copy 25\napp;main;vacuum;x 1\n");
	free(by_frame);
	profile_release(&picture);
	release(&covered);
}

static const struct unit_case cases[] = {
	{"the_cost_of_a_function_that_no_workload_has_is_not_reached",
		the_cost_of_a_function_that_no_workload_has_is_not_reached},
	{"other_callers_count_apart", other_callers_count_apart},
	{"callers_of_the_benchmark_stand_for_productions",
		callers_of_the_benchmark_stand_for_productions},
	{"unknown_callers_and_recursion_are_no_other_callers",
		unknown_callers_and_recursion_are_no_other_callers},
	{"code_without_a_name_is_not_reached_by_anything",
		code_without_a_name_is_not_reached_by_anything},
	{"inlined_functions_need_names_on_both_sides", inlined_functions_need_names_on_both_sides},
	{"clones_and_kinds_are_one_function", clones_and_kinds_are_one_function},
	{"entries_are_parts_of_the_program", entries_are_parts_of_the_program},
	{"folded_text_of_functions_alone_is_read", folded_text_of_functions_alone_is_read},
	{"the_picture_has_a_frame_for_each_state", the_picture_has_a_frame_for_each_state},
	{NULL, NULL},
};

void
suite_compare_coverage(void)
{
	unit_suite("compare/coverage", cases);
}
