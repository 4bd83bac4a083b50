#include "perf_event/ring.h"

#include "unit.h"

void suite_perf_event_gather(void);

#define RING_BYTES ((size_t)2 * GATHER_BYTES)

struct bench {
	unsigned char data[RING_BYTES];
	struct ring ring;
	struct gather gather;
	unsigned char out[8 * RING_BYTES];
	size_t nout;
	size_t ncalls;
	size_t npieces; /* of the last call */
	bool refuse;
	struct err err;
};

static int
take(void *context, const struct iovec *pieces, size_t npieces, struct err *err)
{
	struct bench *bench = context;

	if (bench->refuse)
		return err_set(err, ERR_SYSTEM, "no room");
	bench->ncalls++;
	bench->npieces = npieces;
	for (size_t i = 0; i < npieces; i++) {
		CU_ASSERT_TRUE_FATAL(bench->nout + pieces[i].iov_len <= sizeof(bench->out));
		memcpy(bench->out + bench->nout, pieces[i].iov_base, pieces[i].iov_len);
		bench->nout += pieces[i].iov_len;
	}
	return 0;
}

/* No two bytes near each other are the same. */
static unsigned char
byte_at(uint64_t at)
{
	return (unsigned char)(at % RING_BYTES * 167 % 251);
}

/* One at a time: it is larger than a stack frame should be. */
static struct bench *
bench_begin(void)
{
	static struct bench bench;

	bench = (struct bench){.nout = 0};
	bench.ring.data = bench.data;
	bench.ring.data_bytes = RING_BYTES;
	bench.gather.ring = &bench.ring;
	bench.gather.sink = take;
	bench.gather.context = &bench;
	for (size_t i = 0; i < RING_BYTES; i++)
		bench.data[i] = byte_at(i);
	return &bench;
}

static void
put(struct bench *bench, uint64_t at, size_t bytes)
{
	CU_ASSERT_EQUAL(gather_put(&bench->gather, at, bytes, &bench->err), 0);
}

static void
flush(struct bench *bench)
{
	CU_ASSERT_EQUAL(gather_flush(&bench->gather, &bench->err), 0);
}

/* Whether the bytes at `from` of what came out are those of the buffer at `at`. */
static bool
came_out(const struct bench *bench, size_t from, uint64_t at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (bench->out[from + i] != byte_at(at + i))
			return false;
	return from + bytes <= bench->nout;
}

static void
records_next_to_each_other_are_one_piece(void)
{
	struct bench *bench = bench_begin();

	put(bench, 64, 16);
	put(bench, 80, 40);
	put(bench, 120, 8);
	CU_ASSERT_EQUAL(bench->ncalls, 0);
	flush(bench);
	CU_ASSERT_EQUAL(bench->ncalls, 1);
	CU_ASSERT_EQUAL(bench->npieces, 1);
	CU_ASSERT_EQUAL(bench->nout, 64);
	CU_ASSERT_TRUE(came_out(bench, 0, 64, 64));
}

static void
a_record_over_the_end_of_the_buffer_is_two_pieces(void)
{
	struct bench *bench = bench_begin();
	uint64_t at = 3 * RING_BYTES - 24;

	put(bench, at, 64);
	put(bench, at + 64, 8);
	flush(bench);
	CU_ASSERT_EQUAL(bench->npieces, 2);
	CU_ASSERT_EQUAL(bench->nout, 72);
	CU_ASSERT_TRUE(came_out(bench, 0, at, 72));
}

static void
what_ends_with_the_buffer_is_one_piece(void)
{
	struct bench *bench = bench_begin();

	put(bench, RING_BYTES - 24, 24);
	flush(bench);
	CU_ASSERT_EQUAL(bench->npieces, 1);
	CU_ASSERT_EQUAL(bench->nout, 24);
}

static void
an_empty_flush_calls_nobody(void)
{
	struct bench *bench = bench_begin();

	flush(bench);
	put(bench, 0, 8);
	flush(bench);
	flush(bench);
	CU_ASSERT_EQUAL(bench->ncalls, 1);
}

static void
more_pieces_than_one_write_takes_are_several(void)
{
	struct bench *bench = bench_begin();

	for (uint64_t i = 0; i < 2 * GATHER_PIECES + 1; i++)
		put(bench, i * 16, 8);
	CU_ASSERT_EQUAL(bench->ncalls, 2);
	CU_ASSERT_EQUAL(bench->npieces, GATHER_PIECES);
	flush(bench);
	CU_ASSERT_EQUAL(bench->npieces, 1);
	CU_ASSERT_EQUAL(bench->nout, (size_t)8 * (2 * GATHER_PIECES + 1));
	for (uint64_t i = 0; i < 2 * GATHER_PIECES + 1; i++)
		CU_ASSERT_TRUE(came_out(bench, (size_t)i * 8, i * 16, 8));
}

/* A sample at `at` that is cut: what comes out of it at `from`. Returns how much it is. */
static size_t
check_cut(const struct bench *bench, size_t from, uint64_t at, const struct trim_cut *cut)
{
	struct perf_event_header header;
	uint64_t copy_bytes;
	uint64_t valid_bytes;
	const unsigned char *out = bench->out + from;

	memcpy(&header, out, sizeof(header));
	CU_ASSERT_EQUAL(header.size, cut->size);
	/* All of the header but its size, and the rest of the head, as they were. */
	CU_ASSERT_TRUE(came_out(bench, from, at, 6));
	CU_ASSERT_TRUE(came_out(bench, from + 8, at + 8, cut->head_bytes - 8));
	memcpy(&copy_bytes, out + cut->head_bytes, 8);
	CU_ASSERT_EQUAL(copy_bytes, cut->copy_bytes);
	if (cut->copy_bytes == 0)
		return cut->head_bytes + 8;
	CU_ASSERT_TRUE(came_out(
		bench, from + cut->head_bytes + 8, at + cut->head_bytes + 8, cut->copy_bytes));
	memcpy(&valid_bytes, out + cut->head_bytes + 8 + cut->copy_bytes, 8);
	CU_ASSERT_EQUAL(valid_bytes, cut->valid_bytes);
	return cut->head_bytes + cut->copy_bytes + 16;
}

static void
put_cut(struct bench *bench, uint64_t at, const struct trim_cut *cut)
{
	CU_ASSERT_EQUAL(gather_put_cut(&bench->gather, at, cut, &bench->err), 0);
}

static const struct trim_cut some_cut = {
	.head_bytes = 40, .copy_bytes = 24, .valid_bytes = 17, .size = 40 + 8 + 24 + 8};

static void
a_cut_sample_tells_its_new_sizes(void)
{
	struct bench *bench = bench_begin();

	put_cut(bench, 160, &some_cut);
	flush(bench);
	CU_ASSERT_EQUAL(check_cut(bench, 0, 160, &some_cut), bench->nout);
	CU_ASSERT_EQUAL(bench->nout, some_cut.size);
}

static void
a_copy_of_nothing_ends_with_its_size(void)
{
	static const struct trim_cut cut = {.head_bytes = 40, .size = 48};
	struct bench *bench = bench_begin();

	put_cut(bench, 160, &cut);
	put(bench, 800, 8);
	flush(bench);
	CU_ASSERT_EQUAL(check_cut(bench, 0, 160, &cut), 48);
	CU_ASSERT_TRUE(came_out(bench, 48, 800, 8));
	CU_ASSERT_EQUAL(bench->nout, 56);
}

/* The end of the buffer is once ahead of every word of the sample. */
static void
a_cut_sample_may_lie_over_the_end_of_the_buffer(void)
{
	for (uint64_t before = 8; before <= some_cut.size; before += 8) {
		struct bench *bench = bench_begin();

		put_cut(bench, 7 * RING_BYTES - before, &some_cut);
		flush(bench);
		CU_ASSERT_EQUAL(
			check_cut(bench, 0, 7 * RING_BYTES - before, &some_cut), bench->nout);
	}
}

static void
the_buffer_itself_is_not_written_to(void)
{
	struct bench *bench = bench_begin();

	put_cut(bench, 160, &some_cut);
	flush(bench);
	for (size_t i = 0; i < RING_BYTES; i++)
		CU_ASSERT_EQUAL_FATAL(bench->data[i], byte_at(i));
}

/* The k-th of many: no two that follow each other tell the same. */
static struct trim_cut
numbered_cut(size_t head_bytes, uint64_t k)
{
	struct trim_cut cut = some_cut;

	cut.head_bytes = head_bytes;
	cut.valid_bytes = 17 + k % 7;
	cut.size = (uint16_t)(head_bytes + 40);
	return cut;
}

/* Heads of a size that fills our own memory, then heads so small that the pieces run out. */
static void
cut_samples_come_out_whole_however_many(void)
{
	static const size_t heads[] = {8, 40, 1000, GATHER_BYTES / 2};

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		struct bench *bench = bench_begin();
		size_t n = sizeof(bench->out) / (heads[i] + 40);
		size_t at = 0;

		for (uint64_t k = 0; k < n; k++) {
			struct trim_cut cut = numbered_cut(heads[i], k);

			put_cut(bench, k * 72, &cut);
		}
		flush(bench);
		for (uint64_t k = 0; k < n; k++) {
			struct trim_cut cut = numbered_cut(heads[i], k);

			at += check_cut(bench, at, k * 72, &cut);
		}
		CU_ASSERT_EQUAL(at, bench->nout);
		CU_ASSERT_TRUE(heads[i] > 1000 || bench->ncalls < n / 2);
	}
}

static void
a_sink_that_fails_is_reported_of(void)
{
	struct bench *bench = bench_begin();

	put(bench, 0, 8);
	bench->refuse = true;
	CU_ASSERT_EQUAL(gather_flush(&bench->gather, &bench->err), -1);
	UNIT_CONTAINS(bench->err.text, "no room");
	for (uint64_t i = 0; i < GATHER_PIECES; i++)
		put(bench, i * 16, 8);
	CU_ASSERT_EQUAL(
		gather_put(&bench->gather, (uint64_t)GATHER_PIECES * 16, 8, &bench->err), -1);
}

static const struct unit_case cases[] = {
	{"records_next_to_each_other_are_one_piece", records_next_to_each_other_are_one_piece},
	{"a_record_over_the_end_of_the_buffer_is_two_pieces",
		a_record_over_the_end_of_the_buffer_is_two_pieces},
	{"what_ends_with_the_buffer_is_one_piece", what_ends_with_the_buffer_is_one_piece},
	{"an_empty_flush_calls_nobody", an_empty_flush_calls_nobody},
	{"more_pieces_than_one_write_takes_are_several",
		more_pieces_than_one_write_takes_are_several},
	{"a_cut_sample_tells_its_new_sizes", a_cut_sample_tells_its_new_sizes},
	{"a_copy_of_nothing_ends_with_its_size", a_copy_of_nothing_ends_with_its_size},
	{"a_cut_sample_may_lie_over_the_end_of_the_buffer",
		a_cut_sample_may_lie_over_the_end_of_the_buffer},
	{"the_buffer_itself_is_not_written_to", the_buffer_itself_is_not_written_to},
	{"cut_samples_come_out_whole_however_many", cut_samples_come_out_whole_however_many},
	{"a_sink_that_fails_is_reported_of", a_sink_that_fails_is_reported_of},
	{NULL, NULL},
};

void
suite_perf_event_gather(void)
{
	unit_suite("perf_event/gather", cases);
}
