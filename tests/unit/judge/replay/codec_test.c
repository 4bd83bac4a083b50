#include "replay/codec.h"

#include "unit.h"

#include <math.h>

struct thing {
	uint64_t whole;
	int64_t time;
	bool flag;
	double number;
	const char *name;
	const char *note; /* or NULL */
	char fixed[8];
	const uint32_t *items;
	size_t nitems;
};

static void
item_codec(struct codec *codec, void *item)
{
	codec_u32(codec, item);
}

static void
thing_codec(struct codec *codec, struct thing *thing)
{
	codec_u64(codec, &thing->whole);
	codec_i64(codec, &thing->time);
	codec_bool(codec, &thing->flag);
	codec_double(codec, &thing->number);
	codec_text(codec, &thing->name);
	codec_text_or_null(codec, &thing->note);
	codec_chars(codec, thing->fixed, sizeof(thing->fixed));
	thing->items =
		codec_array(codec, thing->items, &thing->nitems, sizeof(*thing->items), item_codec);
}

static const uint32_t ITEMS[] = {0, 1, UINT32_MAX};

static struct thing
some_thing(void)
{
	return (struct thing){
		.whole = UINT64_MAX,
		.time = -5,
		.flag = true,
		.number = 0.1,
		.name = "caf\xc3\xa9",
		.fixed = "seven..",
		.items = ITEMS,
		.nitems = 3,
	};
}

static void
write_thing(struct thing thing, struct buf *out)
{
	struct codec codec = codec_writer(out);

	thing_codec(&codec, &thing);
}

/* The problem, or NULL. */
static const char *
read_thing(const char *bytes, size_t len, struct arena *arena, struct thing *thing)
{
	/* A separate copy: reading beyond it is found. */
	char *copy = malloc(len ? len : 1);

	UNIT_NEED(copy);
	memcpy(copy, bytes, len);
	struct codec codec = codec_reader(copy, len, arena, 1000);

	*thing = (struct thing){0};
	thing_codec(&codec, thing);
	free(copy);
	return codec.problem;
}

static void
written_values_are_read(void)
{
	struct buf out = {0};
	struct arena arena = {0};
	struct thing thing;

	write_thing(some_thing(), &out);
	CU_ASSERT_PTR_NULL(read_thing(out.data, out.len, &arena, &thing));
	CU_ASSERT(thing.whole == UINT64_MAX && thing.time == -5 && thing.flag);
	CU_ASSERT(thing.number == 0.1);
	UNIT_STR_EQ(thing.name, "caf\xc3\xa9");
	CU_ASSERT_PTR_NULL(thing.note);
	UNIT_STR_EQ(thing.fixed, "seven..");
	CU_ASSERT_EQUAL_FATAL(thing.nitems, 3);
	CU_ASSERT(memcmp(thing.items, ITEMS, sizeof(ITEMS)) == 0);
	arena_release(&arena);
	buf_release(&out);
}

static uint64_t
bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static void
doubles_keep_every_bit(void)
{
	const double values[] = {0, -0.0, NAN, -INFINITY, 0.1, 4.9e-324, 1.7976931348623157e308};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct buf out = {0};
		struct codec codec = codec_writer(&out);
		double value = values[i];

		codec_double(&codec, &value);
		codec = codec_reader(out.data, out.len, NULL, 0);
		value = 5;
		codec_double(&codec, &value);
		CU_ASSERT_EQUAL(bits_of(value), bits_of(values[i]));
		buf_release(&out);
	}
}

static void
every_truncation_is_a_problem(void)
{
	struct buf out = {0};

	write_thing(some_thing(), &out);
	for (size_t len = 0; len < out.len; len++) {
		struct arena arena = {0};
		struct thing thing;

		CU_ASSERT_PTR_NOT_NULL(read_thing(out.data, len, &arena, &thing));
		UNIT_NEED(thing.name);
		arena_release(&arena);
	}
	buf_release(&out);
}

static const char *
problem_of_uint(const char *bytes, size_t len, uint64_t most)
{
	struct codec codec = codec_reader(bytes, len, NULL, 0);
	uint64_t value = 5;

	codec_uint(&codec, &value, most);
	CU_ASSERT(!codec.problem || value == 0);
	return codec.problem;
}

static void
numbers_out_of_range_are_refused(void)
{
	CU_ASSERT_PTR_NULL(problem_of_uint("\x07", 1, 7));
	UNIT_STR_EQ(problem_of_uint("\x08", 1, 7), "a number out of range");
	CU_ASSERT_PTR_NULL(
		problem_of_uint("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, UINT64_MAX));
	UNIT_STR_EQ(problem_of_uint("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, UINT64_MAX),
		"a number out of range");
	UNIT_STR_EQ(problem_of_uint("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11, UINT64_MAX),
		"a number out of range");
}

static void
a_record_that_takes_too_much_memory_is_refused(void)
{
	struct arena arena = {0};
	struct codec codec;
	char bytes[200] = {(char)0xc0, 0x01}; /* 192 items */
	size_t count = 0;

	codec = codec_reader(bytes, sizeof(bytes), &arena, 192 * sizeof(uint32_t));
	CU_ASSERT_PTR_NOT_NULL(codec_array(&codec, NULL, &count, sizeof(uint32_t), item_codec));
	CU_ASSERT_PTR_NULL(codec.problem);
	codec = codec_reader(bytes, sizeof(bytes), &arena, 192 * sizeof(uint32_t) - 1);
	CU_ASSERT_PTR_NULL(codec_array(&codec, NULL, &count, sizeof(uint32_t), item_codec));
	UNIT_STR_EQ(codec.problem, "more than a reader can hold");
	CU_ASSERT_EQUAL(count, 0);
	codec = codec_reader(bytes, 190, &arena, 10000);
	CU_ASSERT_PTR_NULL(codec_array(&codec, NULL, &count, sizeof(uint32_t), item_codec));
	UNIT_STR_EQ(codec.problem, "more items than it has bytes for");
	arena_release(&arena);
}

static void
texts_that_do_not_fit_are_refused(void)
{
	struct arena arena = {0};
	struct codec codec = codec_reader("\x04"
					  "four",
		5, NULL, 0);
	const char *text = NULL;
	char fixed[4] = "old";

	codec_chars(&codec, fixed, sizeof(fixed));
	UNIT_STR_EQ(codec.problem, "a text that does not fit");
	UNIT_STR_EQ(fixed, "");
	codec = codec_reader("\x03"
			     "a\0b",
		4, &arena, 100);
	codec_text(&codec, &text);
	UNIT_STR_EQ(codec.problem, "a text with a zero byte");
	UNIT_STR_EQ(text, "");
	arena_release(&arena);
}

static void
amounts_are_finite_and_not_negative(void)
{
	const double values[] = {-1, NAN, INFINITY};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct buf out = {0};
		struct codec codec = codec_writer(&out);
		double value = values[i];

		codec_amount(&codec, &value);
		codec = codec_reader(out.data, out.len, NULL, 0);
		codec_amount(&codec, &value);
		UNIT_STR_EQ(codec.problem, "an amount out of range");
		CU_ASSERT(value == 0);
		buf_release(&out);
	}
}

static const struct unit_case cases[] = {
	{"written_values_are_read", written_values_are_read},
	{"doubles_keep_every_bit", doubles_keep_every_bit},
	{"every_truncation_is_a_problem", every_truncation_is_a_problem},
	{"numbers_out_of_range_are_refused", numbers_out_of_range_are_refused},
	{"a_record_that_takes_too_much_memory_is_refused",
		a_record_that_takes_too_much_memory_is_refused},
	{"texts_that_do_not_fit_are_refused", texts_that_do_not_fit_are_refused},
	{"amounts_are_finite_and_not_negative", amounts_are_finite_and_not_negative},
	{NULL, NULL},
};

void suite_replay_codec(void);

void
suite_replay_codec(void)
{
	unit_suite("replay/codec", cases);
}
