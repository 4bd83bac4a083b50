
#include "dwarf/span_index.h"

#include "unit.h"

void suite_dwarf_span_index(void);

/* Builds an index of `list`, which it empties. */
static struct span_index
build(struct span_list *list, struct arena *arena)
{
	struct span_index index;

	*arena = (struct arena){0};
	span_index_build(&index, list, arena);
	span_list_release(list);
	return index;
}

static void
test_nested(void)
{
	struct span_list list = {0};
	struct arena arena;

	span_list_add(&list, 20, 30, 2);
	span_list_add(&list, 10, 100, 1);
	span_list_add(&list, 22, 24, 3);
	span_list_add(&list, 30, 40, 4);

	struct span_index index = build(&list, &arena);

	CU_ASSERT_EQUAL(span_index_find(&index, 9), SPAN_NONE);
	CU_ASSERT_EQUAL(span_index_find(&index, 10), 1);
	CU_ASSERT_EQUAL(span_index_find(&index, 21), 2);
	CU_ASSERT_EQUAL(span_index_find(&index, 23), 3);
	CU_ASSERT_EQUAL(span_index_find(&index, 24), 2);
	CU_ASSERT_EQUAL(span_index_find(&index, 30), 4);
	CU_ASSERT_EQUAL(span_index_find(&index, 40), 1);
	CU_ASSERT_EQUAL(span_index_find(&index, 99), 1);
	CU_ASSERT_EQUAL(span_index_find(&index, 100), SPAN_NONE);
	arena_release(&arena);
}

static void
test_equal(void)
{
	struct span_list list = {0};
	struct arena arena;

	span_list_add(&list, 10, 20, 7);
	span_list_add(&list, 10, 20, 5);
	span_list_add(&list, 10, 12, 1);

	struct span_index index = build(&list, &arena);

	CU_ASSERT_EQUAL(span_index_find(&index, 10), 1);
	CU_ASSERT_EQUAL(span_index_find(&index, 12), 7);
	arena_release(&arena);
}

static void
test_empty(void)
{
	struct span_list list = {0};
	struct arena arena;

	span_list_add(&list, 10, 10, 1);
	span_list_add(&list, 10, 5, 1);
	CU_ASSERT_EQUAL(list.count, 0);

	struct span_index index = build(&list, &arena);

	CU_ASSERT_EQUAL(span_index_find(&index, 10), SPAN_NONE);
	arena_release(&arena);
}

/* The innermost by the definition in the header, found by looking at all. */
static uint32_t
innermost(const struct span *spans, size_t count, uint64_t address)
{
	const struct span *best = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct span *span = &spans[i];

		if (address < span->low || address >= span->high)
			continue;
		if (!best || span->low > best->low ||
			(span->low == best->low &&
				(span->high < best->high ||
					(span->high == best->high && span->item > best->item))))
			best = span;
	}
	return best ? best->item : SPAN_NONE;
}

static void
test_any(void)
{
	struct span spans[12];
	uint32_t random = 1;
	size_t wrong = 0;

	for (unsigned round = 0; round < 500; round++) {
		struct span_list list = {0};
		struct arena arena;

		for (uint32_t i = 0; i < 12; i++) {
			random = random * 1103515245 + 12345;
			spans[i].low = random >> 16 & 63;
			spans[i].high = spans[i].low + 1 + (random >> 24 & 31);
			spans[i].item = i;
			span_list_add(&list, spans[i].low, spans[i].high, i);
		}

		struct span_index index = build(&list, &arena);

		for (uint64_t at = 0; at < 100; at++)
			wrong += span_index_find(&index, at) != innermost(spans, 12, at);
		arena_release(&arena);
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

static const struct unit_case cases[] = {
	{"the_innermost_span_is_found", test_nested},
	{"of_spans_that_start_together_the_shorter_one_is_inside", test_equal},
	{"empty_and_inverted_spans_hold_nothing", test_empty},
	{"overlapping_spans_follow_the_same_rule", test_any},
	{NULL, NULL},
};

void
suite_dwarf_span_index(void)
{
	unit_suite("dwarf/span_index", cases);
}
