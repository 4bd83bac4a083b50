/* verdict.json as `--durations` reads it: what is accepted has names and sensible times. */
#include "output/durations.h"
#include "spec/suite.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shard_durations durations;
	struct err err = {0};

	if (durations_parse(&durations, "verdict.json", (const char *)data, size, &err) < 0) {
		if (err.kind != ERR_INPUT || err.len == 0)
			abort();
		return 0;
	}
	for (size_t i = 0; i < durations.count; i++) {
		if (!unit_is_name(durations.items[i].workload) ||
			!(durations.items[i].seconds > 0) || isinf(durations.items[i].seconds))
			abort();
	}
	durations_release(&durations);
	return 0;
}
