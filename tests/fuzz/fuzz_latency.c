/*
 * What a driver printed, in any format: the first byte says which. What is accepted has finite
 * values, and percentiles in order.
 */
#include "profile/latency.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(const struct latency *latency)
{
	double before = 0;
	unsigned known = 0;

	for (size_t i = 0; i < LATENCY_VALUES; i++) {
		const double value = latency->values[i];

		if (isnan(value))
			continue;
		known++;
		if (!isfinite(value) || value < 0 || (i >= LATENCY_P50 && value * 1.02 < before))
			abort();
		before = i >= LATENCY_P50 ? value : 0;
	}
	if (known == 0)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct latency latency;
	struct err err = {.kind = ERR_NONE};

	if (size == 0)
		return 0;
	const struct latency_source source = {
		.format = (enum latency_format)(data[0] % LATENCY_FORMATS),
		.unit = data[0] / LATENCY_FORMATS % 6,
		.test = data[0] & 0x80 ? "GET" : NULL,
	};

	if (latency_read(&source, (const char *)data + 1, size - 1, &latency, &err) == 0)
		check(&latency);
	else if (err.kind != ERR_MEASURE || err.len == 0)
		abort();
	return 0;
}
