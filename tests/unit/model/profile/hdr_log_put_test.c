/* Logs that are written: hdr-histogram-js reads the same figures from them as we do. */
#include "profile/latency.h"

#include "base/mem.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void suite_profile_hdr_log_put(void);

static const struct latency_source source = {.format = LATENCY_HDR, .unit = 0};

/* Written and read again, percentiles are those of the times, to three digits. */
static void
expect_same(double *times, size_t count)
{
	struct latency expected = {.values = {0}};
	struct latency found;
	struct buf out = {0};
	struct err err = {.kind = ERR_NONE};

	hdr_log_put(times, count, &(struct hdr_interval){.length_s = 1}, &out);
	latency_of_times(times, count, &expected);
	CU_ASSERT_EQUAL_FATAL(latency_read(&source, buf_text(&out), out.len, &found, &err), 0);
	for (size_t i = 0; i < LATENCY_VALUES; i++)
		UNIT_NEAR(found.values[i], expected.values[i], 1e-3 * expected.values[i]);
	buf_release(&out);
}

static void
test_round_trip(void)
{
	const size_t count = 100000;
	double *times = mem_zalloc(count, sizeof(*times));
	uint64_t state = 1;

	/* Over nine powers of ten. */
	for (size_t i = 0; i < count; i++) {
		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		times[i] = floor(exp((double)(state >> 40) / (double)(1 << 24) * 21));
	}
	expect_same(times, count);
	expect_same((double[]){7}, 1);
	expect_same((double[]){0, 0, 0}, 3);
	expect_same((double[]){2047, 2048, 2049, 1, 1e12}, 5);
	/* Counts that take up to nine bytes do not occur, but two. */
	for (size_t i = 0; i < count; i++)
		times[i] = 5;
	expect_same(times, count);
	free(times);
}

static void
test_text(void)
{
	double times[] = {3e6, 1e6, 2e6};
	struct buf out = {0};

	hdr_log_put(times, 3, &(struct hdr_interval){.started = 1700000000, .length_s = 2.5}, &out);
	UNIT_CONTAINS(buf_text(&out),
		"#[Histogram log format version 1.3]\n"
		"#[StartTime: 1700000000.000 (seconds since epoch), 2023-11-14T22:13:20Z]\n"
		"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_"
		"Histogram\"\n"
		"0.000,2.500,3.000,HISTFAAA");
	buf_release(&out);
}

void
suite_profile_hdr_log_put(void)
{
	static const struct unit_case cases[] = {
		{"written_times_are_read_with_their_percentiles", test_round_trip},
		{"a_log_says_when_it_begins_and_how_long_it_is", test_text},
		{NULL, NULL},
	};

	unit_suite("profile/hdr_log_put", cases);
}
