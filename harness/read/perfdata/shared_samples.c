/*
 * Expands samples whose stack copies are in part those of earlier records. The layout of such a
 * record is in format.h (struct shared_stack).
 */
#include "base/mem.h"
#include "perfdata/reader_internal.h"

#include <stdlib.h>
#include <string.h>

#define WORD_BYTES sizeof(uint64_t)
#define BLOCK_BYTES ((size_t)1 << 20)

void
shared_samples_release(struct shared_samples *samples)
{
	for (size_t i = 0; i < samples->nblocks; i++)
		free(samples->blocks[i].bytes);
	free(samples->blocks);
}

/* Memory for a sample; reuses a block whose samples are no longer needed if there is one. */
static char *
take_room(struct shared_samples *samples, size_t bytes)
{
	struct shared_block *block = samples->blocks ? &samples->blocks[samples->filling] : NULL;
	size_t nblocks = samples->blocks ? samples->nblocks : 0;

	samples->count++;
	if (!block || block->len + bytes > BLOCK_BYTES) {
		size_t i = 0;

		while (i < nblocks && samples->blocks[i].last + PERFDATA_KEPT >= samples->count)
			i++;
		if (i == nblocks) {
			samples->blocks = mem_grow(samples->blocks, &samples->capacity,
				++samples->nblocks, sizeof(*samples->blocks));
			samples->blocks[i].bytes = mem_zalloc(1, BLOCK_BYTES);
		}
		samples->filling = i;
		block = &samples->blocks[i];
		block->len = 0;
	}
	char *at = block->bytes + block->len;

	block->len += bytes;
	block->last = samples->count;
	return at;
}

/* The parts of a record; the pointers are into it. */
struct parts {
	struct shared_stack trailer;
	const char *own;
	size_t own_bytes;
	const char *runs;
};

/* Finds the parts of the record `at`. Returns NULL, or the problem. */
static const char *
find_parts(const char *at, struct parts *parts)
{
	struct perf_event_header header;
	struct shared_stack *trailer = &parts->trailer;

	memcpy(&header, at, sizeof(header));
	if (header.size < sizeof(header) + sizeof(*trailer))
		return "too short";
	size_t before = header.size - sizeof(*trailer);

	memcpy(trailer, at + before, sizeof(*trailer));
	if (trailer->head_bytes < sizeof(header) || trailer->head_bytes > before ||
		trailer->head_bytes % WORD_BYTES != 0 ||
		trailer->nruns > (before - trailer->head_bytes) / sizeof(struct shared_run))
		return "its parts are longer than it";
	size_t runs_bytes = (size_t)trailer->nruns * sizeof(struct shared_run);

	if (trailer->copy_bytes % WORD_BYTES != 0 || trailer->copy_bytes > RECORD_BYTES_MAX ||
		trailer->head_bytes + trailer->copy_bytes + 2 * WORD_BYTES > RECORD_BYTES_MAX)
		return "its stack is longer than a record";
	parts->own = at + trailer->head_bytes;
	parts->own_bytes = before - runs_bytes - (size_t)trailer->head_bytes;
	parts->runs = at + before - runs_bytes;
	return NULL;
}

/*
 * Assembles the stack of the record `at`, which begins `record_at` bytes behind the file's first
 * record. Returns NULL, or the problem.
 */
static const char *
put_stack(char *stack, const struct parts *parts, const char *at, uint64_t record_at)
{
	const struct shared_stack *trailer = &parts->trailer;
	/* Where the copy's first byte would be, as record_at counts, modulo 2^64. */
	uint64_t from = record_at - trailer->back;
	const char *own = parts->own;
	size_t own_left = parts->own_bytes;
	size_t pos = 0;

	for (uint64_t i = 0; i < trailer->nruns; i++) {
		struct shared_run run;

		memcpy(&run, parts->runs + i * sizeof(run), sizeof(run));
		size_t same_bytes = run.same_words * WORD_BYTES;
		size_t own_bytes = run.own_words * WORD_BYTES;

		if (same_bytes + own_bytes > trailer->copy_bytes - pos || own_bytes > own_left)
			return "its parts are longer than its stack";
		if (same_bytes > 0) {
			uint64_t source = from + pos;

			if (source > record_at || same_bytes > record_at - source)
				return "refers to what is not before it";
			memcpy(stack + pos, at - (record_at - source), same_bytes);
		}
		memcpy(stack + pos + same_bytes, own, own_bytes);
		pos += same_bytes + own_bytes;
		own += own_bytes;
		own_left -= own_bytes;
	}
	return pos == trailer->copy_bytes ? NULL : "its parts are shorter than its stack";
}

const char *
shared_samples_expand(
	struct shared_samples *samples, const char *at, const char *first, const char **problem)
{
	struct parts parts;
	struct perf_event_header header;

	*problem = find_parts(at, &parts);
	if (*problem)
		return NULL;
	const struct shared_stack *trailer = &parts.trailer;
	size_t head_bytes = (size_t)trailer->head_bytes;
	size_t copy_bytes = (size_t)trailer->copy_bytes;
	size_t len = head_bytes + copy_bytes + 2 * WORD_BYTES;
	char *record = take_room(samples, len);
	char *stack = record + head_bytes + WORD_BYTES;

	memcpy(record, at, head_bytes);
	memcpy(&header, at, sizeof(header));
	header.type = PERF_RECORD_SAMPLE;
	header.size = (uint16_t)len;
	memcpy(record, &header, sizeof(header));
	memcpy(record + head_bytes, &trailer->copy_bytes, WORD_BYTES);
	memcpy(stack + copy_bytes, &trailer->valid_bytes, WORD_BYTES);
	*problem = put_stack(stack, &parts, at, (uint64_t)(at - first));
	return *problem ? NULL : record;
}
