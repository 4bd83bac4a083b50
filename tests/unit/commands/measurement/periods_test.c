#include "measurement/measurement.h"

#include "unit.h"

void suite_measurement_periods(void);

static void
each_stratum_comes_once_a_cycle(void)
{
	struct periods periods;

	periods_init(&periods, 10);
	for (int cycle = 0; cycle < 20; cycle++) {
		int seen[10] = {0};

		for (int i = 0; i < 10; i++) {
			double factor = periods_next(&periods);

			CU_ASSERT_FATAL(factor >= 0.9 && factor < 1.1);
			seen[(int)((factor - 0.9) / 0.02)]++;
		}
		for (int i = 0; i < 10; i++)
			CU_ASSERT_EQUAL(seen[i], 1);
	}
	periods_release(&periods);
}

static void
the_order_is_shuffled(void)
{
	struct periods periods;
	int falls = 0;

	periods_init(&periods, 100);
	double last = 0;

	for (int i = 0; i < 100; i++) {
		double factor = periods_next(&periods);

		falls += factor < last;
		last = factor;
	}
	CU_ASSERT(falls > 20);
	periods_release(&periods);
}

void
suite_measurement_periods(void)
{
	static const struct unit_case cases[] = {
		{"each_stratum_comes_once_a_cycle", each_stratum_comes_once_a_cycle},
		{"the_order_is_shuffled", the_order_is_shuffled},
		{NULL, NULL},
	};

	unit_suite("measurement/periods", cases);
}
