/* Checks what is read of a text with latencies. */
#ifndef LATENCY_CHECK_H
#define LATENCY_CHECK_H

#include "profile/latency.h"
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Values in us, operations as they are; -1: not reported. */
struct expected_latency {
	double operations;
	double mean;
	double p50;
	double p90;
	double p99;
	double p99_9;
	double max;
};

static inline void
latency_expect(
	const struct latency_source *source, const char *text, struct expected_latency expected)
{
	const double us[] = {expected.operations, expected.mean, expected.p50, expected.p90,
		expected.p99, expected.p99_9, expected.max};
	struct latency latency;
	struct err err = {.kind = ERR_NONE};
	int status = latency_read(source, text, strlen(text), &latency, &err);

	if (status < 0)
		printf("%s\n", err.text);
	CU_ASSERT_EQUAL_FATAL(status, 0);
	for (size_t i = 0; i < LATENCY_VALUES; i++) {
		const double value = latency.values[i] / (i == LATENCY_OPERATIONS ? 1 : 1e3);

		if (us[i] < 0) {
			CU_ASSERT(isnan(value));
		} else {
			UNIT_NEAR(value, us[i], 1e-6 * us[i]);
		}
	}
}

static inline void
latency_refuse(const struct latency_source *source, const char *text, const char *problem)
{
	struct latency latency;
	struct err err = {.kind = ERR_NONE};

	CU_ASSERT_EQUAL(latency_read(source, text, strlen(text), &latency, &err), -1);
	CU_ASSERT_EQUAL(err.kind, ERR_MEASURE);
	UNIT_CONTAINS(err.text, problem);
}

#endif
