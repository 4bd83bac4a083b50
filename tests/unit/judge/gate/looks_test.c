#include "gate/looks.h"

#include "unit.h"

#include <math.h>

void suite_gate_looks(void);

static double
sum_of_parts(const struct looks *looks)
{
	double sum = 0;

	for (size_t i = 0; i < looks->count; i++)
		sum += looks_part_of(looks, i);
	return sum;
}

static void
looks_grow_by_half_up_to_the_most(void)
{
	static const unsigned expected[] = {6, 9, 14, 21, 30};
	const struct looks looks = looks_planned(10, 30);

	CU_ASSERT_EQUAL(looks.count, 5);
	for (size_t i = 0; i < looks.count; i++)
		CU_ASSERT_EQUAL(looks.pairs[i], expected[i]);
}

static void
all_of_alpha_is_spent_and_no_more(void)
{
	for (unsigned most = 1; most <= 1000; most += 37) {
		const struct looks looks = looks_planned(10, most);

		CU_ASSERT(looks.count <= LOOKS_MAX);
		CU_ASSERT_EQUAL(looks.pairs[looks.count - 1], most);
		CU_ASSERT_DOUBLE_EQUAL(sum_of_parts(&looks), 1, 1e-12);
		CU_ASSERT_DOUBLE_EQUAL(looks_part(&looks), looks_rest(&looks), 1e-12);
	}
}

static void
the_first_look_spends_by_the_square_of_its_pairs(void)
{
	struct looks looks = {.most = 30};

	looks_add(&looks, 5, INFINITY);
	CU_ASSERT_TRUE(looks_are_early(&looks));
	CU_ASSERT_DOUBLE_EQUAL(looks_part(&looks), 25.0 / 900, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(looks_rest(&looks), 1, 1e-12);
	looks_add(&looks, 8, INFINITY);
	CU_ASSERT_DOUBLE_EQUAL(looks_part(&looks), 39.0 / 900, 1e-12);
}

/* That pairs were stopped follows from results: nothing more of alpha is spent. */
static void
a_look_that_pairs_were_stopped_after_has_its_own_part(void)
{
	struct looks looks = {.most = 30};

	looks_add(&looks, 5, INFINITY);
	looks_add(&looks, 8, INFINITY);
	looks.stopped = true;
	CU_ASSERT_FALSE(looks_are_early(&looks));
	CU_ASSERT_DOUBLE_EQUAL(looks_part(&looks), 39.0 / 900, 1e-12);
}

static void
a_look_is_the_last_when_time_is_up(void)
{
	struct looks looks = {.most = 30};

	looks_add(&looks, 5, 25);
	looks_add(&looks, 8, 2);
	CU_ASSERT_FALSE(looks_are_early(&looks));
	CU_ASSERT_DOUBLE_EQUAL(looks_part(&looks), 875.0 / 900, 1e-12);
}

/* 3 pairs now, and time for 6 more: the square of a third is spent, and not of a tenth. */
static void
the_first_look_plans_for_the_time_there_is(void)
{
	struct looks looks = {.most = 30};

	looks_add(&looks, 3, 6);
	CU_ASSERT_EQUAL(looks.most, 9);
	CU_ASSERT_TRUE(looks_are_early(&looks));
	CU_ASSERT_DOUBLE_EQUAL(looks_part(&looks), 9.0 / 81, 1e-12);
	looks_add(&looks, 5, 100);
	CU_ASSERT_EQUAL(looks.most, 9);
	looks_add(&looks, 9, 100);
	CU_ASSERT_FALSE(looks_are_early(&looks));
	CU_ASSERT_DOUBLE_EQUAL(sum_of_parts(&looks), 1, 1e-12);
	looks = (struct looks){.most = 30};
	looks_add(&looks, 3, -1);
	CU_ASSERT_EQUAL(looks.most, 3);
	CU_ASSERT_DOUBLE_EQUAL(looks_part(&looks), 1, 1e-12);
}

static void
the_same_pairs_are_no_new_look(void)
{
	struct looks looks = {.most = 30};

	looks_add(&looks, 5, 100);
	looks_add(&looks, 5, 0);
	CU_ASSERT_EQUAL(looks.count, 1);
	CU_ASSERT_TRUE(looks_are_early(&looks));
}

/* Two pairs have nearly no degrees of freedom. */
static void
the_first_look_has_three_pairs_if_there_are_as_many(void)
{
	CU_ASSERT_EQUAL(looks_first(1, 2), 1);
	CU_ASSERT_EQUAL(looks_first(1, 3), 3);
	CU_ASSERT_EQUAL(looks_first(3, 4), 3);
	CU_ASSERT_EQUAL(looks_first(5, 3), 3);
	CU_ASSERT_EQUAL(looks_first(5, 2), 2);
	CU_ASSERT_EQUAL(looks_first(6, 10), 4);
}

static void
without_looks_a_test_has_all_of_alpha(void)
{
	const struct looks none = {0};

	CU_ASSERT_EQUAL(looks_part(&none), 1);
	CU_ASSERT_FALSE(looks_are_early(&none));
}

void
suite_gate_looks(void)
{
	static const struct unit_case cases[] = {
		{"looks_grow_by_half_up_to_the_most", looks_grow_by_half_up_to_the_most},
		{"all_of_alpha_is_spent_and_no_more", all_of_alpha_is_spent_and_no_more},
		{"the_first_look_spends_by_the_square_of_its_pairs",
			the_first_look_spends_by_the_square_of_its_pairs},
		{"a_look_that_pairs_were_stopped_after_has_its_own_part",
			a_look_that_pairs_were_stopped_after_has_its_own_part},
		{"a_look_is_the_last_when_time_is_up", a_look_is_the_last_when_time_is_up},
		{"the_first_look_plans_for_the_time_there_is",
			the_first_look_plans_for_the_time_there_is},
		{"the_same_pairs_are_no_new_look", the_same_pairs_are_no_new_look},
		{"the_first_look_has_three_pairs_if_there_are_as_many",
			the_first_look_has_three_pairs_if_there_are_as_many},
		{"without_looks_a_test_has_all_of_alpha", without_looks_a_test_has_all_of_alpha},
		{NULL, NULL},
	};

	unit_suite("gate/looks", cases);
}
