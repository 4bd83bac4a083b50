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

/* Bytes appended to the block being filled from now on come from `file_offset`. */
static void
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

/* A record has at most 64 KiB: there is always room for one and more. */
#define ROOM_BYTES ((size_t)128 << 10)
/*
 * How much a stream may expand to: all of it is kept in memory. Copies of stacks shrink to a
 * hundredth, of a stack that stands still to a thousandth; zstd itself could make 32 KiB of a byte.
 */
#define EXPANSION_RATIO 64
#define EXPANSION_BYTES ((uint64_t)512 << 20)
/* What a record takes besides its bytes: they can be as few as eight. */
#define RECORD_BYTES 32

void
decompressor_release(struct decompressor *decompressor)
{
	ZSTD_freeDCtx(decompressor->stream);
}

/* The block to expand into. Bytes carried over from the block before it are marked, too. */
static struct record_block *
room(struct decompressor *decompressor)
{
	struct record_store *store = decompressor->store;
	size_t nblocks = store->nblocks;
	struct record_block *block = record_store_room(store, ROOM_BYTES, decompressor->unread);

	if (store->nblocks > nblocks && decompressor->unread > 0) {
		block->len = 0;
		record_store_mark(store, decompressor->file_offset, false);
		block->len = decompressor->unread;
	}
	return block;
}

void
decompressor_feed(
	struct decompressor *decompressor, const char *bytes, size_t len, uint64_t file_offset)
{
	assert(decompressor->in.pos == decompressor->in.size);
	/* NULL only without memory; the first use then reports it. */
	if (!decompressor->stream)
		decompressor->stream = ZSTD_createDCtx();
	decompressor->in = (ZSTD_inBuffer){bytes, len, 0};
	if (decompressor->fed == 0)
		decompressor->allowance.left = EXPANSION_BYTES;
	decompressor->fed += len;
	allowance_add(&decompressor->allowance, EXPANSION_RATIO * (uint64_t)len);
	decompressor->file_offset = file_offset;
	room(decompressor);
	record_store_mark(decompressor->store, file_offset, false);
}

static int
refuse_more(const char **problem)
{
	*problem = "expands to more than 512 MiB and 64 times its size; record for a shorter time, "
		   "or without perf record's -z";
	return -1;
}

/* Expands some more: 1, or 0 if there is nothing to expand, or -1. */
static int
expand(struct decompressor *decompressor, const char **problem)
{
	if (decompressor->in.pos == decompressor->in.size && !decompressor->more)
		return 0;
	struct record_block *block = room(decompressor);
	ZSTD_outBuffer out = {block->bytes, RECORD_BLOCK_BYTES, block->len};
	size_t status = decompressor->stream ? ZSTD_decompressStream(decompressor->stream, &out,
						       &decompressor->in)
					     : 0;

	if (!decompressor->stream || ZSTD_isError(status)) {
		*problem = decompressor->stream ? ZSTD_getErrorName(status) : "out of memory";
		return -1;
	}
	const bool allowed = allowance_take(&decompressor->allowance, out.pos - block->len);

	decompressor->unread += out.pos - block->len;
	decompressor->more = out.pos == out.size;
	block->len = out.pos;
	return allowed ? 1 : refuse_more(problem);
}

int
decompressor_next(struct decompressor *decompressor, const char **record, const char **problem)
{
	for (;;) {
		const struct record_store *store = decompressor->store;
		const struct record_block *block = &store->blocks[store->nblocks - 1];
		const char *at = block->bytes + block->len - decompressor->unread;
		struct perf_event_header header = {.size = sizeof(header)};

		if (decompressor->unread >= sizeof(header)) {
			memcpy(&header, at, sizeof(header));
			if (header.size < sizeof(header) || header.size % sizeof(uint64_t) != 0) {
				*problem = "holds a record of a size that is not possible";
				return -1;
			}
		}
		if (decompressor->unread >= header.size) {
			if (!allowance_take(&decompressor->allowance, RECORD_BYTES))
				return refuse_more(problem);
			decompressor->unread -= header.size;
			*record = at;
			return 1;
		}
		int status = expand(decompressor, problem);

		if (status <= 0)
			return status;
	}
}
