#include "measurement/run_order.h"

#include "unit.h"

void suite_measurement_run_order(void);

static void
each_stratum_comes_once_a_cycle(void)
{
	struct run_order order;

	run_order_init(&order, 10);
	for (int cycle = 0; cycle < 20; cycle++) {
		int seen[10] = {0};

		for (int i = 0; i < 10; i++) {
			double factor = run_order_next_period(&order);

			CU_ASSERT_FATAL(factor >= 0.9 && factor < 1.1);
			seen[(int)((factor - 0.9) / 0.02)]++;
		}
		for (int i = 0; i < 10; i++)
			CU_ASSERT_EQUAL(seen[i], 1);
	}
	run_order_release(&order);
}

static void
the_order_is_shuffled(void)
{
	struct run_order order;
	int falls = 0;

	run_order_init(&order, 100);
	double last = 0;

	for (int i = 0; i < 100; i++) {
		double factor = run_order_next_period(&order);

		falls += factor < last;
		last = factor;
	}
	CU_ASSERT(falls > 20);
	run_order_release(&order);
}

void
suite_measurement_run_order(void)
{
	static const struct unit_case cases[] = {
		{"each_stratum_comes_once_a_cycle", each_stratum_comes_once_a_cycle},
		{"the_order_is_shuffled", the_order_is_shuffled},
		{NULL, NULL},
	};

	unit_suite("measurement/run_order", cases);
}
