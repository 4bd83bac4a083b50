#include "spec_fixture.h"

#include <math.h>

void suite_spec_gate_keys(void);

static void
every_key_of_the_gate_is_read(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(
		spec_fixture_gate(&f,
			"gate:\n"
			"  functions: {min_cost: 2ms}\n"
			"  strict: false\n"
			"  confirm: false\n"
			"  decide: instructions\n"
			"  policy: {regression: warn, new_functions: fail, gone_functions: "
			"warn, waivers: fail, self_check: warn}\n"
			"  rules:\n"
			"    - {module: \"libz*\", fail: 5%, max_cost: 20ms}\n"
			"    - {each: \"parse_*\", warn: 1%}\n"
			"    - {each: \"noisy_*\", warn: never, fail: never}\n"),
		0);
	const struct gate_policy *gate = &f.workload.gate;

	UNIT_NEAR(gate->min_cost, 2e6, 0);
	CU_ASSERT(!gate->strict);
	CU_ASSERT(!gate->confirm);
	CU_ASSERT_EQUAL(gate->decide, DECIDE_INSTRUCTIONS);
	CU_ASSERT_EQUAL(gate->regression, POLICY_WARN);
	CU_ASSERT_EQUAL(gate->new_functions, POLICY_FAIL);
	CU_ASSERT_EQUAL(gate->gone_functions, POLICY_WARN);
	CU_ASSERT_EQUAL(gate->waivers, POLICY_FAIL);
	CU_ASSERT_EQUAL(gate->self_check, POLICY_WARN);
	CU_ASSERT_EQUAL_FATAL(gate->nrules, 3);
	CU_ASSERT_EQUAL(gate->rules[0].kind, RULE_MODULE);
	UNIT_STR_EQ(gate->rules[0].pattern, "libz*");
	UNIT_NEAR(gate->rules[0].max_cost, 20e6, 0);
	CU_ASSERT(isnan(gate->rules[0].max_share));
	CU_ASSERT_EQUAL(gate->rules[1].kind, RULE_EACH);
	UNIT_NEAR(gate->rules[1].threshold.warn, 0.01, 1e-12);
	CU_ASSERT(isnan(gate->rules[1].max_cost));
	CU_ASSERT_EQUAL(gate->rules[2].kind, RULE_EACH);
	workload_release(&f.workload);
	spec_fixture_release(&f);
}

static void
modes_and_branches_are_read(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(
		spec_fixture_gate(&f,
			"gate:\n"
			"  paired: {total: {warn: 1%, fail: never}, functions: {min_share: 2%, "
			"floor: 1%, min_cost: 1ms}}\n"
			"  stored: {alpha: 0.01, strict: false, confirm: false}\n"
			"  branches:\n"
			"    - {branch: \"release/*\", strict: true, policy: {inconclusive: "
			"fail, regression: warn}}\n"
			"    - {branch: main, policy: {self_check: warn}}\n"),
		0);
	const struct gate_overlays *overlays = &f.workload.overlays;

	UNIT_NEAR(overlays->paired.values.total.warn, 0.01, 1e-12);
	CU_ASSERT(isnan(overlays->paired.values.total.fail));
	UNIT_NEAR(overlays->paired.values.min_share, 0.02, 1e-12);
	UNIT_NEAR(overlays->paired.values.min_cost, 1e6, 0);
	CU_ASSERT(!(overlays->paired.set & gate_bit(NULL, "confirm")));
	UNIT_NEAR(overlays->stored.values.alpha, 0.01, 1e-12);
	CU_ASSERT(overlays->stored.set & gate_bit(NULL, "strict"));
	CU_ASSERT(!overlays->stored.values.strict);
	CU_ASSERT(overlays->stored.set & gate_bit(NULL, "confirm"));
	CU_ASSERT(!overlays->stored.values.confirm);
	CU_ASSERT_EQUAL_FATAL(overlays->nbranches, 2);
	UNIT_STR_EQ(overlays->branches[0].branch, "release/*");
	CU_ASSERT(overlays->branches[0].values.strict);
	CU_ASSERT_EQUAL(overlays->branches[0].values.inconclusive, POLICY_FAIL);
	CU_ASSERT_EQUAL(overlays->branches[0].values.regression, POLICY_WARN);
	CU_ASSERT_EQUAL(overlays->branches[1].values.self_check, POLICY_WARN);
	CU_ASSERT_EQUAL(overlays->branches[1].set, gate_bit("policy", "self_check"));
	workload_release(&f.workload);
	spec_fixture_release(&f);
}

static void
what_a_workload_says_goes_before_the_defaults_of_a_mode(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(
		spec_fixture_gate(
			&f, "gate: {total: {warn: 4%, fail: 6%}, functions: {floor: 2%}}\n"),
		0);
	const struct gate_policy paired = gate_policy_resolve(
		&f.workload.gate, &f.workload.overlays, GATE_PAIRED, false, NULL);

	UNIT_NEAR(paired.total.fail, 0.06, 1e-12);
	UNIT_NEAR(paired.floor, 0.02, 1e-12);
	/* Nothing was said of these. */
	UNIT_NEAR(paired.functions.fail, 0.05, 1e-12);
	CU_ASSERT(!paired.strict);
	workload_release(&f.workload);
	spec_fixture_release(&f);
}

static struct gate_policy
policy_of_counts(const struct spec_fixture *f)
{
	return gate_policy_resolve(
		&f->workload.gate, &f->workload.overlays, GATE_PAIRED, true, NULL);
}

static void
counted_metrics_have_their_own_settings(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(
		spec_fixture_gate(&f,
			"gate: {counted: {total: {warn: 0.01%, fail: 0.02%}, functions: "
			"{min_cost: 5k}}}\n"),
		0);
	UNIT_NEAR(policy_of_counts(&f).total.warn, 0.0001, 1e-12);
	UNIT_NEAR(policy_of_counts(&f).total.fail, 0.0002, 1e-12);
	UNIT_NEAR(policy_of_counts(&f).min_cost, 5000, 0);
	UNIT_NEAR(f.workload.gate.min_cost, 0, 0);
	workload_release(&f.workload);
	/* What the workload itself sets goes before the defaults, if it does not say otherwise. */
	CU_ASSERT_EQUAL_FATAL(
		spec_fixture_gate(&f,
			"capture: {metric: instructions}\n"
			"gate: {total: {warn: 2%, fail: 3%}, functions: {fail: 0.1%}, "
			"counted: {total: {fail: 4%}}}\n"),
		0);
	UNIT_NEAR(policy_of_counts(&f).total.warn, 0.02, 1e-12);
	UNIT_NEAR(policy_of_counts(&f).total.fail, 0.04, 1e-12);
	UNIT_NEAR(policy_of_counts(&f).functions.fail, 0.001, 1e-12);
	UNIT_NEAR(policy_of_counts(&f).min_share, 0.001, 1e-12);
	workload_release(&f.workload);
	CU_ASSERT_EQUAL_FATAL(spec_fixture_gate(&f, "capture: {metric: instructions}\n"
						    "gate: {paired: {functions: {fail: 0.2%}}}\n"),
		0);
	UNIT_NEAR(policy_of_counts(&f).functions.warn, 0.0005, 1e-12);
	UNIT_NEAR(policy_of_counts(&f).functions.fail, 0.002, 1e-12);
	workload_release(&f.workload);
	/* Sampled. */
	CU_ASSERT_EQUAL_FATAL(
		spec_fixture_gate(&f, "capture: {metric: instructions, event: instructions}\n"), 0);
	UNIT_NEAR(f.workload.gate.functions.fail, 0.15, 1e-12);
	workload_release(&f.workload);
	spec_fixture_release(&f);
}

static void
what_a_configuration_says_of_all_metrics_is_not_meant_for_counts(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	const char *path = spec_fixture_write(
		&f, "c.yaml", "gate: {total: {warn: 2%, fail: 30%}, functions: {min_cost: 2ms}}\n");

	CU_ASSERT_EQUAL_FATAL(config_read(&f.config, path, &f.err), 0);
	CU_ASSERT_EQUAL_FATAL(spec_fixture_gate(&f, "capture: {metric: instructions}\n"), 0);
	UNIT_NEAR(policy_of_counts(&f).total.fail, 0.005, 1e-12);
	UNIT_NEAR(policy_of_counts(&f).min_cost, 1000, 0);
	workload_release(&f.workload);
	spec_fixture_release(&f);
}

static void
a_mode_of_the_same_file_goes_before_its_gate(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	/* In either order. */
	CU_ASSERT_EQUAL_FATAL(
		spec_fixture_gate(&f, "gate: {paired: {total: {fail: 4%}}, total: {warn: 1%, "
				      "fail: 6%}}\n"),
		0);
	const struct gate_policy paired = gate_policy_resolve(
		&f.workload.gate, &f.workload.overlays, GATE_PAIRED, false, NULL);

	UNIT_NEAR(paired.total.warn, 0.01, 1e-12);
	UNIT_NEAR(paired.total.fail, 0.04, 1e-12);
	workload_release(&f.workload);
	spec_fixture_release(&f);
}

/* More of what is refused is in tests/golden/errors_yaml. */
static void
thresholds_that_cross_in_a_mode_are_refused(void)
{
	spec_fixture_refuses_gate("gate: {stored: {functions: {warn: 30%}}}\n", "in a stored gate");
	spec_fixture_refuses_gate("gate: {counted: {total: {warn: 1%}}}\n",
		":32: error: 'warn' (1%) is above 'fail' (0.5%) of 'total' in a gate of what is");
	spec_fixture_refuses_gate("gate: {total: {warn: 1%}}\ncapture: {metric: instructions}\n",
		"'warn' (1%) is above 'fail' (0.5%)");
}

static void
what_is_wrong_in_a_mode_or_a_branch_is_located(void)
{
	spec_fixture_refuses_gate("gate: {paired: [a]}\n", "'paired' must be a mapping");
	spec_fixture_refuses_gate("gate: {branches: [a]}\n", "must be a mapping");
}

static void
calls_are_counted_one_by_one(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(spec_fixture_gate(&f, "capture: {metric: syscalls}\n"), 0);
	UNIT_NEAR(f.workload.gate.min_cost, 0, 0);
	UNIT_NEAR(f.workload.gate.functions.fail, 0.005, 1e-12);
	CU_ASSERT_EQUAL(f.workload.capture.runs, 2);
	workload_release(&f.workload);
	spec_fixture_release(&f);
}

static void
a_percentage_is_both_thresholds(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(
		spec_fixture_gate(&f, "gate: {total: 4%, functions: never, paired: {total: 2%}}\n"),
		0);
	UNIT_NEAR(f.workload.gate.total.warn, 0.04, 1e-12);
	UNIT_NEAR(f.workload.gate.total.fail, 0.04, 1e-12);
	CU_ASSERT(isnan(f.workload.gate.functions.warn) && isnan(f.workload.gate.functions.fail));
	const struct gate_policy paired = gate_policy_resolve(
		&f.workload.gate, &f.workload.overlays, GATE_PAIRED, false, NULL);

	UNIT_NEAR(paired.total.warn, 0.02, 1e-12);
	UNIT_NEAR(paired.total.fail, 0.02, 1e-12);
	workload_release(&f.workload);
	spec_fixture_refuses_gate("gate: {functions: 5}\n", "'functions' must be a percentage");
	spec_fixture_release(&f);
}

static void
modes_have_their_defaults(void)
{
	const struct gate_policy general = gate_policy_defaults();
	const struct gate_overlays overlays = gate_overlays_defaults();
	const struct gate_policy stored =
		gate_policy_resolve(&general, &overlays, GATE_STORED, false, NULL);
	const struct gate_policy paired =
		gate_policy_resolve(&general, &overlays, GATE_PAIRED, false, NULL);
	const struct gate_policy files =
		gate_policy_resolve(&general, &overlays, GATE_FILES, false, NULL);

	CU_ASSERT(stored.strict);
	UNIT_NEAR(stored.total.fail, 0.20, 0);
	UNIT_NEAR(stored.functions.warn, 0.08, 0);
	CU_ASSERT(!paired.strict);
	UNIT_NEAR(paired.total.warn, 0.03, 0);
	UNIT_NEAR(paired.total.fail, 0.05, 0);
	UNIT_NEAR(paired.functions.warn, 0.03, 0);
	UNIT_NEAR(paired.functions.fail, 0.05, 0);
	UNIT_NEAR(paired.min_share, 0.01, 0);
	UNIT_NEAR(paired.floor, 0.01, 0);
	UNIT_NEAR(files.total.fail, 0.20, 0);
	CU_ASSERT(files.strict && files.confirm && paired.confirm);
	CU_ASSERT_EQUAL(paired.regression, POLICY_FAIL);
	CU_ASSERT_EQUAL(paired.new_functions, POLICY_FAIL);
	CU_ASSERT_EQUAL(paired.gone_functions, POLICY_PASS);
}

static void
what_is_counted_has_its_defaults_in_every_mode(void)
{
	static const enum gate_mode modes[] = {GATE_STORED, GATE_PAIRED, GATE_FILES};
	const struct gate_policy general = gate_policy_defaults();
	const struct gate_overlays overlays = gate_overlays_defaults();

	for (size_t i = 0; i < 3; i++) {
		const struct gate_policy policy =
			gate_policy_resolve(&general, &overlays, modes[i], true, NULL);

		UNIT_NEAR(policy.total.warn, 0.001, 0);
		UNIT_NEAR(policy.total.fail, 0.005, 0);
		CU_ASSERT(policy.functions.warn <= 0.001);
		UNIT_NEAR(policy.functions.fail, 0.005, 0);
		UNIT_NEAR(policy.min_share, 0.001, 0);
		UNIT_NEAR(policy.min_cost, 1000, 0);
		CU_ASSERT(!policy.strict);
	}
}

static void
a_branch_goes_before_what_holds_for_counts(void)
{
	const struct gate_policy general = gate_policy_defaults();
	struct gate_overlays overlays = gate_overlays_defaults();
	const struct gate_overlay branch = {
		.branch = "main",
		.values = {.total = {.warn = 0.01}},
		.set = gate_bit("total", "warn"),
	};

	overlays.branches = &branch;
	overlays.nbranches = 1;
	const struct gate_policy policy =
		gate_policy_resolve(&general, &overlays, GATE_PAIRED, true, "main");

	/* 1 % would be above what fails. */
	UNIT_NEAR(policy.total.warn, 0.005, 0);
	UNIT_NEAR(policy.total.fail, 0.005, 0);
}

static void
every_field_is_laid_over(void)
{
	const struct gate_policy general = gate_policy_defaults();
	struct gate_overlays overlays = {0};

	overlays.stored.values = (struct gate_policy){
		.total = {.warn = NAN, .fail = 0.5},
		.functions = {.warn = 0.3, .fail = NAN},
		.min_share = 0,
		.floor = 0.2,
		.min_cost = 7,
		.alpha = 0.1,
		.strict = false,
		.confirm = false,
		.regression = POLICY_WARN,
		.new_functions = POLICY_FAIL,
		.gone_functions = POLICY_WARN,
		.inconclusive = POLICY_PASS,
		.self_check = POLICY_FAIL,
	};
	for (size_t i = 0; gate_fields[i].name; i++) {
		if (gate_fields[i].scopes == 0 && gate_fields[i].type != KEY_SECTION)
			overlays.stored.set |= UINT64_C(1) << i;
	}
	const struct gate_policy policy =
		gate_policy_resolve(&general, &overlays, GATE_STORED, false, NULL);

	CU_ASSERT(isnan(policy.total.warn));
	UNIT_NEAR(policy.total.fail, 0.5, 0);
	UNIT_NEAR(policy.functions.warn, 0.3, 0);
	CU_ASSERT(isnan(policy.functions.fail));
	UNIT_NEAR(policy.min_share, 0, 0);
	UNIT_NEAR(policy.floor, 0.2, 0);
	UNIT_NEAR(policy.min_cost, 7, 0);
	UNIT_NEAR(policy.alpha, 0.1, 0);
	CU_ASSERT(!policy.strict && !policy.confirm);
	CU_ASSERT_EQUAL(policy.regression, POLICY_WARN);
	CU_ASSERT_EQUAL(policy.new_functions, POLICY_FAIL);
	CU_ASSERT_EQUAL(policy.gone_functions, POLICY_WARN);
	CU_ASSERT_EQUAL(policy.inconclusive, POLICY_PASS);
	CU_ASSERT_EQUAL(policy.self_check, POLICY_FAIL);
}

static void
branches_that_match_are_laid_over_in_their_order(void)
{
	const struct gate_policy general = gate_policy_defaults();
	struct gate_overlays overlays = gate_overlays_defaults();
	const struct gate_overlay branches[] = {
		{.branch = "release/*",
			.values = {.alpha = 0.01, .strict = true},
			.set = gate_bit(NULL, "alpha") | gate_bit(NULL, "strict")},
		{.branch = "*", .values = {.alpha = 0.02}, .set = gate_bit(NULL, "alpha")},
		{.branch = "main", .values = {.alpha = 0.03}, .set = gate_bit(NULL, "alpha")},
	};

	overlays.branches = branches;
	overlays.nbranches = 3;
	const struct gate_policy release =
		gate_policy_resolve(&general, &overlays, GATE_PAIRED, false, "release/1.0");
	const struct gate_policy unknown =
		gate_policy_resolve(&general, &overlays, GATE_PAIRED, false, NULL);

	UNIT_NEAR(release.alpha, 0.02, 0);
	CU_ASSERT(release.strict);
	UNIT_NEAR(release.total.fail, 0.05, 0);
	UNIT_NEAR(unknown.alpha, 0.05, 0);
	CU_ASSERT(!unknown.strict);
}

static void
branches_together_never_make_warn_exceed_fail(void)
{
	const struct gate_policy general = gate_policy_defaults();
	struct gate_overlays overlays = gate_overlays_defaults();
	const struct gate_overlay branches[] = {
		{.branch = "*",
			.values = {.total = {.warn = 0.15}},
			.set = gate_bit("total", "warn")},
		{.branch = "*",
			.values = {.total = {.fail = 0.11}},
			.set = gate_bit("total", "fail")},
	};

	overlays.branches = branches;
	overlays.nbranches = 2;
	const struct gate_policy policy =
		gate_policy_resolve(&general, &overlays, GATE_STORED, false, "main");

	UNIT_NEAR(policy.total.warn, 0.11, 0);
	UNIT_NEAR(policy.total.fail, 0.11, 0);
}

void
suite_spec_gate_keys(void)
{
	static const struct unit_case cases[] = {
		{"every_key_of_the_gate_is_read", every_key_of_the_gate_is_read},
		{"modes_and_branches_are_read", modes_and_branches_are_read},
		{"what_a_workload_says_goes_before_the_defaults_of_a_mode",
			what_a_workload_says_goes_before_the_defaults_of_a_mode},
		{"counted_metrics_have_their_own_settings",
			counted_metrics_have_their_own_settings},
		{"what_a_configuration_says_of_all_metrics_is_not_meant_for_counts",
			what_a_configuration_says_of_all_metrics_is_not_meant_for_counts},
		{"a_mode_of_the_same_file_goes_before_its_gate",
			a_mode_of_the_same_file_goes_before_its_gate},
		{"thresholds_that_cross_in_a_mode_are_refused",
			thresholds_that_cross_in_a_mode_are_refused},
		{"what_is_wrong_in_a_mode_or_a_branch_is_located",
			what_is_wrong_in_a_mode_or_a_branch_is_located},
		{"a_percentage_is_both_thresholds", a_percentage_is_both_thresholds},
		{"calls_are_counted_one_by_one", calls_are_counted_one_by_one},
		{"modes_have_their_defaults", modes_have_their_defaults},
		{"what_is_counted_has_its_defaults_in_every_mode",
			what_is_counted_has_its_defaults_in_every_mode},
		{"a_branch_goes_before_what_holds_for_counts",
			a_branch_goes_before_what_holds_for_counts},
		{"every_field_is_laid_over", every_field_is_laid_over},
		{"branches_that_match_are_laid_over_in_their_order",
			branches_that_match_are_laid_over_in_their_order},
		{"branches_together_never_make_warn_exceed_fail",
			branches_together_never_make_warn_exceed_fail},
		{NULL, NULL},
	};

	unit_suite("spec/gate_keys", cases);
}
