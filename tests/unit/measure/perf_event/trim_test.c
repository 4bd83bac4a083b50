#include "perf_event/ring.h"

#include "unit.h"

#include <string.h>

void suite_perf_event_trim(void);

#define WORDS 64
#define REGISTERS 3

/* A stream of which all words are kept, with one record at `at`. */
struct bench {
	uint64_t words[WORDS];
	struct perf_event_attr attr;
	uint64_t at;
	size_t nwords; /* of the record so far */
	struct trim_cut cut;
};

static void
put(struct bench *bench, uint64_t word)
{
	bench->words[(bench->at / 8 + bench->nwords++) % WORDS] = word;
}

/* Its head up to where the size of the copy stands: `nchain` callers, and registers or none. */
static void
bench_init(struct bench *bench, uint64_t nchain, bool registers)
{
	*bench = (struct bench){.at = 0};
	bench->attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME |
				  PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
				  PERF_SAMPLE_STACK_USER;
	bench->attr.sample_regs_user = (UINT64_C(1) << REGISTERS) - 1;
	put(bench, 0);
	put(bench, 1);
	put(bench, 2);
	put(bench, nchain);
	for (uint64_t i = 0; i < nchain; i++)
		put(bench, 100 + i);
	put(bench, registers ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_NONE);
	for (unsigned i = 0; registers && i < REGISTERS; i++)
		put(bench, 200 + i);
}

static void
put_copy(struct bench *bench, uint64_t bytes, uint64_t valid)
{
	put(bench, bytes);
	for (uint64_t i = 0; i < bytes / 8; i++)
		put(bench, 300 + i);
	put(bench, valid);
}

static bool
find_sized(struct bench *bench, size_t record_bytes)
{
	const struct ring ring = {
		.data = (unsigned char *)bench->words, .data_bytes = sizeof(bench->words)};
	struct perf_event_header header = {
		.type = PERF_RECORD_SAMPLE, .size = (uint16_t)record_bytes};

	memcpy(&bench->words[bench->at / 8 % WORDS], &header, sizeof(header));
	return trim_find(&ring, bench->at, &bench->attr, &bench->cut);
}

static bool
find(struct bench *bench)
{
	return find_sized(bench, bench->nwords * 8);
}

static void
a_copy_is_kept_as_far_as_it_is_valid(void)
{
	struct bench bench;

	bench_init(&bench, 2, true);
	size_t head = bench.nwords * 8;

	put_copy(&bench, 80, 24);
	CU_ASSERT_TRUE(find(&bench));
	CU_ASSERT_EQUAL(bench.cut.head_bytes, head);
	CU_ASSERT_EQUAL(bench.cut.copy_bytes, 24);
	CU_ASSERT_EQUAL(bench.cut.valid_bytes, 24);
	CU_ASSERT_EQUAL(bench.cut.size, head + 8 + 24 + 8);
}

static void
valid_bytes_are_rounded_up_to_words(void)
{
	static const size_t valid[] = {1, 7, 8, 9, 79, 80};
	static const size_t kept[] = {8, 8, 8, 16, 80, 80};

	for (size_t i = 0; i < sizeof(valid) / sizeof(valid[0]); i++) {
		struct bench bench;

		bench_init(&bench, 0, true);
		put_copy(&bench, 80, valid[i]);
		CU_ASSERT_TRUE(find(&bench));
		CU_ASSERT_EQUAL(bench.cut.copy_bytes, kept[i]);
		CU_ASSERT_EQUAL(bench.cut.valid_bytes, valid[i]);
	}
}

static void
a_copy_of_which_nothing_is_valid_leaves_its_size_alone(void)
{
	struct bench bench;

	bench_init(&bench, 1, true);
	size_t head = bench.nwords * 8;

	put_copy(&bench, 80, 0);
	CU_ASSERT_TRUE(find(&bench));
	CU_ASSERT_EQUAL(bench.cut.copy_bytes, 0);
	CU_ASSERT_EQUAL(bench.cut.size, head + 8);
}

/* For a kernel thread there are neither registers nor a copy. */
static void
a_sample_without_a_copy_is_left_alone(void)
{
	struct bench bench;

	bench_init(&bench, 1, false);
	put(&bench, 0);
	CU_ASSERT_FALSE(find(&bench));
	bench_init(&bench, 1, true);
	put_copy(&bench, 80, 24);
	bench.attr.sample_type &= ~(uint64_t)PERF_SAMPLE_STACK_USER;
	CU_ASSERT_FALSE(find(&bench));
}

static void
registers_are_there_where_their_kind_is_reported(void)
{
	struct bench bench;

	bench_init(&bench, 1, false);
	size_t head = bench.nwords * 8;

	put_copy(&bench, 80, 24);
	CU_ASSERT_TRUE(find(&bench));
	CU_ASSERT_EQUAL(bench.cut.head_bytes, head);
}

/* Raw data, a branch stack: how long they are is not looked at. */
static void
fields_that_are_not_known_leave_the_sample_alone(void)
{
	struct bench bench;

	bench_init(&bench, 1, true);
	put_copy(&bench, 80, 24);
	bench.attr.sample_type |= PERF_SAMPLE_RAW;
	CU_ASSERT_FALSE(find(&bench));
}

static void
a_record_found_at_any_place_of_the_stream_is_the_same(void)
{
	for (uint64_t at = 0; at < sizeof(((struct bench *)NULL)->words); at += 8) {
		struct bench bench;

		bench_init(&bench, 2, true);
		size_t head = bench.nwords * 8;

		put_copy(&bench, 80, 24);
		struct bench moved = bench;

		moved.at = 5 * sizeof(bench.words) + at;
		for (size_t i = 0; i < WORDS; i++)
			moved.words[(at / 8 + i) % WORDS] = bench.words[i];
		CU_ASSERT_TRUE(find(&moved));
		CU_ASSERT_EQUAL(moved.cut.head_bytes, head);
		CU_ASSERT_EQUAL(moved.cut.copy_bytes, 24);
	}
}

static void
sizes_that_contradict_the_record_leave_it_alone(void)
{
	struct bench bench;

	/* More valid than copied. */
	bench_init(&bench, 1, true);
	put_copy(&bench, 80, 81);
	CU_ASSERT_FALSE(find(&bench));
	/* A copy that is no number of words. */
	bench_init(&bench, 1, true);
	put_copy(&bench, 80, 24);
	bench.words[bench.nwords - 12] = 79;
	CU_ASSERT_FALSE(find(&bench));
	/* Something behind the copy, or part of it missing. */
	bench_init(&bench, 1, true);
	put_copy(&bench, 80, 24);
	CU_ASSERT_TRUE(find(&bench));
	CU_ASSERT_FALSE(find_sized(&bench, bench.nwords * 8 + 8));
	CU_ASSERT_FALSE(find_sized(&bench, bench.nwords * 8 - 8));
	CU_ASSERT_FALSE(find_sized(&bench, bench.nwords * 8 - 4));
}

static void
a_chain_longer_than_its_record_leaves_it_alone(void)
{
	static const uint64_t lengths[] = {20, 1000, UINT64_MAX / 8, UINT64_MAX};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct bench bench;

		bench_init(&bench, 1, true);
		put_copy(&bench, 80, 24);
		bench.words[3] = lengths[i];
		CU_ASSERT_FALSE(find(&bench));
	}
	/* So long that its end would be its beginning, and all behind it would fit. */
	struct bench bench;

	bench_init(&bench, 0, false);
	put(&bench, 1);
	put(&bench, 2);
	put_copy(&bench, 80, 24);
	bench.words[3] = UINT64_MAX;
	CU_ASSERT_FALSE(find(&bench));
}

/* Cut anywhere: no word behind the record is asked whether there is a copy. */
static void
a_short_record_is_left_alone(void)
{
	for (size_t nwords = 1; nwords < 8; nwords++) {
		struct bench bench;

		bench_init(&bench, 0, true);
		put_copy(&bench, 80, 24);
		CU_ASSERT_FALSE(find_sized(&bench, nwords * 8));
	}
}

static const struct unit_case cases[] = {
	{"a_copy_is_kept_as_far_as_it_is_valid", a_copy_is_kept_as_far_as_it_is_valid},
	{"valid_bytes_are_rounded_up_to_words", valid_bytes_are_rounded_up_to_words},
	{"a_copy_of_which_nothing_is_valid_leaves_its_size_alone",
		a_copy_of_which_nothing_is_valid_leaves_its_size_alone},
	{"a_sample_without_a_copy_is_left_alone", a_sample_without_a_copy_is_left_alone},
	{"registers_are_there_where_their_kind_is_reported",
		registers_are_there_where_their_kind_is_reported},
	{"fields_that_are_not_known_leave_the_sample_alone",
		fields_that_are_not_known_leave_the_sample_alone},
	{"a_record_found_at_any_place_of_the_stream_is_the_same",
		a_record_found_at_any_place_of_the_stream_is_the_same},
	{"sizes_that_contradict_the_record_leave_it_alone",
		sizes_that_contradict_the_record_leave_it_alone},
	{"a_chain_longer_than_its_record_leaves_it_alone",
		a_chain_longer_than_its_record_leaves_it_alone},
	{"a_short_record_is_left_alone", a_short_record_is_left_alone},
	{NULL, NULL},
};

void
suite_perf_event_trim(void)
{
	unit_suite("perf_event/trim", cases);
}
