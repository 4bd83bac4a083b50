/* What a gate exits with, by the findings of its workloads. */
#include "gate/judge.h"

#include "gate/synthetic_gate.h"
#include "unit.h"

void suite_gate_judge_exit(void);

#define WORKLOADS 2

/* Workloads with one finding each: a status, and whether it is skipped. */
struct exits {
	struct workload workload;
	struct gate_policy policies[WORKLOADS];
	struct finding findings[WORKLOADS];
	struct judgement judgements[WORKLOADS];
	struct judgement *all[WORKLOADS];
};

static void
init(struct exits *exits, enum status first, enum status second)
{
	const enum status statuses[WORKLOADS] = {first, second};

	*exits = (struct exits){.workload = {.name = "w"}};
	for (size_t i = 0; i < WORKLOADS; i++) {
		exits->policies[i] = synthetic_policy();
		exits->findings[i] = finding_of(FINDING_FUNCTIONS, "f");
		exits->findings[i].status = statuses[i];
		exits->judgements[i].input = (struct gate_input){.workload = &exits->workload,
			.policy = &exits->policies[i],
			.skipped = statuses[i] == STATUS_SKIPPED};
		exits->judgements[i].verdict.findings = &exits->findings[i];
		exits->judgements[i].verdict.nfindings = 1;
		exits->all[i] = &exits->judgements[i];
	}
}

static int
exit_code(struct exits *exits)
{
	return judge_exit_code(exits->all, WORKLOADS);
}

static int
bisect_code(struct exits *exits)
{
	return judge_bisect_code(exits->all, WORKLOADS);
}

static void
the_severest_finding_of_any_workload_decides(void)
{
	static const struct {
		enum status statuses[WORKLOADS];
		int exit;
		int bisect;
	} cases[] = {
		{{STATUS_PASS, STATUS_WARN}, 0, 0},
		{{STATUS_PASS, STATUS_FAIL}, 1, 1},
		{{STATUS_ERROR, STATUS_FAIL}, 1, 1},
		{{STATUS_INCONCLUSIVE, STATUS_FAIL}, 1, 1},
		{{STATUS_INCONCLUSIVE, STATUS_ERROR}, 2, JUDGE_BISECT_SKIP},
		{{STATUS_PASS, STATUS_ERROR}, 2, JUDGE_BISECT_SKIP},
		{{STATUS_WARN, STATUS_INCONCLUSIVE}, 3, JUDGE_BISECT_SKIP},
		{{STATUS_PASS, STATUS_SKIPPED}, 0, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t first = 0; first < 2; first++) {
			struct exits exits;

			init(&exits, cases[i].statuses[first], cases[i].statuses[1 - first]);
			CU_ASSERT_EQUAL(exit_code(&exits), cases[i].exit);
			CU_ASSERT_EQUAL(bisect_code(&exits), cases[i].bisect);
		}
	}
	CU_ASSERT_EQUAL(judge_exit_code(NULL, 0), 0);
}

static void
undecided_findings_do_what_the_policy_of_their_workload_says(void)
{
	struct exits exits;

	init(&exits, STATUS_INCONCLUSIVE, STATUS_PASS);
	exits.policies[0].inconclusive = POLICY_WARN;
	CU_ASSERT_EQUAL(exit_code(&exits), 0);
	exits.policies[0].inconclusive = POLICY_FAIL;
	exits.policies[1].inconclusive = POLICY_WARN;
	CU_ASSERT_EQUAL(exit_code(&exits), 3);
}

static void
all_skipped_is_an_error_unless_other_shards_measure(void)
{
	struct exits exits;

	init(&exits, STATUS_SKIPPED, STATUS_SKIPPED);
	CU_ASSERT_EQUAL(exit_code(&exits), 2);
	/* All of the gate is here, and then one more elsewhere. */
	exits.judgements[1].input.planned = 2;
	CU_ASSERT_EQUAL(exit_code(&exits), 2);
	exits.judgements[1].input.planned = 3;
	CU_ASSERT_EQUAL(exit_code(&exits), 0);
}

static void
bisecting_needs_a_baseline(void)
{
	struct exits exits;

	init(&exits, STATUS_WARN, STATUS_PASS);
	CU_ASSERT_EQUAL(bisect_code(&exits), 0);
	exits.findings[0].rule = FINDING_BASELINE;
	CU_ASSERT_EQUAL(bisect_code(&exits), JUDGE_BISECT_SKIP);
	exits.findings[0].status = STATUS_PASS;
	CU_ASSERT_EQUAL(bisect_code(&exits), 0);
	exits.findings[1].status = STATUS_FAIL;
	CU_ASSERT_EQUAL(bisect_code(&exits), 1);
}

void
suite_gate_judge_exit(void)
{
	static const struct unit_case cases[] = {
		{"the_severest_finding_of_any_workload_decides",
			the_severest_finding_of_any_workload_decides},
		{"undecided_findings_do_what_the_policy_of_their_workload_says",
			undecided_findings_do_what_the_policy_of_their_workload_says},
		{"all_skipped_is_an_error_unless_other_shards_measure",
			all_skipped_is_an_error_unless_other_shards_measure},
		{"bisecting_needs_a_baseline", bisecting_needs_a_baseline},
		{NULL, NULL},
	};

	unit_suite("gate/judge_exit", cases);
}
