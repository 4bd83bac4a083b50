#include "perfdata/reader_internal.h"

#include "base/mem.h"
#include "perfdata/make_perfdata.h"
#include "perfdata/reader.h"
#include "unit.h"

#include <zstd.h>

void suite_perfdata_decompressor(void);

#define NRECORDS 3000

/* A stream, as perf makes it: flushed now and then, never ended. */
static void
compress(const struct buf *from, int times, struct buf *to)
{
	size_t capacity = (size_t)times * ZSTD_compressBound(from->len) + 1024;
	char *bytes = mem_zalloc(1, capacity);
	ZSTD_CStream *stream = ZSTD_createCStream();
	ZSTD_outBuffer out = {bytes, capacity, 0};

	for (int i = 0; i < times; i++) {
		ZSTD_inBuffer in = {from->data, from->len, 0};

		CU_ASSERT_EQUAL(ZSTD_compressStream2(stream, &out, &in, ZSTD_e_flush), 0);
		CU_ASSERT_EQUAL(in.pos, in.size);
	}
	buf_put(to, bytes, out.pos);
	ZSTD_freeCStream(stream);
	free(bytes);
}

/* Some megabytes of records that do not shrink too well, of all sizes. */
static void
make_records(struct made_file *made)
{
	uint64_t chain[300] = {PERF_CONTEXT_USER};
	uint64_t state = 1;

	for (uint32_t i = 0; i < NRECORDS; i++) {
		for (size_t k = 1; k < 300; k++)
			chain[k] = state = state * UINT64_C(6364136223846793005) + 1;
		made_sample(made, 11, i, 1 + i, chain, 1 + i % 300);
	}
}

/* Gives out the stream in compressed records of `piece` bytes, padded or not. */
static void
wrap(struct made_file *made, const struct buf *stream, size_t piece, uint32_t type)
{
	buf_clear(&made->data);
	for (size_t at = 0; at < stream->len; at += piece) {
		size_t len = stream->len - at < piece ? stream->len - at : piece;
		struct buf body = {0};

		if (type == 83)
			made_u64(&body, len);
		buf_put(&body, stream->data + at, len);
		if (type == 83)
			buf_put_zeros(&body, (8 - len % 8) % 8);
		made_record(made, type, 0, &body);
		buf_release(&body);
	}
}

static void
expect_records(struct file_view view)
{
	struct err err = {0};
	struct perfdata_reader *reader = perfdata_open(&view, "x.data", &err);
	struct record record;
	uint64_t last_offset = 0;
	uint32_t count = 0;

	UNIT_STR_EQ(err.text, "");
	CU_ASSERT_PTR_NOT_NULL_FATAL(reader);
	while (perfdata_next(reader, &record, &err) > 0) {
		CU_ASSERT_EQUAL_FATAL(record.id.pid, count);
		CU_ASSERT_EQUAL_FATAL(record.u.sample.nchain, 1 + count % 300);
		CU_ASSERT(record.file_offset >= last_offset && record.file_offset < view.len);
		last_offset = record.file_offset;
		count++;
	}
	CU_ASSERT_EQUAL(count, NRECORDS);
	CU_ASSERT(!perfdata_truncated(reader));
	perfdata_close(reader);
}

static void
test_pieces(void)
{
	struct made_file made;
	struct buf stream = {0};

	made_init(&made);
	make_records(&made);
	CU_ASSERT(made.data.len > 3 * RECORD_BLOCK_BYTES);
	compress(&made.data, 1, &stream);
	wrap(&made, &stream, 60001, 81);
	expect_records(made_view(&made));
	wrap(&made, &stream, 777, 83);
	expect_records(made_view(&made));
	wrap(&made, &stream, 7777, 83);

	/* In a pipe, between other records. */
	struct buf compressed = made.data;

	made.data = (struct buf){0};
	made_pipe_start(&made);
	buf_put(&made.data, compressed.data, compressed.len);
	expect_records(made_pipe_view(&made));
	buf_release(&compressed);
	buf_release(&stream);
	made_release(&made);
}

static void
test_cut_off(void)
{
	struct made_file made;
	struct buf stream = {0};
	struct err err = {0};
	struct record record;

	made_init(&made);
	made_sample(&made, 11, 1, 1, NULL, 0);
	made_sample(&made, 11, 1, 1, NULL, 0);
	made.data.len -= 8;
	compress(&made.data, 1, &stream);
	wrap(&made, &stream, 60000, 81);

	struct file_view view = made_view(&made);
	struct perfdata_reader *reader = perfdata_open(&view, "x.data", &err);

	CU_ASSERT_PTR_NOT_NULL_FATAL(reader);
	CU_ASSERT(perfdata_truncated(reader));
	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), 0);
	perfdata_close(reader);
	buf_release(&stream);
	made_release(&made);
}

static void
expect_problem(const struct buf *stream, const char *expected)
{
	struct record_origins origins = {0};
	struct record_store store = {.origins = &origins};
	const char *record;
	const char *problem = "";
	int status;

	struct decompressor decompressor = {.store = &store};

	decompressor_feed(&decompressor, stream->data, stream->len, 0);
	do
		status = decompressor_next(&decompressor, &record, &problem);
	while (status > 0);
	CU_ASSERT_EQUAL(status, -1);
	UNIT_CONTAINS(problem, expected);
	decompressor_release(&decompressor);
	record_store_release(&store);
	record_origins_release(&origins);
}

static void
test_bombs(void)
{
	struct perf_event_header header = {.type = PERF_RECORD_SAMPLE, .size = 65528};
	struct buf bomb = {0};
	struct buf stream = {0};

	buf_put_zeros(&bomb, (size_t)128 << 20);
	compress(&bomb, 1, &stream);
	CU_ASSERT(stream.len < 40000);
	expect_problem(&stream, "size that is not possible");
	for (size_t at = 0; at + header.size <= bomb.len; at += header.size)
		memcpy(bomb.data + at, &header, sizeof(header));
	bomb.len -= bomb.len % header.size;
	buf_clear(&stream);
	compress(&bomb, 5, &stream);
	CU_ASSERT(stream.len < 200000);
	expect_problem(&stream, "64 times its size");
	buf_release(&bomb);
	buf_release(&stream);
}

void
suite_perfdata_decompressor(void)
{
	static const struct unit_case cases[] = {
		{"records_are_put_together_from_pieces_of_a_stream", test_pieces},
		{"a_record_that_a_stream_does_not_end_is_reported", test_cut_off},
		{"what_expands_without_end_is_refused", test_bombs},
		{NULL, NULL},
	};

	unit_suite("perfdata/decompressor", cases);
}
