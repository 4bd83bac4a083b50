/*
 * Decompresses the records of `perf record -z`.
 */
#include "base/mem.h"
#include "perfdata/reader_internal.h"

#include <assert.h>
#include <string.h>

/* A record has at most 64 KiB: there is always room for one and more. */
#define ROOM_BYTES ((size_t)128 << 10)
/*
 * How much a stream may expand to: all of it is kept in memory. Copies of stacks shrink to a
 * hundredth, of a stack that stands still to a thousandth; zstd itself could make 32 KiB of a byte.
 */
#define EXPANSION_RATIO 64
#define EXPANSION_BYTES ((uint64_t)512 << 20)
/* Bytes that a record takes besides its own, which can be as few as eight. */
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
