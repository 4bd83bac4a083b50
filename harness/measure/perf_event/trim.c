#include "perf_event/trim.h"

#include "perf_event/ring.h"
#include "perfdata/format.h"

#include <stdbool.h>
#include <string.h>

#define WORD_BYTES sizeof(uint64_t)

/* The fields that a sample may have for its stack copy to be found. */
#define KNOWN_FIELDS                                                                            \
	(SAMPLE_HEAD_FIELDS | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER | \
		PERF_SAMPLE_STACK_USER)

/* How many bytes of the sample precede the size of its stack copy; `end` if it is cut short. */
static size_t
find_stack(const struct ring *ring, uint64_t at, size_t end, const struct perf_event_attr *attr)
{
	uint64_t type = attr->sample_type;
	size_t pos = sizeof(struct perf_event_header) +
		     WORD_BYTES * (size_t)__builtin_popcountll(type & SAMPLE_HEAD_FIELDS);

	if ((type & PERF_SAMPLE_CALLCHAIN) && pos < end) {
		uint64_t n = ring_word(ring, at + pos);

		if (n > end / WORD_BYTES)
			return end;
		pos += WORD_BYTES * (1 + (size_t)n);
	}
	/* A 32-bit size and that many bytes, which the kernel makes end on a word. */
	if ((type & PERF_SAMPLE_RAW) && pos < end)
		pos += sizeof(uint32_t) + (uint32_t)ring_word(ring, at + pos);
	if ((type & PERF_SAMPLE_REGS_USER) && pos < end) {
		uint64_t abi = ring_word(ring, at + pos);

		pos += WORD_BYTES;
		if (abi != PERF_SAMPLE_REGS_ABI_NONE)
			pos += WORD_BYTES * (size_t)__builtin_popcountll(attr->sample_regs_user);
	}
	return pos < end ? pos : end;
}

bool
trim_find(const struct ring *ring, uint64_t at, const struct perf_event_attr *attr,
	struct trim_cut *cut)
{
	struct perf_event_header header;
	uint64_t first = ring_word(ring, at);

	memcpy(&header, &first, sizeof(header));
	size_t end = header.size;

	if (!(attr->sample_type & PERF_SAMPLE_STACK_USER) ||
		(attr->sample_type & ~(uint64_t)KNOWN_FIELDS) != 0 || end % WORD_BYTES != 0)
		return false;
	size_t head = find_stack(ring, at, end, attr);
	uint64_t size = head < end ? ring_word(ring, at + head) : 0;

	/* The size, the copy and how much of it is valid must be the rest of the record. */
	if (size == 0 || size > end || size % WORD_BYTES != 0 ||
		head + 2 * WORD_BYTES + size != end)
		return false;
	uint64_t valid = ring_word(ring, at + end - WORD_BYTES);

	if (valid > size)
		return false;
	size_t kept = (size_t)(valid + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;

	*cut = (struct trim_cut){.head_bytes = head, .copy_bytes = kept, .valid_bytes = valid};
	/* Without a copy there is no count of its valid bytes either. */
	cut->size = (uint16_t)(head + WORD_BYTES + (kept > 0 ? kept + WORD_BYTES : 0));
	return true;
}
