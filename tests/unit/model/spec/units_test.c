#include "unit.h"

#include "spec/units.h"

void suite_spec_units(void);

static double
seconds_of(const char *text)
{
	const char *problem = NULL;
	double value = -1;

	return units_duration(text, &value, &problem) == 0 ? value : -1;
}

static void
durations_need_a_unit(void)
{
	UNIT_NEAR(seconds_of("1500ms"), 1.5, 1e-12);
	UNIT_NEAR(seconds_of("1.5s"), 1.5, 1e-12);
	UNIT_NEAR(seconds_of("60 s"), 60, 0);
	UNIT_NEAR(seconds_of("10m"), 600, 0);
	UNIT_NEAR(seconds_of("2h"), 7200, 0);
	UNIT_NEAR(seconds_of("0"), 0, 0);
	static const char *const wrong[] = {
		"", "60", "s", "-1s", "1d", "1 s s", "1e3s", "0x1s", "infs", "1.5.2s", "1S"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		UNIT_NEAR(seconds_of(wrong[i]), -1, 0);
}

static void
percentages_need_their_sign(void)
{
	const char *problem = NULL;
	double ratio;

	CU_ASSERT_EQUAL(units_percent("5%", &ratio, &problem), 0);
	UNIT_NEAR(ratio, 0.05, 1e-15);
	CU_ASSERT_EQUAL(units_percent("0.5 %", &ratio, &problem), 0);
	UNIT_NEAR(ratio, 0.005, 1e-15);
	CU_ASSERT_EQUAL(units_percent("0.05", &ratio, &problem), -1);
	UNIT_STR_EQ(problem, "needs a percent sign");
	CU_ASSERT_EQUAL(units_percent("5%%", &ratio, &problem), -1);
	CU_ASSERT_EQUAL(units_percent("nan%", &ratio, &problem), -1);
	UNIT_STR_EQ(problem, "is not a number");
}

static void
frequencies_are_bounded(void)
{
	const char *problem = NULL;
	double hz;

	CU_ASSERT_EQUAL(units_frequency("4999", &hz, &problem), 0);
	UNIT_NEAR(hz, 4999, 0);
	CU_ASSERT_EQUAL(units_frequency("4.999kHz", &hz, &problem), 0);
	UNIT_NEAR(hz, 4999, 1e-9);
	CU_ASSERT_EQUAL(units_frequency("99 Hz", &hz, &problem), 0);
	CU_ASSERT_EQUAL(units_frequency("0", &hz, &problem), -1);
	CU_ASSERT_EQUAL(units_frequency("100001", &hz, &problem), -1);
	CU_ASSERT_EQUAL(units_frequency("99 khz", &hz, &problem), -1);
}

static void
counts_are_whole_and_in_range(void)
{
	const char *problem = NULL;
	unsigned count;

	CU_ASSERT_EQUAL(units_count("10", 3, 30, &count, &problem), 0);
	CU_ASSERT_EQUAL(count, 10);
	CU_ASSERT_EQUAL(units_count("2", 3, 30, &count, &problem), -1);
	UNIT_STR_EQ(problem, "is out of range");
	CU_ASSERT_EQUAL(units_count("10.5", 3, 30, &count, &problem), -1);
	UNIT_STR_EQ(problem, "is not a whole number");
	CU_ASSERT_EQUAL(units_count("10s", 3, 30, &count, &problem), -1);
	CU_ASSERT_EQUAL(units_count("99999999999999999999", 3, 30, &count, &problem), -1);
}

static void
costs_say_what_they_are_of(void)
{
	static const struct {
		const char *text;
		double cost;
		enum cost_unit unit;
	} cases[] = {
		{"2ms", 2e6, COST_TIME},
		{"1.5 s", 1.5e9, COST_TIME},
		{"300us", 3e5, COST_TIME},
		{"7ns", 7, COST_TIME},
		{"1m", 60e9, COST_TIME},
		{"250000", 250000, COST_COUNT},
		{"2.5M", 2.5e6, COST_COUNT},
		{"64KiB", 65536, COST_BYTES},
		{"64KB", 65536, COST_BYTES},
		{"0", 0, COST_NONE},
	};
	static const char *const wrong[] = {"", "ms", "-2ms", "2 days", "2m s", "1e6", "5%"};
	const char *problem = NULL;
	enum cost_unit unit;
	double cost;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CU_ASSERT_EQUAL(units_cost(cases[i].text, &cost, &unit, &problem), 0);
		UNIT_NEAR(cost, cases[i].cost, 1e-6);
		CU_ASSERT_EQUAL(unit, cases[i].unit);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CU_ASSERT_EQUAL(units_cost(wrong[i], &cost, &unit, &problem), -1);
}

static void
a_number_of_executions_may_be_found_out(void)
{
	static const char *const wrong[] = {"", "0", "10001", "-1", "1.5", "Auto", "2x"};
	const char *problem = NULL;
	unsigned executions = 7;

	CU_ASSERT_EQUAL(units_repeat("auto", &executions, &problem), 0);
	CU_ASSERT_EQUAL(executions, 0);
	CU_ASSERT_EQUAL(units_repeat("10000", &executions, &problem), 0);
	CU_ASSERT_EQUAL(executions, 10000);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CU_ASSERT_EQUAL(units_repeat(wrong[i], &executions, &problem), -1);
}

void
suite_spec_units(void)
{
	static const struct unit_case cases[] = {
		{"durations_need_a_unit", durations_need_a_unit},
		{"percentages_need_their_sign", percentages_need_their_sign},
		{"frequencies_are_bounded", frequencies_are_bounded},
		{"counts_are_whole_and_in_range", counts_are_whole_and_in_range},
		{"costs_say_what_they_are_of", costs_say_what_they_are_of},
		{"a_number_of_executions_may_be_found_out",
			a_number_of_executions_may_be_found_out},
		{NULL, NULL},
	};

	unit_suite("spec/units", cases);
}
