#include "base/range_map.h"

#include "unit.h"

void suite_base_range_map(void);

/* Addresses of the plain maps that the others are compared with. */
#define ADDRESSES 64
#define MAPS 4

struct plain {
	uint64_t numbers[ADDRESSES]; /* 0: nothing */
};

static void
put(struct range_pool *pool, struct range_map *map, uint64_t start, uint64_t end, uint64_t number)
{
	const struct range range = {
		.start = start, .end = end, .number = number, .bits = 1u << number % 8};

	range_map_put(pool, map, &range);
}

static void
expect_same(const struct range_map *map, const struct plain *plain)
{
	unsigned bits = 0;
	uint64_t last = 0;

	for (uint64_t at = ADDRESSES; at-- > 0;) {
		const struct range *range = range_map_find(map, at);
		const struct range *next = range_map_next(map, at);

		CU_ASSERT_EQUAL(range ? range->number : 0, plain->numbers[at]);
		CU_ASSERT_EQUAL(next ? next->start : 0, last);
		if (range && range->start == at)
			last = at;
		bits |= range ? range->bits : 0;
	}
	CU_ASSERT_EQUAL(range_map_bits(map), bits);
}

static void
a_range_replaces_what_was_there(void)
{
	struct range_pool pool = {0};
	struct range_map map = {0};

	CU_ASSERT_PTR_NULL(range_map_find(&map, 5));
	put(&pool, &map, 10, 50, 1);
	put(&pool, &map, 20, 30, 2);
	CU_ASSERT_EQUAL(range_map_find(&map, 19)->end, 20);
	CU_ASSERT_EQUAL(range_map_find(&map, 29)->number, 2);
	CU_ASSERT_EQUAL(range_map_find(&map, 30)->start, 30);
	CU_ASSERT_EQUAL(range_map_find(&map, 49)->number, 1);
	range_map_cut(&pool, &map, 0, 100);
	CU_ASSERT_PTR_NULL(range_map_next(&map, 0));
	range_pool_release(&pool);
}

/* Random changes of maps that are copied from one another, beside plain arrays. */
static void
copies_change_apart(void)
{
	struct range_pool pool = {0};
	struct range_map maps[MAPS] = {{0}};
	struct plain plain[MAPS] = {{{0}}};
	struct random random = {.state = 7};

	for (uint64_t step = 1; step <= 4000; step++) {
		uint64_t one = random_next(&random) % MAPS;
		uint64_t other = random_next(&random) % MAPS;
		uint64_t start = random_next(&random) % (ADDRESSES - 1);
		uint64_t end = start + 1 + random_next(&random) % (ADDRESSES - start - 1);
		unsigned kind = random_next(&random) % 8;

		if (kind == 0 && one != other) {
			maps[one] = range_map_share(&pool, &maps[other]);
			plain[one] = plain[other];
			continue;
		}
		if (kind == 1)
			range_map_cut(&pool, &maps[one], start, end);
		else
			put(&pool, &maps[one], start, end, step);
		for (uint64_t at = start; at < end; at++)
			plain[one].numbers[at] = kind == 1 ? 0 : step;
		for (unsigned i = 0; i < MAPS; i++)
			expect_same(&maps[i], &plain[i]);
	}
	range_pool_release(&pool);
}

static unsigned nmade;

/* A note is the number plus one, as a place in this array. */
static char notes[ADDRESSES + 1];

static void *
make_note(void *context, const struct range *range, const void **mark)
{
	CU_ASSERT_PTR_EQUAL(context, notes);
	nmade++;
	if (range->number == 3)
		*mark = &notes[3];
	return &notes[range->number];
}

static bool
is_three(const void *context, const struct range *range)
{
	(void)context;
	return range->number == 3;
}

static void
notes_are_made_once_and_kept(void)
{
	struct range_pool pool = {0};
	struct range_map map = {0};

	for (uint64_t i = 1; i < ADDRESSES; i++)
		put(&pool, &map, 10 * i, 10 * i + 10, i);
	nmade = 0;
	range_map_annotate(&map, make_note, notes);
	CU_ASSERT_EQUAL(nmade, ADDRESSES - 1);
	CU_ASSERT_PTR_EQUAL(range_map_note(&map, 55), &notes[5]);
	CU_ASSERT_PTR_EQUAL(range_map_mark(&map), &notes[3]);

	struct range_map copy = range_map_share(&pool, &map);

	/* One range is gone, one is cut, and one is new. */
	put(&pool, &copy, 25, 45, 3);
	CU_ASSERT_FALSE(range_map_all_bare(&copy, is_three, NULL));
	CU_ASSERT(range_map_all_bare(&map, is_three, NULL));
	nmade = 0;
	range_map_annotate(&copy, make_note, notes);
	CU_ASSERT_EQUAL(nmade, 3);
	CU_ASSERT_PTR_EQUAL(range_map_note(&copy, 44), &notes[3]);
	CU_ASSERT_PTR_EQUAL(range_map_note(&map, 44), &notes[4]);
	range_map_cut(&pool, &copy, 25, 45);
	CU_ASSERT_PTR_NULL(range_map_mark(&copy));
	range_pool_release(&pool);
}

void
suite_base_range_map(void)
{
	static const struct unit_case cases[] = {
		{"a_range_replaces_what_was_there", a_range_replaces_what_was_there},
		{"copies_change_apart", copies_change_apart},
		{"notes_are_made_once_and_kept", notes_are_made_once_and_kept},
		{0},
	};

	unit_suite("base/range_map", cases);
}
