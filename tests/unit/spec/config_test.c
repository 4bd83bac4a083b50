#include "spec_fixture.h"

#include <math.h>

void suite_spec_config(void);

#define SHIPPED "config/profile_run.yaml"

static void
the_shipped_file_says_the_defaults(void)
{
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
	shipped.gate = (struct gate_policy){.total = {NAN, NAN}};
	CU_ASSERT_EQUAL_FATAL(config_read(&shipped, SHIPPED, &err), 0);
	UNIT_STR_EQ(shipped.capture.metric, built_in.capture.metric);
	UNIT_STR_EQ(shipped.capture.event, built_in.capture.event);
	UNIT_STR_EQ(shipped.capture.callgraph, built_in.capture.callgraph);
	UNIT_STR_EQ(shipped.capture.pin, built_in.capture.pin);
	UNIT_NEAR(shipped.capture.frequency_hz, built_in.capture.frequency_hz, 0);
	CU_ASSERT_EQUAL(shipped.capture.runs, built_in.capture.runs);
	CU_ASSERT_EQUAL(shipped.capture.max_runs, built_in.capture.max_runs);
	CU_ASSERT_EQUAL(shipped.capture.warmup, built_in.capture.warmup);
	UNIT_NEAR(shipped.capture.timeout_s, built_in.capture.timeout_s, 0);
	UNIT_NEAR(shipped.gate.total.warn, built_in.gate.total.warn, 1e-12);
	UNIT_NEAR(shipped.gate.total.fail, built_in.gate.total.fail, 1e-12);
	UNIT_NEAR(shipped.gate.functions.warn, built_in.gate.functions.warn, 1e-12);
	UNIT_NEAR(shipped.gate.functions.fail, built_in.gate.functions.fail, 1e-12);
	UNIT_NEAR(shipped.gate.min_share, built_in.gate.min_share, 1e-12);
	UNIT_NEAR(shipped.gate.floor, built_in.gate.floor, 1e-12);
	UNIT_NEAR(shipped.gate.alpha, built_in.gate.alpha, 1e-12);
	CU_ASSERT_EQUAL(shipped.gate.missing_baseline, built_in.gate.missing_baseline);
	CU_ASSERT_EQUAL(shipped.gate.other_machine, built_in.gate.other_machine);
	CU_ASSERT_EQUAL(shipped.gate.changed_program, built_in.gate.changed_program);
	CU_ASSERT_EQUAL(shipped.gate.changed_workload, built_in.gate.changed_workload);
	/* The one difference. */
	CU_ASSERT_EQUAL(shipped.gate.inconclusive, POLICY_WARN);
	CU_ASSERT_EQUAL(built_in.gate.inconclusive, POLICY_FAIL);
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
		"keep_perfdata: true\n");

	CU_ASSERT_EQUAL_FATAL(config_read(&f.config, path, &f.err), 0);
	UNIT_STR_EQ(f.config.workloads_dir, "w");
	UNIT_STR_EQ(f.config.baselines_dir, "b");
	UNIT_STR_EQ(f.config.reports_dir, "r");
	UNIT_STR_EQ(f.config.machine_class, "fleet-1");
	CU_ASSERT(f.config.keep_perfdata);
	spec_fixture_release(&f);
}

static void
what_would_leave_the_store_is_refused(void)
{
	static const char *const wrong[] = {"machine_class: ../x\n", "machine_class: .x\n",
		"machine_class: [a]\n", "keep_perfdata: \"yes\"\n", "run: x\n",
		"capture: {metric: ../../etc}\n"};

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
		{"an_empty_file_keeps_the_defaults", an_empty_file_keeps_the_defaults},
		{NULL, NULL},
	};

	unit_suite("spec/config", cases);
}
