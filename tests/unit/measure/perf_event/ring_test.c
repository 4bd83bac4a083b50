#include "perf_event/ring.h"

#include "perf_event/ring_fixture.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

void suite_perf_event_ring(void);

#define RING_BYTES ((size_t)64 * 1024)
/* IDENTIFIER, IP, TID, TIME, CPU, PERIOD */
#define HEAD_WORDS 6
#define COPY_BYTES 4096

/* A buffer as the kernel would have filled it, and what came out of it. */
struct bench {
	struct perf_event_mmap_page page;
	struct ring ring;
	struct ring_counts counts;
	struct perf_event_attr attr;
	unsigned char out[2 * RING_BYTES];
	size_t nout;
	size_t ncalls;
	bool refuse;
	uint64_t released[4]; /* data_tail at the first calls */
	struct err err;
};

static int
take(void *context, const struct iovec *pieces, size_t npieces, struct err *err)
{
	struct bench *bench = context;

	if (bench->ncalls < 4)
		bench->released[bench->ncalls] = bench->page.data_tail;
	bench->ncalls++;
	if (bench->refuse)
		return err_set(err, ERR_SYSTEM, "no room");
	for (size_t i = 0; i < npieces; i++) {
		CU_ASSERT_TRUE_FATAL(bench->nout + pieces[i].iov_len <= sizeof(bench->out));
		memcpy(bench->out + bench->nout, pieces[i].iov_base, pieces[i].iov_len);
		bench->nout += pieces[i].iov_len;
	}
	return 0;
}

static struct bench *
bench_new(uint64_t start)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	bench->ring = ring_made(&bench->page, RING_BYTES, start);
	bench->attr = ring_attr(COPY_BYTES);
	return bench;
}

static void
bench_free(struct bench *bench)
{
	free(bench->ring.data);
	free(bench);
}

static void
put_header(struct bench *bench, uint32_t type, size_t bytes)
{
	struct perf_event_header header = {.type = type, .size = (uint16_t)bytes};
	uint64_t word;

	memcpy(&word, &header, sizeof(word));
	ring_put_word(&bench->ring, word);
}

/* A sample whose stack copy holds its own position in words; `valid` bytes of it count. */
static void
put_sample(struct bench *bench, uint64_t nchain, bool registers, uint64_t copy, uint64_t valid)
{
	size_t words = HEAD_WORDS + 1 + nchain + 1 + (registers ? RING_NREGS : 0) + 1 +
		       (copy > 0 ? copy / 8 + 1 : 0);

	put_header(bench, PERF_RECORD_SAMPLE, 8 + 8 * words);
	for (uint64_t i = 0; i < HEAD_WORDS; i++)
		ring_put_word(&bench->ring, 1000 + i);
	ring_put_word(&bench->ring, nchain);
	for (uint64_t i = 0; i < nchain; i++)
		ring_put_word(&bench->ring, 2000 + i);
	ring_put_word(
		&bench->ring, registers ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_NONE);
	for (uint64_t i = 0; registers && i < RING_NREGS; i++)
		ring_put_word(&bench->ring, 3000 + i);
	ring_put_word(&bench->ring, copy);
	for (uint64_t i = 0; i < copy / 8; i++)
		ring_put_word(&bench->ring, i);
	if (copy > 0)
		ring_put_word(&bench->ring, valid);
}

static long
drain(struct bench *bench)
{
	const struct ring_drain how = {
		.counts = &bench->counts, .attr = &bench->attr, .sink = take, .context = bench};

	return ring_drain(&bench->ring, &how, &bench->err);
}

static uint64_t
out_word(const struct bench *bench, size_t at)
{
	uint64_t word;

	CU_ASSERT_TRUE_FATAL(at + sizeof(word) <= bench->nout);
	memcpy(&word, bench->out + at, sizeof(word));
	return word;
}

/* Checks the sample at `at` of what came out; returns where it ends. */
static size_t
check_sample(const struct bench *bench, size_t at, uint64_t nchain, uint64_t copy, uint64_t valid)
{
	struct perf_event_header header;
	uint64_t first = out_word(bench, at);
	size_t end = at;

	memcpy(&header, &first, sizeof(header));
	CU_ASSERT_EQUAL(header.type, PERF_RECORD_SAMPLE);
	end += header.size;
	at += 8 + 8 * HEAD_WORDS;
	CU_ASSERT_EQUAL(out_word(bench, at), nchain);
	at += 8 * (1 + nchain);
	CU_ASSERT_EQUAL(out_word(bench, at), PERF_SAMPLE_REGS_ABI_64);
	CU_ASSERT_EQUAL(out_word(bench, at + 8), 3000);
	at += 8 * (size_t)(1 + RING_NREGS);
	CU_ASSERT_EQUAL(out_word(bench, at), copy);
	at += 8;
	for (uint64_t i = 0; i < copy / 8; i++, at += 8)
		CU_ASSERT_EQUAL(out_word(bench, at), i);
	if (copy > 0) {
		CU_ASSERT_EQUAL(out_word(bench, at), valid);
		at += 8;
	}
	CU_ASSERT_EQUAL(at, end);
	return end;
}

static void
stack_copies_are_cut_to_what_is_valid(void)
{
	struct bench *bench = bench_new(0);

	put_sample(bench, 3, true, COPY_BYTES, COPY_BYTES);
	put_sample(bench, 0, true, COPY_BYTES, 1000);
	put_sample(bench, 5, true, COPY_BYTES, 1001);
	put_sample(bench, 1, true, COPY_BYTES, 0);
	uint64_t put = bench->page.data_head;

	CU_ASSERT_EQUAL(drain(bench), (long)put);
	size_t at = check_sample(bench, 0, 3, COPY_BYTES, COPY_BYTES);

	at = check_sample(bench, at, 0, 1000, 1000);
	at = check_sample(bench, at, 5, 1008, 1001);
	at = check_sample(bench, at, 1, 0, 0);
	CU_ASSERT_EQUAL(at, bench->nout);
	CU_ASSERT_EQUAL(bench->counts.trimmed_bytes, put - bench->nout);
	CU_ASSERT_EQUAL(bench->counts.samples, 4);
	CU_ASSERT_EQUAL(bench->page.data_tail, put);
	bench_free(bench);
}

static void
records_that_wrap_come_out_whole(void)
{
	/* Every word of the record is once the first one behind the end. */
	for (size_t before = 8; before < 5120; before += 8) {
		struct bench *bench = bench_new(3 * RING_BYTES - before);

		put_sample(bench, 2, true, COPY_BYTES, 2048);
		put_sample(bench, 2, true, COPY_BYTES, COPY_BYTES);
		CU_ASSERT_TRUE(drain(bench) > 0);
		size_t at = check_sample(bench, 0, 2, 2048, 2048);

		CU_ASSERT_EQUAL(check_sample(bench, at, 2, COPY_BYTES, COPY_BYTES), bench->nout);
		bench_free(bench);
	}
}

static void
other_records_stay_as_they_are(void)
{
	struct bench *bench = bench_new(0);

	/* A sample in a kernel thread has neither registers nor a copy. */
	put_sample(bench, 4, false, 0, 0);
	put_header(bench, PERF_RECORD_LOST, 24);
	ring_put_word(&bench->ring, 1);
	ring_put_word(&bench->ring, 7);
	put_header(bench, PERF_RECORD_THROTTLE, 8);
	uint64_t put = bench->page.data_head;

	CU_ASSERT_EQUAL(drain(bench), (long)put);
	CU_ASSERT_EQUAL(bench->nout, put);
	CU_ASSERT_EQUAL(memcmp(bench->out, bench->ring.data, put), 0);
	CU_ASSERT_EQUAL(bench->ncalls, 1);
	CU_ASSERT_EQUAL(bench->counts.lost, 7);
	CU_ASSERT_EQUAL(bench->counts.throttled, 1);
	bench_free(bench);
}

static void
sizes_that_contradict_each_other_are_left_alone(void)
{
	struct bench *bench = bench_new(0);

	/* A chain, a copy and a valid part that are larger than their record. */
	put_header(bench, PERF_RECORD_SAMPLE, 8 + 8 * 8);
	for (int i = 0; i < HEAD_WORDS; i++)
		ring_put_word(&bench->ring, 1);
	ring_put_word(&bench->ring, UINT64_MAX);
	ring_put_word(&bench->ring, UINT64_MAX / 8);
	put_header(bench, PERF_RECORD_SAMPLE, 8 + 8 * 9);
	for (int i = 0; i < HEAD_WORDS; i++)
		ring_put_word(&bench->ring, 1);
	ring_put_word(&bench->ring, 0);
	ring_put_word(&bench->ring, PERF_SAMPLE_REGS_ABI_NONE);
	ring_put_word(&bench->ring, UINT64_MAX - 7);
	put_sample(bench, 0, true, COPY_BYTES, COPY_BYTES + 8);
	uint64_t put = bench->page.data_head;

	CU_ASSERT_EQUAL(drain(bench), (long)put);
	CU_ASSERT_EQUAL(bench->nout, put);
	CU_ASSERT_EQUAL(memcmp(bench->out, bench->ring.data, put), 0);
	bench_free(bench);
}

static void
many_short_stacks_take_several_writes(void)
{
	struct bench *bench = bench_new(0);
	size_t n = 0;
	size_t at = 0;

	while (bench->page.data_head + 1024 < RING_BYTES) {
		put_sample(bench, 1, true, 512, 64);
		n++;
	}
	CU_ASSERT_TRUE(drain(bench) > 0);
	for (size_t i = 0; i < n; i++)
		at = check_sample(bench, at, 1, 64, 64);
	CU_ASSERT_EQUAL(at, bench->nout);
	CU_ASSERT_TRUE(bench->ncalls > 1 && bench->ncalls < n / 4);
	bench_free(bench);
}

static void
failing_sink_ends_the_drain(void)
{
	struct bench *bench = bench_new(0);

	bench->refuse = true;
	put_sample(bench, 1, true, 512, 64);
	CU_ASSERT_EQUAL(drain(bench), -1);
	UNIT_CONTAINS(bench->err.text, "no room");
	bench_free(bench);
}

static void
half_a_record_waits_for_its_rest(void)
{
	struct bench *bench = bench_new(0);

	put_sample(bench, 0, true, 512, 512);
	uint64_t whole = bench->page.data_head;

	put_sample(bench, 0, true, 512, 512);
	bench->page.data_head -= 8;
	CU_ASSERT_EQUAL(drain(bench), (long)whole);
	bench->page.data_head += 8;
	CU_ASSERT_EQUAL(drain(bench), (long)whole);
	CU_ASSERT_EQUAL(bench->counts.samples, 2);
	bench_free(bench);
}

/* The kernel writes more while a full buffer is drained. */
static void
room_is_given_back_before_the_end(void)
{
	struct bench *bench = bench_new(0);
	long bytes;

	while (bench->page.data_head < RING_BYTES * 3 / 4)
		put_sample(bench, 0, true, 512, 512);
	bytes = drain(bench);
	CU_ASSERT_EQUAL(bytes, (long)bench->page.data_head);
	CU_ASSERT_EQUAL(bench->page.data_tail, bench->page.data_head);
	CU_ASSERT_TRUE_FATAL(bench->ncalls >= 4);
	CU_ASSERT_EQUAL(bench->released[0], 0);
	for (size_t i = 1; i < 4; i++)
		CU_ASSERT_TRUE(bench->released[i] > bench->released[i - 1]);
	CU_ASSERT_TRUE(bench->released[3] < RING_BYTES / 2);
	CU_ASSERT_EQUAL(bench->nout, (size_t)bytes);
	bench_free(bench);
}

struct peeked {
	size_t count;
	uint64_t last; /* the first word of the last one */
	uint16_t sizes[4];
};

static void
note_peeked(void *context, const struct perf_event_header *record)
{
	struct peeked *peeked = context;

	memcpy(&peeked->last, record + 1, sizeof(peeked->last));
	peeked->sizes[peeked->count++ % 4] = record->size;
}

static void
put_plain(struct bench *bench, uint32_t type, size_t words, uint64_t first)
{
	const struct perf_event_header header = {
		.type = type, .size = (uint16_t)(sizeof(header) + words * sizeof(uint64_t))};
	uint64_t word;

	memcpy(&word, &header, sizeof(word));
	ring_put_word(&bench->ring, word);
	for (size_t i = 0; i < words; i++)
		ring_put_word(&bench->ring, i == 0 ? first : i);
}

static void
records_that_are_peeked_at_stay_in_the_buffer(void)
{
	/* The second record lies across the buffer's end. */
	struct bench *bench = bench_new(RING_BYTES - 40);
	struct peeked peeked = {.count = 0};
	uint64_t seen = 0;

	put_plain(bench, PERF_RECORD_COMM, 2, 5);
	put_plain(bench, PERF_RECORD_MMAP2, 4, 6);
	put_plain(bench, PERF_RECORD_MMAP2, RING_PEEKED_BYTES / sizeof(uint64_t), 7);
	ring_peek(&bench->ring, &seen, PERF_RECORD_MMAP2, note_peeked, &peeked);
	CU_ASSERT_EQUAL(peeked.count, 1);
	CU_ASSERT_EQUAL(peeked.last, 6);
	CU_ASSERT_EQUAL(peeked.sizes[0], 40);
	CU_ASSERT_EQUAL(seen, bench->page.data_head);
	/* It is drained all the same, and what was peeked at is not visited again. */
	CU_ASSERT_EQUAL(bench->page.data_tail, RING_BYTES - 40);
	ring_peek(&bench->ring, &seen, PERF_RECORD_MMAP2, note_peeked, &peeked);
	CU_ASSERT_EQUAL(peeked.count, 1);
	put_plain(bench, PERF_RECORD_MMAP2, 1, 8);
	ring_peek(&bench->ring, &seen, PERF_RECORD_MMAP2, note_peeked, &peeked);
	CU_ASSERT_EQUAL(peeked.count, 2);
	CU_ASSERT_EQUAL(peeked.last, 8);
	bench_free(bench);
}

static const struct unit_case cases[] = {
	{"stack_copies_are_cut_to_what_is_valid", stack_copies_are_cut_to_what_is_valid},
	{"records_that_wrap_come_out_whole", records_that_wrap_come_out_whole},
	{"other_records_stay_as_they_are", other_records_stay_as_they_are},
	{"sizes_that_contradict_each_other_are_left_alone",
		sizes_that_contradict_each_other_are_left_alone},
	{"many_short_stacks_take_several_writes", many_short_stacks_take_several_writes},
	{"failing_sink_ends_the_drain", failing_sink_ends_the_drain},
	{"room_is_given_back_before_the_end", room_is_given_back_before_the_end},
	{"half_a_record_waits_for_its_rest", half_a_record_waits_for_its_rest},
	{"records_that_are_peeked_at_stay_in_the_buffer",
		records_that_are_peeked_at_stay_in_the_buffer},
	{NULL, NULL},
};

void
suite_perf_event_ring(void)
{
	unit_suite("perf_event/ring", cases);
}
