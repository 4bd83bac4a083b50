#include "spec_fixture.h"

#include <math.h>

void suite_spec_counter_keys(void);

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
suite_spec_counter_keys(void)
{
	static const struct unit_case cases[] = {
		{"limits_of_memory_are_those_of_its_counters",
			limits_of_memory_are_those_of_its_counters},
		{"a_nearer_limit_adds_to_that_of_the_configuration",
			a_nearer_limit_adds_to_that_of_the_configuration},
		{NULL, NULL},
	};

	unit_suite("spec/counter_keys", cases);
}
