/*
 * The words that the first line of a sample begins with, ahead of its event: names and ids of
 * threads, CPU, mode and time.
 */
#include "ingest/script_internal.h"

#include "ingest/words.h"

#include <ctype.h>
#include <string.h>

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

bool
script_is_number(struct line word)
{
	/* Longer ones are none of perf's fields. */
	return word.len > 0 && word.len < 20 && count_digits(word, 0) == word.len;
}

bool
script_is_two_ids(struct line word)
{
	const size_t digits = count_digits(word, 0);

	return digits > 0 && digits + 1 < word.len && word.at[digits] == '/' &&
	       digits + 1 + count_digits(word, digits + 1) == word.len;
}

bool
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

bool
script_is_cpu(struct line word)
{
	return word.len >= 5 && word.at[0] == '[' && word.at[word.len - 1] == ']' &&
	       count_digits(word, 1) == word.len - 2;
}

bool
script_consists_of(struct line word, const char *chars)
{
	for (size_t i = 0; i < word.len; i++)
		if (!strchr(chars, word.at[i]))
			return false;
	return true;
}

bool
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

bool
script_is_event(struct line word)
{
	return word.len >= 2 && word.at[word.len - 1] == ':';
}

struct line
script_between(const char *start, const char *end)
{
	return (struct line){start, (size_t)(end - start)};
}

bool
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

uint64_t
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

size_t
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
