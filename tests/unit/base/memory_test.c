/* arena, buf, strtab and hash: the things that hold bytes. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/strtab.h"

#include "unit.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

void suite_base_memory(void);

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

static void
numbers_are_written_shortest_and_exact(void)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {{0, "0"}, {12, "12"}, {0.1, "0.1"}, {1.0 / 3, "0.3333333333333333"},
		{9007199254740991.0, "9007199254740991"}, {-2.5, "-2.5"}};
	struct buf out = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		buf_clear(&out);
		buf_put_number(&out, cases[i].value);
		UNIT_STR_EQ(buf_text(&out), cases[i].text);
		CU_ASSERT_EQUAL(strtod(buf_text(&out), NULL), cases[i].value);
	}
	buf_release(&out);
}

static void
a_buffer_is_always_terminated(void)
{
	struct buf out = {0};

	UNIT_STR_EQ(buf_text(&out), "");
	buf_put(&out, "abc", 2);
	UNIT_STR_EQ(buf_text(&out), "ab");
	buf_put_zeros(&out, 3);
	CU_ASSERT_EQUAL(out.len, 5);
	buf_printf(&out, "%d", 42);
	UNIT_STR_EQ(out.data + 5, "42");
	buf_clear(&out);
	UNIT_STR_EQ(buf_text(&out), "");
	buf_release(&out);
}

static void
what_is_reserved_is_not_moved(void)
{
	struct buf out = {0};

	buf_reserve(&out, 5000);
	UNIT_NEED(out.data);
	UNIT_STR_EQ(buf_text(&out), "");
	const char *place = out.data;

	for (int i = 0; i < 5000; i++)
		buf_putc(&out, 'x');
	CU_ASSERT_PTR_EQUAL(out.data, place);
	CU_ASSERT_EQUAL(strlen(buf_text(&out)), 5000);
	buf_reserve(&out, 100000);
	CU_ASSERT_EQUAL(out.len, 5000);
	CU_ASSERT_EQUAL(strlen(buf_text(&out)), 5000);
	buf_release(&out);
}

static void
what_is_printed_may_be_longer_than_the_room(void)
{
	struct buf out = {0};

	for (int width = 0; width < 300; width += 7) {
		buf_clear(&out);
		buf_printf(&out, "%*s|%s", width, "", width % 2 ? "odd" : "");
		CU_ASSERT_EQUAL(out.len, (size_t)width + 1 + (width % 2 ? 3 : 0));
		CU_ASSERT_EQUAL(strlen(buf_text(&out)), out.len);
	}
	buf_printf(&out, "%s", "");
	CU_ASSERT_EQUAL(strlen(buf_text(&out)), out.len);
	buf_release(&out);
}

static void
interned_strings_keep_their_ids_through_growth(void)
{
	struct strtab tab;
	str_id ids[5000];
	char text[32];

	strtab_init(&tab);
	CU_ASSERT_EQUAL(strtab_intern_str(&tab, ""), 0);
	for (int i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "name %d", i);
		ids[i] = strtab_intern_str(&tab, text);
	}
	for (int i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "name %d", i);
		CU_ASSERT_EQUAL(strtab_intern_str(&tab, text), ids[i]);
		CU_ASSERT_EQUAL(strtab_find(&tab, text, strlen(text)), ids[i]);
		UNIT_STR_EQ(strtab_str(&tab, ids[i]), text);
	}
	CU_ASSERT_EQUAL(tab.nentries, 5001);
	CU_ASSERT_EQUAL(strtab_find(&tab, "absent", 6), 0);
	strtab_release(&tab);
}

static void
interned_strings_may_hold_any_byte(void)
{
	struct strtab tab;

	strtab_init(&tab);
	str_id a = strtab_intern(&tab, "a\0b", 3);
	str_id b = strtab_intern(&tab, "a\0c", 3);

	CU_ASSERT_NOT_EQUAL(a, b);
	CU_ASSERT_NOT_EQUAL(a, strtab_intern_str(&tab, "a"));
	CU_ASSERT_EQUAL(strtab_len(&tab, a), 3);
	strtab_release(&tab);
}

/* FIPS 180-4's own example. */
static void
sha256_is_that_of_the_standard(void)
{
	char text[HASH_TEXT_SIZE];

	hash_text("abc", 3, text);
	UNIT_STR_EQ(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void
table_hash_uses_every_byte(void)
{
	char text[40];

	memset(text, 'a', sizeof(text));
	for (size_t len = 1; len <= sizeof(text); len++) {
		uint64_t whole = hash_bytes(text, len);

		for (size_t i = 0; i < len; i++) {
			text[i] = 'b';
			CU_ASSERT_NOT_EQUAL(hash_bytes(text, len), whole);
			text[i] = 'a';
		}
		CU_ASSERT_NOT_EQUAL(hash_bytes(text, len - 1), whole);
	}
}

static void
growth_keeps_and_zeroes(void)
{
	size_t capacity = 0;
	int *array = mem_grow(NULL, &capacity, 1, sizeof(*array));

	array[0] = 7;
	for (size_t n = 2; n < 1000; n++) {
		size_t before = capacity;

		array = mem_grow(array, &capacity, n, sizeof(*array));
		CU_ASSERT_EQUAL(array[0], 7);
		for (size_t i = before; i < capacity; i++)
			CU_ASSERT_EQUAL_FATAL(array[i], 0);
	}
	free(array);
}

static void
tables_begin_zeroed(void)
{
	for (size_t count = 0; count < 5000; count = count * 3 + 1) {
		char *used = mem_zalloc(count * 12 + 1, 1);

		memset(used, 'x', count * 12 + 1);
		free(used);
		char *table = mem_ztable(count, 12);

		for (size_t i = 0; i < count * 12; i++)
			CU_ASSERT_EQUAL_FATAL(table[i], 0);
		free(table);
	}
}

/* The exit status of a process that allocates such a table; -1 where a signal ended it. */
static int
exit_of_table(size_t count, size_t size)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

		dup2(nowhere, STDERR_FILENO);
		_exit(mem_ztable(count, size) ? 0 : -1);
	}
	CU_ASSERT_EQUAL_FATAL(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
tables_too_large_for_any_memory_end_the_process(void)
{
	const struct err err = {.kind = ERR_SYSTEM};

	CU_ASSERT_EQUAL(exit_of_table(SIZE_MAX / 2, 3), err_exit_code(&err));
	CU_ASSERT_EQUAL(exit_of_table(SIZE_MAX, 1), err_exit_code(&err));
	CU_ASSERT_EQUAL(exit_of_table(SIZE_MAX / 3, 3), err_exit_code(&err));
}

void
suite_base_memory(void)
{
	static const struct unit_case cases[] = {
		{"arena_pieces_are_zeroed_aligned_and_apart",
			arena_pieces_are_zeroed_aligned_and_apart},
		{"arena_is_not_much_larger_than_its_pieces",
			arena_is_not_much_larger_than_its_pieces},
		{"arena_takes_pieces_larger_than_a_block", arena_takes_pieces_larger_than_a_block},
		{"numbers_are_written_shortest_and_exact", numbers_are_written_shortest_and_exact},
		{"a_buffer_is_always_terminated", a_buffer_is_always_terminated},
		{"what_is_reserved_is_not_moved", what_is_reserved_is_not_moved},
		{"what_is_printed_may_be_longer_than_the_room",
			what_is_printed_may_be_longer_than_the_room},
		{"interned_strings_keep_their_ids_through_growth",
			interned_strings_keep_their_ids_through_growth},
		{"interned_strings_may_hold_any_byte", interned_strings_may_hold_any_byte},
		{"sha256_is_that_of_the_standard", sha256_is_that_of_the_standard},
		{"table_hash_uses_every_byte", table_hash_uses_every_byte},
		{"growth_keeps_and_zeroes", growth_keeps_and_zeroes},
		{"tables_begin_zeroed", tables_begin_zeroed},
		{"tables_too_large_for_any_memory_end_the_process",
			tables_too_large_for_any_memory_end_the_process},
		{NULL, NULL},
	};

	unit_suite("base/memory", cases);
}
