#include "profile/metric.h"
#include "unit.h"

#include <string.h>

void suite_profile_event_sum(void);

#define CALLGRIND "Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw"
#define CACHEGRIND "Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw"

static bool
sum_of(const char *metric, const char *names, struct event_sum *sum)
{
	return event_sum_of_metric(sum, metric_find(metric), names, strlen(names));
}

static void
places_are_those_of_the_names(void)
{
	struct event_sum sum;

	CU_ASSERT_TRUE(sum_of("l1_misses", CALLGRIND, &sum));
	CU_ASSERT_EQUAL(sum.nterms, 3);
	for (size_t i = 0; i < sum.nterms; i++) {
		CU_ASSERT_EQUAL(sum.terms[i].place, 3 + i);
		CU_ASSERT_EQUAL(sum.terms[i].weight, 1);
	}
	CU_ASSERT_TRUE(sum_of("instructions", "  Dr\tIr", &sum));
	CU_ASSERT_EQUAL(sum.nterms, 1);
	CU_ASSERT_EQUAL(sum.terms[0].place, 1);
}

/* Tools differ in the order. */
static void
terms_are_in_the_order_of_the_line(void)
{
	static const struct {
		size_t place;
		double weight;
	} expected[] = {{0, 1}, {1, 10}, {2, 100}, {4, 10}, {5, 100}, {7, 10}, {8, 100}};
	struct event_sum sum;

	CU_ASSERT_TRUE(sum_of("estimated_cycles", CACHEGRIND, &sum));
	CU_ASSERT_EQUAL_FATAL(sum.nterms, 7);
	for (size_t i = 0; i < sum.nterms; i++) {
		CU_ASSERT_EQUAL(sum.terms[i].place, expected[i].place);
		CU_ASSERT_EQUAL(sum.terms[i].weight, expected[i].weight);
	}
}

static void
a_sum_needs_all_of_its_events(void)
{
	struct event_sum sum;

	CU_ASSERT_FALSE(sum_of("l1_misses", "Ir I1mr D1mr", &sum));
	CU_ASSERT_EQUAL(sum.nterms, 0);
	CU_ASSERT_FALSE(sum_of("instructions", "Irr I", &sum));
	CU_ASSERT_FALSE(sum_of("instructions", "", &sum));
	CU_ASSERT_FALSE(sum_of("cpu", CALLGRIND, &sum));
}

void
suite_profile_event_sum(void)
{
	static const struct unit_case cases[] = {
		{"places_are_those_of_the_names", places_are_those_of_the_names},
		{"terms_are_in_the_order_of_the_line", terms_are_in_the_order_of_the_line},
		{"a_sum_needs_all_of_its_events", a_sum_needs_all_of_its_events},
		{NULL, NULL},
	};

	unit_suite("profile/event_sum", cases);
}
