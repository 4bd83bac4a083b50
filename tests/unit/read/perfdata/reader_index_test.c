/* Files that are too large to be gone through before they are read. */
#include "perfdata/open_made.h"
#include "unit.h"

void suite_perfdata_reader_index(void);

#define LARGE_BYTES 60000
#define ROUNDS UINT64_C(1150)
#define ROUND_MARK 68
#define BUILD_ID 67
#define A_TYPE_TO_COME 90
#define WITHOUT_TIME 41

/* A record of the kernel's that is not known here, as large as one with a copy of a stack. */
static void
put_large(struct made_file *made, uint64_t time)
{
	struct buf body = {0};

	buf_put_zeros(&body, LARGE_BYTES);
	made_trailer(&body, 1, time);
	made_record(made, 40, 0, &body);
	buf_release(&body);
}

static void
put_mark(struct made_file *made, uint32_t type)
{
	struct buf nothing = {0};

	made_record(made, type, 0, &nothing);
	buf_release(&nothing);
}

/*
 * Rounds through two buffers. The second one's records are older than some of the first one's, and
 * than the newest of the round before.
 */
static void
put_round(struct made_file *made, uint64_t round)
{
	made_sample(made, 11, 1, round * 100 + 50, made_chain, MADE_CHAIN);
	put_large(made, round * 100 + 60);
	made_sample(made, 11, 1, round * 100 + 90, made_chain, MADE_CHAIN);
	made_sample(made, 11, 2, round * 100 - 30, made_chain, MADE_CHAIN);
	made_sample(made, 11, 2, round * 100 + 55, made_chain, MADE_CHAIN);
	put_mark(made, round % 2 ? ROUND_MARK : A_TYPE_TO_COME);
}

static void
put_rounds(struct made_file *made)
{
	for (uint64_t round = 1; round <= ROUNDS; round++)
		put_round(made, round);
}

/* What follows starts half a word further on. */
static void
put_half_word(struct made_file *made)
{
	struct buf body = {0};

	buf_put_zeros(&body, sizeof(uint32_t));
	made_record(made, A_TYPE_TO_COME, 0, &body);
	buf_release(&body);
}

static void
put_build_id(struct made_file *made, const char *path)
{
	struct buf body = {0};

	buf_put_zeros(&body, 4 + 24); /* a process, the id and its length */
	made_text(&body, path);
	made_record(made, BUILD_ID, 0, &body);
	buf_release(&body);
}

static void
put_without_time(struct made_file *made)
{
	struct buf body = {0};

	made_trailer(&body, 1, 0);
	made_record(made, WITHOUT_TIME, 0, &body);
	buf_release(&body);
}

struct seen {
	uint64_t records;
	uint64_t samples;
	bool ordered;
};

static struct seen
read_all(struct perfdata_reader *reader)
{
	struct seen seen = {.ordered = true};
	struct record record;
	struct err err = {0};
	uint64_t last = 0;
	int status;

	while ((status = perfdata_next(reader, &record, &err)) > 0) {
		seen.records++;
		seen.samples += record.type == PERF_RECORD_SAMPLE;
		seen.ordered &= record.id.time_ns >= last;
		last = record.id.time_ns;
	}
	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), 0);
	return seen;
}

static void
expect_rounds(struct perfdata_reader *reader, bool in_pieces)
{
	CU_ASSERT_EQUAL(perfdata_event(reader, 0)->nsamples < 4 * ROUNDS, in_pieces);

	struct seen seen = read_all(reader);

	CU_ASSERT_EQUAL(seen.records, 5 * ROUNDS);
	CU_ASSERT_EQUAL(seen.samples, 4 * ROUNDS);
	CU_ASSERT_TRUE(seen.ordered);
	CU_ASSERT_EQUAL(perfdata_event(reader, 0)->nsamples, 4 * ROUNDS);
}

static void
test_pieces(void)
{
	struct made_file made;
	struct file_view view;

	made_init(&made);
	put_rounds(&made);
	struct perfdata_reader *reader = open_made(&made, &view);

	expect_rounds(reader, true);
	perfdata_close(reader);
	made_release(&made);
}

/* Which of two events has samples has to be known before the first is read. */
static void
test_two_events(void)
{
	struct made_file made;
	struct file_view view;

	made_init(&made);
	made.nattrs = 2;
	put_rounds(&made);
	struct perfdata_reader *reader = open_made(&made, &view);

	expect_rounds(reader, false);
	perfdata_close(reader);
	made_release(&made);
}

static void
test_copied_records(void)
{
	struct made_file made;
	struct file_view view;

	made_init(&made);
	put_half_word(&made);
	put_round(&made, 1);
	put_half_word(&made);
	for (uint64_t round = 2; round <= ROUNDS; round++)
		put_round(&made, round);
	struct perfdata_reader *reader = open_made(&made, &view);

	expect_rounds(reader, false);
	perfdata_close(reader);
	made_release(&made);
}

/* A map that is read wants its build-id, wherever that stands. */
static void
test_build_ids(void)
{
	const unsigned char *id;
	struct made_file made;
	struct file_view view;

	made_init(&made);
	put_build_id(&made, "/bin/first");
	put_rounds(&made);
	put_build_id(&made, "/bin/last");
	struct perfdata_reader *reader = open_made(&made, &view);

	CU_ASSERT_EQUAL(perfdata_build_id(reader, "/bin/last", &id), 20);
	expect_rounds(reader, false);
	perfdata_close(reader);
	made_release(&made);
}

/* It may be the first of a piece, and the one before it not the newest of those found. */
static void
test_without_time(void)
{
	struct made_file made;
	struct file_view view;
	struct record record;
	struct err err = {0};
	uint64_t before = 155;
	uint64_t last = 0;

	made_init(&made);
	for (uint64_t round = 1; round <= ROUNDS; round++) {
		put_round(&made, round);
		put_without_time(&made);
	}
	struct perfdata_reader *reader = open_made(&made, &view);

	CU_ASSERT_TRUE(perfdata_event(reader, 0)->nsamples < 4 * ROUNDS);
	while (perfdata_next(reader, &record, &err) > 0) {
		if (record.type == WITHOUT_TIME) {
			CU_ASSERT_EQUAL(last, before);
			before += 100;
		}
		last = record.id.time_ns ? record.id.time_ns : last;
	}
	CU_ASSERT_EQUAL(before, ROUNDS * 100 + 155);
	perfdata_close(reader);
	made_release(&made);
}

/* What is broken far behind the start is found when it is come to. */
static void
test_broken_end(void)
{
	struct made_file made;
	struct file_view view;
	struct record record;
	struct err err = {0};
	int status;

	made_init(&made);
	put_rounds(&made);
	made_u64(&made.data, 3); /* a record of no bytes */
	struct perfdata_reader *reader = open_made(&made, &view);

	while ((status = perfdata_next(reader, &record, &err)) > 0)
		;
	CU_ASSERT_EQUAL(status, -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "x.data: broken record at offset"));
	perfdata_close(reader);
	made_release(&made);
}

void
suite_perfdata_reader_index(void)
{
	static const struct unit_case cases[] = {
		{"pieces_of_a_large_file_are_in_order_of_time", test_pieces},
		{"a_file_of_several_events_is_gone_through_first", test_two_events},
		{"a_file_whose_records_are_copied_is_gone_through_first", test_copied_records},
		{"build_ids_among_the_records_are_known_from_the_start", test_build_ids},
		{"a_record_without_time_comes_after_the_one_before_it", test_without_time},
		{"a_broken_record_is_found_when_it_is_come_to", test_broken_end},
		{0},
	};

	unit_suite("perfdata/reader_index", cases);
}
