#include "ingest/ingest_internal.h"

#include "perfdata/make_perfdata.h"
#include "unit.h"

void suite_ingest_describe(void);

/* What the attribute says of a profile that is `profile` before. */
static void
describe(struct profile *profile, const struct perf_event_attr *attr)
{
	struct err err = {0};
	struct made_file made;

	made_init(&made);
	made.attrs[0] = *attr;
	made.attrs[0].size = sizeof(*attr);
	made.attrs[0].sample_id_all = 1;
	made_comm(&made, 7, 1, "p");

	struct file_view view = made_view(&made);
	struct perfdata_reader *reader = perfdata_open(&view, "x.data", &err);

	UNIT_STR_EQ(err.text, "");
	CU_ASSERT_PTR_NOT_NULL_FATAL(reader);
	describe_capture(profile, reader, 0, 0);
	perfdata_close(reader);
	made_release(&made);
}

static const char *
text(const struct profile *profile, str_id id)
{
	return id ? strtab_str(&profile->strings, id) : "";
}

static void
expect(const struct perf_event_attr *attr, const char *metric, const char *cost_unit,
	const char *callgraph, double hz)
{
	struct profile profile;

	profile_init(&profile);
	describe(&profile, attr);
	UNIT_STR_EQ(text(&profile, profile.metric), metric);
	UNIT_STR_EQ(text(&profile, profile.cost_unit), cost_unit);
	UNIT_STR_EQ(text(&profile, profile.callgraph), callgraph);
	UNIT_STR_EQ(text(&profile, profile.unit), "samples");
	UNIT_NEAR(profile.frequency_hz, hz, 1e-9);
	profile_release(&profile);
}

static void
test_events(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 250000,
		.sample_type = MADE_SAMPLE_TYPE};

	expect(&attr, "cpu", "ns", "fp", 4000);
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	expect(&attr, "page-faults", "", "fp", 0);
	attr.type = PERF_TYPE_HARDWARE;
	attr.config = PERF_COUNT_HW_CPU_CYCLES;
	attr.freq = 1;
	attr.sample_freq = 99;
	expect(&attr, "cpu", "", "fp", 99);
	/* As a CPU with cores of several kinds has it. */
	attr.config |= UINT64_C(4) << 32;
	expect(&attr, "cpu", "", "fp", 99);
	attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	expect(&attr, "instructions", "", "fp", 99);
}

static void
test_stacks(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = 1000000,
		.sample_type = MADE_SAMPLE_TYPE & ~(uint64_t)PERF_SAMPLE_CALLCHAIN};

	expect(&attr, "cpu", "ns", "none", 1000);
	attr.sample_type = MADE_SAMPLE_TYPE | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr.sample_stack_user = 8192;
	attr.sample_regs_user = 0x1c0;
	expect(&attr, "cpu", "ns", "dwarf", 1000);
	/* Condensed: the copies are gone, what was found from them is there. */
	attr.sample_type = MADE_SAMPLE_TYPE;
	expect(&attr, "cpu", "ns", "dwarf", 1000);
}

static void
test_known(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 250000,
		.sample_type = MADE_SAMPLE_TYPE};
	struct profile profile;

	profile_init(&profile);
	profile.metric = strtab_intern_str(&profile.strings, "wall");
	profile.frequency_hz = 49;
	describe(&profile, &attr);
	UNIT_STR_EQ(text(&profile, profile.metric), "wall");
	UNIT_STR_EQ(text(&profile, profile.event), "cpu-clock");
	UNIT_NEAR(profile.frequency_hz, 49, 1e-9);
	CU_ASSERT_EQUAL(profile.command, 0);
	CU_ASSERT_EQUAL(profile.host, 0);
	profile_release(&profile);
}

void
suite_ingest_describe(void)
{
	static const struct unit_case cases[] = {
		{"metric_unit_and_frequency_follow_from_the_event", test_events},
		{"how_stacks_were_found_follows_from_what_samples_hold", test_stacks},
		{"what_is_known_already_stays_and_what_is_not_stated_stays_unknown", test_known},
		{NULL, NULL},
	};

	unit_suite("ingest/describe", cases);
}
