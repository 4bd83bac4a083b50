/* Every metric that a backend takes is in the table of metrics. */
#include "capture/backend.h"
#include "profile/metric.h"
#include "unit.h"

void suite_capture_metrics(void);

static void
what_backends_take_is_known(void)
{
	for (size_t i = 0; capture_backends[i]; i++) {
		const struct capture_backend *backend = capture_backends[i];

		for (const char *const *name = backend->metrics; *name; name++) {
			CU_ASSERT_PTR_NOT_NULL(metric_find(*name));
			CU_ASSERT_PTR_EQUAL(capture_backend_for(*name), backend);
		}
	}
}

static void
units_of_counts_are_told_from_those_of_samples(void)
{
	CU_ASSERT(metric_counts_in("instructions", "instructions"));
	CU_ASSERT(metric_counts_in("io", "bytes"));
	CU_ASSERT(metric_counts_in("l1_misses", "simulated L1 misses"));
	CU_ASSERT_FALSE(metric_counts_in("offcpu", "ns"));
	CU_ASSERT_FALSE(metric_counts_in("instructions", "samples"));
	CU_ASSERT_PTR_NULL(metric_find("cpu2"));
}

void
suite_capture_metrics(void)
{
	static const struct unit_case cases[] = {
		{"what_backends_take_is_known", what_backends_take_is_known},
		{"units_of_counts_are_told_from_those_of_samples",
			units_of_counts_are_told_from_those_of_samples},
		{NULL, NULL},
	};

	unit_suite("capture/metrics", cases);
}
