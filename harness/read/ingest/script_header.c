/*
 * Parses the first line of a sample in perf script's text: thread, CPU, time and event.
 */
#include "ingest/script_internal.h"

#include "ingest/ingest_internal.h"

#include <ctype.h>
#include <string.h>

/*
 * The words that the first line of a sample begins with, ahead of its event: names and ids of
 * threads, CPU, mode and time.
 */

/* The last word of a text. */
struct script_last_word {
	struct line word;
	struct line before; /* with the blanks at its end */
	size_t width;       /* its columns: with the blanks before it, but for the separator */
	size_t behind;      /* blanks */
};

/* The columns that perf gives its fields at least. */
enum {
	ID_WIDTH = 5,
	MISC_WIDTH = 6,
};

struct line
script_line_trim(struct line line)
{
	while (line.len > 0 && (line.at[line.len - 1] == '\r' || line.at[line.len - 1] == ' '))
		line.len--;
	return line;
}

static size_t
count_digits(struct line text, size_t from)
{
	size_t at = from;

	while (at < text.len && isdigit((unsigned char)text.at[at]))
		at++;
	return at - from;
}

/* Digits, as many as perf prints at most. */
static bool
script_is_number(struct line word)
{
	/* Longer ones are none of perf's fields. */
	return word.len > 0 && word.len < 20 && count_digits(word, 0) == word.len;
}

/* "1234/1235" */
static bool
script_is_two_ids(struct line word)
{
	const size_t digits = count_digits(word, 0);

	return digits > 0 && digits + 1 < word.len && word.at[digits] == '/' &&
	       digits + 1 + count_digits(word, digits + 1) == word.len;
}

/* "1381.362126:" */
static bool
script_is_time(struct line word)
{
	size_t digits = count_digits(word, 0);
	size_t decimals;

	if (digits == 0 || digits >= word.len || word.at[digits] != '.')
		return false;
	decimals = count_digits(word, digits + 1);
	return decimals > 0 && digits + decimals + 2 == word.len && word.at[word.len - 1] == ':';
}

/* "2026-11-27" or "23:45:16.039120", by its first separator. */
static bool
is_part_of_tod(struct line word, size_t digits, char separator)
{
	return count_digits(word, 0) == digits && word.len > digits &&
	       word.at[digits] == separator && isdigit((unsigned char)word.at[word.len - 1]);
}

/* "[003]" */
static bool
script_is_cpu(struct line word)
{
	return word.len >= 5 && word.at[0] == '[' && word.at[word.len - 1] == ']' &&
	       count_digits(word, 1) == word.len - 2;
}

static bool
script_consists_of(struct line word, const char *chars)
{
	for (size_t i = 0; i < word.len; i++)
		if (!strchr(chars, word.at[i]))
			return false;
	return true;
}

/* "U", "KSp": the mode, and more of a process event. */
static bool
script_is_misc(struct line word)
{
	return word.len > 0 && word.len < MISC_WIDTH &&
	       script_consists_of((struct line){word.at, 1}, "KUHGg") &&
	       script_consists_of(word, "KUHGgMESp");
}

/* "d..1.": what the kernel's own trace adds. */
static bool
is_latency(struct line word)
{
	return word.len >= 4 && memchr(word.at, '.', word.len) &&
	       script_consists_of(word, "dDnNhHsSpPbBXZ#.0123456789");
}

/* "cycles:" */
static bool
script_is_event(struct line word)
{
	return word.len >= 2 && word.at[word.len - 1] == ':';
}

static struct line
script_between(const char *start, const char *end)
{
	return (struct line){start, (size_t)(end - start)};
}

/* Finds the last word; false where there is none. */
static bool
script_last_word(struct line text, struct script_last_word *last)
{
	size_t end = text.len;

	while (end > 0 && words_blank(text.at[end - 1]))
		end--;
	size_t start = end;

	while (start > 0 && !words_blank(text.at[start - 1]))
		start--;
	size_t before = start;

	while (before > 0 && words_blank(text.at[before - 1]))
		before--;
	*last = (struct script_last_word){
		.word = {text.at + start, end - start},
		.before = {text.at, start},
		.width = end - before - (before > 0),
		.behind = text.len - end,
	};
	return end > start;
}

/* The value of a number. */
static uint64_t
script_number_of(struct line word)
{
	uint64_t number = 0;

	for (size_t i = 0; i < word.len; i++)
		number = number * 10 + (uint64_t)(word.at[i] - '0');
	return number;
}

/* "VM:  123 VCPU:001 " of samples in a guest. */
static struct line
drop_machine(struct line text)
{
	static const char *const starts[] = {"VM:", "VCPU:"};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		struct line rest = words_trim(text);
		struct line word;

		if (!words_start(rest, starts[i]))
			continue;
		rest.at += strlen(starts[i]);
		rest.len -= strlen(starts[i]);
		if (words_take(&rest, &word) && script_is_number(word))
			text = rest;
	}
	return text;
}

/*
 * Parses the fields ahead of the time from the last one on: names of threads can hold anything.
 * `exact`: the line has perf's own widths, so that a number that is narrower than an id belongs to
 * the name. Returns the column behind the fields; 0: they are no such fields.
 */
static size_t
script_start_parse(struct line text, bool exact, const struct script_layout *layout,
	struct script_header *header)
{
	const char *const start = text.at;
	const char *end = NULL; /* of the fields, with the separator */
	struct script_last_word last;
	struct script_last_word before;

	script_last_word(text, &last);
	if (is_part_of_tod(last.word, 2, ':') && script_last_word(last.before, &before) &&
		is_part_of_tod(before.word, 4, '-')) {
		end = last.word.at + last.word.len + 1;
		text = before.before;
		script_last_word(text, &last);
		header->is_certain = true;
	}
	if (!layout->no_misc && script_is_misc(last.word) &&
		last.word.len + last.behind >= MISC_WIDTH) {
		end = end ? end : last.word.at + MISC_WIDTH;
		header->has_misc = true;
		text = last.before;
		script_last_word(text, &last);
	}
	if (is_latency(last.word) && script_last_word(last.before, &before) &&
		script_is_cpu(before.word)) {
		text = last.before;
		last = before;
	}
	if (script_is_cpu(last.word)) {
		end = end ? end : last.word.at + last.word.len + 1;
		text = last.before;
		script_last_word(text, &last);
		header->is_certain = true;
	}
	const bool two = script_is_two_ids(last.word);

	if (two || (!layout->no_ids && script_is_number(last.word) &&
			   (!exact || last.width >= ID_WIDTH))) {
		const char *slash = memchr(last.word.at, '/', last.word.len);
		const char *tid = slash ? slash + 1 : last.word.at;
		const size_t tid_len = (size_t)(last.word.at + last.word.len - tid);

		header->ids = last.word;
		header->is_certain |= two;
		end = end ? end : tid + (two && tid_len < ID_WIDTH ? ID_WIDTH : tid_len) + 1;
		text = last.before;
	}
	header->comm = words_trim(drop_machine(text));
	/* Two blanks are no part of a name, but a field that is not known. */
	if (memmem(header->comm.at, header->comm.len, "  ", 2) ||
		memchr(header->comm.at, '\t', header->comm.len))
		return 0;
	const char *comm_end = header->comm.at + header->comm.len;

	header->front = header->ids.len > 0    ? (size_t)(header->ids.at + header->ids.len - start)
			: header->comm.len > 0 ? (size_t)(comm_end - start)
					       : 0;
	if (!end)
		end = header->comm.len > 0 ? comm_end + 1 : start;
	return (size_t)(end - start) + 1;
}

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
