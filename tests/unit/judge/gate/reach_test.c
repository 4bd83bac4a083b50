/* Pairs of a program of which the change reaches one function only, on a machine of much drift. */
#include "gate/evidence.h"
#include "gate/paired_bench.h"

#include <string.h>

void suite_gate_reach(void);

#define PAIRS 6

/* The finding about the whole program after 6 of `most` pairs, once the code of `changed` is read.
 */
static struct finding
whole_after(unsigned most, size_t changed, double factor, bool *explained)
{
	struct synthetic program = synthetic_program(20);
	struct paired_bench bench;
	struct judgement *judgement = &bench.judgement;
	double factors[SYNTHETIC_MAX];

	program.run_noise = 0.04;
	for (size_t i = 0; i < SYNTHETIC_MAX; i++)
		factors[i] = i == changed ? factor : 1;
	paired_bench_init(&bench, &program, PAIRS, factors);
	paired_bench_prepare(&bench);
	bench.judgement.input.looks.most = most;
	looks_add(&bench.judgement.input.looks, PAIRS, most - PAIRS);
	judge_tests(&judgement, 1);
	CU_ASSERT(judgement_wants_code(judgement));
	paired_bench_read_code(&bench, changed);
	judge_decide(&judgement, 1, &bench.overall);
	const struct finding finding = *paired_bench_finding(&bench, "total", "whole program");

	*explained = !strstr(finding.reason, "the functions that the change reaches");
	paired_bench_release(&bench);
	return finding;
}

static void
a_whole_is_not_waited_for_where_changed_code_is_a_small_part(void)
{
	bool explained;
	const struct finding finding = whole_after(3 * PAIRS, 10, 1, &explained);

	CU_ASSERT_EQUAL(finding.status, STATUS_PASS);
	CU_ASSERT_FALSE(finding_is_open(&finding));
	CU_ASSERT_FALSE(explained);
	/* Its interval is as wide as it was. */
	CU_ASSERT(finding.effect.high > finding.asked);
}

static void
a_whole_is_undecided_where_changed_code_may_explain_it(void)
{
	bool explained;
	const struct finding grown = whole_after(PAIRS, 10, 3, &explained);

	CU_ASSERT_TRUE(finding_is_open(&grown));
	CU_ASSERT_TRUE(explained);
}

void
suite_gate_reach(void)
{
	static const struct unit_case cases[] = {
		{"a_whole_is_not_waited_for_where_changed_code_is_a_small_part",
			a_whole_is_not_waited_for_where_changed_code_is_a_small_part},
		{"a_whole_is_undecided_where_changed_code_may_explain_it",
			a_whole_is_undecided_where_changed_code_may_explain_it},
		{NULL, NULL},
	};

	unit_suite("gate/reach", cases);
}
