#include "profile/latency.h"

#include "profile/counters.h"

#include <assert.h>
#include <math.h>

static_assert((int)COUNTER_LATENCY_MAX - (int)COUNTER_OPERATIONS == (int)LATENCY_MAX,
	"a counter for each value, in the same order");

const char *const latency_format_names[] = {
	[LATENCY_LINES] = "lines",
	[LATENCY_HDR] = "hdr",
	[LATENCY_REDIS_BENCHMARK] = "redis-benchmark",
	[LATENCY_WRK] = "wrk",
	[LATENCY_PGBENCH] = "pgbench",
	[LATENCY_FORMATS] = NULL,
};

const char *const latency_unit_names[] = {"ns", "us", "ms", "s", "m", "h", NULL};

void
latency_put(const struct latency *latency, bool only_operations, struct run *run)
{
	for (size_t i = 0; i < LATENCY_VALUES; i++)
		counter_set(run, (enum counter_id)(COUNTER_OPERATIONS + i),
			only_operations && i != LATENCY_OPERATIONS ? NAN : latency->values[i]);
}
