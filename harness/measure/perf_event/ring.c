/*
 * Draining a ring buffer: its records are counted and forwarded in few writes, and the stack copies
 * of samples are trimmed, or shared with earlier ones.
 */
#include "perf_event/ring.h"

#include "base/mem.h"
#include "perfdata/format.h"

#include <stdbool.h>
#include <stdlib.h>
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

/* Copies `bytes` from stream position `at`, also where they wrap around the end of the buffer. */
static void
ring_copy_out(const struct ring *ring, uint64_t at, void *to, size_t bytes)
{
	size_t start = (size_t)(at & (ring->data_bytes - 1));
	size_t room = ring->data_bytes - start;
	size_t part = bytes < room ? bytes : room;

	memcpy(to, ring->data + start, part);
	memcpy((unsigned char *)to + part, ring->data, bytes - part);
}

/*
 * Samples of which only the new part of the stack copy is written.
 *
 * Between two samples of a thread most of its stack stays as it is, and writing it again costs more
 * than all else we do for a sample: a page of the page cache for every 4 KiB, which a virtual
 * machine may have to get from its host first. So each copy is compared with an earlier one of the
 * same thread, address by address, and is written as a reference to it where that is much shorter
 * (struct shared_stack of perfdata/format.h). A copy that is referred to was itself written whole.
 */

/* A record in memory of struct share, valid until the next call; NULL and 0: none. */
struct share_record {
	const void *bytes;
	size_t len;
};

/* A sample on its way to the file. */
struct share_sample {
	const struct ring *ring;
	uint64_t at;                /* its position in the buffer's stream */
	const struct trim_cut *cut; /* as trim_find() found it */
	uint64_t position;          /* where its record will be in the file */
	const struct perf_event_attr *attr;
};

/* A shorter copy is quicker to write than to compare. */
#define SHARED_BYTES_MIN 512
/* Words that are compared at a time, a cache line of them: a reference to fewer saves little. */
#define BLOCK_WORDS 8
/* How far ahead of the comparison words are prefetched. */
#define AHEAD_WORDS 256
/* The thread's id: the half of a word, see event_attr(). */
#define TID_AT (sizeof(struct perf_event_header) + 2 * WORD_BYTES + sizeof(uint32_t))
/* The stack pointer among the registers of a sample (asm/perf_regs.h of the kernel). */
#if defined(__x86_64__)
#define REGISTER_SP 7
#else
#define REGISTER_SP 31
#endif
/* Even: runs come in pairs. A stack that is in more pieces has little in common. */
#define RUNS_MAX 512
/* A thread whose stacks do not match is tried again after 2 samples, 6, and at most 14. */
#define FAILURES_MAX 4

/* The last copy of a thread's stack that was written whole. */
struct shared_thread {
	uint64_t tid;
	uint64_t last_use;
	uint64_t address;  /* of the copy's first byte: the stack pointer */
	uint64_t position; /* where that byte is in the file */
	size_t words;      /* 0: nothing is remembered */
	uint64_t *copy;    /* RECORD_BYTES_MAX */
	unsigned failures; /* in a row */
	unsigned rest;     /* samples still to be skipped */
};

struct share {
	struct shared_thread threads[SHARE_THREADS];
	uint64_t uses;
	uint64_t unwrapped[RECORD_BYTES_MAX / WORD_BYTES];
	unsigned char record[RECORD_BYTES_MAX];
};

/* The stack of a sample and the remembered one. */
struct pair {
	const uint64_t *now;
	size_t words;
	const uint64_t *then; /* the word at the same address as now[first] */
	size_t first;         /* the words of `now` from here on to `end` are in both */
	size_t end;
	uint64_t base; /* where in the file now[0] would be if the remembered copy had it */
};

/* A record in the making: words of its own, then runs of shared and own words. */
struct packing {
	unsigned char *own;
	size_t own_words;
	size_t own_words_max;
	struct shared_run runs[RUNS_MAX];
	size_t nruns;
};

struct share *
share_new(void)
{
	return mem_zalloc(1, sizeof(struct share));
}

void
share_free(struct share *share)
{
	if (!share)
		return;
	for (size_t i = 0; i < SHARE_THREADS; i++)
		free(share->threads[i].copy);
	free(share);
}

static struct shared_thread *
find_thread(struct share *share, uint64_t tid)
{
	struct shared_thread *oldest = &share->threads[0];

	share->uses++;
	for (size_t i = 0; i < SHARE_THREADS; i++) {
		struct shared_thread *thread = &share->threads[i];

		if (thread->copy && thread->tid == tid) {
			thread->last_use = share->uses;
			return thread;
		}
		if (thread->last_use < oldest->last_use)
			oldest = thread;
	}
	if (!oldest->copy)
		oldest->copy = mem_zalloc(1, RECORD_BYTES_MAX);
	*oldest = (struct shared_thread){.tid = tid, .last_use = share->uses, .copy = oldest->copy};
	return oldest;
}

static uint64_t
stack_pointer(const struct share_sample *sample)
{
	uint64_t registers = sample->attr->sample_regs_user;
	uint64_t below = registers & ((UINT64_C(1) << REGISTER_SP) - 1);
	size_t after = (size_t)(__builtin_popcountll(registers) - __builtin_popcountll(below));
	uint64_t value;

	ring_copy_out(sample->ring, sample->at + sample->cut->head_bytes - after * WORD_BYTES,
		&value, sizeof(value));
	return value;
}

/* The stack's copy in one piece. */
static const uint64_t *
copy_of(struct share *share, const struct share_sample *sample)
{
	const struct ring *ring = sample->ring;
	uint64_t at = sample->at + sample->cut->head_bytes + WORD_BYTES;
	size_t start = (size_t)(at & (ring->data_bytes - 1));
	size_t bytes = sample->cut->copy_bytes;

	if (start + bytes <= ring->data_bytes)
		return (const uint64_t *)(const void *)(ring->data + start);
	ring_copy_out(ring, at, share->unwrapped, bytes);
	return share->unwrapped;
}

static void
remember(struct shared_thread *thread, const struct share_sample *sample, uint64_t address,
	const uint64_t *copy)
{
	thread->address = address;
	thread->position = sample->position + sample->cut->head_bytes + WORD_BYTES;
	thread->words = sample->cut->copy_bytes / WORD_BYTES;
	memcpy(thread->copy, copy, thread->words * WORD_BYTES);
}

/* False if no address is in both. */
static bool
make_pair(struct pair *pair, const struct shared_thread *thread, uint64_t address,
	const uint64_t *copy, size_t words)
{
	/* Unsigned, and so right whichever is the larger. */
	uint64_t distance = (address - thread->address) / WORD_BYTES;
	uint64_t ahead = (thread->address - address) / WORD_BYTES;

	if ((address - thread->address) % WORD_BYTES != 0)
		return false;
	*pair = (struct pair){.now = copy, .words = words};
	pair->base = thread->position + (address - thread->address);
	if (address >= thread->address) {
		if (distance >= thread->words)
			return false;
		pair->then = thread->copy + distance;
		pair->end = thread->words - distance;
	} else {
		if (ahead >= words)
			return false;
		pair->then = thread->copy;
		pair->first = (size_t)ahead;
		pair->end = pair->first + thread->words;
	}
	if (pair->end > words)
		pair->end = words;
	return true;
}

/* Words that are compared at once, wherever they lie. */
typedef uint64_t wide_words
	__attribute__((vector_size(2 * WORD_BYTES), aligned(WORD_BYTES), may_alias));

/* Whether a block is the same in both. */
static bool
is_same_block(const uint64_t *now, const uint64_t *then)
{
	const wide_words *a = (const wide_words *)now;
	const wide_words *b = (const wide_words *)then;
	wide_words differences = ((a[0] ^ b[0]) | (a[1] ^ b[1])) | ((a[2] ^ b[2]) | (a[3] ^ b[3]));

	return (differences[0] | differences[1]) == 0;
}

/* How many words at `pos` are the same in both, or are not, in whole blocks. */
static size_t
run_length(const struct pair *pair, size_t pos, bool same)
{
	const uint64_t *now = pair->now + pos;
	const uint64_t *then = pair->then + (pos - pair->first);
	size_t left = pair->end - pos;
	size_t n = 0;

	while (n + BLOCK_WORDS <= left && is_same_block(now + n, then + n) == same) {
		/* The kernel wrote it on another CPU: it is in that one's caches. */
		__builtin_prefetch(now + n + AHEAD_WORDS);
		n += BLOCK_WORDS;
	}
	return n;
}

static bool
put_run(struct packing *packing, const struct pair *pair, size_t pos, size_t same, size_t own)
{
	if (packing->own_words + own > packing->own_words_max || packing->nruns == RUNS_MAX)
		return false;
	memcpy(packing->own + packing->own_words * WORD_BYTES, pair->now + pos + same,
		own * WORD_BYTES);
	packing->own_words += own;
	packing->runs[packing->nruns++] = (struct shared_run){(uint16_t)same, (uint16_t)own};
	return true;
}

/* False if too little is shared. */
static bool
pack(struct packing *packing, const struct pair *pair)
{
	size_t pos = pair->first;

	if (pos > 0 && !put_run(packing, pair, 0, 0, pos))
		return false;
	while (pos < pair->end) {
		size_t same = run_length(pair, pos, true);
		size_t own = run_length(pair, pos + same, false);

		/* A rest of less than a block, of either kind, is written as own words. */
		if (pair->end - pos - same - own < BLOCK_WORDS)
			own = pair->end - pos - same;
		if (!put_run(packing, pair, pos, same, own))
			return false;
		pos += same + own;
	}
	return pos == pair->words || put_run(packing, pair, pos, 0, pair->words - pos);
}

/* The record for a stack that shares enough with the one remembered. */
static struct share_record
make_record(struct share *share, const struct share_sample *sample, const struct pair *pair)
{
	const struct share_record none = {NULL, 0};
	const struct trim_cut *cut = sample->cut;
	unsigned char *record = share->record;
	struct perf_event_header header;
	struct packing packing;

	packing.own = record + cut->head_bytes;
	packing.own_words = packing.nruns = 0;
	packing.own_words_max = pair->words / 2;
	if (!pack(&packing, pair))
		return none;
	/* The runs take whole words. */
	if (packing.nruns % 2 != 0)
		packing.runs[packing.nruns++] = (struct shared_run){0, 0};

	struct shared_stack end = {
		.back = sample->position - pair->base,
		.copy_bytes = cut->copy_bytes,
		.valid_bytes = cut->valid_bytes,
		.nruns = packing.nruns,
		.head_bytes = cut->head_bytes,
	};
	size_t runs_bytes = packing.nruns * sizeof(packing.runs[0]);
	size_t runs_at = cut->head_bytes + packing.own_words * WORD_BYTES;
	size_t len = runs_at + runs_bytes + sizeof(end);

	if (len >= cut->size)
		return none;
	ring_copy_out(sample->ring, sample->at, record, cut->head_bytes);
	memcpy(&header, record, sizeof(header));
	header.type = USER_SHARED_STACK;
	header.size = (uint16_t)len;
	memcpy(record, &header, sizeof(header));
	memcpy(record + runs_at, packing.runs, runs_bytes);
	memcpy(record + runs_at + runs_bytes, &end, sizeof(end));
	return (struct share_record){record, len};
}

/* The record to write in place of a sample; none: the sample is to be written whole. */
static struct share_record
share_put(struct share *share, const struct share_sample *sample)
{
	const struct trim_cut *cut = sample->cut;
	struct share_record record = {NULL, 0};
	struct pair pair;
	uint32_t tid;

	/* The record's other parts and the replacement of its copy must fit in a record. */
	if (cut->copy_bytes < SHARED_BYTES_MIN || sample->attr->sample_regs_user == 0 ||
		cut->head_bytes + cut->copy_bytes / 2 + RECORD_BYTES_MAX / 8 > RECORD_BYTES_MAX)
		return record;
	ring_copy_out(sample->ring, sample->at + TID_AT, &tid, sizeof(tid));

	struct shared_thread *thread = find_thread(share, tid);

	if (thread->rest > 1) {
		thread->rest--;
		return record;
	}
	uint64_t address = stack_pointer(sample);
	const uint64_t *copy = copy_of(share, sample);

	if (thread->rest == 0 &&
		make_pair(&pair, thread, address, copy, cut->copy_bytes / WORD_BYTES))
		record = make_record(share, sample, &pair);
	if (record.bytes) {
		thread->failures = 0;
		return record;
	}
	if (thread->rest == 0 && thread->words > 0) {
		thread->failures += thread->failures < FAILURES_MAX;
		thread->rest = (1U << thread->failures) - 1;
	}
	if (thread->rest > 0)
		thread->rest--;
	if (thread->rest == 0)
		remember(thread, sample, address, copy);
	return record;
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
