/*
 * The lines of a callgrind file: their kinds and numbers, the names that numbers stand for, the
 * callers in a name, and the functions that the file has costs of.
 */
#include "base/lines.h"
#include "base/mem.h"
#include "base/text.h"
#include "ingest/callgrind_internal.h"
#include "ingest/ingest.h"
#include "ingest/ingest_internal.h"

#include <limits.h>
#include <stdlib.h>
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

/*
 * Names are split a few times each, and once more for each object that has the function: together
 * they have some times the bytes of those in the file.
 */
#define SPLITTING_MIN ((uint64_t)16 << 20)
#define SPLITTING_RATIO 16

void
callgrind_names_init(struct callgrind_names *names)
{
	*names = (struct callgrind_names){0};
	strtab_init(&names->texts);
	names->splitting.left = SPLITTING_MIN;
}

void
callgrind_names_release(struct callgrind_names *names)
{
	strtab_release(&names->texts);
	for (size_t i = 0; i < CALLGRIND_NAME_KINDS; i++)
		text_map_release(&names->numbered[i]);
}

/* More names of one stack than any that are misread: it is no stack. */
#define UNBALANCED_MAX 64

/* The length of "(12)" at the start of the text; 0 if there is none. */
static size_t
number_len(const char *text, size_t len)
{
	size_t at = 1;

	if (len < 3 || *text != '(' || !text_is_digit(text[1]))
		return 0;
	while (at < len && text_is_digit(text[at]))
		at++;
	return at < len && text[at] == ')' ? at + 1 : 0;
}

bool
callgrind_names_take(
	struct callgrind_names *names, enum callgrind_name_kind kind, struct line value, str_id *id)
{
	struct text_map *map = &names->numbered[kind];
	size_t number = number_len(value.at, value.len);
	const char *name = value.at + number;
	size_t len = value.len - number;

	allowance_add(&names->splitting, SPLITTING_RATIO * value.len);
	if (number == 0) {
		*id = strtab_intern(&names->texts, name, len);
		return true;
	}
	struct text_entry *entry = text_map_find(map, value.at + 1, number - 2);

	while (len > 0 && (*name == ' ' || *name == '\t')) {
		name++;
		len--;
	}
	if (len == 0) {
		*id = entry ? entry->value : 0;
		return entry != NULL;
	}
	*id = strtab_intern(&names->texts, name, len);
	if (!entry)
		entry = text_map_add(map, value.at + 1, number - 2, *id);
	entry->value = *id;
	return true;
}

void
callgrind_stack_release(struct callgrind_stack *stack)
{
	free(stack->frames);
	*stack = (struct callgrind_stack){0};
}

static const char *
skip_operator(const char *at, const char *end)
{
	static const char word[] = "operator";
	size_t len = sizeof(word) - 1;

	if ((size_t)(end - at) < len || memcmp(at, word, len) != 0)
		return at;
	at += len;
	if ((size_t)(end - at) >= 2 && at[0] == '(' && at[1] == ')')
		return at + 2;
	while (at < end && strchr("<>-=", *at) && *at)
		at++;
	return at;
}

/*
 * The apostrophe that ends the first name, or `end`. Those between brackets are part of it: Rust's
 * lifetimes, C++'s literals. *unbalanced counts the names whose brackets do not close: all of the
 * text was looked at for each.
 */
static const char *
name_end(const char *at, const char *end, unsigned *unbalanced)
{
	const char *start = at;
	int depth = 0;

	while (at < end) {
		const char *next = *at == 'o' ? skip_operator(at, end) : at;

		if (next > at) {
			at = next;
			continue;
		}
		if (*at == '(' || *at == '<' || *at == '[' || *at == '{')
			depth++;
		else if (*at == ')' || *at == '>' || *at == ']' || *at == '}')
			depth--;
		else if (*at == '\'' && depth <= 0 && at > start && at + 1 < end)
			return at;
		at++;
	}
	if (depth <= 0)
		return end;
	/* Not balanced: "operator<", misread as a bracket. */
	++*unbalanced;
	at = memchr(start, '\'', (size_t)(end - start));
	return at && at > start && at + 1 < end ? at : end;
}

/* The name that a number in a stack stands for; 0 if none. */
static str_id
numbered(const struct callgrind_names *names, const char *at, size_t len)
{
	size_t number = number_len(at, len);

	if (number == 0 || number != len)
		return 0;
	const struct text_entry *entry =
		text_map_find(&names->numbered[CALLGRIND_FUNCTION], at + 1, number - 2);

	return entry ? entry->value : 0;
}

str_id
callgrind_names_leaf(struct callgrind_names *names, str_id function)
{
	const char *text = strtab_str(&names->texts, function);
	const char *end = text + strtab_len(&names->texts, function);
	unsigned unbalanced = 0;

	if (!allowance_take(&names->splitting, (uint64_t)(end - text)))
		return function;
	const char *stop = name_end(text, end, &unbalanced);
	str_id id = numbered(names, text, (size_t)(stop - text));

	if (id != 0)
		return id;
	return stop == end ? function : strtab_intern(&names->texts, text, (size_t)(stop - text));
}

/* "2" in "f'2'g". */
static bool
is_level(const char *at, const char *end)
{
	while (at < end && text_is_digit(*at))
		at++;
	return at == end;
}

void
callgrind_names_stack(struct callgrind_names *names, str_id function, const bool *is_leaf,
	size_t nleaves, struct callgrind_stack *stack)
{
	const char *at = strtab_str(&names->texts, function);
	const char *end = at + strtab_len(&names->texts, function);
	size_t nparts = 0;
	unsigned unbalanced = 0;

	stack->nframes = 0;
	if (!allowance_take(&names->splitting, (uint64_t)(end - at)))
		at = end;
	while (at < end && stack->nframes < CALLGRIND_FRAMES_MAX) {
		const char *stop = name_end(at, end, &unbalanced);
		size_t len = (size_t)(stop - at);
		bool level = nparts++ == 1 && is_level(at, stop);
		str_id id = level ? 0 : numbered(names, at, len);

		if (!level && id == 0)
			id = strtab_find(&names->texts, at, len);
		if (unbalanced > UNBALANCED_MAX || (!level && (id >= nleaves || !is_leaf[id]))) {
			stack->nframes = 0;
			break;
		}
		if (!level) {
			stack->frames = mem_grow(stack->frames, &stack->capacity,
				stack->nframes + 1, sizeof(*stack->frames));
			stack->frames[stack->nframes++] = id;
		}
		at = stop == end ? end : stop + 1;
	}
	if (stack->nframes > 0)
		return;
	stack->frames = mem_grow(stack->frames, &stack->capacity, 1, sizeof(*stack->frames));
	stack->frames[stack->nframes++] = function;
}

/* The names of one file, of several that may be concatenated, and where its lines are. */
struct reading {
	struct callgrind_names names;
	struct key_map taken; /* key_of_pair() of an object and a function with its callers */
	str_id object;        /* of names.texts; 0: not known */
	str_id called;        /* that of the next function called; 0: the same */
};

static str_id
copy_text(struct callgrind_executed *executed, const struct strtab *from, str_id id)
{
	return strtab_intern(&executed->texts, strtab_str(from, id), strtab_len(from, id));
}

static void
take_function(struct callgrind_executed *executed, struct reading *reading, str_id object,
	str_id function)
{
	const struct strtab *texts = &reading->names.texts;
	const size_t known = reading->taken.count;

	if (object == 0 || key_map_add(&reading->taken, key_of_pair(object, function)) < known)
		return;
	const str_id leaf = callgrind_names_leaf(&reading->names, function);

	key_map_add(&executed->functions,
		key_of_pair(copy_text(executed, texts, object), copy_text(executed, texts, leaf)));
}

static void
take_position(struct callgrind_executed *executed, struct reading *reading,
	const struct callgrind_line *line)
{
	const bool called = line->place == CALLGRIND_CALLED;
	str_id id;

	if (!callgrind_names_take(&reading->names, line->names, line->value, &id) ||
		line->place == CALLGRIND_JUMPED_TO)
		return;
	if (line->names == CALLGRIND_OBJECT)
		*(called ? &reading->called : &reading->object) = id;
	if (line->names != CALLGRIND_FUNCTION)
		return;
	take_function(executed, reading,
		called && reading->called != 0 ? reading->called : reading->object, id);
	if (called)
		reading->called = 0;
}

static void
end_file(struct reading *reading)
{
	callgrind_names_release(&reading->names);
	key_map_release(&reading->taken);
}

static void
begin_file(struct reading *reading)
{
	*reading = (struct reading){0};
	callgrind_names_init(&reading->names);
}

int
callgrind_executed_read(struct callgrind_executed *executed, const char *path, struct err *err)
{
	struct file_view view;
	struct reading reading;
	struct lines lines;
	struct line text;
	int more;

	if (file_view_open(&view, path, err) < 0)
		return -1;
	*executed = (struct callgrind_executed){0};
	strtab_init(&executed->texts);
	begin_file(&reading);
	lines_init(&lines, &view);
	while ((more = lines_next(&lines, &text, err)) > 0) {
		const struct callgrind_line line = callgrind_line_parse(text);

		if (callgrind_line_is(&line, "version")) {
			end_file(&reading);
			begin_file(&reading);
		} else if (line.kind == CALLGRIND_POSITION) {
			take_position(executed, &reading, &line);
		}
		lines_done(&lines, text.at);
	}
	end_file(&reading);
	file_view_close(&view);
	if (more < 0)
		callgrind_executed_release(executed);
	return more;
}

void
callgrind_executed_release(struct callgrind_executed *executed)
{
	strtab_release(&executed->texts);
	key_map_release(&executed->functions);
}
