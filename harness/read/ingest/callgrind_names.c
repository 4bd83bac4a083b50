/*
 * The names in a callgrind file: the numbers that stand for them, and the callers in a name.
 */
#include "base/lines.h"
#include "base/mem.h"
#include "base/text.h"
#include "ingest/callgrind_internal.h"

#include <stdlib.h>
#include <string.h>

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
