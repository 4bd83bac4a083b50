#include "perf_event/trim.h"

#include "perfdata/format.h"

#include <string.h>

#define WORD_BYTES sizeof(uint64_t)

#define KNOWN_FIELDS                                                          \
	(SAMPLE_HEAD_FIELDS | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | \
		PERF_SAMPLE_STACK_USER)

static uint64_t
get_word(const struct trim_stream *stream, uint64_t at)
{
	uint64_t word;

	memcpy(&word, stream->data + (at & stream->mask), sizeof(word));
	return word;
}

/* How many bytes of the sample precede the size of its stack copy; `end` if it is cut short. */
static size_t
find_stack(const struct trim_stream *stream, uint64_t at, size_t end,
	const struct perf_event_attr *attr)
{
	uint64_t type = attr->sample_type;
	size_t pos = sizeof(struct perf_event_header) +
		     WORD_BYTES * (size_t)__builtin_popcountll(type & SAMPLE_HEAD_FIELDS);

	if ((type & PERF_SAMPLE_CALLCHAIN) && pos < end) {
		uint64_t n = get_word(stream, at + pos);

		if (n > end / WORD_BYTES)
			return end;
		pos += WORD_BYTES * (1 + (size_t)n);
	}
	if ((type & PERF_SAMPLE_REGS_USER) && pos < end) {
		uint64_t abi = get_word(stream, at + pos);

		pos += WORD_BYTES;
		if (abi != PERF_SAMPLE_REGS_ABI_NONE)
			pos += WORD_BYTES * (size_t)__builtin_popcountll(attr->sample_regs_user);
	}
	return pos < end ? pos : end;
}

bool
trim_find(const struct trim_stream *stream, uint64_t at, const struct perf_event_attr *attr,
	struct trim_cut *cut)
{
	struct perf_event_header header;
	uint64_t first = get_word(stream, at);

	memcpy(&header, &first, sizeof(header));
	size_t end = header.size;

	if (!(attr->sample_type & PERF_SAMPLE_STACK_USER) ||
		(attr->sample_type & ~(uint64_t)KNOWN_FIELDS) != 0 || end % WORD_BYTES != 0)
		return false;
	size_t head = find_stack(stream, at, end, attr);
	uint64_t size = head < end ? get_word(stream, at + head) : 0;

	/* The size, the copy and how much of it is valid must be the rest of the record. */
	if (size == 0 || size > end || size % WORD_BYTES != 0 ||
		head + 2 * WORD_BYTES + size != end)
		return false;
	uint64_t valid = get_word(stream, at + end - WORD_BYTES);

	if (valid > size)
		return false;
	size_t kept = (size_t)(valid + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;

	*cut = (struct trim_cut){.head_bytes = head, .copy_bytes = kept, .valid_bytes = valid};
	/* Without a copy there is no count of its valid bytes either. */
	cut->size = (uint16_t)(head + WORD_BYTES + (kept > 0 ? kept + WORD_BYTES : 0));
	return true;
}
