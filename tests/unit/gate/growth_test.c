#include "gate/growth.h"

#include "compare/stats.h"
#include "unit.h"

#include <math.h>

void suite_gate_growth(void);

#define NTESTS 20

/* An effect with this estimate and standard error, of which `spread` is the days' part. */
struct measured {
	double change;
	double error;
	double spread;
};

static struct finding
finding_with(const struct measured *measured, double warn, double fail)
{
	struct finding finding = finding_of("functions", "f");
	struct effect *effect = &finding.effect;
	double middle = log1p(measured->change);
	double reach = stats_t_quantile(0.025, INFINITY) * measured->error;

	effect->tested = true;
	effect->before_share = 0.3;
	effect->change = measured->change;
	effect->low = expm1(middle - reach);
	effect->high = expm1(middle + reach);
	effect->standard_error = measured->error;
	effect->spread = measured->spread;
	effect->df = INFINITY;
	effect->p = stats_t_survival(middle / measured->error, INFINITY);
	effect->p_adjusted = fmin(1, NTESTS * effect->p);
	effect->detectable = expm1(
		(stats_t_quantile(0.05 / NTESTS, INFINITY) + stats_t_quantile(0.05, INFINITY)) *
		measured->error);
	growth_limits(&finding, &(const struct threshold){.warn = warn, .fail = fail}, 0);
	return finding;
}

static enum status
judged(const struct measured *measured, const struct growth_policy *policy, const char *part)
{
	struct finding finding = finding_with(measured, 0.08, 0.15);
	struct verdict verdict;
	struct verdict_builder builder;

	verdict_begin(&verdict, &builder);
	growth_judge(&finding, policy, &builder);
	UNIT_CONTAINS(finding.reason, part);
	verdict_release(&verdict);
	return finding.status;
}

static const struct growth_policy firm = {.alpha = 0.05};

static void
only_an_interval_above_what_fails_fails(void)
{
	/* ln 1.15 + 1.96 * 0.03 is ln 1.2197. */
	const struct measured above = {0.221, 0.03, 0.028};
	const struct measured reaching = {0.218, 0.03, 0.028};

	CU_ASSERT_EQUAL(judged(&above, &firm, "15.0 % that fail, with all"), STATUS_FAIL);
	CU_ASSERT_EQUAL(judged(&reaching, &firm, "reaches below"), STATUS_WARN);
}

static void
what_is_significant_and_above_what_warns_warns(void)
{
	/* z = 3.0, and p = 0.0014 is significant among 20. */
	const struct measured above = {0.082, 0.026, 0};
	const struct measured below = {0.078, 0.025, 0};
	/* z = 2.6: 20 p is 0.09, so the estimate is not above what warns for sure. */
	const struct measured chance = {0.082, 0.030, 0};

	CU_ASSERT_EQUAL(judged(&above, &firm, "8.0 % that warn"), STATUS_WARN);
	CU_ASSERT_EQUAL(judged(&below, &firm, "No growth"), STATUS_PASS);
	CU_ASSERT_EQUAL(judged(&chance, &firm, "No growth"), STATUS_PASS);
}

/* From what is asked on, an estimate significant by itself warns; one that may be chance is open.
 */
static void
an_estimate_of_what_is_asked_never_passes(void)
{
	/* z = 1.8: p = 0.04, and 20 p is not significant. */
	const struct measured likely = {0.16, 0.0825, 0};
	/* z = 1.5: p = 0.07. */
	const struct measured chance = {0.16, 0.099, 0};
	const struct growth_policy warns = {.alpha = 0.05, .warns_when_unsure = true};

	CU_ASSERT_EQUAL(judged(&likely, &firm, "Grew"), STATUS_WARN);
	CU_ASSERT_EQUAL(judged(&chance, &firm, "may be chance"), STATUS_INCONCLUSIVE);
	CU_ASSERT_EQUAL(judged(&chance, &warns, "two occasions differ"), STATUS_WARN);
}

static void
a_pass_needs_power_or_an_upper_bound_below_what_is_asked(void)
{
	/* z(0.05 / 20) + z(0.05) = 4.452: 0.031 could have seen 14.8 %, 0.032 no less than 15.3 %.
	 */
	const struct measured seen = {0.10, 0.0310, 0};
	const struct measured missed = {0.10, 0.0320, 0};
	/* But ln 1.05 + 1.645 * 0.05 is below ln 1.15, and ln 1.06 + 1.645 * 0.05 just above. */
	const struct measured excluded = {0.05, 0.05, 0};
	const struct measured open = {0.06, 0.05, 0};
	struct finding finding = finding_with(&seen, NAN, 0.15);

	CU_ASSERT(finding.effect.detectable < 0.15);
	finding = finding_with(&missed, NAN, 0.15);
	CU_ASSERT(finding.effect.detectable > 0.15);
	for (int i = 0; i < 2; i++) {
		const struct measured *measured = i == 0 ? &seen : &missed;
		struct verdict verdict;
		struct verdict_builder builder;

		/* Without a threshold that warns, or 10 % would. */
		finding = finding_with(measured, NAN, 0.15);
		verdict_begin(&verdict, &builder);
		growth_judge(&finding, &firm, &builder);
		CU_ASSERT_EQUAL(finding.status, i == 0 ? STATUS_PASS : STATUS_INCONCLUSIVE);
		verdict_release(&verdict);
	}
	CU_ASSERT_EQUAL(judged(&excluded, &firm, "No growth"), STATUS_PASS);
	CU_ASSERT_EQUAL(judged(&open, &firm, "could have been missed"), STATUS_INCONCLUSIVE);
}

static void
the_remedy_is_for_the_larger_part_of_the_uncertainty(void)
{
	const struct measured runs = {0, 0.1, 0.07};
	const struct measured days = {0, 0.1, 0.0708};

	CU_ASSERT_EQUAL(judged(&runs, &firm, "more or longer runs"), STATUS_INCONCLUSIVE);
	CU_ASSERT_EQUAL(judged(&days, &firm, "more occasions"), STATUS_INCONCLUSIVE);
}

static void
what_is_limited_warns_at_most(void)
{
	const struct measured slow = {0.5, 0.03, 0};
	const struct measured open = {0, 0.1, 0.07};
	const struct measured same = {0, 0.01, 0};
	const struct growth_policy limited = {.alpha = 0.05, .limited = true};

	CU_ASSERT_EQUAL(judged(&slow, &firm, "that fail"), STATUS_FAIL);
	CU_ASSERT_EQUAL(judged(&slow, &limited, "that fail"), STATUS_WARN);
	CU_ASSERT_EQUAL(judged(&open, &limited, "could have been missed"), STATUS_WARN);
	CU_ASSERT_EQUAL(judged(&same, &limited, "No growth"), STATUS_PASS);
}

void
suite_gate_growth(void)
{
	static const struct unit_case cases[] = {
		{"only_an_interval_above_what_fails_fails",
			only_an_interval_above_what_fails_fails},
		{"what_is_significant_and_above_what_warns_warns",
			what_is_significant_and_above_what_warns_warns},
		{"an_estimate_of_what_is_asked_never_passes",
			an_estimate_of_what_is_asked_never_passes},
		{"a_pass_needs_power_or_an_upper_bound_below_what_is_asked",
			a_pass_needs_power_or_an_upper_bound_below_what_is_asked},
		{"the_remedy_is_for_the_larger_part_of_the_uncertainty",
			the_remedy_is_for_the_larger_part_of_the_uncertainty},
		{"what_is_limited_warns_at_most", what_is_limited_warns_at_most},
		{NULL, NULL},
	};

	unit_suite("gate/growth", cases);
}
