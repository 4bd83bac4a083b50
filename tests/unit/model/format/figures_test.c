#include "format/figures.h"

#include "unit.h"

#include <math.h>

void suite_format_figures(void);

static void
times_are_utc_in_iso_8601(void)
{
	struct buf text = {0};

	format_time(&text, 1795222861);
	UNIT_STR_EQ(buf_text(&text), "2026-11-21T01:01:01Z");
	buf_clear(&text);
	format_time_bare(&text, 1795222861);
	UNIT_STR_EQ(buf_text(&text), "2026-11-21T01:01:01");
	buf_clear(&text);
	format_time(&text, 0);
	UNIT_STR_EQ(buf_text(&text), "not known");
	buf_release(&text);
}

static void
check(void (*put)(struct buf *, double), double value, const char *expected)
{
	struct buf text = {0};

	put(&text, value);
	UNIT_STR_EQ(buf_text(&text), expected);
	buf_release(&text);
}

static void
durations_are_read_at_a_glance(void)
{
	check(format_duration, 0.0123, "12.3 ms");
	check(format_duration, 1, "1.00 s");
	check(format_duration, 61.5, "61.5 s");
	check(format_duration, 99.94, "99.9 s");
	check(format_duration, 99.95, "1 min 40 s");
	check(format_duration, 119.6, "2 min 0 s");
	check(format_duration, 245, "4 min 5 s");
	check(format_duration, 100000, "1,666 min 40 s");
	check(format_duration, -245, "-4 min 5 s");
	check(format_duration, NAN, "-");
}

static void
cost(double value, const char *unit, const char *expected)
{
	struct buf text = {0};

	format_cost(&text, value, unit);
	UNIT_STR_EQ(buf_text(&text), expected);
	buf_release(&text);
}

static void
times_and_bytes_have_three_digits_in_the_unit_that_fits(void)
{
	cost(12345678, "ns", "12.3 ms");
	cost(-12345678, "ns", "-12.3 ms");
	cost(999999999, "ns", "1.00 s");
	cost(999.96e3, "ns", "1.00 ms");
	cost(999.4e3, "ns", "999 us");
	cost(9.994e6, "ns", "9.99 ms");
	cost(9.995e6, "ns", "10.0 ms");
	cost(245e9, "ns", "4 min 5 s");
	cost(1536, "bytes", "1.50 KiB");
	cost(1023, "B", "1,023 B");
	cost(5e15, "bytes", "4,547 TiB");
	cost(INFINITY, "ns", "-");
}

static void
what_is_whole_in_the_smallest_unit_has_no_decimals(void)
{
	cost(3, "ns", "3 ns");
	cost(2.5, "ns", "2.50 ns");
	cost(0, "ns", "0");
	cost(42, "bytes", "42 B");
}

static void
other_costs_are_counts(void)
{
	cost(2.5e9, "instructions", "2,500,000,000 instructions");
	cost(3300, "instructions", "3,300 instructions");
	cost(0, "samples", "0 samples");
	cost(0.25, "<i>", "0.25 <i>");
}

static void
units_from_files_are_made_safe(void)
{
	struct buf text = {0};

	format_cost_as(&text, 1234, "<i>", escape_xml);
	UNIT_STR_EQ(buf_text(&text), "1,234 &lt;i&gt;");
	buf_release(&text);
}

static void
counts_are_grouped_by_thousands(void)
{
	check(format_count, 1234567, "1,234,567");
	check(format_count, 123456, "123,456");
	check(format_count, 999, "999");
	check(format_count, 1000, "1,000");
	check(format_count, -1234, "-1,234");
	check(format_count, -123, "-123");
	check(format_count, 1e300, "1e+300");
	check(format_count, NAN, "-");
}

static void
fractions_count_below_a_hundred(void)
{
	check(format_count, 12.25, "12.25");
	check(format_count, 0.1, "0.1");
	check(format_count, 10.0001, "10");
	check(format_count, 99.9994, "99.999");
	check(format_count, 99.9996, "100");
	check(format_count, 1234.5, "1,235");
	check(format_count, 122.5, "123");
}

static void
plurals_have_their_count(void)
{
	struct buf text = {0};

	format_plural(&text, 1, "run", "runs");
	buf_putc(&text, ' ');
	format_plural(&text, 1200, "run", "runs");
	UNIT_STR_EQ(buf_text(&text), "1 run 1,200 runs");
	buf_release(&text);
}

static void
percentages_have_one_decimal_or_two_digits(void)
{
	check(format_percent, 0.1234, "12.3 %");
	check(format_percent, 1.234, "123.4 %");
	check(format_percent, 0.00996, "1.0 %");
	check(format_percent, 0.0099, "0.99 %");
	check(format_percent, 0.000996, "0.10 %");
	check(format_percent, 0.0009, "0.090 %");
	check(format_percent, 0.00005, "0.005 %");
	check(format_percent, 0.000001, "0.000 %");
	check(format_percent, NAN, "-");
}

static void
nothing_and_all_are_exact(void)
{
	check(format_percent, 0, "0 %");
	check(format_percent, 1, "100 %");
	check(format_percent, 1 - 1e-12, "100 %");
	check(format_percent, 0.9999, "100.0 %");
}

static void
changes_are_percentages_and_large_ones_factors(void)
{
	check(format_change, 0.072, "+7.2 %");
	check(format_change, -0.5, "-50.0 %");
	check(format_change, 1.999, "+199.9 %");
	check(format_change, 2, "3.00x");
	check(format_change, 8.85, "9.85x");
	check(format_change, 8.996, "10.0x");
	check(format_change, 9.01, ">10x");
	check(format_change, 1233.8, ">10x");
	check(format_change, 0, "+0.0 %");
	check(format_change, INFINITY, "-");
}

static void
interval(double change, double low, double high, const char *expected)
{
	struct buf text = {0};

	format_estimate(&text, change, low, high);
	buf_putc(&text, ' ');
	format_interval(&text, change, low, high);
	UNIT_STR_EQ(buf_text(&text), expected);
	buf_release(&text);
}

static void
an_interval_is_said_as_its_change(void)
{
	interval(0.072, 0.049, 0.096, "+7.2 % [4.9, 9.6]");
	interval(6.85, 5, 8.2, "7.85x [6.00, 9.20]");
	interval(8.85, 7, 11.2, "9.85x [8.00, any]");
	interval(1.9, 1.5, 2.4, "+190.0 % [150.0, 240.0]");
}

/* The costs say what a ratio over almost nothing does not. */
static void
a_ratio_over_almost_nothing_has_no_figures(void)
{
	struct buf text = {0};

	interval(3223, 37, 276695, ">10x ");
	interval(12.4, 8.2, 18.6, ">10x ");
	interval(1233.8, 1233.8, 1233.8, "1,235x [1,235, 1,235]");
	interval(7.4, -0.9, 2.5e33, "8.40x [0.10, any]");
	interval(-0.144, -0.998, 399.055, "-14.4 % [-99.8, any]");
	format_estimate_words(&text, 3223, 37, 276695, 0.95);
	UNIT_STR_EQ(buf_text(&text), ">10x");
	buf_release(&text);
}

static void
a_narrow_interval_bears_more_decimals(void)
{
	interval(0.0011, 0.001, 0.0012, "+0.110 % [0.100, 0.120]");
	interval(0.0123, 0.0121, 0.0125, "+1.23 % [1.21, 1.25]");
	interval(0.25, 0.2499, 0.2501, "+25.0 % [25.0, 25.0]");
	interval(0.0011, 0.001, 0.0015, "+0.1 % [0.1, 0.1]");
}

static void
an_open_interval_is_said_in_words(void)
{
	interval(0.01, -0.021, INFINITY, "+1.0 % [-2.1, any]");
	interval(0.01, -INFINITY, 0.021, "+1.0 % [none, 2.1]");
	interval(0.01, NAN, 1, "+1.0 % ");
}

static void
an_estimate_goes_without_an_interval_that_tells_nothing(void)
{
	struct buf text = {0};

	format_estimate_interval(&text, 0.01, 0.01, 0.01);
	UNIT_STR_EQ(buf_text(&text), "+1.00 %");
	buf_clear(&text);
	format_estimate_interval(&text, 0.01, -0.01, INFINITY);
	UNIT_STR_EQ(buf_text(&text), "+1.0 %");
	buf_clear(&text);
	format_estimate_interval(&text, 3.4, 2.2, 5);
	UNIT_STR_EQ(buf_text(&text), "4.40x [3.20, 6.00]");
	buf_release(&text);
}

static void
p_has_the_digits_that_count(void)
{
	check(format_p, 0.25, "0.25");
	check(format_p, 0.00995, "0.01");
	check(format_p, 0.0099, "1e-2");
	check(format_p, 4e-4, "4e-4");
	check(format_p, 3e-12, "3e-12");
	check(format_p, 0, "below 1e-99");
	check(format_p, NAN, "-");
}

void
suite_format_figures(void)
{
	static const struct unit_case cases[] = {
		{"times_are_utc_in_iso_8601", times_are_utc_in_iso_8601},
		{"durations_are_read_at_a_glance", durations_are_read_at_a_glance},
		{"times_and_bytes_have_three_digits_in_the_unit_that_fits",
			times_and_bytes_have_three_digits_in_the_unit_that_fits},
		{"what_is_whole_in_the_smallest_unit_has_no_decimals",
			what_is_whole_in_the_smallest_unit_has_no_decimals},
		{"other_costs_are_counts", other_costs_are_counts},
		{"units_from_files_are_made_safe", units_from_files_are_made_safe},
		{"counts_are_grouped_by_thousands", counts_are_grouped_by_thousands},
		{"fractions_count_below_a_hundred", fractions_count_below_a_hundred},
		{"plurals_have_their_count", plurals_have_their_count},
		{"percentages_have_one_decimal_or_two_digits",
			percentages_have_one_decimal_or_two_digits},
		{"nothing_and_all_are_exact", nothing_and_all_are_exact},
		{"changes_are_percentages_and_large_ones_factors",
			changes_are_percentages_and_large_ones_factors},
		{"an_interval_is_said_as_its_change", an_interval_is_said_as_its_change},
		{"a_ratio_over_almost_nothing_has_no_figures",
			a_ratio_over_almost_nothing_has_no_figures},
		{"a_narrow_interval_bears_more_decimals", a_narrow_interval_bears_more_decimals},
		{"an_open_interval_is_said_in_words", an_open_interval_is_said_in_words},
		{"an_estimate_goes_without_an_interval_that_tells_nothing",
			an_estimate_goes_without_an_interval_that_tells_nothing},
		{"p_has_the_digits_that_count", p_has_the_digits_that_count},
		{NULL, NULL},
	};

	unit_suite("format/figures", cases);
}
