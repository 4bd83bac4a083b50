/* The second sentence of the reason of a growth. */
#include "gate/findings.h"

#include "gate/reason_bench.h"
#include "unit.h"

#include <math.h>

void suite_gate_reason_addition(void);

#define ABOVE "Above the 15 % threshold."

static void
a_doubt_says_what_it_comes_from(void)
{
	struct reason_bench bench;
	struct decision *decision = &bench.test.decision;

	reason_bench_init(&bench);
	reason_bench_decide(&bench, STATUS_FAIL);
	bench.finding.status = STATUS_WARN;
	decision->weakness = WEAKNESS_LAYOUT;
	reason_bench_expect(&bench,
		ABOVE " Only a warning: no changed code is on any sampled path to it, so layout or "
		      "data is the cause.");
	bench.test.evidence.causes = &bench.causes;
	reason_bench_expect(&bench,
		ABOVE " Only a warning: no changed code is on any sampled path to it, so layout or "
		      "data is the cause.");
	bench.causes.same_file = "libp.so";
	reason_bench_expect(&bench, ABOVE
		" Only a warning: libp.so is the same file on both sides, and no changed code "
		"is on any sampled path to it.");
	decision->weakness = WEAKNESS_SAME_WORK;
	reason_bench_expect(&bench,
		ABOVE " Only a warning: the same code executes the same instructions, so layout, "
		      "cache or memory is the cause.");
	decision->weakness = WEAKNESS_SAME_PROGRAM;
	reason_bench_expect(
		&bench, ABOVE " Both sides ran the same program: the difference is the machine's.");
	decision->weakness = WEAKNESS_DISTURBED;
	bench.judgement.criteria.spread = (struct run_spread){.before = 0.02, .after = 0.12};
	reason_bench_expect(&bench,
		ABOVE " Undecided, because the cost of a run spreads by 12.0 % (SD), that of the "
		      "baseline by 2.0 %; measure both builds here (--against HEAD~1).");
	bench.judgement.criteria.disturbed_after = true;
	reason_bench_expect(&bench, ABOVE
		" Undecided, because most runs of the candidate were disturbed by other load; "
		"measure both builds here (--against HEAD~1).");
	decision->doubted = true;
	reason_bench_expect(&bench, ABOVE
		" Undecided, because runs of one build differ here as much; measure on a quieter machine (--wait-quiet 10m).");
	bench.finding.accepted = true;
	reason_bench_expect(&bench,
		ABOVE " Accepted by 'regression: pass' of the policy, without an end date.");
	reason_bench_release(&bench);
}

static void
a_failure_that_the_policy_lowers_to_a_warning_says_so(void)
{
	struct reason_bench bench;

	reason_bench_init(&bench);
	reason_bench_decide(&bench, STATUS_FAIL);
	bench.judgement.criteria.regression = POLICY_WARN;
	reason_bench_expect(&bench, ABOVE);
	bench.finding.status = STATUS_WARN;
	reason_bench_expect(&bench, ABOVE " Only a warning by 'regression: warn' of the policy.");
	/* Lowered by something else, such as another machine. */
	bench.judgement.criteria.regression = POLICY_FAIL;
	reason_bench_expect(&bench, ABOVE);
	reason_bench_release(&bench);
}

#define SAME_FILE                                                                                   \
	" libp.so is the same file on both sides: changed code calls it more often, or with other " \
	"data."

static void
growth_in_an_unchanged_file_is_caused_by_its_callers(void)
{
	static const struct waiver waiver = {
		.owner = "ann", .last_day = "2026-12-31", .max_effect = 0.5, .reason = "checks"};
	struct reason_bench bench;

	reason_bench_init(&bench);
	bench.causes.same_file = "libp.so";
	bench.test.evidence.causes = &bench.causes;
	reason_bench_decide(&bench, STATUS_FAIL);
	reason_bench_expect(&bench, ABOVE SAME_FILE);
	reason_bench_decide(&bench, STATUS_PASS);
	reason_bench_expect(&bench, "Below the 15 % threshold.");
	reason_bench_decide(&bench, STATUS_FAIL);
	bench.finding.accepted = true;
	bench.finding.waiver = bench.test.evidence.waiver = &waiver;
	bench.test.evidence.waiver_use = WAIVER_ACCEPTS;
	reason_bench_expect(&bench, ABOVE " Accepted by ann until 2026-12-31, up to 50 %: checks.");
	reason_bench_release(&bench);
}

#define MACHINE                                                                                     \
	" The stable rest of the program changed by +4.0 %: the machine, or a change that affects " \
	"all code."

static void
growth_of_the_whole_program_may_be_due_to_the_machine(void)
{
	struct reason_bench bench;
	struct comparison *comparison = &bench.judgement.comparison;

	reason_bench_init(&bench);
	bench.test.rule = FINDING_TOTAL;
	bench.test.limits = (struct limits){.asked = 0.2, .warn_at = 0.1, .fail_at = 0.2};
	bench.effect.change = 0.3;
	comparison->mode = COMPARISON_STORED;
	comparison->model.machine_speed = 1.04;
	reason_bench_decide(&bench, STATUS_FAIL);
	reason_bench_expect(&bench, "Above the 20 % threshold." MACHINE);
	reason_bench_decide(&bench, STATUS_WARN);
	reason_bench_expect(&bench,
		"Estimate above the 20 % threshold, but its confidence interval is not." MACHINE);
	reason_bench_decide(&bench, STATUS_INCONCLUSIVE);
	reason_bench_expect(&bench,
		"Undecided: estimate above the 20 % threshold, but not significant after correction "
		"for 20 tests; measure both builds here (--against HEAD~1).");
	reason_bench_decide(&bench, STATUS_PASS);
	reason_bench_expect(&bench, "Below the 20 % threshold: at most 17.5 % slower.");
	reason_bench_decide(&bench, STATUS_FAIL);
	comparison->model.machine_speed = NAN;
	reason_bench_expect(&bench, "Above the 20 % threshold.");
	/* In pairs both sides have the same machine. */
	comparison->model.machine_speed = 1.04;
	comparison->mode = COMPARISON_PAIRED;
	reason_bench_expect(&bench, "Above the 20 % threshold.");
	reason_bench_release(&bench);
}

void
suite_gate_reason_addition(void)
{
	static const struct unit_case cases[] = {
		{"a_doubt_says_what_it_comes_from", a_doubt_says_what_it_comes_from},
		{"a_failure_that_the_policy_lowers_to_a_warning_says_so",
			a_failure_that_the_policy_lowers_to_a_warning_says_so},
		{"growth_in_an_unchanged_file_is_caused_by_its_callers",
			growth_in_an_unchanged_file_is_caused_by_its_callers},
		{"growth_of_the_whole_program_may_be_due_to_the_machine",
			growth_of_the_whole_program_may_be_due_to_the_machine},
		{NULL, NULL},
	};

	unit_suite("gate/reason_addition", cases);
}
