#include "compare/effect.h"

#include "unit.h"

#include <math.h>

void suite_compare_effect(void);

static const struct effect parse_value = {
	.tested = true,
	.alpha = 0.05,
	.change = 0.072,
	.low = 0.049,
	.high = 0.096,
	.p = 1e-6,
	.p_adjusted = 4e-4,
	.detectable = 0.059,
};

static void
check(const struct effect *effect, const char *expected)
{
	struct buf text = {0};

	effect_describe(effect, &text);
	UNIT_STR_EQ(buf_text(&text), expected);
	buf_release(&text);
}

static void
reads_as_the_design_has_it(void)
{
	check(&parse_value, "+7.2 % (95 % CI 4.9 to 9.6), p 4e-4, detectable from 5.9 %");
}

static void
the_interval_has_the_confidence_of_the_gate(void)
{
	struct effect effect = parse_value;

	effect.alpha = 0.01;
	check(&effect, "+7.2 % (99 % CI 4.9 to 9.6), p 4e-4, detectable from 5.9 %");
	effect.alpha = 0.0001;
	check(&effect, "+7.2 % (99.99 % CI 4.9 to 9.6), p 4e-4, detectable from 5.9 %");
}

static void
uncorrected_p_stands_in_before_correction(void)
{
	struct effect effect = parse_value;

	effect.p_adjusted = NAN;
	effect.change = -0.5;
	check(&effect, "-50.0 % (95 % CI 4.9 to 9.6), p 1e-6, detectable from 5.9 %");
}

static void
large_changes_are_factors(void)
{
	struct effect effect = parse_value;

	effect.change = 2.4;
	effect.low = 1.2;
	effect.high = 4.6;
	effect.p_adjusted = 0.25;
	check(&effect, "3.40x (95 % CI 2.20 to 5.60), p 0.25, detectable from 5.9 %");
	effect.p_adjusted = 0;
	effect.detectable = NAN;
	check(&effect, "3.40x (95 % CI 2.20 to 5.60), p below 1e-99");
	effect.change = 12.4;
	check(&effect, ">10x, p below 1e-99");
}

static void
an_exact_effect_has_no_interval(void)
{
	struct effect effect = parse_value;

	effect.change = effect.low = effect.high = 0.0011;
	effect.standard_error = 0;
	effect.p_adjusted = effect.detectable = 0;
	check(&effect, "+0.110 %, the same in every run");
	effect.change = effect.low = effect.high = 0;
	check(&effect, "0 %, the same in every run");
	effect.change = effect.low = effect.high = 0.25;
	check(&effect, "+25.0 %, the same in every run");
}

static void
an_untested_effect_tells_its_shares(void)
{
	struct effect effect;

	effect_clear(&effect);
	check(&effect, "");
	effect.before_share = 0.1;
	effect.after_share = 0.125;
	check(&effect, "10.0 % -> 12.5 % of the whole");
	effect.before_share = NAN;
	check(&effect, "12.5 % of the whole");
}

static void
an_interval_that_ends_at_none_has_it_in_it(void)
{
	static const struct {
		double low;
		double high;
		bool excludes;
	} cases[] = {{0.01, 0.1, true}, {-0.1, -0.01, true}, {0, 0.1, false}, {-0.1, 0, false},
		{-0.1, 0.1, false}, {0, 0, false}, {NAN, NAN, false}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct effect effect = {.low = cases[i].low, .high = cases[i].high};

		CU_ASSERT_EQUAL(effect_excludes_none(&effect), cases[i].excludes);
	}
}

static void
exact_is_what_was_tested_and_has_no_width(void)
{
	const struct effect exact = {.tested = true, .low = 0.1, .high = 0.1};
	struct effect other = exact;

	CU_ASSERT_TRUE(effect_is_exact(&exact));
	other.tested = false;
	CU_ASSERT_FALSE(effect_is_exact(&other));
	other = exact;
	other.high = 0.2;
	CU_ASSERT_FALSE(effect_is_exact(&other));
	other = exact;
	other.standard_error = 1e-9;
	CU_ASSERT_FALSE(effect_is_exact(&other));
}

static void
parts_are_put_by_themselves(void)
{
	struct effect none = {.tested = true};
	struct buf out = {0};

	effect_put_change(&none, &out);
	UNIT_STR_EQ(buf_text(&out), "0 %");
	buf_clear(&out);
	effect_put_change(&parse_value, &out);
	UNIT_STR_EQ(buf_text(&out), "+7.2 %");
	buf_clear(&out);
	effect_put_p(&parse_value, &out);
	UNIT_STR_EQ(buf_text(&out), "4e-4");
	buf_release(&out);
}

static void
nothing_known_is_not_a_number(void)
{
	struct effect effect;

	effect_clear(&effect);
	CU_ASSERT_FALSE(effect.tested);
	CU_ASSERT_TRUE(isnan(effect.change) && isnan(effect.p_adjusted));
}

void
suite_compare_effect(void)
{
	static const struct unit_case cases[] = {
		{"reads_as_the_design_has_it", reads_as_the_design_has_it},
		{"the_interval_has_the_confidence_of_the_gate",
			the_interval_has_the_confidence_of_the_gate},
		{"uncorrected_p_stands_in_before_correction",
			uncorrected_p_stands_in_before_correction},
		{"large_changes_are_factors", large_changes_are_factors},
		{"an_exact_effect_has_no_interval", an_exact_effect_has_no_interval},
		{"an_untested_effect_tells_its_shares", an_untested_effect_tells_its_shares},
		{"an_interval_that_ends_at_none_has_it_in_it",
			an_interval_that_ends_at_none_has_it_in_it},
		{"exact_is_what_was_tested_and_has_no_width",
			exact_is_what_was_tested_and_has_no_width},
		{"parts_are_put_by_themselves", parts_are_put_by_themselves},
		{"nothing_known_is_not_a_number", nothing_known_is_not_a_number},
		{NULL, NULL},
	};

	unit_suite("compare/effect", cases);
}
