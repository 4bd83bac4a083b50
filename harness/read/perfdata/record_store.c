/*
 * The memory for records of a perf.data file that were decompressed or copied.
 */
#include "base/mem.h"
#include "base/search.h"
#include "perfdata/reader_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void
record_store_release(struct record_store *store)
{
	for (size_t i = 0; i < store->nblocks; i++)
		free(store->blocks[i].bytes);
	free(store->blocks);
	*store = (struct record_store){0};
}

struct record_block *
record_store_room(struct record_store *store, size_t bytes, size_t carry)
{
	struct record_block *last = store->nblocks > 0 ? &store->blocks[store->nblocks - 1] : NULL;

	assert(bytes + carry <= RECORD_BLOCK_BYTES && (carry == 0 || last));
	if (last && last->len + bytes <= RECORD_BLOCK_BYTES)
		return last;
	store->blocks = mem_grow(
		store->blocks, &store->blocks_capacity, store->nblocks + 1, sizeof(*store->blocks));

	struct record_block *next = &store->blocks[store->nblocks++];

	next->bytes = mem_zalloc(1, RECORD_BLOCK_BYTES);
	next->len = carry;
	if (carry > 0) {
		last = next - 1;
		memcpy(next->bytes, last->bytes + last->len - carry, carry);
		last->len -= carry;
	}
	return next;
}

void
record_store_mark(struct record_store *store, uint64_t file_offset, bool copied)
{
	const struct record_block *block = &store->blocks[store->nblocks - 1];

	struct record_origins *origins = store->origins;

	origins->list = mem_grow(
		origins->list, &origins->capacity, origins->count + 1, sizeof(*origins->list));
	origins->list[origins->count++] =
		(struct record_origin){block->bytes + block->len, file_offset, copied};
}

/* Whether a record copied to `to` goes on where the last mark's records end. */
static bool
goes_on(const struct record_store *store, const struct record_block *block, uint64_t file_offset)
{
	if (store->origins->count == 0)
		return false;
	const struct record_origin *last = &store->origins->list[store->origins->count - 1];
	uintptr_t distance = (uintptr_t)(block->bytes + block->len) - (uintptr_t)last->records;

	return last->copied && distance <= block->len &&
	       file_offset - last->file_offset == distance;
}

const char *
record_store_copy(
	struct record_store *store, const char *record, size_t bytes, uint64_t file_offset)
{
	struct record_block *block = record_store_room(store, bytes, 0);

	if (!goes_on(store, block, file_offset))
		record_store_mark(store, file_offset, true);

	char *copy = block->bytes + block->len;

	memcpy(copy, record, bytes);
	block->len += bytes;
	return copy;
}

static int
compare_origins(const void *a, const void *b)
{
	const struct record_origin *one = a;
	const struct record_origin *other = b;

	/* Among two marks at one address the first has no records; file offsets ascend. */
	if (one->records == other->records)
		return (one->file_offset > other->file_offset) -
		       (one->file_offset < other->file_offset);
	return ((uintptr_t)one->records > (uintptr_t)other->records) -
	       ((uintptr_t)one->records < (uintptr_t)other->records);
}

void
record_origins_sort(struct record_origins *origins)
{
	if (origins->count > 0)
		qsort(origins->list, origins->count, sizeof(*origins->list), compare_origins);
}

uint64_t
record_origins_find(const struct record_origins *origins, const char *record)
{
	size_t until = search_until(origins->list, origins->count,
		SEARCH_BY(struct record_origin, records), (uintptr_t)record);
	/* Every record has an origin that does not start after it. */
	const struct record_origin *origin = &origins->list[until > 0 ? until - 1 : 0];

	return origin->file_offset + (origin->copied ? (uint64_t)(record - origin->records) : 0);
}

void
record_origins_release(struct record_origins *origins)
{
	free(origins->list);
	*origins = (struct record_origins){0};
}
