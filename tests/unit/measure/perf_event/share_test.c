#include "perf_event/ring.h"

#include "perf_event/ring_fixture.h"
#include "perfdata/reader_internal.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

void suite_perf_event_share(void);

#define RING_BYTES ((size_t)1 << 18)
#define SP 7
#define STACK_TOP UINT64_C(0x7fff00000000)
#define STACK_WORDS ((size_t)1024)
/* IDENTIFIER to PERIOD, a chain of none, the registers' kind, the registers, the stack's size */
#define HEAD_WORDS ((size_t)(6 + 1 + 1 + RING_NREGS))

/* One thread's stack, its samples as the kernel would write them, and the file made of them. */
struct bench {
	struct perf_event_mmap_page page;
	struct ring ring;
	struct ring_counts counts;
	struct perf_event_attr attr;
	struct share *share;
	struct shared_samples expander;
	uint64_t stack[STACK_WORDS]; /* the last word is the one below STACK_TOP */
	uint32_t tid;
	uint64_t file[RING_BYTES / 4];
	size_t file_bytes;
	struct err err;
};

static int
take(void *context, const struct iovec *pieces, size_t npieces, struct err *err)
{
	struct bench *bench = context;

	(void)err;
	for (size_t i = 0; i < npieces; i++) {
		CU_ASSERT_TRUE_FATAL(bench->file_bytes + pieces[i].iov_len <= sizeof(bench->file));
		memcpy((char *)bench->file + bench->file_bytes, pieces[i].iov_base,
			pieces[i].iov_len);
		bench->file_bytes += pieces[i].iov_len;
	}
	return 0;
}

static struct bench *
bench_new(uint64_t start)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	if (!bench)
		abort();
	bench->ring = ring_made(&bench->page, RING_BYTES, start);
	bench->attr = ring_attr(2 * STACK_WORDS * 8);
	bench->share = share_new();
	bench->expander = (struct shared_samples){0};
	bench->tid = 100;
	for (size_t i = 0; i < STACK_WORDS; i++)
		bench->stack[i] = 1000 + i;
	return bench;
}

static void
bench_free(struct bench *bench)
{
	CU_ASSERT_EQUAL(bench->err.kind, ERR_NONE);
	share_free(bench->share);
	shared_samples_release(&bench->expander);
	free(bench->ring.data);
	free(bench);
}

/* A sample of the thread with `used` words on its stack; what was requested is more. */
static void
put_sample(struct bench *bench, size_t used)
{
	const struct perf_event_header header = {.type = PERF_RECORD_SAMPLE,
		.misc = PERF_RECORD_MISC_USER,
		.size = 8 + 8 * (HEAD_WORDS + 2 + 2 * STACK_WORDS)};
	uint64_t word;

	memcpy(&word, &header, sizeof(word));
	ring_put_word(&bench->ring, word);
	ring_put_word(&bench->ring, 11);
	ring_put_word(&bench->ring, 0x401000);
	ring_put_word(&bench->ring, (uint64_t)bench->tid << 32 | 77);
	ring_put_word(&bench->ring, bench->page.data_head);
	ring_put_word(&bench->ring, 0);
	ring_put_word(&bench->ring, 1);
	ring_put_word(&bench->ring, 0);
	ring_put_word(&bench->ring, PERF_SAMPLE_REGS_ABI_64);
	for (size_t i = 0; i < RING_NREGS; i++)
		ring_put_word(&bench->ring, i == SP ? STACK_TOP - 8 * used : i);
	ring_put_word(&bench->ring, 2 * STACK_WORDS * 8);
	for (size_t i = 0; i < 2 * STACK_WORDS; i++)
		ring_put_word(&bench->ring,
			i < used ? bench->stack[STACK_WORDS - used + i] : UINT64_C(0xdeadbeef));
	ring_put_word(&bench->ring, 8 * used);
}

static void
drain(struct bench *bench)
{
	const struct ring_drain how = {
		.counts = &bench->counts,
		.attr = &bench->attr,
		.sink = take,
		.context = bench,
		.share = bench->share,
		.position = 4096 + bench->file_bytes,
	};

	CU_ASSERT_TRUE(ring_drain(&bench->ring, &how, &bench->err) >= 0);
}

/* Takes one sample; returns how many bytes it has in the file, and checks what they stand for. */
static size_t
sample(struct bench *bench, size_t used)
{
	size_t at = bench->file_bytes;
	struct perf_event_header header;
	const char *problem = NULL;

	put_sample(bench, used);
	drain(bench);

	const char *record = (const char *)bench->file + at;

	memcpy(&header, record, sizeof(header));
	CU_ASSERT_EQUAL(header.size, bench->file_bytes - at);
	CU_ASSERT_EQUAL(header.misc, PERF_RECORD_MISC_USER);
	if (header.type == USER_SHARED_STACK)
		record = shared_samples_expand(
			&bench->expander, record, (const char *)bench->file, &problem);
	CU_ASSERT_PTR_NOT_NULL_FATAL(record);
	if (!record)
		abort();

	const uint64_t *words = (const uint64_t *)(const void *)record;
	size_t head = 1 + HEAD_WORDS;

	memcpy(&header, record, sizeof(header));
	CU_ASSERT_EQUAL(header.type, PERF_RECORD_SAMPLE);
	CU_ASSERT_EQUAL_FATAL(header.size, 8 * (head + 1 + used + 1));
	CU_ASSERT_EQUAL(words[2], 0x401000);
	CU_ASSERT_EQUAL(words[head - RING_NREGS + SP], STACK_TOP - 8 * used);
	CU_ASSERT_EQUAL(words[head], 8 * used);
	CU_ASSERT_EQUAL(memcmp(words + head + 1, bench->stack + STACK_WORDS - used, 8 * used), 0);
	CU_ASSERT_EQUAL(words[head + 1 + used], 8 * used);
	return bench->file_bytes - at;
}

static void
first_copy_is_whole_and_the_same_again_is_next_to_nothing(void)
{
	struct bench *bench = bench_new(0);

	CU_ASSERT_EQUAL(sample(bench, 1000), 8 * (1 + HEAD_WORDS + 1 + 1000 + 1));
	CU_ASSERT_TRUE(sample(bench, 1000) < 8 * (1 + HEAD_WORDS + 10));
	CU_ASSERT_EQUAL(bench->counts.samples, 2);
	CU_ASSERT_TRUE(bench->counts.shared_bytes > 7900);
	bench_free(bench);
}

static void
what_changed_is_kept(void)
{
	struct bench *bench = bench_new(0);

	sample(bench, 1000);
	bench->stack[STACK_WORDS - 1] = 1;
	bench->stack[STACK_WORDS - 500] = 2;
	bench->stack[STACK_WORDS - 1000] = 3;
	CU_ASSERT_TRUE(sample(bench, 1000) < 8 * (1 + HEAD_WORDS + 40));
	bench_free(bench);
}

static void
stack_that_grew_or_shrank_is_compared_by_address(void)
{
	struct bench *bench = bench_new(0);

	sample(bench, 700);
	CU_ASSERT_TRUE(sample(bench, 723) < 8 * (1 + HEAD_WORDS + 50));
	CU_ASSERT_TRUE(sample(bench, 699) < 8 * (1 + HEAD_WORDS + 20));
	CU_ASSERT_TRUE(sample(bench, 401) < 8 * (1 + HEAD_WORDS + 20));
	/* Most of it is new. */
	CU_ASSERT_TRUE(sample(bench, 70) < 8 * (1 + HEAD_WORDS + 20));
	bench_free(bench);
}

static void
mostly_new_stack_is_whole_and_then_referred_to(void)
{
	struct bench *bench = bench_new(0);

	sample(bench, 800);
	for (size_t i = 0; i < STACK_WORDS; i++)
		bench->stack[i] = ~bench->stack[i];
	CU_ASSERT_EQUAL(sample(bench, 800), 8 * (1 + HEAD_WORDS + 1 + 800 + 1));
	CU_ASSERT_TRUE(sample(bench, 800) < 8 * (1 + HEAD_WORDS + 10));
	bench_free(bench);
}

static void
stack_that_never_stays_is_rarely_looked_at_and_still_found_when_it_does(void)
{
	struct bench *bench = bench_new(0);

	for (size_t n = 0; n < 40; n++) {
		for (size_t i = 0; i < STACK_WORDS; i++)
			bench->stack[i] += 1 + i % 7;
		CU_ASSERT_EQUAL(sample(bench, 600), 8 * (1 + HEAD_WORDS + 1 + 600 + 1));
	}
	for (size_t n = 0; n < 16; n++)
		sample(bench, 600);
	CU_ASSERT_TRUE(sample(bench, 600) < 8 * (1 + HEAD_WORDS + 10));
	bench_free(bench);
}

static void
threads_do_not_share(void)
{
	struct bench *bench = bench_new(0);

	sample(bench, 600);
	bench->tid++;
	CU_ASSERT_EQUAL(sample(bench, 600), 8 * (1 + HEAD_WORDS + 1 + 600 + 1));
	for (uint32_t i = 0; i < 2 * SHARE_THREADS; i++) {
		bench->tid++;
		sample(bench, 600);
	}
	CU_ASSERT_TRUE(sample(bench, 600) < 8 * (1 + HEAD_WORDS + 10));
	bench_free(bench);
}

static void
copies_across_the_buffers_end_are_whole(void)
{
	struct bench *bench = bench_new(RING_BYTES - 4096);

	for (size_t n = 0; n < 40; n++) {
		bench->stack[STACK_WORDS - 1 - 8 * n] += n;
		sample(bench, 1000);
	}
	bench_free(bench);
}

static void
several_in_one_go_refer_to_where_they_will_be(void)
{
	struct bench *bench = bench_new(0);

	for (size_t n = 0; n < 5; n++)
		put_sample(bench, 900);
	drain(bench);

	size_t before = bench->file_bytes;

	CU_ASSERT_TRUE(before < (size_t)8 * (5 * (1 + HEAD_WORDS + 10) + 902));
	for (size_t at = 0; at < before;) {
		const char *record = (const char *)bench->file + at;
		struct perf_event_header header;
		const char *problem;

		memcpy(&header, record, sizeof(header));
		if (header.type == USER_SHARED_STACK) {
			const char *whole = shared_samples_expand(
				&bench->expander, record, (const char *)bench->file, &problem);

			CU_ASSERT_PTR_NOT_NULL_FATAL(whole);
			CU_ASSERT_EQUAL(memcmp(whole + 8 * (2 + HEAD_WORDS),
						bench->stack + STACK_WORDS - 900, 7200),
				0);
		}
		at += header.size;
	}
	bench_free(bench);
}

static void
small_copies_are_left_alone(void)
{
	struct bench *bench = bench_new(0);

	for (size_t n = 0; n < 3; n++)
		CU_ASSERT_EQUAL(sample(bench, 40), 8 * (1 + HEAD_WORDS + 1 + 40 + 1));
	bench_free(bench);
}

static const struct unit_case cases[] = {
	{"first_copy_is_whole_and_the_same_again_is_next_to_nothing",
		first_copy_is_whole_and_the_same_again_is_next_to_nothing},
	{"what_changed_is_kept", what_changed_is_kept},
	{"stack_that_grew_or_shrank_is_compared_by_address",
		stack_that_grew_or_shrank_is_compared_by_address},
	{"mostly_new_stack_is_whole_and_then_referred_to",
		mostly_new_stack_is_whole_and_then_referred_to},
	{"stack_that_never_stays_is_rarely_looked_at_and_still_found_when_it_does",
		stack_that_never_stays_is_rarely_looked_at_and_still_found_when_it_does},
	{"threads_do_not_share", threads_do_not_share},
	{"copies_across_the_buffers_end_are_whole", copies_across_the_buffers_end_are_whole},
	{"several_in_one_go_refer_to_where_they_will_be",
		several_in_one_go_refer_to_where_they_will_be},
	{"small_copies_are_left_alone", small_copies_are_left_alone},
	{NULL, NULL},
};

void
suite_perf_event_share(void)
{
	unit_suite("perf_event/share", cases);
}
