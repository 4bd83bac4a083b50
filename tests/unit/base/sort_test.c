#include "base/sort.h"

#include "unit.h"

#include <math.h>
#include <stdlib.h>

void suite_base_sort(void);

#define COUNT 5000

static int
compare(const void *a, const void *b)
{
	const struct sort_key *x = a;
	const struct sort_key *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static void
numbers_rise(void)
{
	double numbers[] = {3, -1, INFINITY, 0.5, -INFINITY, 3, 0};
	static const double expected[] = {-INFINITY, -1, 0, 0.5, 3, 3, INFINITY};

	sort_numbers(numbers, 7);
	for (size_t i = 0; i < 7; i++)
		CU_ASSERT_EQUAL(numbers[i], expected[i]);
	sort_numbers(NULL, 0);
}

/* Holds the order against a comparing sort's: `mask` says which bits of the keys differ. */
static void
expect_order(size_t count, uint64_t mask)
{
	static struct sort_key keys[COUNT];
	static struct sort_key expected[COUNT];
	uint64_t random = 88172645463325252;

	for (size_t i = 0; i < count; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		keys[i] = (struct sort_key){
			(random & mask) | (~mask & 0x0123456789abcdef), (uint32_t)i};
		expected[i] = keys[i];
	}
	qsort(expected, count, sizeof(*expected), compare);
	sort_keys(keys, count);
	for (size_t i = 0; i < count; i++) {
		CU_ASSERT_EQUAL(keys[i].key, expected[i].key);
		CU_ASSERT_EQUAL(keys[i].at, expected[i].at);
	}
}

static void
keys_rise_whatever_bits_they_differ_in(void)
{
	expect_order(COUNT, UINT64_MAX);
	expect_order(COUNT, 0xffffffff);
	expect_order(COUNT, 0x7ff00000);
	expect_order(COUNT, UINT64_C(0x8000000000000001));
}

static void
equal_keys_stay_in_their_order(void)
{
	expect_order(COUNT, 0xff);
	expect_order(COUNT, UINT64_C(3) << 62);
	expect_order(COUNT, 0);
}

static void
few_keys_or_none_are_sorted_too(void)
{
	expect_order(0, UINT64_MAX);
	expect_order(1, UINT64_MAX);
	expect_order(2, UINT64_MAX);
	expect_order(3, UINT64_MAX);
}

void
suite_base_sort(void)
{
	static const struct unit_case cases[] = {
		{"numbers_rise", numbers_rise},
		{"keys_rise_whatever_bits_they_differ_in", keys_rise_whatever_bits_they_differ_in},
		{"equal_keys_stay_in_their_order", equal_keys_stay_in_their_order},
		{"few_keys_or_none_are_sorted_too", few_keys_or_none_are_sorted_too},
		{NULL, NULL},
	};

	unit_suite("base/sort", cases);
}
