#include "perfdata/reader_internal.h"

#include "unit.h"

#include <stdlib.h>

void suite_perfdata_reader_sort(void);

/* Random times with many ties: the result must be ordered, and stable. */
static void
test_random(void)
{
	static const char records[501]; /* addresses only */
	struct moment moments[500];

	srand(7);
	for (size_t count = 0; count <= 500; count += 25) {
		for (size_t i = 0; i < count; i++)
			moments[i] = (struct moment){(uint64_t)rand() % 40, &records[i]};
		reader_sort(moments, count);
		for (size_t i = 1; i < count; i++) {
			const struct moment *a = &moments[i - 1];
			const struct moment *b = &moments[i];

			CU_ASSERT(a->time_ns < b->time_ns ||
				  (a->time_ns == b->time_ns && a->record < b->record));
		}
	}
}

static void
test_stretches(void)
{
	static const char *const names = "abcdef";
	struct moment moments[] = {{1, names}, {5, names + 1}, {9, names + 2}, {2, names + 3},
		{6, names + 4}, {3, names + 5}};
	static const char expected[] = "adfbec";

	reader_sort(moments, 6);
	for (size_t i = 0; i < 6; i++)
		CU_ASSERT_EQUAL(*moments[i].record, expected[i]);
}

void
suite_perfdata_reader_sort(void)
{
	static const struct unit_case cases[] = {
		{"any_order_is_sorted_and_ties_keep_theirs", test_random},
		{"an_odd_number_of_stretches_is_merged", test_stretches},
		{NULL, NULL},
	};

	unit_suite("perfdata/reader_sort", cases);
}
