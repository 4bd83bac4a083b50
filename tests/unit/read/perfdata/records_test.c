#include "perfdata/records.h"

#include "unit.h"

void suite_perfdata_records(void);

#define NWORDS 9

/* A sample of these fields, whose words are 1, 2, 3 ..., 100 more in the upper half. */
static const char *
decode(uint64_t type, size_t nwords, struct record *record)
{
	/* Header first, as in a file. */
	static uint64_t words[1 + NWORDS];
	struct perf_event_attr attr = {.sample_type = type};
	struct record_layout layout;
	struct raw_record raw = {.type = PERF_RECORD_SAMPLE, .words = words + 1, .nwords = nwords};

	for (uint32_t i = 0; i <= NWORDS; i++) {
		uint32_t halves[2] = {i, i + 100};

		memcpy(&words[i], halves, sizeof(halves));
	}
	record_layout_init(&layout, &attr);
	return decode_record(&raw, &layout, record);
}

static uint64_t
word(uint32_t i)
{
	uint32_t halves[2] = {i, i + 100};
	uint64_t value;

	memcpy(&value, halves, sizeof(value));
	return value;
}

#define ALL                                                                             \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		PERF_SAMPLE_ADDR | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

static void
each_field_of_a_sample_is_in_its_place(void)
{
	struct record record;

	CU_ASSERT_PTR_NULL(decode(ALL, 8, &record));
	CU_ASSERT_EQUAL(record.id.id, word(1));
	CU_ASSERT_EQUAL(record.u.sample.ip, word(2));
	CU_ASSERT_EQUAL(record.id.pid, 3);
	CU_ASSERT_EQUAL(record.id.tid, 103);
	CU_ASSERT_EQUAL(record.id.time_ns, word(4));
	CU_ASSERT_EQUAL(record.id.cpu, 7);
	CU_ASSERT_EQUAL(record.u.sample.period, word(8));
	/* Those behind a field that is not there move up. */
	CU_ASSERT_PTR_NULL(
		decode(PERF_SAMPLE_IP | PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD, 4,
			&record));
	CU_ASSERT_EQUAL(record.u.sample.ip, word(1));
	CU_ASSERT_EQUAL(record.id.id, word(2));
	CU_ASSERT_EQUAL(record.id.cpu, 3);
	CU_ASSERT_EQUAL(record.u.sample.period, word(4));
	CU_ASSERT_EQUAL(record.id.time_ns, 0);
}

static void
a_sample_without_all_of_its_fields_is_refused(void)
{
	struct record record;

	for (size_t nwords = 0; nwords < 8; nwords++) {
		const char *problem = decode(ALL, nwords, &record);

		UNIT_STR_EQ(problem ? problem : "none", "sample too short for its fields");
	}
	CU_ASSERT_PTR_NULL(decode(0, 0, &record));
}

void
suite_perfdata_records(void)
{
	static const struct unit_case cases[] = {
		{"each_field_of_a_sample_is_in_its_place", each_field_of_a_sample_is_in_its_place},
		{"a_sample_without_all_of_its_fields_is_refused",
			a_sample_without_all_of_its_fields_is_refused},
		{NULL, NULL},
	};

	unit_suite("perfdata/records", cases);
}
