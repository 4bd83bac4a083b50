/* The waiver that is proposed for a finding. */
#include "gate/waive.h"

#include "gate/judge_bench.h"
#include "gate/pattern.h"
#include "unit.h"

#include <math.h>

void suite_gate_new_waiver(void);

struct proposal {
	struct workload workload;
	struct judgement judgement;
	struct finding finding;
	struct arena arena;
	struct waiver waiver;
};

/* A function that grew by 30 %, by up to 33.1 % by its interval, where 15 % fails. */
static void
proposal_init(struct proposal *proposal, const char *function)
{
	*proposal = (struct proposal){.workload = {.name = "parse"}};
	struct profile *profile = &proposal->judgement.comparison.profile;
	struct finding *finding = &proposal->finding;

	proposal->judgement.input.workload = &proposal->workload;
	profile_init(profile);
	*finding = finding_of(FINDING_FUNCTIONS, function);
	finding->frame = profile_frame(profile, function, strlen(function), FRAME_USER);
	finding->status = STATUS_FAIL;
	finding->warn_at = 0.08;
	finding->fail_at = 0.15;
	finding->effect.tested = true;
	finding->effect.change = 0.3;
	finding->effect.high = 0.331;
}

static bool
proposed(struct proposal *proposal)
{
	return waiver_of_finding(
		&proposal->judgement, &proposal->finding, &proposal->arena, &proposal->waiver);
}

static void
proposal_release(struct proposal *proposal)
{
	profile_release(&proposal->judgement.comparison.profile);
	arena_release(&proposal->arena);
}

static void
a_waiver_accepts_the_interval_rounded_up(void)
{
	static const struct {
		double change;
		double high;
		double accepted;
	} cases[] = {
		{0.3, 0.331, 0.34},
		{0.3, 0.34, 0.34},
		{0.301, INFINITY, 0.31},
		{0.301, NAN, 0.31},
		{0.05, 0.0701, 0.071},
		{0.05, 0.07, 0.07},
		{0.05, 0.1, 0.1},
		/* For counts: 107 and 134 for 100, and an alloc more of a million. */
		{0.07000000000000006, 0.07000000000000006, 0.07},
		{0.34000000000000008, 0.34000000000000008, 0.34},
		{0.070001, 0.070001, 0.071},
		{0.340001, 0.340001, 0.35},
	};
	struct proposal proposal;

	proposal_init(&proposal, "f");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		proposal.finding.effect.change = cases[i].change;
		proposal.finding.effect.high = cases[i].high;
		CU_ASSERT(proposed(&proposal));
		UNIT_NEAR(proposal.waiver.max_effect, cases[i].accepted, 1e-12);
	}
	CU_ASSERT_EQUAL(proposal.waiver.kind, RULE_EACH);
	UNIT_STR_EQ(proposal.waiver.pattern, "f");
	UNIT_STR_EQ(proposal.waiver.workload, "parse");
	proposal_release(&proposal);
}

static void
only_growth_above_its_threshold_gets_one(void)
{
	struct proposal proposal;
	struct finding *finding = &proposal.finding;

	proposal_init(&proposal, "f");
	finding->status = STATUS_WARN;
	CU_ASSERT(proposed(&proposal));
	finding->status = STATUS_PASS;
	CU_ASSERT_FALSE(proposed(&proposal));
	finding->status = STATUS_INCONCLUSIVE;
	finding->effect.change = 0.08;
	CU_ASSERT(proposed(&proposal));
	finding->effect.change = 0.079;
	CU_ASSERT_FALSE(proposed(&proposal));
	/* Flagged by first runs. */
	finding->unconfirmed = true;
	CU_ASSERT(proposed(&proposal));
	finding->effect.change = finding->effect.high = 0;
	CU_ASSERT_FALSE(proposed(&proposal));
	finding->effect.change = finding->effect.high = 0.3;
	finding->effect.tested = false;
	CU_ASSERT_FALSE(proposed(&proposal));
	proposal_release(&proposal);
}

static void
other_subjects_are_waived_by_their_kind(void)
{
	const struct gate_rule_spec group = {.kind = RULE_FUNCTION, .pattern = "parse_*"};
	const struct gate_rule_spec subtree = {.kind = RULE_SUBTREE, .pattern = "main"};
	struct proposal proposal;
	struct finding *finding = &proposal.finding;

	proposal_init(&proposal, "f");
	finding->frame = 0;
	CU_ASSERT_FALSE(proposed(&proposal));
	finding->rule = FINDING_TOTAL;
	CU_ASSERT(proposed(&proposal));
	CU_ASSERT_EQUAL(proposal.waiver.kind, RULE_TOTAL);
	UNIT_STR_EQ(proposal.waiver.pattern, "whole program");
	finding->rule = FINDING_COUNTERS;
	finding->counter = &counter_kinds[COUNTER_MAX_RSS];
	CU_ASSERT(proposed(&proposal));
	CU_ASSERT_EQUAL(proposal.waiver.kind, RULE_COUNTER);
	UNIT_STR_EQ(proposal.waiver.pattern, "max_rss");
	finding->rule = FINDING_NAMED;
	finding->counter = NULL;
	finding->named = &group;
	CU_ASSERT(proposed(&proposal));
	CU_ASSERT_EQUAL(proposal.waiver.kind, RULE_EACH);
	UNIT_STR_EQ(proposal.waiver.pattern, "parse_*");
	finding->named = &subtree;
	CU_ASSERT(proposed(&proposal));
	CU_ASSERT_EQUAL(proposal.waiver.kind, RULE_SUBTREE);
	UNIT_STR_EQ(proposal.waiver.pattern, "main");
	proposal_release(&proposal);
}

static void
a_name_is_a_pattern_that_matches_it_alone(void)
{
	static const struct {
		const char *name;
		const char *pattern;
	} cases[] = {
		{"operator*", "operator\\*"},
		{"a?b[c]\\d", "a\\?b\\[c]\\\\d"},
		{"[libz.so.1]", "[unknown]"},
		{FRAME_BROKEN, FRAME_BROKEN},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct proposal proposal;

		proposal_init(&proposal, cases[i].name);
		CU_ASSERT(proposed(&proposal));
		UNIT_STR_EQ(proposal.waiver.pattern, cases[i].pattern);
		CU_ASSERT(pattern_matches(RULE_EACH, proposal.waiver.pattern,
			&proposal.judgement.comparison.profile, proposal.finding.frame));
		proposal_release(&proposal);
	}
}

static void
a_new_function_is_waived_by_its_share(void)
{
	const struct sampled functions[] = {
		{"parse", 3000, 3000}, {"print", 5000, 5000}, {"extra", 0, 2000}, {NULL, 0, 0}};
	struct bench bench;
	struct arena arena = {0};
	struct waiver waiver;

	bench_init(&bench, functions);
	judge(&bench);
	struct finding extra = finding_about(&bench, "functions", "extra");

	UNIT_NEED(extra.subject);
	CU_ASSERT(waiver_of_finding(&bench.judgement, &extra, &arena, &waiver));
	CU_ASSERT_EQUAL(waiver.kind, RULE_EACH);
	UNIT_STR_EQ(waiver.pattern, "extra");
	UNIT_NEAR(waiver.max_effect, 0.2, 1e-12);
	extra.rule = FINDING_NAMED;
	CU_ASSERT_FALSE(waiver_of_finding(&bench.judgement, &extra, &arena, &waiver));
	extra.rule = FINDING_FUNCTIONS;
	bench.judgement.compared = false;
	CU_ASSERT_FALSE(waiver_of_finding(&bench.judgement, &extra, &arena, &waiver));
	arena_release(&arena);
	bench_release(&bench);
}

void
suite_gate_new_waiver(void)
{
	static const struct unit_case cases[] = {
		{"a_waiver_accepts_the_interval_rounded_up",
			a_waiver_accepts_the_interval_rounded_up},
		{"only_growth_above_its_threshold_gets_one",
			only_growth_above_its_threshold_gets_one},
		{"other_subjects_are_waived_by_their_kind",
			other_subjects_are_waived_by_their_kind},
		{"a_name_is_a_pattern_that_matches_it_alone",
			a_name_is_a_pattern_that_matches_it_alone},
		{"a_new_function_is_waived_by_its_share", a_new_function_is_waived_by_its_share},
		{NULL, NULL},
	};

	unit_suite("gate/new_waiver", cases);
}
