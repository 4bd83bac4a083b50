#include "base/arena.h"

#include "unit.h"

#include <stdint.h>
#include <string.h>

void suite_base_arena(void);

static void
arena_pieces_are_zeroed_aligned_and_apart(void)
{
	struct arena arena = {0};
	char *pieces[300];

	for (size_t i = 0; i < 300; i++) {
		size_t size = 1 + i * 37 % 1500;

		arena_dup(&arena, "odd", i % 3);
		pieces[i] = arena_alloc(&arena, size);
		CU_ASSERT_EQUAL((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
		for (size_t b = 0; b < size; b++)
			CU_ASSERT_EQUAL_FATAL(pieces[i][b], 0);
		memset(pieces[i], (int)i, size);
	}
	for (size_t i = 0; i < 300; i++)
		CU_ASSERT_EQUAL(pieces[i][i * 37 % 1500], (char)i);
	arena_release(&arena);
}

/* A block that is not used up is no larger than what was handed out, or 64 KiB. */
static void
arena_is_not_much_larger_than_its_pieces(void)
{
	struct arena arena = {0};

	arena_strdup(&arena, "small");
	CU_ASSERT(arena.left < 4096);
	for (int i = 0; i < 100000; i++) {
		arena_alloc(&arena, 24);
		CU_ASSERT(arena.left < arena.used_bytes || arena.left < 4096);
		CU_ASSERT(arena.left < 65536);
	}
	arena_release(&arena);
}

static void
arena_takes_pieces_larger_than_a_block(void)
{
	struct arena arena = {0};

	char *small = arena_strdup(&arena, "small");
	char *large = arena_alloc(&arena, 1 << 20);

	memset(large, 'x', 1 << 20);
	UNIT_STR_EQ(arena_printf(&arena, "%s-%d", small, 7), "small-7");
	arena_release(&arena);
}

void
suite_base_arena(void)
{
	static const struct unit_case cases[] = {
		{"arena_pieces_are_zeroed_aligned_and_apart",
			arena_pieces_are_zeroed_aligned_and_apart},
		{"arena_is_not_much_larger_than_its_pieces",
			arena_is_not_much_larger_than_its_pieces},
		{"arena_takes_pieces_larger_than_a_block", arena_takes_pieces_larger_than_a_block},
		{NULL, NULL},
	};

	unit_suite("base/arena", cases);
}
