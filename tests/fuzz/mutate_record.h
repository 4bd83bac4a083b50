/*
 * replay.bin and shard.bin: the contents are changed, then packed again with the right sizes and
 * hash.
 */
#ifndef FUZZ_MUTATE_RECORD_H
#define FUZZ_MUTATE_RECORD_H

#include "replay/record_file.h"

#include "mutate.h"

#include <stdlib.h>

static inline size_t
mutate_record(const struct record_kind *kind, uint8_t *data, size_t size, size_t max_size,
	unsigned int seed)
{
	struct chance chance = {seed};
	struct record_contents record;
	struct err ignored = {0};
	struct buf packed = {0};

	/* Contents without a frame are an input of the target, too. */
	if (record_unpack(kind, "fuzz", (const char *)data, size, &record, &ignored) < 0 ||
		record.bytes.len > max_size || chance_below(&chance, 16) == 0) {
		buf_release(&record.bytes);
		return LLVMFuzzerMutate(data, size, max_size);
	}
	uint8_t *contents = calloc(1, max_size + 1);

	if (!contents)
		abort();
	if (record.bytes.len > 0)
		memcpy(contents, record.bytes.data, record.bytes.len);
	size_t len = LLVMFuzzerMutate(contents, record.bytes.len, max_size);

	buf_clear(&record.bytes);
	buf_put(&record.bytes, contents, len);
	if (record_pack(kind, &record.bytes, PROFILE_RUN_VERSION, &packed) &&
		packed.len <= max_size) {
		memcpy(data, packed.data, packed.len);
		size = packed.len;
	}
	free(contents);
	buf_release(&packed);
	buf_release(&record.bytes);
	return size;
}

#endif
