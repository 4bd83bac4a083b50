#include "base/number.h"

#include "unit.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void suite_base_number(void);

/* For all magnitudes, many of them short in decimal and so near what rounding decides. */
static double
some_value(uint32_t at)
{
	uint64_t bits = (at + 1) * UINT64_C(0x9e3779b97f4a7c15);

	bits ^= bits >> 29;
	double value = (double)(bits % 1000000007) * pow(10, (double)(at % 41) - 24);

	if (at % 3 == 0)
		value = (double)(bits % 200001) / 1000;
	return at % 5 == 0 ? -value : value;
}

static void
expect_as_printed(double value)
{
	char ours[NUMBER_BYTES];
	char theirs[NUMBER_BYTES];

	for (unsigned decimals = 0; decimals <= NUMBER_DECIMALS_MAX; decimals++) {
		snprintf(theirs, sizeof(theirs), "%.*f", (int)decimals, value);
		size_t len = number_fixed(ours, value, decimals);

		UNIT_STR_EQ(ours, theirs);
		CU_ASSERT_EQUAL(len, strlen(theirs));
	}
	for (unsigned digits = 1; digits <= NUMBER_DIGITS_MAX; digits++) {
		snprintf(theirs, sizeof(theirs), "%.*g", (int)digits, value);
		size_t len = number_short(ours, value, digits);

		UNIT_STR_EQ(ours, theirs);
		CU_ASSERT_EQUAL(len, strlen(theirs));
	}
}

static void
numbers_are_written_as_printf_does(void)
{
	for (uint32_t i = 0; i < 50000; i++)
		expect_as_printed(some_value(i));
}

static void
ties_and_limits_are_written_as_printf_does(void)
{
	static const double values[] = {0, -0.0, 0.5, 1.5, 2.5, 0.125, 0.375, -0.5, 1e8, 999999999,
		999999999.5, 99999999.95, 1e9, 1e10, 9999999999.5, 1e15, 1e22, 1e23, 1e300, 1e-4,
		9.99999999e-5, 9.999999995e-5, 0.099999999999999999, 1e-5, 1e-14, 1e-15, 1e-300,
		5e-324, 0.1, 0.2, 0.3, 4.35, 1.005, 123456789, 1234567890, 12345678.95, INFINITY,
		-INFINITY};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		expect_as_printed(values[i]);
		expect_as_printed(nextafter(values[i], INFINITY));
		expect_as_printed(nextafter(values[i], -INFINITY));
	}
	expect_as_printed((double)NAN);
}

void
suite_base_number(void)
{
	static const struct unit_case cases[] = {
		{"numbers_are_written_as_printf_does", numbers_are_written_as_printf_does},
		{"ties_and_limits_are_written_as_printf_does",
			ties_and_limits_are_written_as_printf_does},
		{NULL, NULL},
	};

	unit_suite("base/number", cases);
}
