/* Workloads that are measured in several metrics. */
#include "spec_fixture.h"

#include "spec/measured.h"

#include <math.h>

void suite_spec_measured(void);

static const char both[] = "name: a\nrun: x\nmeasure: [cpu, instructions]\n"
			   "capture: {runs: 5, event: cycles, callgraph: dwarf}\n"
			   "gate:\n"
			   "  total: {warn: 2%, fail: 3%}\n"
			   "  functions: {min_cost: 2ms}\n"
			   "  rules: [{function: f, max_cost: 5ms}]\n"
			   "  alpha: 0.01\n"
			   "  instructions:\n"
			   "    total: {fail: 0.25%}\n"
			   "    rules: [{function: g, max_cost: 7k}]\n"
			   "    paired: {functions: {min_cost: 9k}}\n";

static void
list(struct spec_fixture *f, struct workload_list *workloads, const char *name, const char *text)
{
	const char *path = spec_fixture_write(f, "a.yaml", text);

	f->config.workloads_dir = f->dir;
	CU_ASSERT_EQUAL_FATAL(
		workload_list_read(workloads, name ? &name : &path, 1, &f->config, &f->err), 0);
}

static void
a_file_gives_a_workload_for_each_metric(void)
{
	struct spec_fixture f;
	struct workload_list workloads;

	spec_fixture_init(&f);
	list(&f, &workloads, NULL, both);
	CU_ASSERT_EQUAL_FATAL(workloads.nworkloads, 2);
	const struct workload *cpu = &workloads.workloads[0];
	const struct workload *counted = &workloads.workloads[1];

	UNIT_STR_EQ(cpu->name, "a");
	UNIT_STR_EQ(counted->name, "a.instructions");
	UNIT_STR_EQ(counted->file_name, "a");
	UNIT_STR_EQ(cpu->capture.metric, "cpu");
	UNIT_STR_EQ(counted->capture.metric, "instructions");
	UNIT_STR_EQ(cpu->capture.event, "cycles");
	UNIT_STR_EQ(counted->capture.event, "auto");
	UNIT_STR_EQ(counted->capture.callgraph, "dwarf");
	CU_ASSERT_EQUAL(cpu->capture.runs, 5);
	CU_ASSERT_EQUAL(counted->capture.runs, 2);
	CU_ASSERT_STRING_NOT_EQUAL(cpu->hash, counted->hash);
	workload_list_release(&workloads);
	spec_fixture_release(&f);
}

static void
thresholds_are_those_of_a_metric_and_the_rest_is_of_all(void)
{
	struct spec_fixture f;
	struct workload_list workloads;

	spec_fixture_init(&f);
	list(&f, &workloads, NULL, both);
	const struct gate_policy *cpu = &workloads.workloads[0].gate;
	const struct gate_policy *counted = &workloads.workloads[1].gate;

	UNIT_NEAR(cpu->total.fail, 0.03, 0);
	UNIT_NEAR(cpu->min_cost, 2e6, 0);
	CU_ASSERT_EQUAL_FATAL(cpu->nrules, 1);
	UNIT_STR_EQ(cpu->rules[0].pattern, "f");
	UNIT_NEAR(cpu->alpha, 0.01, 0);
	UNIT_NEAR(counted->total.fail, 0.0025, 1e-12);
	UNIT_NEAR(counted->total.warn, 0.001, 1e-12);
	UNIT_NEAR(counted->min_cost, 1000, 0);
	CU_ASSERT_EQUAL_FATAL(counted->nrules, 1);
	UNIT_STR_EQ(counted->rules[0].pattern, "g");
	UNIT_NEAR(counted->rules[0].max_cost, 7000, 0);
	UNIT_NEAR(counted->alpha, 0.01, 0);
	struct gate_policy paired = gate_policy_resolve(
		counted, &workloads.workloads[1].overlays, GATE_PAIRED, true, NULL);

	UNIT_NEAR(paired.min_cost, 9000, 0);
	UNIT_NEAR(paired.functions.fail, 0.005, 1e-12);
	workload_list_release(&workloads);
	spec_fixture_release(&f);
}

static void
one_metric_is_named_by_itself(void)
{
	struct spec_fixture f;
	struct workload_list workloads;
	const char *path;
	const char *name = "a.alloc";

	spec_fixture_init(&f);
	list(&f, &workloads, "a.instructions", both);
	CU_ASSERT_EQUAL_FATAL(workloads.nworkloads, 1);
	UNIT_STR_EQ(workloads.workloads[0].name, "a.instructions");
	workload_list_release(&workloads);
	list(&f, &workloads, "a", both);
	CU_ASSERT_EQUAL(workloads.nworkloads, 2);
	workload_list_release(&workloads);
	path = name;
	CU_ASSERT_EQUAL(workload_list_read(&workloads, &path, 1, &f.config, &f.err), -1);
	UNIT_CONTAINS(f.err.text, "the workload 'a' does not measure 'alloc'");
	spec_fixture_release(&f);
}

static void
a_configuration_says_what_a_metric_starts_from(void)
{
	struct spec_fixture f;
	struct workload_list workloads;

	spec_fixture_init(&f);
	const char *path = spec_fixture_write(&f, "c.yaml",
		"gate:\n  total: {fail: 30%}\n  functions: {min_cost: 4ms}\n"
		"  instructions: {total: {fail: 2%}, functions: {min_cost: 6k, fail: 4%}}\n");

	CU_ASSERT_EQUAL_FATAL(config_read(&f.config, path, &f.err), 0);
	list(&f, &workloads, NULL,
		"name: a\nrun: x\nmeasure: [cpu, instructions]\n"
		"gate: {instructions: {functions: {fail: 3%}}}\n");
	UNIT_NEAR(workloads.workloads[0].gate.total.fail, 0.3, 0);
	UNIT_NEAR(workloads.workloads[0].gate.min_cost, 4e6, 0);
	UNIT_NEAR(workloads.workloads[1].gate.total.fail, 0.02, 0);
	UNIT_NEAR(workloads.workloads[1].gate.min_cost, 6000, 0);
	UNIT_NEAR(workloads.workloads[1].gate.functions.fail, 0.03, 0);
	workload_list_release(&workloads);
	spec_fixture_release(&f);
}

static void
a_metric_that_is_first_has_the_name_and_the_plain_thresholds(void)
{
	struct spec_fixture f;
	struct workload_list workloads;

	spec_fixture_init(&f);
	list(&f, &workloads, NULL,
		"name: a\nrun: x\nmeasure: [instructions]\n"
		"gate: {total: {fail: 5%}, alpha: 0.02}\n");
	CU_ASSERT_EQUAL_FATAL(workloads.nworkloads, 1);
	UNIT_STR_EQ(workloads.workloads[0].name, "a");
	UNIT_NEAR(workloads.workloads[0].gate.total.fail, 0.05, 0);
	CU_ASSERT_EQUAL(workloads.workloads[0].capture.runs, 2);
	workload_list_release(&workloads);
	spec_fixture_release(&f);
}

static void
another_file_judges_by_what_it_says_of_the_metric(void)
{
	struct spec_fixture f;
	struct yaml_file judge;

	spec_fixture_init(&f);
	const char *text = "name: a\nrun: x\nmeasure: [cpu]\n"
			   "gate: {total: {warn: 1%, fail: 2%}, cpu: {alpha: 0.03}}\n";

	CU_ASSERT_EQUAL_FATAL(yaml_parse(&judge, "judge.yaml", text, strlen(text), &f.err), 0);
	const char *path = spec_fixture_write(&f, "a.yaml", both);
	struct workload_source source = {
		.path = path, .config = &f.config, .judge = &judge, .metric = "instructions"};

	CU_ASSERT_EQUAL_FATAL(workload_read_from(&f.workload, &source, &f.err), 0);
	UNIT_NEAR(f.workload.gate.total.fail, 0.005, 1e-12);
	CU_ASSERT_EQUAL(f.workload.gate.nrules, 0);
	workload_release(&f.workload);
	source.metric = "cpu";
	CU_ASSERT_EQUAL_FATAL(workload_read_from(&f.workload, &source, &f.err), 0);
	UNIT_NEAR(f.workload.gate.total.fail, 0.02, 0);
	UNIT_NEAR(f.workload.gate.alpha, 0.03, 0);
	workload_release(&f.workload);
	yaml_release(&judge);
	spec_fixture_release(&f);
}

void
suite_spec_measured(void)
{
	static const struct unit_case cases[] = {
		{"a_file_gives_a_workload_for_each_metric",
			a_file_gives_a_workload_for_each_metric},
		{"thresholds_are_those_of_a_metric_and_the_rest_is_of_all",
			thresholds_are_those_of_a_metric_and_the_rest_is_of_all},
		{"one_metric_is_named_by_itself", one_metric_is_named_by_itself},
		{"a_configuration_says_what_a_metric_starts_from",
			a_configuration_says_what_a_metric_starts_from},
		{"a_metric_that_is_first_has_the_name_and_the_plain_thresholds",
			a_metric_that_is_first_has_the_name_and_the_plain_thresholds},
		{"another_file_judges_by_what_it_says_of_the_metric",
			another_file_judges_by_what_it_says_of_the_metric},
		{NULL, NULL},
	};

	unit_suite("spec/measured", cases);
}
