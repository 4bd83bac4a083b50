#include "perfdata/reader_internal.h"

#include "unit.h"

void suite_perfdata_record_store(void);

static void
test_copies(void)
{
	static const char bytes[4096] = "record";
	struct record_origins origins = {0};
	struct record_store store = {.origins = &origins};
	const char *copies[1000];

	for (size_t i = 0; i < 1000; i++) {
		/* A gap in the file before every hundredth. */
		uint64_t offset = i * sizeof(bytes) + i / 100 * 24;

		copies[i] = record_store_copy(&store, bytes, sizeof(bytes), offset);
		CU_ASSERT_EQUAL((uintptr_t)copies[i] % sizeof(uint64_t), 0);
	}
	CU_ASSERT(store.nblocks > 1);
	CU_ASSERT(origins.count < 20);
	record_origins_sort(&origins);
	for (size_t i = 0; i < 1000; i++) {
		CU_ASSERT_EQUAL(
			record_origins_find(&origins, copies[i]), i * sizeof(bytes) + i / 100 * 24);
		UNIT_STR_EQ(copies[i], "record");
	}
	record_store_release(&store);
	record_origins_release(&origins);
}

/* Half a record at the end of a block moves to the next. */
static void
test_carry(void)
{
	struct record_origins origins = {0};
	struct record_store store = {.origins = &origins};

	struct record_block *block = record_store_room(&store, 8, 0);

	block->len = RECORD_BLOCK_BYTES;
	memcpy(block->bytes + block->len - 4, "half", 4);
	block = record_store_room(&store, 8, 4);
	CU_ASSERT_EQUAL(store.nblocks, 2);
	CU_ASSERT_EQUAL(store.blocks[0].len, RECORD_BLOCK_BYTES - 4);
	CU_ASSERT_EQUAL_FATAL(block->len, 4);
	CU_ASSERT_EQUAL(memcmp(block->bytes, "half", 4), 0);
	record_store_release(&store);
	record_origins_release(&origins);
}

void
suite_perfdata_record_store(void)
{
	static const struct unit_case cases[] = {
		{"copies_know_where_they_came_from", test_copies},
		{"what_a_block_does_not_hold_moves_to_the_next", test_carry},
		{NULL, NULL},
	};

	unit_suite("perfdata/record_store", cases);
}
