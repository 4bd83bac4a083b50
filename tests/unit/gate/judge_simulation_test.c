/*
 * Simulated gates from fixed seeds: what is unchanged must rarely fail, what is slower must fail.
 * A suite is one workload of 50 functions, 18 of them tested, 10 + 10 runs of a second at 4999 Hz.
 */
#include "gate/synthetic_gate.h"
#include "unit.h"

void suite_gate_judge_simulation(void);

#define NSUITES 1000
#define NGATES 200

static void
init_suite(struct synthetic_gate *gate)
{
	synthetic_gate_init(gate, 1);
	gate->programs[0] = synthetic_program(50);
}

static void
all_alike(double factor[SYNTHETIC_MAX])
{
	for (size_t i = 0; i < SYNTHETIC_MAX; i++)
		factor[i] = 1;
}

static void
no_change_rarely_fails(void)
{
	struct synthetic_gate gate;

	init_suite(&gate);
	struct synthetic_count count = synthetic_gates(&gate, NSUITES, 1);

	CU_ASSERT(count.gates[STATUS_FAIL] <= NSUITES / 100);
	CU_ASSERT(count.gates[STATUS_WARN] <= NSUITES / 20);
	/* What is tested is what the suite is said to have. */
	UNIT_NEAR((double)count.findings[STATUS_PASS] / NSUITES, 21, 1.5);
}

static void
overdispersed_samples_rarely_fail(void)
{
	struct synthetic_gate gate;

	init_suite(&gate);
	gate.programs[0].overdispersion = 2.5;
	struct synthetic_count count = synthetic_gates(&gate, NSUITES, 2);

	CU_ASSERT(count.gates[STATUS_FAIL] <= NSUITES / 100);
	CU_ASSERT(count.gates[STATUS_WARN] <= NSUITES / 20);
}

static void
a_third_of_noisy_functions_rarely_fails(void)
{
	struct synthetic_gate gate;

	init_suite(&gate);
	for (size_t i = 0; i < SYNTHETIC_MAX; i += 3)
		gate.programs[0].noise[i] = 0.15;
	struct synthetic_count count = synthetic_gates(&gate, NSUITES, 3);

	CU_ASSERT(count.gates[STATUS_FAIL] <= NSUITES / 100);
	/* And the largest of the noisy ones is not passed as if it had been measured. */
	CU_ASSERT(count.gates[STATUS_INCONCLUSIVE] > NSUITES / 2);
}

static void
a_machine_of_another_speed_rarely_fails(void)
{
	for (int sign = -1; sign <= 1; sign += 2) {
		struct synthetic_gate gate;

		init_suite(&gate);
		gate.after.speed = 1 + 0.15 * sign;
		struct synthetic_count count = synthetic_gates(&gate, NSUITES / 2, 4);

		CU_ASSERT(count.gates[STATUS_FAIL] <= NSUITES / 200);
	}
}

static void
a_day_of_two_percent_rarely_fails_and_seldom_warns(void)
{
	struct synthetic_gate gate;

	synthetic_gate_init(&gate, 10);
	gate.after.session_noise = 0.02;
	struct synthetic_count count = synthetic_gates(&gate, NGATES, 5);

	CU_ASSERT(count.gates[STATUS_FAIL] <= NGATES / 100);
	CU_ASSERT(count.gates[STATUS_WARN] <= NGATES / 8);
}

static void
one_function_that_improves_accuses_no_other(void)
{
	struct synthetic_gate gate;
	double factor[SYNTHETIC_MAX];

	all_alike(factor);
	factor[0] = 0.7;
	init_suite(&gate);
	gate.after.factor = factor;
	struct synthetic_count count = synthetic_gates(&gate, NSUITES, 6);

	CU_ASSERT(count.gates[STATUS_FAIL] <= NSUITES / 100);
	CU_ASSERT(count.gates[STATUS_WARN] <= NSUITES / 100);
}

static void
a_large_function_that_slows_fails_and_is_named_first(void)
{
	struct synthetic_gate gate;
	double factor[SYNTHETIC_MAX];

	all_alike(factor);
	factor[0] = 1.3;
	for (int noisy = 0; noisy < 2; noisy++) {
		init_suite(&gate);
		gate.after.factor = factor;
		gate.after.session_noise = gate.before.session_noise = noisy ? 0.02 : 0;
		struct synthetic_count count = synthetic_gates(&gate, NGATES, 7);

		CU_ASSERT_EQUAL(count.named_first, NGATES);
	}
}

/* 30 %, 50 % and 20 %: so few functions that nothing is shrunk. */
static void
a_program_of_three_functions_is_judged_too(void)
{
	struct synthetic_gate gate;
	double factor[SYNTHETIC_MAX];

	all_alike(factor);
	factor[0] = 1.3;
	synthetic_gate_init(&gate, 1);
	gate.programs[0] = (struct synthetic){.nfunctions = 3,
		.share = {0.3, 0.5, 0.2},
		.hz = 4999,
		.overdispersion = 1,
		.run_noise = 0.018};
	struct synthetic_count same = synthetic_gates(&gate, NGATES, 8);

	gate.after.factor = factor;
	struct synthetic_count slower = synthetic_gates(&gate, NGATES, 8);

	CU_ASSERT_EQUAL(same.gates[STATUS_FAIL], 0);
	CU_ASSERT(same.gates[STATUS_INCONCLUSIVE] <= NGATES / 100);
	CU_ASSERT_EQUAL(slower.named_first, NGATES);
}

static void
a_uniform_slowdown_shows_in_the_whole(void)
{
	struct synthetic_gate gate;

	init_suite(&gate);
	gate.after.speed = 1.35;
	struct synthetic_count count = synthetic_gates(&gate, NGATES, 9);

	CU_ASSERT(count.gates[STATUS_FAIL] >= NGATES - 2);
	CU_ASSERT_EQUAL(count.named_first, 0);
}

/*
 * Ten workloads at once, 170 tests: with runs of a second, functions of 5 % share are at the edge
 * of what 10 + 10 runs can tell. Three occasions in the baseline settle that.
 */
static void
unchanged_gates_conclude(void)
{
	struct synthetic_gate gate;

	synthetic_gate_init(&gate, 10);
	struct synthetic_count one = synthetic_gates(&gate, NGATES, 10);

	CU_ASSERT(one.findings[STATUS_INCONCLUSIVE] <= NGATES / 2);
	CU_ASSERT(one.findings[STATUS_PASS] > (size_t)150 * NGATES);
	synthetic_gate_init(&gate, 10);
	gate.noccasions = 3;
	struct synthetic_count three = synthetic_gates(&gate, NGATES, 10);

	CU_ASSERT(three.gates[STATUS_INCONCLUSIVE] <= NGATES / 100);
}

void
suite_gate_judge_simulation(void)
{
	static const struct unit_case cases[] = {
		{"no_change_rarely_fails", no_change_rarely_fails},
		{"overdispersed_samples_rarely_fail", overdispersed_samples_rarely_fail},
		{"a_third_of_noisy_functions_rarely_fails",
			a_third_of_noisy_functions_rarely_fails},
		{"a_machine_of_another_speed_rarely_fails",
			a_machine_of_another_speed_rarely_fails},
		{"a_day_of_two_percent_rarely_fails_and_seldom_warns",
			a_day_of_two_percent_rarely_fails_and_seldom_warns},
		{"one_function_that_improves_accuses_no_other",
			one_function_that_improves_accuses_no_other},
		{"a_large_function_that_slows_fails_and_is_named_first",
			a_large_function_that_slows_fails_and_is_named_first},
		{"a_program_of_three_functions_is_judged_too",
			a_program_of_three_functions_is_judged_too},
		{"a_uniform_slowdown_shows_in_the_whole", a_uniform_slowdown_shows_in_the_whole},
		{"unchanged_gates_conclude", unchanged_gates_conclude},
		{NULL, NULL},
	};

	unit_suite("gate/judge_simulation", cases);
}
