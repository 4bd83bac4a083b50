#include "spec_fixture.h"

#include "profile/latency.h"

#include <math.h>

void suite_spec_latency_keys(void);

static void
a_source_has_its_format_and_what_that_needs(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(spec_fixture_workload(&f, "name: a\nrun: x\n"
							"latency: {format: hdr, unit: ms, "
							"file: out.hgrm}\n"),
		0);
	UNIT_NEED(f.workload.latency);
	CU_ASSERT_EQUAL(f.workload.latency->format, LATENCY_HDR);
	UNIT_STR_EQ(latency_unit_names[f.workload.latency->unit], "ms");
	UNIT_STR_EQ(f.workload.latency->file, "out.hgrm");
	CU_ASSERT_PTR_NULL(f.workload.latency->test);
	workload_release(&f.workload);
	CU_ASSERT_EQUAL_FATAL(
		spec_fixture_workload(&f, "name: a\nrun: x\n"
					  "latency: {format: redis-benchmark, test: GET}\n"),
		0);
	UNIT_STR_EQ(f.workload.latency->test, "GET");
	CU_ASSERT_PTR_NULL(f.workload.latency->file);
	workload_release(&f.workload);
	CU_ASSERT_EQUAL_FATAL(spec_fixture_workload(&f, "name: a\nrun: x\n"), 0);
	CU_ASSERT_PTR_NULL(f.workload.latency);
	workload_release(&f.workload);
	spec_fixture_release(&f);
}

static void
percentiles_and_costs_per_operation_are_counters(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(
		spec_fixture_workload(&f, "name: a\nrun: x\nlatency: {format: wrk}\n"
					  "gate: {latency: {p50: 10%, p99.9: {warn: 20%, fail: "
					  "30%}, max: 20ms}, per_op: {cpu: {fail: 5%, max: "
					  "40us}, context_switches: 2%}}\n"),
		0);
	const struct gate_policy *gate = &f.workload.gate;

	CU_ASSERT_EQUAL_FATAL(gate->ncounters, 5);
	UNIT_STR_EQ(gate->counters[0].name, "latency_p50");
	UNIT_NEAR(gate->counters[0].threshold.fail, 0.1, 1e-12);
	UNIT_STR_EQ(gate->counters[1].name, "latency_p99.9");
	UNIT_NEAR(gate->counters[1].threshold.warn, 0.2, 1e-12);
	UNIT_STR_EQ(gate->counters[2].name, "latency_max");
	UNIT_NEAR(gate->counters[2].max, 20e6, 0);
	UNIT_STR_EQ(gate->counters[3].name, "cpu_per_op");
	UNIT_NEAR(gate->counters[3].max, 40e3, 0);
	UNIT_STR_EQ(gate->counters[4].name, "context_switches_per_op");
	workload_release(&f.workload);
	spec_fixture_release(&f);
}

static const char *
only_limit(const struct workload *workload)
{
	CU_ASSERT_EQUAL(workload->gate.ncounters, 1);
	return workload->gate.ncounters > 0 ? workload->gate.counters[0].name : "";
}

/* The latency is the first metric's, a cost per operation that of the metric it is named as. */
static void
each_metric_has_its_own_costs_per_operation(void)
{
	static const struct {
		const char *metric;
		const char *limit;
	} cases[] = {{"alloc", "alloc_per_op"}, {"syscalls", "syscalls_per_op"}};
	struct spec_fixture f;

	spec_fixture_init(&f);
	const char *path = spec_fixture_write(&f, "w.yaml",
		"name: a\nrun: x\nmeasure: [cpu, alloc, syscalls]\nlatency: {format: wrk}\n"
		"gate: {latency: {p50: 10%}, per_op: {syscalls: 2%, alloc: 1%, write_bytes: 3%}}\n");

	for (size_t i = 0; i < 2; i++) {
		struct workload_source source = {
			.path = path, .config = &f.config, .metric = cases[i].metric};

		CU_ASSERT_EQUAL_FATAL(workload_read_from(&f.workload, &source, &f.err), 0);
		UNIT_STR_EQ(only_limit(&f.workload), cases[i].limit);
		workload_release(&f.workload);
	}
	CU_ASSERT_EQUAL_FATAL(workload_read(&f.workload, path, &f.config, &f.err), 0);
	CU_ASSERT_EQUAL_FATAL(f.workload.gate.ncounters, 2);
	UNIT_STR_EQ(f.workload.gate.counters[0].name, "latency_p50");
	UNIT_STR_EQ(f.workload.gate.counters[1].name, "write_bytes_per_op");
	workload_release(&f.workload);
	spec_fixture_release(&f);
}

static void
counts_of_a_service_are_taken_as_often_as_set(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	const char *path = spec_fixture_write(&f, "w.yaml",
		"name: a\nrun: x\nmeasure: [cpu, alloc]\ncapture: {runs: 7}\n"
		"service: {start: [y], ready: {tcp: 7777}}\n");
	struct workload_source source = {.path = path, .config = &f.config, .metric = "alloc"};

	CU_ASSERT_EQUAL_FATAL(workload_read_from(&f.workload, &source, &f.err), 0);
	CU_ASSERT_EQUAL(f.workload.capture.runs, 7);
	workload_release(&f.workload);
	source.path = spec_fixture_write(&f, "w.yaml",
		"name: a\nrun: x\nmeasure: [cpu, alloc]\n"
		"service: {start: [y], ready: {tcp: 7777}}\n");
	CU_ASSERT_EQUAL_FATAL(workload_read_from(&f.workload, &source, &f.err), 0);
	CU_ASSERT_EQUAL(f.workload.capture.runs, 2);
	workload_release(&f.workload);
	spec_fixture_release(&f);
}

void
suite_spec_latency_keys(void)
{
	static const struct unit_case cases[] = {
		{"a_source_has_its_format_and_what_that_needs",
			a_source_has_its_format_and_what_that_needs},
		{"percentiles_and_costs_per_operation_are_counters",
			percentiles_and_costs_per_operation_are_counters},
		{"each_metric_has_its_own_costs_per_operation",
			each_metric_has_its_own_costs_per_operation},
		{"counts_of_a_service_are_taken_as_often_as_set",
			counts_of_a_service_are_taken_as_often_as_set},
		{NULL, NULL},
	};

	unit_suite("spec/latency_keys", cases);
}
