#include "perfdata/reader_internal.h"

#include "unit.h"

#include <stdint.h>

void suite_perfdata_event_name(void);

static void
expect(uint32_t type, uint64_t config, const char *expected)
{
	struct perf_event_attr attr = {.type = type, .config = config};
	char name[128];

	perfdata_event_name(&attr, name, sizeof(name));
	UNIT_STR_EQ(name, expected);
}

static void
test_names(void)
{
	expect(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "cpu-clock");
	expect(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT, "bpf-output");
	expect(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles");
	expect(PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, "ref-cycles");
}

static void
test_others(void)
{
	expect(PERF_TYPE_SOFTWARE, 0x1000, "type 1 config 0x1000");
	expect(PERF_TYPE_HARDWARE, UINT64_C(4) << 32, "type 0 config 0x400000000");
	expect(PERF_TYPE_RAW, 0x1c2, "type 4 config 0x1c2");
	expect(UINT32_MAX, UINT64_MAX, "type 4294967295 config 0xffffffffffffffff");
}

void
suite_perfdata_event_name(void)
{
	static const struct unit_case cases[] = {
		{"the_kernel_s_own_events_have_the_names_that_perf_gives_them", test_names},
		{"others_are_reported_by_their_numbers", test_others},
		{NULL, NULL},
	};

	unit_suite("perfdata/event_name", cases);
}
