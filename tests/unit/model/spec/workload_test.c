#include "spec_fixture.h"

#include "profile/latency.h"

#include <math.h>

void suite_spec_workload(void);

static const char everything[] =
	"name: cjson_parse\n"
	"summary: parse and print\n"
	"build: make -C workloads cjson_parse\n"
	"run: [workloads/bin/cjson_parse, --rounds, \"60\", 7]\n"
	"setup: touch x\n"
	"teardown: rm x\n"
	"env: {LC_ALL: C, EMPTY: \"\"}\n"
	"stdin: data/in.json\n"
	"inputs: [\"*.bin\", in/..x]\n"
	"cwd: data\n"
	"capture: {metric: cpu, event: cpu-clock, frequency: 999, callgraph: fp, stack: 16KiB,\n"
	"          runs: 5, max_runs: 6, warmup: 0, repeat: 60, pin: \"2-3,5\", thread: worker 1, phases: pipe, "
	"timeout: 90s}\n"
	"gate:\n"
	"  total:     {warn: 1%, fail: never}\n"
	"  functions: {min_share: 2%, floor: 0.25%, warn: 4%, fail: 8%}\n"
	"  alpha: 0.01\n"
	"  policy: {inconclusive: warn, missing_baseline: fail, other_machine: fail,\n"
	"           changed_program: warn, changed_workload: pass}\n"
	"  rules:\n"
	"    - {function: \"parse_*\", of: total, fail: 5%}\n"
	"    - {subtree: \"cJSON_Print*\", fail: 8%, max_share: 40%}\n"
	"    - {function: \"[unknown]\", max_share: 5%}\n";

static void
every_key_is_read(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(spec_fixture_workload(&f, everything), 0);
	const struct workload *w = &f.workload;

	UNIT_STR_EQ(w->path, f.path);
	UNIT_STR_EQ(w->name, "cjson_parse");
	UNIT_STR_EQ(w->summary, "parse and print");
	UNIT_STR_EQ(w->build, "make -C workloads cjson_parse");
	UNIT_STR_EQ(w->setup, "touch x");
	UNIT_STR_EQ(w->teardown, "rm x");
	UNIT_STR_EQ(w->stdin_path, "data/in.json");
	UNIT_STR_EQ(w->inputs[0], "*.bin");
	UNIT_STR_EQ(w->inputs[1], "in/..x");
	CU_ASSERT_PTR_NULL(w->inputs[2]);
	UNIT_STR_EQ(w->cwd, "data");
	UNIT_STR_EQ(w->run[0], "workloads/bin/cjson_parse");
	UNIT_STR_EQ(w->run[2], "60");
	UNIT_STR_EQ(w->run[3], "7");
	CU_ASSERT_PTR_NULL(w->run[4]);
	UNIT_STR_EQ(w->env[0], "LC_ALL=C");
	UNIT_STR_EQ(w->env[1], "EMPTY=");
	CU_ASSERT_PTR_NULL(w->env[2]);
	UNIT_STR_EQ(w->capture.event, "cpu-clock");
	UNIT_NEAR(w->capture.frequency_hz, 999, 0);
	UNIT_STR_EQ(w->capture.callgraph, "fp");
	CU_ASSERT_EQUAL(w->capture.stack_bytes, 16384);
	CU_ASSERT_EQUAL(w->capture.runs, 5);
	CU_ASSERT_EQUAL(w->capture.max_runs, 6);
	CU_ASSERT_EQUAL(w->capture.warmup, 0);
	CU_ASSERT_EQUAL(w->capture.repeat, 60);
	UNIT_STR_EQ(w->capture.pin, "2-3,5");
	UNIT_STR_EQ(w->capture.thread, "worker 1");
	UNIT_STR_EQ(w->capture.phases, "pipe");
	UNIT_NEAR(w->capture.timeout_s, 90, 0);
	workload_release(&f.workload);
	spec_fixture_release(&f);
}

static void
the_whole_gate_is_read(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(spec_fixture_workload(&f, everything), 0);
	const struct gate_policy *gate = &f.workload.gate;

	UNIT_NEAR(gate->total.warn, 0.01, 1e-12);
	CU_ASSERT(isnan(gate->total.fail));
	UNIT_NEAR(gate->min_share, 0.02, 1e-12);
	UNIT_NEAR(gate->floor, 0.0025, 1e-12);
	UNIT_NEAR(gate->functions.fail, 0.08, 1e-12);
	UNIT_NEAR(gate->alpha, 0.01, 1e-12);
	CU_ASSERT_EQUAL(gate->inconclusive, POLICY_WARN);
	CU_ASSERT_EQUAL(gate->missing_baseline, POLICY_FAIL);
	CU_ASSERT_EQUAL(gate->changed_workload, POLICY_PASS);
	CU_ASSERT_EQUAL_FATAL(gate->nrules, 3);
	CU_ASSERT_EQUAL(gate->rules[0].kind, RULE_FUNCTION);
	CU_ASSERT_EQUAL(gate->rules[0].of, QUANTITY_TOTAL);
	UNIT_STR_EQ(gate->rules[0].pattern, "parse_*");
	CU_ASSERT(isnan(gate->rules[0].threshold.warn));
	CU_ASSERT(isnan(gate->rules[0].max_share));
	CU_ASSERT_EQUAL(gate->rules[1].kind, RULE_SUBTREE);
	CU_ASSERT_EQUAL(gate->rules[1].of, QUANTITY_TOTAL);
	UNIT_NEAR(gate->rules[1].max_share, 0.4, 1e-12);
	CU_ASSERT_EQUAL(gate->rules[1].line, 21);
	CU_ASSERT_EQUAL(gate->rules[2].of, QUANTITY_SELF);
	workload_release(&f.workload);
	spec_fixture_release(&f);
}

static void
one_text_is_run_by_the_shell(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(spec_fixture_workload(&f, "name: a\nrun: ./a | cat\n"), 0);
	UNIT_STR_EQ(f.workload.run[0], "/bin/sh");
	UNIT_STR_EQ(f.workload.run[1], "-c");
	UNIT_STR_EQ(f.workload.run[2], "./a | cat");
	CU_ASSERT_PTR_NULL(f.workload.run[3]);
	CU_ASSERT_PTR_NULL(f.workload.env[0]);
	UNIT_STR_EQ(f.workload.summary, "");
	workload_release(&f.workload);
	spec_fixture_release(&f);
}

static void
a_workload_overrides_the_configuration_and_adds_its_rules(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	const char *path = spec_fixture_write(&f, "c.yaml",
		"capture: {runs: 4, frequency: 99}\n"
		"gate: {total: {warn: 1%}, rules: [{function: a, fail: 5%}]}\n");

	CU_ASSERT_EQUAL_FATAL(config_read(&f.config, path, &f.err), 0);
	CU_ASSERT_EQUAL_FATAL(
		spec_fixture_workload(&f, "name: a\nrun: x\ncapture: {runs: 7}\n"
					  "gate: {rules: [{subtree: b, fail: 5%}]}\n"),
		0);
	CU_ASSERT_EQUAL(f.workload.capture.runs, 7);
	UNIT_NEAR(f.workload.capture.frequency_hz, 99, 0);
	UNIT_NEAR(f.workload.gate.total.warn, 0.01, 1e-12);
	UNIT_NEAR(f.workload.gate.total.fail, 0.20, 1e-12);
	CU_ASSERT_EQUAL_FATAL(f.workload.gate.nrules, 2);
	UNIT_STR_EQ(f.workload.gate.rules[0].pattern, "a");
	UNIT_CONTAINS(f.workload.gate.rules[0].file, "c.yaml");
	UNIT_STR_EQ(f.workload.gate.rules[1].pattern, "b");
	CU_ASSERT_EQUAL(f.config.gate.nrules, 1);
	workload_release(&f.workload);
	spec_fixture_release(&f);
}

static void
required_programs_have_packages_or_not(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(
		spec_fixture_workload(&f, "name: a\nrun: x\nrequires: {b: c, \"/d/*/e\": f+}\n"),
		0);
	const struct requirement *requires = f.workload.requires;

	UNIT_NEED(requires);
	UNIT_STR_EQ(requires[0].program, "b");
	UNIT_STR_EQ(requires[0].package, "c");
	UNIT_STR_EQ(requires[1].program, "/d/*/e");
	UNIT_STR_EQ(requires[1].package, "f+");
	CU_ASSERT_PTR_NULL(requires[2].program);
	workload_release(&f.workload);
	CU_ASSERT_EQUAL_FATAL(spec_fixture_workload(&f, "name: a\nrun: x\nrequires: [b]\n"), 0);
	requires = f.workload.requires;
	CU_ASSERT_PTR_NULL(f.workload.inputs);
	UNIT_STR_EQ(requires[0].program, "b");
	CU_ASSERT_PTR_NULL(requires[0].package);
	CU_ASSERT_PTR_NULL(requires[1].program);
	workload_release(&f.workload);
	spec_fixture_release(&f);
}

static void
a_missing_file_is_named(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	CU_ASSERT_EQUAL(workload_read(&f.workload, "/nowhere/w.yaml", &f.config, &f.err), -1);
	UNIT_CONTAINS(f.err.text, "'/nowhere/w.yaml'");
	spec_fixture_release(&f);
}

/* Workloads that are measured in several metrics. */

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
suite_spec_workload(void)
{
	static const struct unit_case cases[] = {
		{"every_key_is_read", every_key_is_read},
		{"the_whole_gate_is_read", the_whole_gate_is_read},
		{"one_text_is_run_by_the_shell", one_text_is_run_by_the_shell},
		{"a_workload_overrides_the_configuration_and_adds_its_rules",
			a_workload_overrides_the_configuration_and_adds_its_rules},
		{"required_programs_have_packages_or_not", required_programs_have_packages_or_not},
		{"a_missing_file_is_named", a_missing_file_is_named},
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

	unit_suite("spec/workload", cases);
}
