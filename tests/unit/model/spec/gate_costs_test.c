#include "spec_fixture.h"

#include <math.h>

void suite_spec_gate_costs(void);

static void
costs_are_in_the_unit_of_the_metric(void)
{
	spec_fixture_refuses_gate("gate: {functions: {min_cost: [1]}}\n", "found a list");
	spec_fixture_refuses_gate(
		"gate: {counted: {functions: {min_cost: 2ms}}}\n", "a count such as 250k");
	struct spec_fixture f;

	spec_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(spec_fixture_gate(&f, "gate: {functions: {min_cost: 250k}}\n"
						    "capture: {metric: instructions}\n"),
		0);
	UNIT_NEAR(f.workload.gate.min_cost, 250000, 0);
	workload_release(&f.workload);
	spec_fixture_release(&f);
}

static void
costs_of_another_metric_are_not_taken_over(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	const char *path = spec_fixture_write(&f, "c.yaml",
		"gate: {functions: {min_cost: 2ms}, rules: [{module: a, max_cost: 20ms}]}\n");

	CU_ASSERT_EQUAL_FATAL(config_read(&f.config, path, &f.err), 0);
	CU_ASSERT_EQUAL_FATAL(spec_fixture_gate(&f, "capture: {metric: cpu}\n"), 0);
	UNIT_NEAR(f.workload.gate.min_cost, 2e6, 0);
	workload_release(&f.workload);
	CU_ASSERT_EQUAL_FATAL(spec_fixture_gate(&f, "capture: {metric: alloc}\n"), 0);
	UNIT_NEAR(f.workload.gate.min_cost, 0, 0);
	CU_ASSERT(isnan(f.workload.gate.rules[0].max_cost));
	workload_release(&f.workload);
	spec_fixture_release(&f);
}

static double
min_cost_of(struct spec_fixture *f, const char *text)
{
	CU_ASSERT_EQUAL_FATAL(spec_fixture_gate(f, text), 0);
	double min_cost = f->workload.gate.min_cost;

	workload_release(&f->workload);
	return min_cost;
}

static void
misses_of_a_cache_have_a_least_cost(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	UNIT_NEAR(min_cost_of(&f, "capture: {metric: l1_misses}\n"), 100, 0);
	UNIT_NEAR(min_cost_of(&f, "capture: {metric: estimated_cycles}\n"), 10000, 0);
	UNIT_NEAR(min_cost_of(&f, "gate: {functions: {min_cost: 2k}}\n"
				  "capture: {metric: ll_misses}\n"),
		2000, 0);
	const char *path =
		spec_fixture_write(&f, "c.yaml", "gate: {ll_misses: {functions: {min_cost: 7}}}\n");

	CU_ASSERT_EQUAL_FATAL(config_read(&f.config, path, &f.err), 0);
	UNIT_NEAR(min_cost_of(&f, "capture: {metric: ll_misses}\n"), 7, 0);
	UNIT_NEAR(min_cost_of(&f, "capture: {metric: l1_misses}\n"), 100, 0);
	spec_fixture_release(&f);
}

void
suite_spec_gate_costs(void)
{
	static const struct unit_case cases[] = {
		{"costs_are_in_the_unit_of_the_metric", costs_are_in_the_unit_of_the_metric},
		{"costs_of_another_metric_are_not_taken_over",
			costs_of_another_metric_are_not_taken_over},
		{"misses_of_a_cache_have_a_least_cost", misses_of_a_cache_have_a_least_cost},
		{NULL, NULL},
	};

	unit_suite("spec/gate_costs", cases);
}
