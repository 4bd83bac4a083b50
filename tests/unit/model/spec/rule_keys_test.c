#include "spec_fixture.h"

#include <math.h>

void suite_spec_rule_keys(void);

static void
rules_that_mean_nothing_are_refused(void)
{
	spec_fixture_refuses_gate("gate: {rules: [{each: a, max_cost: 5ms}]}\n",
		"'max_cost' cannot be combined with 'each'");
	spec_fixture_refuses_gate("gate: {rules: [{module: a, max_cost: 0}]}\n", "must be above 0");
	spec_fixture_refuses_gate(
		"gate: {rules: [{module: a, warn: never}]}\n", "has no threshold");
}

#define CALLS "capture: {metric: syscalls}\n"

static void
rules_of_symbols_hold_for_sizes_only(void)
{
	static const char text[] = "name: a\nrun: [x]\nmeasure: [cpu, size]\n"
				   "gate: {rules: [{symbol: \"parse_*\", max: 40KB}, {function: f, "
				   "fail: 5%}]}\n";
	struct workload_source source = {0};
	struct spec_fixture f;

	spec_fixture_init(&f);
	source.path = spec_fixture_write(&f, "w.yaml", text);
	source.config = &f.config;
	CU_ASSERT_EQUAL_FATAL(workload_read_from(&f.workload, &source, &f.err), 0);
	CU_ASSERT_EQUAL_FATAL(f.workload.gate.nrules, 1);
	UNIT_STR_EQ(f.workload.gate.rules[0].pattern, "f");
	CU_ASSERT(f.workload.gate.confirm);
	workload_release(&f.workload);
	source.metric = "size";
	CU_ASSERT_EQUAL_FATAL(workload_read_from(&f.workload, &source, &f.err), 0);
	const struct gate_policy *gate = &f.workload.gate;

	CU_ASSERT_EQUAL_FATAL(gate->nrules, 1);
	UNIT_STR_EQ(gate->rules[0].pattern, "parse_*");
	UNIT_NEAR(gate->rules[0].max_cost, 40960, 0);
	/* A size is exact, and there is one. */
	CU_ASSERT(!gate->confirm);
	CU_ASSERT_EQUAL(gate->new_functions, POLICY_PASS);
	UNIT_NEAR(gate->min_cost, 1024, 0);
	workload_release(&f.workload);
	spec_fixture_release(&f);
}

static void
calls_have_rules_of_their_own(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(
		spec_fixture_gate(&f,
			"gate: {rules: [{call: fdatasync, max: 8}, {call: \"read*\", fail: "
			"5%}, {call: unlink, max: 0}]}\n" CALLS),
		0);
	const struct gate_rule_spec *rules = f.workload.gate.rules;

	CU_ASSERT_EQUAL(rules[0].kind, RULE_CALL);
	UNIT_STR_EQ(rules[0].pattern, "fdatasync");
	UNIT_NEAR(rules[0].max_cost, 8, 0);
	UNIT_NEAR(rules[1].threshold.fail, 0.05, 1e-12);
	CU_ASSERT(isnan(rules[1].max_cost));
	UNIT_NEAR(rules[2].max_cost, 0, 0);
	workload_release(&f.workload);
	spec_fixture_release(&f);
	spec_fixture_refuses_gate("gate: {rules: [{call: fsync, max: 8}]}\n",
		"'call' needs the metric 'syscalls'; here it is 'cpu'");
	spec_fixture_refuses_gate(
		"gate: {alloc: {rules: [{call: fsync, max: 8}]}}\nmeasure: [cpu, alloc]\n",
		"'call' needs the metric 'syscalls'; here it is 'alloc'");
	spec_fixture_refuses_gate(
		"gate: {rules: [{call: fsync}]}\n" CALLS, "give it 'warn', 'fail' or 'max'");
	spec_fixture_refuses_gate(
		"gate: {rules: [{function: fsync, max: 8}]}\n" CALLS, "'max' needs 'call'");
	spec_fixture_refuses_gate(
		"gate: {rules: [{symbol: f, max: 0}]}\nmeasure: [size]\n", "must be above 0");
	spec_fixture_refuses_gate(
		"gate: {rules: [{call: fsync, max: 2ms}]}\n" CALLS, "a number of calls such as 8");
	spec_fixture_refuses_gate("gate: {rules: [{call: fsync, max: -1}]}\n" CALLS, "'max'");
	spec_fixture_refuses_gate(
		"gate: {rules: [{call: fsync, max: 8, max_cost: 8}]}\n" CALLS, "one of them");
	spec_fixture_refuses_gate(
		"gate: {rules: [{call: fsync, of: self, max: 8}]}\n" CALLS, "'of' needs");
	spec_fixture_refuses_gate(
		"gate: {rules: [{call: fsync, function: a, max: 8}]}\n" CALLS, "not both");
}

static void
limits_of_memory_are_those_of_its_counters(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(
		spec_fixture_workload(&f, "name: a\nrun: x\ncapture: {metric: alloc}\n"
					  "gate: {leaks: 0B, peak: 5%, counters: {alloc_peak: "
					  "{max: 2MiB}, page_faults: 5000}}\n"),
		0);
	const struct gate_policy *gate = &f.workload.gate;

	CU_ASSERT_EQUAL_FATAL(gate->ncounters, 3);
	UNIT_STR_EQ(gate->counters[0].name, "alloc_live");
	UNIT_NEAR(gate->counters[0].max, 0, 0);
	CU_ASSERT(isnan(gate->counters[0].threshold.fail));
	CU_ASSERT_EQUAL(gate->counters[0].line, 4);
	UNIT_STR_EQ(gate->counters[1].name, "alloc_peak");
	UNIT_NEAR(gate->counters[1].threshold.fail, 0.05, 1e-12);
	UNIT_NEAR(gate->counters[1].max, 2 << 20, 0);
	UNIT_STR_EQ(gate->counters[2].name, "page_faults");
	UNIT_NEAR(gate->counters[2].max, 5000, 0);
	workload_release(&f.workload);
	spec_fixture_release(&f);
}

static void
a_nearer_limit_adds_to_that_of_the_configuration(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	const char *path = spec_fixture_write(
		&f, "c.yaml", "gate: {counters: {max_rss: 5%}, alloc: {leaks: 1KiB}}\n");

	CU_ASSERT_EQUAL_FATAL(config_read(&f.config, path, &f.err), 0);
	CU_ASSERT_EQUAL_FATAL(spec_fixture_workload(&f, "name: a\nrun: x\n"
							"gate: {counters: {max_rss: 64MiB}}\n"),
		0);
	CU_ASSERT_EQUAL_FATAL(f.workload.gate.ncounters, 1);
	UNIT_NEAR(f.workload.gate.counters[0].threshold.fail, 0.05, 1e-12);
	UNIT_NEAR(f.workload.gate.counters[0].max, 64 << 20, 0);
	workload_release(&f.workload);
	CU_ASSERT_EQUAL_FATAL(
		spec_fixture_workload(&f, "name: a\nrun: x\ncapture: {metric: alloc}\n"), 0);
	CU_ASSERT_EQUAL_FATAL(f.workload.gate.ncounters, 2);
	UNIT_STR_EQ(f.workload.gate.counters[1].name, "alloc_live");
	UNIT_NEAR(f.workload.gate.counters[1].max, 1024, 0);
	workload_release(&f.workload);
	spec_fixture_release(&f);
}

void
suite_spec_rule_keys(void)
{
	static const struct unit_case cases[] = {
		{"rules_that_mean_nothing_are_refused", rules_that_mean_nothing_are_refused},
		{"calls_have_rules_of_their_own", calls_have_rules_of_their_own},
		{"rules_of_symbols_hold_for_sizes_only", rules_of_symbols_hold_for_sizes_only},
		{"limits_of_memory_are_those_of_its_counters",
			limits_of_memory_are_those_of_its_counters},
		{"a_nearer_limit_adds_to_that_of_the_configuration",
			a_nearer_limit_adds_to_that_of_the_configuration},
		{NULL, NULL},
	};

	unit_suite("spec/rule_keys", cases);
}
