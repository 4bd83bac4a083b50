#include "format/words.h"

#include "unit.h"

#include <math.h>

void suite_format_words(void);

static const char *
text_of(struct buf *text, void (*put)(struct buf *, double), double value)
{
	buf_clear(text);
	put(text, value);
	return buf_text(text);
}

static void
times_are_utc_in_iso_8601(void)
{
	struct buf text;

	buf_init(&text);
	words_time(&text, 1795222861);
	UNIT_STR_EQ(buf_text(&text), "2026-11-21T01:01:01Z");
	buf_clear(&text);
	words_time_bare(&text, 1795222861);
	UNIT_STR_EQ(buf_text(&text), "2026-11-21T01:01:01");
	buf_clear(&text);
	words_time(&text, 0);
	UNIT_STR_EQ(buf_text(&text), "not known");
	buf_release(&text);
}

static void
durations_are_read_at_a_glance(void)
{
	struct buf text;

	buf_init(&text);
	UNIT_STR_EQ(text_of(&text, words_duration, 0.0123), "12 ms");
	UNIT_STR_EQ(text_of(&text, words_duration, 1), "1.00 s");
	UNIT_STR_EQ(text_of(&text, words_duration, 61.5), "61.5 s");
	UNIT_STR_EQ(text_of(&text, words_duration, 245), "4 min 5 s");
	UNIT_STR_EQ(text_of(&text, words_duration, NAN), "-");
	buf_release(&text);
}

static void
cost(struct buf *text, double value, const char *unit, const char *expected)
{
	buf_clear(text);
	words_cost(text, value, unit);
	UNIT_STR_EQ(buf_text(text), expected);
}

static void
costs_take_the_unit_that_fits(void)
{
	struct buf text;

	buf_init(&text);
	cost(&text, 12345678, "ns", "12.3 ms");
	cost(&text, 999999999, "ns", "1.00 s");
	cost(&text, 999.96e3, "ns", "1.00 ms");
	cost(&text, 3, "ns", "3.00 ns");
	cost(&text, 0, "ns", "0");
	cost(&text, 1536, "bytes", "1.50 KiB");
	cost(&text, 2.5e9, "instructions", "2.50 G instructions");
	cost(&text, 3300, "instructions", "3.30 k instructions");
	cost(&text, 42, "instructions", "42 instructions");
	cost(&text, INFINITY, "ns", "-");
	buf_release(&text);
}

static void
counts_are_grouped_by_thousands(void)
{
	struct buf text;

	buf_init(&text);
	UNIT_STR_EQ(text_of(&text, words_count, 1234567), "1 234 567");
	UNIT_STR_EQ(text_of(&text, words_count, 123), "123");
	UNIT_STR_EQ(text_of(&text, words_count, -1234), "-1 234");
	UNIT_STR_EQ(text_of(&text, words_count, 1e300), "-");
	buf_release(&text);
}

static void
an_untested_effect_tells_its_shares(void)
{
	struct buf text;
	struct effect effect;

	buf_init(&text);
	effect_clear(&effect);
	words_effect(&text, &effect);
	UNIT_STR_EQ(buf_text(&text), "");
	effect.before_share = 0.1;
	effect.after_share = 0.125;
	words_effect(&text, &effect);
	UNIT_STR_EQ(buf_text(&text), "10.0 % -> 12.5 % of the whole");
	buf_release(&text);
}

static void
an_open_interval_is_said_in_words(void)
{
	struct buf text;

	buf_init(&text);
	words_interval(&text, -0.021, INFINITY);
	UNIT_STR_EQ(buf_text(&text), "[-2.1, any]");
	buf_clear(&text);
	words_interval(&text, NAN, 1);
	UNIT_STR_EQ(buf_text(&text), "");
	buf_release(&text);
}

void
suite_format_words(void)
{
	static const struct unit_case cases[] = {
		{"times_are_utc_in_iso_8601", times_are_utc_in_iso_8601},
		{"durations_are_read_at_a_glance", durations_are_read_at_a_glance},
		{"costs_take_the_unit_that_fits", costs_take_the_unit_that_fits},
		{"counts_are_grouped_by_thousands", counts_are_grouped_by_thousands},
		{"an_untested_effect_tells_its_shares", an_untested_effect_tells_its_shares},
		{"an_open_interval_is_said_in_words", an_open_interval_is_said_in_words},
		{NULL, NULL},
	};

	unit_suite("format/words", cases);
}
