#include "base/search.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

void suite_base_search(void);

struct wide {
	char name;
	uint64_t start;
};

struct narrow {
	uint64_t other;
	uint32_t start;
	uint32_t end;
};

static const struct wide wides[] = {{'a', 10}, {'b', 20}, {'c', 20}, {'d', UINT64_MAX}};
static const struct narrow narrows[] = {{9, 10, 15}, {8, 20, 25}, {7, UINT32_MAX, 0}};

static size_t
until(uint64_t wanted)
{
	return search_until(wides, 4, SEARCH_BY(struct wide, start), wanted);
}

static size_t
before(uint64_t wanted)
{
	return search_before(wides, 4, SEARCH_BY(struct wide, start), wanted);
}

static void
those_up_to_the_wanted_one_are_counted(void)
{
	CU_ASSERT_EQUAL(until(0), 0);
	CU_ASSERT_EQUAL(until(9), 0);
	CU_ASSERT_EQUAL(until(10), 1);
	CU_ASSERT_EQUAL(until(19), 1);
	CU_ASSERT_EQUAL(until(20), 3);
	CU_ASSERT_EQUAL(until(UINT64_MAX - 1), 3);
	CU_ASSERT_EQUAL(until(UINT64_MAX), 4);
}

static void
the_first_of_equals_is_found(void)
{
	CU_ASSERT_EQUAL(before(0), 0);
	CU_ASSERT_EQUAL(before(10), 0);
	CU_ASSERT_EQUAL(before(11), 1);
	CU_ASSERT_EQUAL(before(20), 1);
	CU_ASSERT_EQUAL(before(21), 3);
	CU_ASSERT_EQUAL(before(UINT64_MAX), 3);
}

static void
a_narrow_member_is_reported_from_its_neighbour(void)
{
	const struct search_by by = SEARCH_BY(struct narrow, start);

	CU_ASSERT_EQUAL(search_until(narrows, 3, by, 9), 0);
	CU_ASSERT_EQUAL(search_until(narrows, 3, by, 10), 1);
	CU_ASSERT_EQUAL(search_until(narrows, 3, by, 20), 2);
	CU_ASSERT_EQUAL(search_before(narrows, 3, by, 20), 1);
	/* No narrow key is above what has more bits. */
	CU_ASSERT_EQUAL(search_until(narrows, 3, by, UINT64_C(1) << 32), 3);
	CU_ASSERT_EQUAL(search_before(narrows, 3, by, UINT64_C(1) << 32), 3);
}

static void
plain_numbers_are_keys_themselves(void)
{
	static const uint64_t numbers[] = {1, 3, 5};
	static const uint32_t small[] = {1, 3, 5};

	CU_ASSERT_EQUAL(search_until(numbers, 3, SEARCH_BY_VALUE(uint64_t), 3), 2);
	CU_ASSERT_EQUAL(search_until(small, 3, SEARCH_BY_VALUE(uint32_t), 4), 2);
	CU_ASSERT_EQUAL(search_before(small, 3, SEARCH_BY_VALUE(uint32_t), 5), 2);
}

static void
no_elements_have_none(void)
{
	CU_ASSERT_EQUAL(search_until(NULL, 0, SEARCH_BY(struct wide, start), 5), 0);
	CU_ASSERT_EQUAL(search_before(NULL, 0, SEARCH_BY(struct wide, start), 5), 0);
}

static void
only_the_part_asked_for_is_looked_at(void)
{
	/* Sorted between 2 and 5 only. */
	static const uint64_t numbers[] = {90, 80, 10, 20, 30, 5, 1};

	for (uint64_t wanted = 0; wanted < 100; wanted++) {
		size_t expected = wanted < 10 ? 2 : wanted < 20 ? 3 : wanted < 30 ? 4 : 5;

		CU_ASSERT_EQUAL(
			search_within(numbers, 2, 5, SEARCH_BY_VALUE(uint64_t), wanted), expected);
	}
	CU_ASSERT_EQUAL(search_within(numbers, 7, 7, SEARCH_BY_VALUE(uint64_t), 50), 7);
}

static void
elements_need_no_alignment(void)
{
	unsigned char bytes[2 * sizeof(struct narrow) + 1];

	memcpy(bytes + 1, narrows, sizeof(bytes) - 1);
	CU_ASSERT_EQUAL(search_until(bytes + 1, 2, SEARCH_BY(struct narrow, start), 15), 1);
}

/* Every length up to a hundred, against counting. */
static void
it_counts_as_a_walk_does(void)
{
	uint32_t numbers[100];

	for (size_t count = 0; count < 100; count++) {
		numbers[count] = (uint32_t)(count * count / 7);
		for (uint32_t wanted = 0; wanted < 1500; wanted += 13) {
			size_t most = 0;
			size_t below = 0;

			for (size_t i = 0; i <= count; i++) {
				most += numbers[i] <= wanted;
				below += numbers[i] < wanted;
			}
			CU_ASSERT_EQUAL(
				search_until(numbers, count + 1, SEARCH_BY_VALUE(uint32_t), wanted),
				most);
			CU_ASSERT_EQUAL(search_before(numbers, count + 1, SEARCH_BY_VALUE(uint32_t),
						wanted),
				below);
		}
	}
}

void
suite_base_search(void)
{
	static const struct unit_case cases[] = {
		{"those_up_to_the_wanted_one_are_counted", those_up_to_the_wanted_one_are_counted},
		{"the_first_of_equals_is_found", the_first_of_equals_is_found},
		{"a_narrow_member_is_reported_from_its_neighbour",
			a_narrow_member_is_reported_from_its_neighbour},
		{"plain_numbers_are_keys_themselves", plain_numbers_are_keys_themselves},
		{"no_elements_have_none", no_elements_have_none},
		{"only_the_part_asked_for_is_looked_at", only_the_part_asked_for_is_looked_at},
		{"elements_need_no_alignment", elements_need_no_alignment},
		{"it_counts_as_a_walk_does", it_counts_as_a_walk_does},
		{NULL, NULL},
	};

	unit_suite("base/search", cases);
}
