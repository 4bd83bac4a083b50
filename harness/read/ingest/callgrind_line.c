/*
 * Takes a line of a callgrind file apart: its kind, names and costs.
 */
#include "base/lines.h"
#include "base/text.h"
#include "ingest/callgrind_internal.h"
#include "ingest/ingest_internal.h"

#include <string.h>

/*
 * "fn=..." and the like; false if it is none of them. rcalls= is that of old files; bb= and ln= are
 * of --dump-bbs=yes, cfni= of CodSpeed's valgrind: they say more of where costs are than is read.
 * Source: valgrind, callgrind/dump.c; KCachegrind, libcore/cachegrindloader.cpp.
 */
static bool
parse_assignment(struct line text, struct callgrind_line *line)
{
	static const struct {
		const char *name;
		enum callgrind_line_kind kind;
		enum callgrind_name_kind names;
		enum callgrind_place place;
		bool begins_function;
	} names[] = {
		{"fn", CALLGRIND_POSITION, CALLGRIND_FUNCTION, CALLGRIND_HERE, false},
		{"calls", CALLGRIND_CALLS, CALLGRIND_FUNCTION, CALLGRIND_HERE, false},
		{"rcalls", CALLGRIND_CALLS, CALLGRIND_FUNCTION, CALLGRIND_HERE, false},
		{"cfn", CALLGRIND_POSITION, CALLGRIND_FUNCTION, CALLGRIND_CALLED, false},
		{"fi", CALLGRIND_POSITION, CALLGRIND_SOURCE, CALLGRIND_HERE, false},
		{"fe", CALLGRIND_POSITION, CALLGRIND_SOURCE, CALLGRIND_HERE, false},
		{"fl", CALLGRIND_POSITION, CALLGRIND_SOURCE, CALLGRIND_HERE, true},
		{"cfi", CALLGRIND_POSITION, CALLGRIND_SOURCE, CALLGRIND_CALLED, false},
		{"cfl", CALLGRIND_POSITION, CALLGRIND_SOURCE, CALLGRIND_CALLED, false},
		{"ob", CALLGRIND_POSITION, CALLGRIND_OBJECT, CALLGRIND_HERE, false},
		{"cob", CALLGRIND_POSITION, CALLGRIND_OBJECT, CALLGRIND_CALLED, false},
		{"jump", CALLGRIND_JUMP, CALLGRIND_FUNCTION, CALLGRIND_HERE, false},
		{"jcnd", CALLGRIND_JUMP, CALLGRIND_FUNCTION, CALLGRIND_HERE, false},
		{"jfi", CALLGRIND_POSITION, CALLGRIND_SOURCE, CALLGRIND_JUMPED_TO, false},
		{"jfn", CALLGRIND_POSITION, CALLGRIND_FUNCTION, CALLGRIND_JUMPED_TO, false},
		{"bb", CALLGRIND_EMPTY, CALLGRIND_FUNCTION, CALLGRIND_HERE, false},
		{"ln", CALLGRIND_EMPTY, CALLGRIND_FUNCTION, CALLGRIND_HERE, false},
		{"cfni", CALLGRIND_EMPTY, CALLGRIND_FUNCTION, CALLGRIND_HERE, false},
	};
	const size_t longest = strlen("rcalls");
	const char *equal = memchr(text.at, '=', text.len <= longest ? text.len : longest + 1);

	if (!equal)
		return false;
	struct line name = {text.at, (size_t)(equal - text.at)};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!words_are(name, names[i].name))
			continue;
		line->kind = names[i].kind;
		line->names = names[i].names;
		line->place = names[i].place;
		line->begins_function = names[i].begins_function;
		line->value = words_trim((struct line){equal + 1, text.len - name.len - 1});
		return true;
	}
	return false;
}

struct callgrind_line
callgrind_line_parse(struct line raw)
{
	struct line text = words_trim(raw);
	struct callgrind_line line = {.kind = CALLGRIND_EMPTY, .value = text};

	if (text.len == 0 || *text.at == '#')
		return line;
	line.kind = CALLGRIND_COST;
	if (text_is_digit(*text.at) || *text.at == '+' || *text.at == '-' || *text.at == '*')
		return line;
	if (parse_assignment(text, &line))
		return line;
	const char *colon = memchr(text.at, ':', text.len);

	line.kind = colon ? CALLGRIND_HEADER : CALLGRIND_OTHER;
	if (colon) {
		line.key = (struct line){text.at, (size_t)(colon - text.at)};
		line.value = words_trim((struct line){colon + 1, text.len - line.key.len - 1});
	}
	return line;
}

bool
callgrind_line_is(const struct callgrind_line *line, const char *key)
{
	return line->kind == CALLGRIND_HEADER && words_are(line->key, key);
}

bool
callgrind_line_is_known(const struct callgrind_line *line)
{
	static const char *const keys[] = {"version", "creator", "pid", "cmd", "part", "thread",
		"desc", "event", "positions", "events", "summary", "totals", "arch",
		"timeframe (BB)"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (callgrind_line_is(line, keys[i]))
			return true;
	return false;
}

/* Decimal, or hexadecimal after 0x. Doubles hold all numbers of instructions exactly. */
static bool
parse_number(struct line word, double *value)
{
	bool hex = word.len > 2 && word.at[0] == '0' && (word.at[1] == 'x' || word.at[1] == 'X');
	const double base = hex ? 16 : 10;
	size_t i = hex ? 2 : 0;

	*value = 0;
	/* More digits than 64 bits have are no number that a counter has given. */
	if (word.len == 0 || word.len > 20)
		return false;
	for (; i < word.len; i++) {
		int digit = hex                         ? text_hex_digit(word.at[i])
			    : text_is_digit(word.at[i]) ? word.at[i] - '0'
							: -1;

		if (digit < 0)
			return false;
		*value = *value * base + digit;
	}
	return true;
}

static bool
is_position(struct line word)
{
	double ignored;

	if (word.len == 1 && *word.at == '*')
		return true;
	if (word.len > 1 && (*word.at == '+' || *word.at == '-'))
		word = (struct line){word.at + 1, word.len - 1};
	return parse_number(word, &ignored);
}

bool
callgrind_line_cost(
	struct line line, const struct callgrind_columns *columns, double *cost, const char **at)
{
	const struct event_sum *sum = columns->sum;
	struct line rest = line;
	struct line word;
	size_t term = 0;
	double number;

	*cost = 0;
	for (size_t i = 0; i < columns->positions; i++) {
		words_take(&rest, &word);
		*at = word.at;
		if (!is_position(word))
			return false;
	}
	for (size_t place = 0; words_take(&rest, &word); place++) {
		*at = word.at;
		if (place == columns->events || !parse_number(word, &number))
			return false;
		if (term < sum->nterms && sum->terms[term].place == place)
			*cost += sum->terms[term++].weight * number;
	}
	return true;
}
