#include "base/unit.h"

#include "unit.h"

#include <string.h>

void suite_base_unit(void);

static void
expect(const char *text, const char *base, double scale)
{
	const struct unit *unit = unit_find(text, strlen(text));

	UNIT_NEED(unit);
	UNIT_STR_EQ(unit->base, base);
	UNIT_NEAR(unit->scale, scale, 0);
}

static void
times_are_found_by_all_their_names(void)
{
	expect("ns", "ns", 1);
	expect("nanoseconds", "ns", 1);
	expect("us", "ns", 1e3);
	expect("usec", "ns", 1e3);
	expect("\xc2\xb5s", "ns", 1e3);
	expect("\xce\xbcs", "ns", 1e3);
	expect("Microsecond", "ns", 1e3);
	expect("MS", "ns", 1e6);
	expect("milliseconds", "ns", 1e6);
	expect("s", "ns", 1e9);
	expect("secs", "ns", 1e9);
	expect("minutes", "ns", 60e9);
	expect("hours", "ns", 3600e9);
}

static void
sizes_are_found_by_all_their_names(void)
{
	expect("bytes", "bytes", 1);
	expect("B", "bytes", 1);
	expect("kB", "bytes", 1024);
	expect("KB", "bytes", 1024);
	expect("KiB", "bytes", 1024);
	expect("kilobytes", "bytes", 1024);
	expect("MiB", "bytes", 1048576);
	expect("megabyte", "bytes", 1048576);
	expect("GB", "bytes", 1073741824);
	expect("TiB", "bytes", 1099511627776.0);
}

static void
anything_else_is_no_time_and_no_size(void)
{
	static const char *const others[] = {"", "samples", "m", "mm", "millis", "ks", "s ",
		"bytess", "instructions", "page-faults", "count", "none", "cycles", "ns/op"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		CU_ASSERT_PTR_NULL(unit_find(others[i], strlen(others[i])));
}

static void
settings_are_spelled_exactly(void)
{
	UNIT_NEAR(unit_of_setting("m", 1)->scale, 60e9, 0);
	UNIT_NEAR(unit_of_setting("h", 1)->scale, 3600e9, 0);
	UNIT_NEAR(unit_of_setting("KiB", 3)->scale, 1024, 0);
	CU_ASSERT_PTR_NULL(unit_of_setting("KIB", 3));
	CU_ASSERT_PTR_NULL(unit_of_setting("kB", 2));
	CU_ASSERT_PTR_NULL(unit_of_setting("seconds", 7));
	CU_ASSERT_PTR_NULL(unit_of_setting("", 0));
}

void
suite_base_unit(void)
{
	static const struct unit_case cases[] = {
		{"times_are_found_by_all_their_names", times_are_found_by_all_their_names},
		{"sizes_are_found_by_all_their_names", sizes_are_found_by_all_their_names},
		{"anything_else_is_no_time_and_no_size", anything_else_is_no_time_and_no_size},
		{"settings_are_spelled_exactly", settings_are_spelled_exactly},
		{NULL, NULL},
	};

	unit_suite("base/unit", cases);
}
