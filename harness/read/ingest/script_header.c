#include "ingest/script_internal.h"

#include "ingest/words.h"

#include <string.h>

/* The columns that perf gives its fields at least. */
enum {
	PERIOD_WIDTH = 10,
	WEIGHT_WIDTH = 16,
	TIME_WIDTH = 12,
	COMM_WIDTH = 16, /* where there are no call chains */
	ADDRESS_WIDTH = 16,
};
/* The kernel's names of threads are no longer; perf's can be, of kernel threads. */
#define COMM_MAX 15

static bool
is_record(struct line text)
{
	return words_start(text, "PERF_RECORD_");
}

/* The text from `at` on, without the one blank that separates it from what is before. */
static struct line
text_behind(const char *at, const char *end)
{
	return script_between(at < end && *at == ' ' ? at + 1 : at, end);
}

/* "200040 cpu-clock:ppp: rest", "cycles: rest" or "200040 rest", from its first column on. */
static void
parse_event(struct line text, struct script_header *header)
{
	const char *const end = text.at + text.len;
	struct line rest = text;
	struct line word;
	struct line next;

	header->rest = text;
	if (!words_take(&rest, &word))
		return;
	if (is_record(word) || (words_are(word, "metric:") && word.at[-1] == '\t')) {
		header->is_record = true;
		return;
	}
	if (script_is_number(word)) {
		const size_t width = (size_t)(word.at + word.len - text.at);

		next = rest;
		if (words_take(&rest, &next) && (script_is_event(next) || words_are(next, "raw"))) {
			header->period = script_number_of(word);
			word = next;
		} else if (width <= PERIOD_WIDTH || (width == word.len && width < ADDRESS_WIDTH)) {
			header->period = script_number_of(word);
			header->rest = text_behind(word.at + word.len, end);
			return;
		}
	}
	if (words_are(word, "raw") && words_take(&rest, &next) && script_is_event(next))
		word = script_between(word.at, next.at + next.len);
	if (!script_is_event(word) || is_record(word))
		return;
	header->event = (struct line){word.at, word.len - 1};
	header->rest = text_behind(word.at + word.len, end);
}

const struct script_header script_no_header = {
	.comm = {"", 0},
	.ids = {"", 0},
	.time = {"", 0},
	.event = {"", 0},
	.rest = {"", 0},
	.period = SAMPLE_PERIOD_NONE,
};

/* A line with a time: it is before everything that can look like one. */
static bool
parse_timed(struct line line, const struct script_layout *layout, struct script_header *header)
{
	const char *const end = line.at + line.len;
	struct line rest = line;
	struct line word;
	bool other = false; /* a word that may be an event */

	for (; words_take(&rest, &word); other |= script_is_event(word)) {
		if (!script_is_time(word))
			continue;
		struct script_last_word last;

		*header = script_no_header;
		script_last_word(script_between(line.at, word.at + word.len - 1), &last);
		const bool exact = last.width >= TIME_WIDTH;

		if (script_start_parse(script_between(line.at, word.at), exact, layout, header) ==
				0 ||
			(other && header->ids.len == 0 && !header->is_certain && !exact))
			continue;
		header->time = last.word;
		header->is_certain = true;
		parse_event(text_behind(word.at + word.len, end), header);
		/* No event has such a name: the time was part of the thread's. */
		if (header->event.len > 0 &&
			script_is_time((struct line){header->event.at, header->event.len + 1}))
			continue;
		return true;
	}
	return false;
}

/* The period at the end of `text`, which is cut off. Other numbers are narrower. */
static void
take_period(struct line *text, struct script_header *header)
{
	struct script_last_word last;
	struct script_last_word before;

	if (!script_last_word(*text, &last) || !script_is_number(last.word))
		return;
	/* Behind fields that are filled up with blanks it seems wider. */
	const bool exact = last.width == PERIOD_WIDTH ||
			   (last.width == last.word.len && last.width > PERIOD_WIDTH);

	if (!exact && !(script_last_word(last.before, &before) &&
			      (script_is_two_ids(before.word) || script_is_cpu(before.word) ||
				      script_is_misc(before.word))))
		return;
	header->period = script_number_of(last.word);
	*text = last.before;
}

/* Whether text behind an event can be other than a tracepoint's. *certain: it is a frame. */
static bool
is_plain_rest(struct line rest, bool *certain)
{
	struct line ignored;
	const enum script_rest kind = script_rest_parse(rest, (struct line){"x", 1}, &ignored);

	*certain = kind == SCRIPT_REST_FRAME;
	return kind != SCRIPT_REST_UNKNOWN;
}

/* Tries a word as the event: what is before it must be the other fields. */
static bool
parse_at_event(struct line line, struct line word, const struct script_layout *layout,
	struct script_header *header)
{
	struct line start = script_between(line.at, word.at);

	*header = script_no_header;
	take_period(&start, header);
	if (script_start_parse(start, true, layout, header) == 0)
		return false;
	header->event = (struct line){word.at, word.len - 1};
	header->rest = text_behind(word.at + word.len, line.at + line.len);
	return true;
}

/*
 * A line with an event, but no time. Names of threads have colons, too: the event is what numbers
 * stand before; where there are none, the only word that can be one.
 */
static bool
parse_named(struct line line, const struct script_layout *layout, struct script_header *header)
{
	struct line rest = line;
	struct line word;
	struct script_header found;
	unsigned plain = 0;
	unsigned traced = 0;

	while (words_take(&rest, &word)) {
		if (!script_is_event(word) || !parse_at_event(line, word, layout, &found))
			continue;
		if (found.period != SAMPLE_PERIOD_NONE || found.ids.len > 0 || found.is_certain) {
			*header = found;
			header->is_certain = true;
			return true;
		}
		const bool is_plain = is_plain_rest(found.rest, &found.is_certain);
		const bool is_traced = memchr(found.event.at, ':', found.event.len);

		if ((is_plain && ++plain == 1) || (is_traced && plain == 0 && ++traced == 1))
			*header = found;
	}
	return plain == 1 || (plain == 0 && traced == 1);
}

/* The name of a thread where nothing else tells that the line begins a sample. */
static bool
is_comm(struct line comm)
{
	return comm.len <= COMM_MAX ||
	       (!memchr(comm.at, ' ', comm.len) && !memchr(comm.at, '(', comm.len));
}

/*
 * The field "weight" at the end of a line, which is cut off: perf prints a blank behind a period,
 * and none behind this.
 */
static void
drop_weight(struct line *text)
{
	struct script_last_word last;

	if (text->len > 0 && !words_blank(text->at[text->len - 1]) &&
		script_last_word(*text, &last) && script_is_number(last.word) &&
		last.width >= WEIGHT_WIDTH && last.width > last.word.len)
		*text = last.before;
}

/* The fields of a line with neither a time nor an event; *column is the one behind them. */
static bool
parse_untimed_start(struct line start, const struct script_layout *layout,
	struct script_header *header, const char **column)
{
	struct line before = start;

	*header = script_no_header;
	drop_weight(&before);
	take_period(&before, header);
	const size_t columns = script_start_parse(before, true, layout, header);

	if (columns == 0 || !is_comm(header->comm))
		return false;
	*column = start.at + columns - 1;
	if (before.len < start.len) {
		struct script_last_word period;

		script_last_word(start, &period);
		*column = period.word.at + period.word.len + 1;
	}
	return true;
}

/*
 * A line with neither a time nor an event, of a sample without a call chain: all has perf's widths,
 * from the name of the thread to the frame.
 */
static bool
parse_framed(struct line line, const struct script_layout *layout, struct script_header *header)
{
	const char *const end = line.at + line.len;
	struct line rest = line;
	struct line address;
	struct line frame;
	const char *column;

	while (script_address_take(&rest, &address)) {
		const struct line start = script_between(line.at, address.at);
		const bool blank = words_trim(start).len == 0;

		*header = script_no_header;
		if (blank)
			column = line.at;
		else if (!parse_untimed_start(start, layout, header, &column) || column >= end)
			continue;
		const struct line comm = header->comm;
		const size_t comm_end = (size_t)(comm.at + comm.len - line.at);

		if (comm.len > 0 && comm_end < COMM_WIDTH)
			continue;
		header->rest = script_between(column, end);
		if (address.at + address.len == column + 1 + ADDRESS_WIDTH &&
			script_rest_parse(header->rest, header->event, &frame) ==
				SCRIPT_REST_FRAME &&
			frame.at == address.at) {
			header->is_certain = true;
			return true;
		}
	}
	return false;
}

/* A line with neither a time nor an event, and nothing behind the other fields. */
static bool
parse_bare(struct line line, const struct script_layout *layout, struct script_header *header)
{
	const char *column;

	return parse_untimed_start(line, layout, header, &column) &&
	       (header->comm.len > 0 || header->ids.len > 0 || header->is_certain ||
		       header->period != SAMPLE_PERIOD_NONE);
}

/* "prog 100 PERF_RECORD_COMM: prog:100/100" */
static bool
parse_record(struct line line, struct script_header *header)
{
	const char *at = memmem(line.at, line.len, " PERF_RECORD_", 13);

	*header = script_no_header;
	header->is_certain = true;
	header->is_record = is_record(line) || at;
	return header->is_record;
}

bool
script_header_parse(
	struct line line, const struct script_layout *layout, struct script_header *header)
{
	const bool parsed =
		parse_timed(line, layout, header) || parse_record(line, header) ||
		(!layout->timed &&
			(parse_named(line, layout, header) ||
				(!layout->named && (parse_framed(line, layout, header) ||
							   parse_bare(line, layout, header)))));

	return parsed &&
	       (header->is_record || ((!layout->all_ids || header->ids.len > 0) &&
					     (!layout->no_comms || header->comm.len == 0)));
}

bool
script_header_is_exact(struct line line, const struct script_header *header)
{
	const struct line comm = header->comm;

	/* The kernel's names are shorter than the column, so that there are blanks before them. */
	if (comm.len > 0 && comm.len < COMM_WIDTH && comm.at + comm.len - line.at == COMM_WIDTH)
		return header->ids.len > 0 || header->event.len > 0 || header->rest.len > 0;
	if (line.len > 0 && line.at[line.len - 1] == ' ')
		return comm.len == 0 || header->event.len > 0;
	return comm.len == 0 && memchr(header->event.at, ':', header->event.len) &&
	       script_consists_of(header->event, "abcdefghijklmnopqrstuvwxyz0123456789_:");
}

bool
script_header_parse_rest(struct line line, size_t known_len, struct script_header *header)
{
	const char *const end = line.at + line.len;
	struct line rest = {line.at + known_len, line.len - known_len};
	struct line word;

	*header = script_no_header;
	if (!words_take(&rest, &word))
		return false;
	if (word.at[0] == '[' && !words_take(&rest, &word))
		return false;
	if ((known_len > 0 && word.at == line.at + known_len) || !script_is_time(word))
		return false;
	header->time = (struct line){word.at, word.len - 1};
	header->is_certain = true;
	parse_event(text_behind(word.at + word.len, end), header);
	return true;
}
