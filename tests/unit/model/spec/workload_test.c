#include "spec_fixture.h"

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
		{NULL, NULL},
	};

	unit_suite("spec/workload", cases);
}
