/*
 * Draining a ring buffer: its records are counted and forwarded in few writes, and the stack copies
 * of samples are trimmed, or shared with earlier ones.
 */
#include "perf_event/ring.h"

#include "perfdata/format.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WORD_BYTES sizeof(uint64_t)

int
ring_map(struct ring *ring, int fd, size_t data_bytes)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	size_t map_bytes = page_bytes + data_bytes;
	void *map = mmap(NULL, map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return -1;
	*ring = (struct ring){
		.page = map,
		.data = (unsigned char *)map + page_bytes,
		.data_bytes = data_bytes,
		.map_bytes = map_bytes,
	};
	return 0;
}

void
ring_unmap(struct ring *ring)
{
	if (ring->page)
		munmap(ring->page, ring->map_bytes);
	ring->page = NULL;
}

int
gather_flush(struct gather *gather, struct err *err)
{
	size_t npieces = gather->npieces;

	gather->npieces = 0;
	gather->nbytes = 0;
	return npieces > 0 ? gather->sink(gather->context, gather->pieces, npieces, err) : 0;
}

static int
put_piece(struct gather *gather, const unsigned char *start, size_t bytes, struct err *err)
{
	struct iovec *last = gather->pieces + gather->npieces - 1;

	gather->put_bytes += bytes;
	if (gather->npieces > 0 && (unsigned char *)last->iov_base + last->iov_len == start) {
		last->iov_len += bytes;
		return 0;
	}
	if (gather->npieces == GATHER_PIECES && gather_flush(gather, err) < 0)
		return -1;
	gather->pieces[gather->npieces++] = (struct iovec){(void *)start, bytes};
	return 0;
}

int
gather_put(struct gather *gather, uint64_t at, size_t bytes, struct err *err)
{
	const struct ring *ring = gather->ring;
	size_t start = (size_t)(at & (ring->data_bytes - 1));
	size_t room = ring->data_bytes - start;
	size_t part = bytes < room ? bytes : room;

	if (part > 0 && put_piece(gather, ring->data + start, part, err) < 0)
		return -1;
	return bytes > part ? put_piece(gather, ring->data, bytes - part, err) : 0;
}

int
gather_put_cut(struct gather *gather, uint64_t at, const struct trim_cut *cut, struct err *err)
{
	uint64_t copy_bytes = cut->copy_bytes;
	uint64_t valid_bytes = cut->valid_bytes;
	size_t wanted = cut->head_bytes + 2 * WORD_BYTES;

	/* The pieces must have room, too: a flush in between would discard the bytes. */
	if ((gather->nbytes + wanted > GATHER_BYTES || gather->npieces + 4 > GATHER_PIECES) &&
		gather_flush(gather, err) < 0)
		return -1;
	unsigned char *head = gather->bytes + gather->nbytes;

	gather->nbytes += wanted;
	ring_copy_out(gather->ring, at, head, cut->head_bytes);
	memcpy(head + offsetof(struct perf_event_header, size), &cut->size, sizeof(cut->size));
	memcpy(head + cut->head_bytes, &copy_bytes, WORD_BYTES);
	memcpy(head + cut->head_bytes + WORD_BYTES, &valid_bytes, WORD_BYTES);
	if (put_piece(gather, head, cut->head_bytes + WORD_BYTES, err) < 0)
		return -1;
	if (copy_bytes == 0)
		return 0;
	if (gather_put(gather, at + cut->head_bytes + WORD_BYTES, cut->copy_bytes, err) < 0)
		return -1;
	return put_piece(gather, head + cut->head_bytes + WORD_BYTES, WORD_BYTES, err);
}

/* Adds bytes that are not in the buffer, of any length; they are copied. */
static int
gather_put_copy(struct gather *gather, const void *bytes, size_t len, struct err *err)
{
	if ((gather->nbytes + len > GATHER_BYTES || gather->npieces == GATHER_PIECES) &&
		gather_flush(gather, err) < 0)
		return -1;
	if (len > GATHER_BYTES) {
		if (put_piece(gather, bytes, len, err) < 0)
			return -1;
		return gather_flush(gather, err);
	}
	unsigned char *copy = gather->bytes + gather->nbytes;

	memcpy(copy, bytes, len);
	gather->nbytes += len;
	return put_piece(gather, copy, len, err);
}

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
/* The fields that a sample may have for its stack copy to be found. */
#define KNOWN_FIELDS                                                                            \
	(SAMPLE_HEAD_FIELDS | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER | \
		PERF_SAMPLE_STACK_USER)

/* The 8-byte word at stream position `at`; records are aligned, so that no word wraps. */
static uint64_t
ring_word(const struct ring *ring, uint64_t at)
{
	uint64_t word;

	memcpy(&word, ring->data + (at & (ring->data_bytes - 1)), sizeof(word));
	return word;
}

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

void
ring_peek(const struct ring *ring, uint64_t *seen, uint32_t type, ring_visitor visit, void *context)
{
	const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	const uint64_t tail = ring->page->data_tail;
	uint64_t copy[RING_PEEKED_BYTES / WORD_BYTES];
	struct perf_event_header header;

	if (*seen < tail)
		*seen = tail;
	while (*seen + sizeof(header) <= head) {
		const uint64_t word = ring_word(ring, *seen);

		memcpy(&header, &word, sizeof(header));
		if (header.size < sizeof(header) || *seen + header.size > head)
			break;
		if (header.type == type && header.size <= sizeof(copy)) {
			ring_copy_out(ring, *seen, copy, header.size);
			visit(context, (const struct perf_event_header *)copy);
		}
		*seen += header.size;
	}
}
