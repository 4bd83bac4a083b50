#include "history/step.h"

#include "unit.h"

#include <math.h>

void suite_history_step(void);

#define NIGHTS 22

struct expected {
	size_t at;
	double before, after, sd, beside_line, line_gain;
};

static const double costs[][NIGHTS] = {
	{100, 104, 108, 111, 109, 140, 103, 100, 98, 99, 103, 106, 110, 113, 115, 112, 109, 107,
		105, 108, 111, 113},
	{99, 103, 100, 105, 98, 104, 97, 102, 101, 98, 106, 112, 114, 111, 117, 109, 118, 113, 110,
		119, 115, 111},
};
/* tests/unit/judge/history/reference.py */
static const struct expected steps[] = {
	{12, 4.6660306169807546, 4.702848549816057, 0.073252877763345783, 1.2267752850878186,
		-0.97544234030783916},
	{11, 4.6165044212484849, 4.7318079972533056, 0.029818042796947899, 4.0176649977811882,
		-16.551283398877981},
};

static void
steps_agree_with_regressions(void)
{
	for (size_t k = 0; k < sizeof(steps) / sizeof(steps[0]); k++) {
		const struct expected *expected = &steps[k];
		double values[NIGHTS + 2];

		/* Values outside of the stretch do not count. */
		values[0] = 100;
		values[NIGHTS + 1] = -100;
		for (size_t i = 0; i < NIGHTS; i++)
			values[i + 1] = log(costs[k][i]);
		struct step step = step_of(values, 1, 1 + expected->at, 1 + NIGHTS);

		UNIT_NEAR(step.before, expected->before, 1e-12);
		UNIT_NEAR(step.after, expected->after, 1e-12);
		UNIT_NEAR(step.sd, expected->sd, 1e-12);
		UNIT_NEAR(step.beside_line, expected->beside_line, 1e-9);
		UNIT_NEAR(step.line_gain, expected->line_gain, 1e-9);
	}
}

static void
a_straight_line_is_a_line(void)
{
	double values[40];

	for (size_t i = 0; i < 40; i++)
		values[i] = 0.01 * (double)i + (i % 2 ? 0.001 : 0);
	struct step step = step_of(values, 0, 20, 40);

	CU_ASSERT(step.line_gain > 30);
	CU_ASSERT(step.beside_line < 1);
}

static void
correlation_enlarges_the_error_and_takes_freedom(void)
{
	const struct step step = {.from = 0, .at = 10, .to = 20, .sd = 1};

	UNIT_NEAR(step_error(&step, 0), sqrt(0.2), 1e-15);
	UNIT_NEAR(step_error(&step, 0.5), sqrt(0.6), 1e-15);
	UNIT_NEAR(step_df(&step, 0), 18, 1e-15);
	UNIT_NEAR(step_df(&step, 0.5), 6, 1e-15);
}

/* A clear step has one place; a faint one many. */
static void
the_place_of_a_faint_step_is_uncertain(void)
{
	double values[40];
	size_t low;
	size_t high;

	for (size_t i = 0; i < 40; i++)
		values[i] = (i % 3 ? 0.01 : -0.02) + (i < 20 ? 0 : 0.2);
	struct step clear = step_of(values, 0, 20, 40);

	step_place_interval(values, &clear, 0, 5, &low, &high);
	CU_ASSERT_EQUAL(low, 20);
	CU_ASSERT_EQUAL(high, 20);
	for (size_t i = 20; i < 40; i++)
		values[i] -= 0.185;
	struct step faint = step_of(values, 0, 20, 40);

	step_place_interval(values, &faint, 0, 5, &low, &high);
	CU_ASSERT(low < 20 && low >= 5);
	CU_ASSERT(high > 20 && high <= 35);
}

void
suite_history_step(void)
{
	static const struct unit_case cases[] = {
		{"steps_agree_with_regressions", steps_agree_with_regressions},
		{"a_straight_line_is_a_line", a_straight_line_is_a_line},
		{"correlation_enlarges_the_error_and_takes_freedom",
			correlation_enlarges_the_error_and_takes_freedom},
		{"the_place_of_a_faint_step_is_uncertain", the_place_of_a_faint_step_is_uncertain},
		{NULL, NULL},
	};

	unit_suite("history/step", cases);
}
