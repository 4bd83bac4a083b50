#include "ingest/callgrind_file.h"

#include "base/mem.h"
#include "ingest/ingest.h"
#include "ingest/words.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

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
	if (is_digit(*text.at) || *text.at == '+' || *text.at == '-' || *text.at == '*')
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

static int
hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
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
		int digit = hex                    ? hex_digit(word.at[i])
			    : is_digit(word.at[i]) ? word.at[i] - '0'
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

	if (len < 3 || *text != '(' || !is_digit(text[1]))
		return 0;
	while (at < len && is_digit(text[at]))
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
	while (at < end && is_digit(*at))
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

void
callgrind_part_release(struct callgrind_part *part)
{
	buf_release(&part->events);
	buf_release(&part->event);
	buf_release(&part->command);
	buf_release(&part->program);
}

void
callgrind_part_begin_file(struct callgrind_part *part)
{
	buf_clear(&part->command);
	buf_clear(&part->program);
	part->pid = part->thread = 0;
	part->positions = 1;
	part->line_position = 0;
	part->nevents = 0;
	part->metric = NULL;
}

static void
select_event(struct callgrind_part *part, struct event_sum sum, struct line name)
{
	part->sum = sum;
	buf_clear(&part->event);
	buf_put(&part->event, name.at, name.len);
}

/* Selects the sum of a metric if the file has its events. */
static bool
select_metric(struct callgrind_part *part, const struct metric *metric, struct line names)
{
	struct event_sum sum;

	if (!metric || !event_sum_of_metric(&sum, metric, names.at, names.len))
		return false;
	select_event(part, sum, (struct line){metric->name, strlen(metric->name)});
	return true;
}

/* "Ir Dr": finds the event that is wanted, else that of the file's metric, else the first. */
static void
take_events(struct callgrind_part *part, struct line names, const char *wanted)
{
	struct line rest = names;
	struct line name;

	part->sum = (struct event_sum){0};
	buf_clear(&part->events);
	part->nevents = 0;
	for (size_t i = 0; words_take(&rest, &name); i++) {
		part->nevents++;
		buf_puts(&part->events, i > 0 ? ", " : "");
		buf_put(&part->events, name.at, name.len);
		if (part->sum.nterms == 0 && (wanted ? words_are(name, wanted) : i == 0))
			select_event(part, event_sum_single(i), name);
	}
	if (!wanted)
		select_metric(part, part->metric, names);
	else if (part->sum.nterms == 0)
		select_metric(part, metric_find(wanted), names);
}

/* "Metric: l1_misses", as captures of ours have it in their description. */
static void
take_description(struct callgrind_part *part, struct line value)
{
	struct line key;
	char name[32];

	words_take(&value, &key);
	value = words_trim(value);
	if (!words_are(key, EVENT_SUM_KEY) || value.len >= sizeof(name))
		return;
	memcpy(name, value.at, value.len);
	name[value.len] = '\0';
	part->metric = metric_find(name);
}

/* "instr line" */
static void
take_positions(struct callgrind_part *part, struct line names)
{
	struct line name;

	part->line_position = SIZE_MAX;
	for (part->positions = 0; words_take(&names, &name); part->positions++)
		if (words_are(name, "line"))
			part->line_position = part->positions;
}

/* A number at the start of the text, cut to 32 bits. */
static uint32_t
number_of(struct line text)
{
	uint64_t value = 0;

	for (size_t i = 0; i < text.len && text.at[i] >= '0' && text.at[i] <= '9'; i++)
		value = value > UINT32_MAX ? value : value * 10 + (uint64_t)(text.at[i] - '0');
	return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

/* The program's name is that of its file, which has a bound: it is needed for each part. */
static void
take_command(struct callgrind_part *part, struct line value)
{
	struct line rest = value;
	struct line program;

	words_take(&rest, &program);
	const char *slash = memrchr(program.at, '/', program.len);

	if (slash) {
		program.len -= (size_t)(slash + 1 - program.at);
		program.at = slash + 1;
	}
	buf_clear(&part->command);
	buf_put(&part->command, value.at, value.len);
	buf_clear(&part->program);
	buf_put(&part->program, program.at, program.len < NAME_MAX ? program.len : NAME_MAX);
}

void
callgrind_part_take(struct callgrind_part *part, const struct callgrind_line *line,
	const struct ingest_options *options)
{
	const struct line value = line->value;

	if (callgrind_line_is(line, "events")) {
		take_events(part, value, options->event);
	} else if (callgrind_line_is(line, "desc")) {
		take_description(part, value);
	} else if (callgrind_line_is(line, "positions")) {
		take_positions(part, value);
	} else if (callgrind_line_is(line, "cmd")) {
		take_command(part, value);
	} else if (callgrind_line_is(line, "pid")) {
		part->pid = number_of(value);
	} else if (callgrind_line_is(line, "thread")) {
		part->thread = number_of(value);
	}
}

/* A process without a thread line has one thread. */
static uint32_t
thread_of(const struct callgrind_part *part)
{
	return part->thread > 0 ? part->thread : part->pid;
}

node_id
callgrind_part_root(const struct callgrind_part *part, const struct ingest_options *options,
	struct profile *profile)
{
	const struct labels *by = labels_or_thread(&options->by);
	node_id node = CTREE_ROOT;

	for (size_t i = 0; i < by->count; i++) {
		char *value = selection_value(by->all[i].kind, buf_text(&part->program),
			part->program.len, part->pid, thread_of(part));

		node = ctree_child(&profile->tree, node,
			profile_frame(profile, value, strlen(value), FRAME_USER));
		free(value);
	}
	return node;
}

bool
callgrind_part_is_wanted(const struct callgrind_part *part, const struct ingest_options *options)
{
	return selection_takes(
		options, part->pid, thread_of(part), buf_text(&part->program), part->program.len);
}
