#include "spec_fixture.h"

#include <math.h>

void suite_spec_gate_fields(void);

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
suite_spec_gate_fields(void)
{
	static const struct unit_case cases[] = {
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

	unit_suite("spec/gate_fields", cases);
}
