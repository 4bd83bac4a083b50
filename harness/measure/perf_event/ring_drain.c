#include "perf_event/ring_drain.h"

#include "perf_event/gather.h"
#include "perf_event/ring.h"
#include "perf_event/share.h"
#include "perf_event/trim.h"

#include <stdbool.h>
#include <string.h>

#define WORD_BYTES sizeof(uint64_t)

/* Fields of our samples, in 8-byte words after the record header: see event_attr(). */
enum sample_word {
	WORD_IDENTIFIER,
	WORD_IP,
	WORD_TID,
	WORD_TIME,
	WORD_CPU,
	WORD_PERIOD,
	WORD_NCHAIN,
	WORD_CHAIN,
};

/*
 * Entries of a call chain that are searched: for a context marker, the address itself and one
 * caller.
 */
#define CHAIN_LOOK 160
/* Trimming fewer bytes is not worth two more pieces in the write. */
#define TRIM_WORTH_BYTES 64
/* The kernel gets a part of the buffer back as soon as its records are taken. */
#define RELEASED_PARTS 16

static bool
has_user_caller(const struct ring *ring, uint64_t body, size_t words)
{
	uint64_t n = words > WORD_CHAIN ? ring_word(ring, body + WORD_BYTES * WORD_NCHAIN) : 0;
	bool user = false;
	unsigned found = 0;

	for (uint64_t i = 0; i < n && i < CHAIN_LOOK && WORD_CHAIN + i < words; i++) {
		uint64_t ip = ring_word(ring, body + WORD_BYTES * (WORD_CHAIN + i));

		if (ip >= (uint64_t)PERF_CONTEXT_MAX)
			user = ip == (uint64_t)PERF_CONTEXT_USER;
		else if (user && ++found == 2)
			return true;
	}
	return false;
}

static void
count_sample(
	const struct ring *ring, uint64_t body, size_t words, bool look, struct ring_counts *counts)
{
	uint64_t time_ns = words > WORD_TIME ? ring_word(ring, body + WORD_BYTES * WORD_TIME) : 0;

	if (counts->samples++ == 0 || time_ns < counts->first_sample_ns)
		counts->first_sample_ns = time_ns;
	if (time_ns > counts->last_sample_ns)
		counts->last_sample_ns = time_ns;
	if (look && has_user_caller(ring, body, words))
		counts->callchains++;
}

static void
count_record(const struct ring *ring, uint64_t at, const struct perf_event_header *header,
	const struct ring_drain *drain)
{
	struct ring_counts *counts = drain->counts;
	uint64_t body = at + sizeof(*header);
	size_t words = (header->size - sizeof(*header)) / WORD_BYTES;
	struct trim_cut cut;

	if (header->type == PERF_RECORD_SAMPLE) {
		count_sample(ring, body, words, drain->sink == NULL, counts);
		if (!drain->sink && drain->attr && trim_find(ring, at, drain->attr, &cut) &&
			cut.valid_bytes > 0)
			counts->stacks++;
	} else if (header->type == PERF_RECORD_LOST && words >= 2) {
		counts->lost += ring_word(ring, body + WORD_BYTES);
	} else if (header->type == PERF_RECORD_LOST_SAMPLES && words >= 1) {
		counts->lost_samples += ring_word(ring, body);
	} else if (header->type == PERF_RECORD_THROTTLE) {
		counts->throttled++;
	} else if (header->type == PERF_RECORD_SWITCH ||
		   header->type == PERF_RECORD_SWITCH_CPU_WIDE) {
		counts->switches++;
	}
}

/* Forwards one record; returns -1 if the sink fails. */
static int
put_record(struct gather *gather, const struct ring_drain *drain, uint64_t at,
	const struct perf_event_header *header, struct err *err)
{
	struct share_record shared = {NULL, 0};
	struct trim_cut cut;

	if (header->type != PERF_RECORD_SAMPLE || !drain->attr ||
		!trim_find(gather->ring, at, drain->attr, &cut))
		return gather_put(gather, at, header->size, err);
	if (drain->share)
		shared = share_put(
			drain->share, &(struct share_sample){.ring = gather->ring,
					      .at = at,
					      .cut = &cut,
					      .attr = drain->attr,
					      .position = drain->position + gather->put_bytes});
	if (shared.bytes) {
		drain->counts->trimmed_bytes += (uint64_t)(header->size - cut.size);
		drain->counts->shared_bytes += cut.size - shared.len;
		return gather_put_copy(gather, shared.bytes, shared.len, err);
	}
	if (header->size - cut.size < TRIM_WORTH_BYTES || cut.head_bytes > GATHER_BYTES / 2)
		return gather_put(gather, at, header->size, err);
	drain->counts->trimmed_bytes += (uint64_t)(header->size - cut.size);
	return gather_put_cut(gather, at, &cut, err);
}

/*
 * Walks the records of *tail..head and moves *tail to where the last whole one ends. While many are
 * taken the kernel gets room back for more: a full buffer would lose all that come meanwhile.
 */
static int
take_records(struct gather *gather, const struct ring_drain *drain, uint64_t *tail, uint64_t head,
	struct err *err)
{
	const struct ring *ring = gather->ring;
	const uint64_t part = ring->data_bytes / RELEASED_PARTS;
	uint64_t released = *tail;

	while (*tail + sizeof(struct perf_event_header) <= head) {
		struct perf_event_header header;
		uint64_t word = ring_word(ring, *tail);

		memcpy(&header, &word, sizeof(header));
		if (header.size < sizeof(header) || *tail + header.size > head)
			break;
		count_record(ring, *tail, &header, drain);
		if (drain->sink && put_record(gather, drain, *tail, &header, err) < 0)
			return -1;
		*tail += header.size;
		if (*tail - released < part)
			continue;
		if (gather_flush(gather, err) < 0)
			return -1;
		__atomic_store_n(&ring->page->data_tail, *tail, __ATOMIC_RELEASE);
		released = *tail;
	}
	return gather_flush(gather, err);
}

long
ring_drain(struct ring *ring, const struct ring_drain *drain, struct err *err)
{
	/* The kernel publishes data_head after the records; data_tail gives their room back. */
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	uint64_t end = tail;
	struct gather gather;

	/* Its arrays are large and need no zeroing: only filled elements are read. */
	gather.ring = ring;
	gather.sink = drain->sink;
	gather.context = drain->context;
	gather.npieces = gather.nbytes = 0;
	gather.put_bytes = 0;
	int status = take_records(&gather, drain, &end, head, err);

	__atomic_store_n(&ring->page->data_tail, end, __ATOMIC_RELEASE);
	return status < 0 ? -1 : (long)(end - tail);
}
