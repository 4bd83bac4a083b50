#include "perfdata/reader_internal.h"

#include "perfdata/format.h"
#include "perfdata/make_perfdata.h"
#include "perfdata/reader.h"
#include "unit.h"

void suite_perfdata_shared_samples(void);

#define WHOLE_WORDS UINT64_C(40)

/* What one record is made of, to be broken; lengths in words. */
struct recipe {
	struct shared_stack end;
	struct shared_run runs[2];
	size_t own_words;
};

/* The fields of a sample up to its stack's size: no chain, one register. */
static void
put_head(struct buf *body, uint64_t time)
{
	made_u64(body, 11);
	made_u64(body, 0x1234);
	made_u32s(body, 5, 6);
	made_u64(body, time);
	made_u64(body, PERF_SAMPLE_REGS_ABI_64);
	made_u64(body, 0x7ff0);
}

#define HEAD_BYTES UINT64_C(56)

static void
put_whole(struct made_file *made)
{
	struct buf body = {0};

	put_head(&body, 100);
	made_u64(&body, WHOLE_WORDS * 8);
	for (uint64_t i = 0; i < WHOLE_WORDS; i++)
		made_u64(&body, 9000 + i);
	made_u64(&body, WHOLE_WORDS * 8);
	made_record(made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, &body);
	buf_release(&body);
}

static void
put_shared(struct made_file *made, const struct recipe *recipe)
{
	struct buf body = {0};

	put_head(&body, 200);
	for (size_t i = 0; i < recipe->own_words; i++)
		made_u64(&body, 70 + i);
	buf_put(&body, recipe->runs, sizeof(recipe->runs));
	buf_put(&body, &recipe->end, sizeof(recipe->end));
	made_record(made, USER_SHARED_STACK, PERF_RECORD_MISC_USER, &body);
	buf_release(&body);
}

/* 2 words of its own, then 30 from the 9th of the whole one on, with one more amid them. */
static struct recipe
good_recipe(void)
{
	return (struct recipe){
		.end =
			{
				/* from the record's start to where the copy would begin */
				.back = (WHOLE_WORDS + 1 - 8 + 2) * 8,
				.copy_bytes = (uint64_t)(2 + 20 + 1 + 9) * 8,
				.valid_bytes = (uint64_t)(2 + 20 + 1 + 9) * 8 - 3,
				.nruns = 2,
				.head_bytes = HEAD_BYTES,
			},
		.runs = {{0, 2}, {20, 10}},
		.own_words = 12,
	};
}

static void
make(struct made_file *made, const struct recipe *recipe)
{
	made_init(made);
	made->attrs[0].sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				     PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER |
				     PERF_SAMPLE_STACK_USER;
	made->attrs[0].sample_regs_user = 1 << 7;
	put_whole(made);
	put_shared(made, recipe);
}

static void
is_read_as_an_ordinary_sample(void)
{
	struct recipe recipe = good_recipe();
	struct made_file made;
	struct record record;
	struct err err = {0};

	make(&made, &recipe);

	struct file_view view = made_view(&made);
	struct perfdata_reader *reader = perfdata_open(&view, "x.data", &err);

	CU_ASSERT_PTR_NOT_NULL_FATAL(reader);
	CU_ASSERT_EQUAL(perfdata_event(reader, 0)->nsamples, 2);
	CU_ASSERT_EQUAL_FATAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL(record.u.sample.user_stack_bytes, WHOLE_WORDS * 8);
	CU_ASSERT_EQUAL_FATAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL(record.type, PERF_RECORD_SAMPLE);
	CU_ASSERT_EQUAL(record.misc, PERF_RECORD_MISC_USER);
	CU_ASSERT_EQUAL(record.id.tid, 6);
	CU_ASSERT_EQUAL(record.id.time_ns, 200);
	CU_ASSERT_EQUAL(record.u.sample.user_regs[0], 0x7ff0);
	CU_ASSERT_EQUAL_FATAL(record.u.sample.user_stack_bytes, (2 + 20 + 10) * 8 - 3);

	const uint64_t *stack = (const uint64_t *)(const void *)record.u.sample.user_stack;

	CU_ASSERT_EQUAL(stack[0], 70);
	CU_ASSERT_EQUAL(stack[1], 71);
	for (uint64_t i = 0; i < 20; i++)
		CU_ASSERT_EQUAL(stack[2 + i], 9000 + 8 + i);
	CU_ASSERT_EQUAL(stack[22], 72);
	CU_ASSERT_EQUAL(stack[30], 80);
	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), 0);
	perfdata_close(reader);
	made_release(&made);
}

static void
expect_problem(const struct recipe *recipe, const char *part)
{
	struct made_file made;
	struct record record;
	struct err err = {0};

	make(&made, recipe);

	struct file_view view = made_view(&made);
	struct perfdata_reader *reader = perfdata_open(&view, "x.data", &err);

	CU_ASSERT_PTR_NOT_NULL_FATAL(reader);
	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), -1);
	CU_ASSERT_EQUAL(err.kind, ERR_INPUT);
	UNIT_CONTAINS(err.text, "x.data: broken shared stack at offset ");
	UNIT_CONTAINS(err.text, part);
	perfdata_close(reader);
	made_release(&made);
}

static void
parts_that_do_not_fit_are_refused(void)
{
	struct recipe recipe = good_recipe();

	recipe.end.nruns = UINT64_MAX / 4;
	expect_problem(&recipe, "its parts are longer than it");
	recipe = good_recipe();
	recipe.end.head_bytes = UINT64_MAX - 7;
	expect_problem(&recipe, "its parts are longer than it");
	recipe = good_recipe();
	recipe.end.head_bytes = 0;
	expect_problem(&recipe, "its parts are longer than it");
	recipe = good_recipe();
	recipe.end.copy_bytes = UINT64_MAX - 7;
	expect_problem(&recipe, "its stack is longer than a record");
	recipe = good_recipe();
	recipe.runs[1].own_words = 11;
	expect_problem(&recipe, "its parts are longer than its stack");
	recipe = good_recipe();
	recipe.end.copy_bytes += 8;
	expect_problem(&recipe, "its parts are shorter than its stack");
}

static void
only_what_lies_before_can_be_referred_to(void)
{
	struct recipe recipe = good_recipe();

	/* Into itself, before the first record, and round the end of all numbers. */
	recipe.end.back = 16;
	expect_problem(&recipe, "refers to what is not before it");
	recipe.end.back = 4096;
	expect_problem(&recipe, "refers to what is not before it");
	recipe.end.back = UINT64_MAX - 4095;
	expect_problem(&recipe, "refers to what is not before it");
}

static void
record_too_short_for_its_end_is_refused(void)
{
	struct recipe recipe = good_recipe();
	struct made_file made;
	struct record record;
	struct err err = {0};
	struct buf body = {0};

	make(&made, &recipe);
	made_u64(&body, 11);
	made_u64(&body, 1);
	made_u32s(&body, 5, 6);
	made_u64(&body, 300);
	made_record(&made, USER_SHARED_STACK, 0, &body);
	buf_release(&body);

	struct file_view view = made_view(&made);
	struct perfdata_reader *reader = perfdata_open(&view, "x.data", &err);

	CU_ASSERT_PTR_NOT_NULL_FATAL(reader);
	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), -1);
	UNIT_CONTAINS(err.text, "too short");
	perfdata_close(reader);
	made_release(&made);
}

static void
samples_stay_until_enough_more_were_read(void)
{
	struct recipe recipe = good_recipe();
	struct shared_samples samples = {0};
	struct made_file made;
	const char *problem;

	make(&made, &recipe);

	const char *first = buf_text(&made.data);
	const char *record = first + HEAD_BYTES + (WHOLE_WORDS + 2) * 8;
	const char *kept[PERFDATA_KEPT];
	char *copy = malloc(made.data.len);

	if (!copy || !first)
		abort();
	memcpy(copy, first, made.data.len);
	for (size_t n = 0; n < (size_t)6 * PERFDATA_KEPT; n++) {
		uint64_t *own = (uint64_t *)(void *)(copy + (record - first) + HEAD_BYTES);

		if (n >= PERFDATA_KEPT)
			CU_ASSERT_EQUAL(
				((const uint64_t *)(const void *)(kept[n % PERFDATA_KEPT]))[8],
				n - PERFDATA_KEPT);
		own[0] = n;
		kept[n % PERFDATA_KEPT] =
			shared_samples_expand(&samples, copy + (record - first), copy, &problem);
		CU_ASSERT_PTR_NOT_NULL_FATAL(kept[n % PERFDATA_KEPT]);
	}
	free(copy);
	shared_samples_release(&samples);
	made_release(&made);
}

static const struct unit_case cases[] = {
	{"is_read_as_an_ordinary_sample", is_read_as_an_ordinary_sample},
	{"parts_that_do_not_fit_are_refused", parts_that_do_not_fit_are_refused},
	{"only_what_lies_before_can_be_referred_to", only_what_lies_before_can_be_referred_to},
	{"record_too_short_for_its_end_is_refused", record_too_short_for_its_end_is_refused},
	{"samples_stay_until_enough_more_were_read", samples_stay_until_enough_more_were_read},
	{NULL, NULL},
};

void
suite_perfdata_shared_samples(void)
{
	unit_suite("perfdata/shared_samples", cases);
}
