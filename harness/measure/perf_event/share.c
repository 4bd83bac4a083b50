/*
 * Samples of which only the new part of the stack copy is written.
 *
 * Between two samples of a thread most of its stack stays as it is, and writing it again costs more
 * than all else we do for a sample: a page of the page cache for every 4 KiB, which a virtual
 * machine may have to get from its host first. So each copy is compared with an earlier one of the
 * same thread, address by address, and is written as a reference to it where that is much shorter
 * (struct shared_stack of perfdata/format.h). A copy that is referred to was itself written whole.
 */
#include "perf_event/ring.h"

#include "base/mem.h"
#include "perfdata/format.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BYTES sizeof(uint64_t)

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

struct share_record
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
