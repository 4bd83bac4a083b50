#include "spec_fixture.h"

#include <math.h>

void suite_spec_config(void);

#define SHIPPED "config/profile_run.yaml"

static void
check_capture(const struct capture_policy *shipped, const struct capture_policy *built_in)
{
	UNIT_STR_EQ(shipped->metric, built_in->metric);
	UNIT_STR_EQ(shipped->event, built_in->event);
	UNIT_STR_EQ(shipped->callgraph, built_in->callgraph);
	UNIT_STR_EQ(shipped->pin, built_in->pin);
	UNIT_NEAR(shipped->frequency_hz, built_in->frequency_hz, 0);
	CU_ASSERT_EQUAL(shipped->runs, built_in->runs);
	CU_ASSERT_EQUAL(shipped->max_runs, built_in->max_runs);
	CU_ASSERT_EQUAL(shipped->warmup, built_in->warmup);
	UNIT_NEAR(shipped->timeout_s, built_in->timeout_s, 0);
}

static void
check_gate(const struct gate_policy *shipped, const struct gate_policy *built_in)
{
	UNIT_NEAR(shipped->total.warn, built_in->total.warn, 1e-12);
	UNIT_NEAR(shipped->total.fail, built_in->total.fail, 1e-12);
	UNIT_NEAR(shipped->functions.warn, built_in->functions.warn, 1e-12);
	UNIT_NEAR(shipped->functions.fail, built_in->functions.fail, 1e-12);
	UNIT_NEAR(shipped->min_share, built_in->min_share, 1e-12);
	UNIT_NEAR(shipped->floor, built_in->floor, 1e-12);
	UNIT_NEAR(shipped->alpha, built_in->alpha, 1e-12);
	CU_ASSERT_EQUAL(shipped->strict, built_in->strict);
	CU_ASSERT_EQUAL(shipped->confirm, built_in->confirm);
	CU_ASSERT_EQUAL(shipped->regression, built_in->regression);
	CU_ASSERT_EQUAL(shipped->new_functions, built_in->new_functions);
	CU_ASSERT_EQUAL(shipped->gone_functions, built_in->gone_functions);
	CU_ASSERT_EQUAL(shipped->missing_baseline, built_in->missing_baseline);
	CU_ASSERT_EQUAL(shipped->other_machine, built_in->other_machine);
	CU_ASSERT_EQUAL(shipped->changed_program, built_in->changed_program);
	CU_ASSERT_EQUAL(shipped->changed_workload, built_in->changed_workload);
	CU_ASSERT_EQUAL(shipped->waivers, built_in->waivers);
	CU_ASSERT_EQUAL(shipped->self_check, built_in->self_check);
}

static void
the_shipped_file_says_the_defaults(void)
{
	static const enum gate_mode modes[] = {GATE_STORED, GATE_PAIRED, GATE_FILES};
	const enum policy_action neither = (enum policy_action)9;
	struct config built_in;
	struct config shipped;
	struct err err = {0};

	if (!file_exists(SHIPPED)) {
		unit_skip("not started in the repository's root");
		return;
	}
	config_init(&built_in);
	config_init(&shipped);
	/* So that a key that the file leaves out is seen to differ. */
	shipped.capture = (struct capture_policy){0};
	shipped.overlays = (struct gate_overlays){0};
	shipped.gate = (struct gate_policy){
		.total = {NAN, NAN},
		.changed_program = neither,
		.gone_functions = neither,
		.self_check = neither,
	};
	CU_ASSERT_EQUAL_FATAL(config_read(&shipped, SHIPPED, &err), 0);
	check_capture(&shipped.capture, &built_in.capture);
	for (size_t i = 0; i < 6; i++) {
		const struct gate_policy a = gate_policy_resolve(
			&shipped.gate, &shipped.overlays, modes[i / 2], i % 2 != 0, "main");
		const struct gate_policy b = gate_policy_resolve(
			&built_in.gate, &built_in.overlays, modes[i / 2], i % 2 != 0, "main");

		check_gate(&a, &b);
		CU_ASSERT_EQUAL(a.inconclusive, b.inconclusive);
		UNIT_NEAR(a.disturbed, b.disturbed, 0);
	}
	UNIT_NEAR(shipped.budget_s, built_in.budget_s, 0);
	UNIT_NEAR(shipped.build_timeout_s, built_in.build_timeout_s, 0);
	CU_ASSERT_EQUAL(shipped.prepare, built_in.prepare);
	config_release(&shipped);
	config_release(&built_in);
}

static void
folders_and_switches_are_read(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	const char *path = spec_fixture_write(&f, "c.yaml",
		"workloads: w\nbaselines: b\nreports: r\nmachine_class: fleet-1\n"
		"source_url: https://git.lan/tool/{path}?at={commit}#{line}\n"
		"keep_perfdata: true\ncoverage: {min: 80%}\nbudget: 10m\nbuild_timeout: 2h\nprepare: true\n");

	CU_ASSERT_EQUAL_FATAL(config_read(&f.config, path, &f.err), 0);
	UNIT_STR_EQ(f.config.workloads_dir, "w");
	UNIT_STR_EQ(f.config.baselines_dir, "b");
	UNIT_STR_EQ(f.config.reports_dir, "r");
	UNIT_STR_EQ(f.config.machine_class, "fleet-1");
	UNIT_STR_EQ(f.config.source_url, "https://git.lan/tool/{path}?at={commit}#{line}");
	CU_ASSERT(f.config.keep_perfdata);
	UNIT_NEAR(f.config.budget_s, 600, 0);
	UNIT_NEAR(f.config.build_timeout_s, 7200, 0);
	UNIT_NEAR(f.config.coverage_min, 0.8, 0);
	CU_ASSERT(f.config.prepare);
	spec_fixture_release(&f);
}

static void
what_would_leave_the_store_is_refused(void)
{
	static const char *const wrong[] = {"machine_class: ../x\n", "machine_class: .x\n",
		"machine_class: [a]\n", "coverage: 80%\n", "coverage: {min: 101%}\n",
		"source_url: javascript:alert({path})\n", "keep_perfdata: \"yes\"\n", "run: x\n",
		"capture: {metric: ../../etc}\n", "budget: 10\n", "budget: 200h\n",
		"prepare: maybe\n", "gate: {functions: {min_cost: 2}}\n"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct spec_fixture f;

		spec_fixture_init(&f);
		const char *path = spec_fixture_write(&f, "c.yaml", wrong[i]);

		CU_ASSERT_EQUAL(config_read(&f.config, path, &f.err), -1);
		UNIT_CONTAINS(f.err.text, "c.yaml:1:");
		spec_fixture_release(&f);
	}
}

static void
links_to_the_source_are_of_the_web(void)
{
	static const char *const wrong[] = {"git.lan/{path}", "javascript:alert({path})",
		"file:///{path}", "https://git.lan/x", "https:///{path}", "https://{path}",
		"https://git.lan/{path}/{branch}", "https://git.lan/{path",
		"https://git.lan/\\{path}", "https://git.lan/a b{path}", "https://git.lan/({path})",
		"https://git.lan/{path}\"", "https://git.lan/{path}'", "https://git.lan/<{path}>",
		"https://git.lan/{path}\n", "https://git.lan/\xc3\xb6/{path}", "none", ""};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CU_ASSERT_FALSE(config_is_source_url(wrong[i]));
	CU_ASSERT_TRUE(config_is_source_url("http://git.lan:3000/{path}"));
	CU_ASSERT_TRUE(
		config_is_source_url("https://a/b/-/blob/{commit}/{path}?x=1&y=%20#L{line}"));
}

static void
an_empty_file_keeps_the_defaults(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	CU_ASSERT_EQUAL(
		config_read(&f.config, spec_fixture_write(&f, "c.yaml", "# nothing\n"), &f.err), 0);
	CU_ASSERT_EQUAL(f.config.capture.runs, 10);
	spec_fixture_release(&f);
}

void
suite_spec_config(void)
{
	static const struct unit_case cases[] = {
		{"the_shipped_file_says_the_defaults", the_shipped_file_says_the_defaults},
		{"folders_and_switches_are_read", folders_and_switches_are_read},
		{"what_would_leave_the_store_is_refused", what_would_leave_the_store_is_refused},
		{"links_to_the_source_are_of_the_web", links_to_the_source_are_of_the_web},
		{"an_empty_file_keeps_the_defaults", an_empty_file_keeps_the_defaults},
		{NULL, NULL},
	};

	unit_suite("spec/config", cases);
}
