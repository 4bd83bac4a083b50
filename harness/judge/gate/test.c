#include "gate/test.h"

#include <math.h>

/* That of the ratio of two counts, by its logarithm. */
#define GROWTH_ROUNDING 1e-12

static const struct limits no_limits = {.asked = NAN, .warn_at = NAN, .fail_at = NAN};

struct test
test_of(enum test_kind kind, enum finding_rule rule, const char *subject)
{
	return (struct test){
		.kind = kind,
		.rule = rule,
		.subject = subject,
		.limits = no_limits,
		.load = {.explained = NAN, .spread = NAN},
		.decision.more_runs = NAN,
	};
}

bool
test_is_corrected(const struct test *test)
{
	return test->kind == TEST_GROWTH && test->all->tested;
}

const struct effect *
test_first_effect(const struct test *test)
{
	return test->stages[COMPARISON_SCREEN] ? test->stages[COMPARISON_SCREEN] : test->all;
}

bool
test_is_significant(const struct effect *effect, double level)
{
	return effect->tested && effect->p_adjusted <= level;
}

bool
test_is_confirmed(const struct test *test)
{
	return test->flagged && test->stages[COMPARISON_CONFIRM];
}

const struct effect *
test_effect(const struct test *test)
{
	return test_is_confirmed(test) ? test->stages[COMPARISON_CONFIRM] : test->all;
}

bool
growth_exceeds(double growth, double limit)
{
	return growth > limit + GROWTH_ROUNDING;
}

bool
growth_reaches(double growth, double limit)
{
	return growth >= limit - GROWTH_ROUNDING;
}

static double
at_least(double threshold, double worth_floor)
{
	return isnan(threshold) ? NAN : fmax(threshold, worth_floor);
}

struct limits
limits_of(const struct effect *effect, const struct threshold *threshold, double floor,
	double min_cost)
{
	double worth = floor > 0 ? floor / effect->before_share : 0;
	struct limits limits;

	worth = fmax(worth, min_cost / effect->before_cost);
	if (isinf(worth) || isnan(worth))
		return no_limits;
	limits.warn_at = at_least(threshold->warn, worth);
	limits.fail_at = at_least(threshold->fail, worth);
	limits.asked = isnan(limits.fail_at) ? limits.warn_at : limits.fail_at;
	return limits;
}
