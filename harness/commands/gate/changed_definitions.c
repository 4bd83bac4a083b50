#include "gate/changed_definitions.h"

#include "base/mem.h"
#include "builds/source_definitions.h"
#include "builds/source_scan.h"
#include "builds/source_words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The number of a definition's first `nwords` words that a text has. */
static size_t
count_words(
	const struct changed_definition *definition, size_t nwords, const char *text, size_t len)
{
	size_t count = 0;

	for (size_t i = 0; i < nwords; i++)
		count += source_has_word(text, text + len, definition->words[i]);
	return count;
}

/* Whether functions use the definition by its name: a macro, constant or variable. */
static bool
is_named(const struct changed_definition *definition)
{
	return definition->kind == DEFINITION_MACRO || definition->kind == DEFINITION_VALUE;
}

/* Adds a word to a definition. False: it is there, or cannot be added. */
static bool
add_word(struct changed_definition *definition, const char *word, size_t len)
{
	for (size_t i = 0; i < definition->nwords; i++)
		if (strlen(definition->words[i]) == len &&
			memcmp(definition->words[i], word, len) == 0)
			return false;
	if (len == 0 || definition->nwords == DEFINITION_WORDS ||
		source_type_keyword((struct source_word){word, len}))
		return false;
	definition->words[definition->nwords++] = mem_dup(word, len);
	return true;
}

/*
 * Adds the members that a line of a type declares: the last word ahead of ";" or ",", as in
 * "int a[4];" and "x: u32,".
 */
static void
add_members(struct changed_definition *definition, const char *line, const char *end)
{
	for (const char *at = line; at < end;) {
		const size_t len = strcspn(at, ";,{}");
		const char *stop = source_declarator_end(at, at + len);

		while (stop > at && !source_is_word(stop[-1]))
			stop--;
		const char *begin = stop;

		while (begin > at && source_is_word(begin[-1]))
			begin--;
		add_word(definition, begin, (size_t)(stop - begin));
		at += len < (size_t)(end - at) ? len + 1 : len;
	}
}

/* Adds the member of a line of Go: the word ahead of a blank. */
static void
add_go_member(struct changed_definition *definition, const char *line, const char *end)
{
	const struct source_word word = source_word_next(line, end);

	if (word.at + word.len < end && isspace((unsigned char)word.at[word.len]))
		add_word(definition, word.at, word.len);
}

static bool
is_go_file(const char *path)
{
	const size_t len = strlen(path);

	return len > 3 && strcmp(path + len - 3, ".go") == 0;
}

static struct changed_definition *
add(struct changed_definitions *definitions, const char *path, uint32_t line)
{
	definitions->all = mem_grow(definitions->all, &definitions->capacity,
		definitions->count + 1, sizeof(*definitions->all));
	struct changed_definition *added = &definitions->all[definitions->count++];

	*added = (struct changed_definition){.path = path, .line = line};
	return added;
}

/*
 * Adds a changed line of a definition. A type without a name is called by the member that changed:
 * "enum LIMIT".
 */
static void
add_line(struct changed_definitions *definitions, const char *path,
	const struct source_definition *found, const struct definition_text *text, uint32_t line)
{
	struct changed_definition *last =
		definitions->count > 0 ? &definitions->all[definitions->count - 1] : NULL;
	struct buf scratch = {0};

	if (!last || strcmp(last->path, path) != 0 || last->begin != found->begin) {
		last = add(definitions, path, line);
		last->kind = found->kind;
		last->begin = found->begin;
		definitions->nnamed += is_named(last);
		add_word(last, found->name, strlen(found->name));
		add_word(last, found->alias, strlen(found->alias));
	}
	const char *begin = line_begin(text->bytes, text->len, line);

	if (source_type_keyword((struct source_word){found->keyword, strlen(found->keyword)})) {
		source_head_clean(begin, begin + strcspn(begin, "\n"), &scratch);
		(is_go_file(path) ? add_go_member : add_members)(
			last, buf_text(&scratch), buf_text(&scratch) + scratch.len);
		buf_release(&scratch);
	}
	if (!last->name)
		last->name = last->nwords > 0 ? mem_printf("%s %s", found->keyword, last->words[0])
					      : mem_strdup(found->keyword);
	last->ndirect = last->nwords;
}

/*
 * Adds the names of definitions in the same file that are made from this one, such as a type from a
 * constant. False: there is no further one.
 */
static bool
add_indirect(struct changed_definition *definition, const struct source_definitions *found,
	const struct definition_text *text)
{
	bool any = false;

	for (size_t i = 0; i < found->count; i++) {
		const struct source_definition *user = &found->all[i];

		if (user->kind == DEFINITION_NONE || user->begin == definition->begin ||
			count_words(definition, definition->nwords, text->bytes + user->begin,
				user->end - user->begin) == 0)
			continue;
		any |= add_word(definition, user->name, strlen(user->name));
		any |= add_word(definition, user->alias, strlen(user->alias));
	}
	return any;
}

/* Only the first lines of a long range are read. */
#define LINES_OF_RANGE 100
/*
 * In a file with more changed definitions, those made from them are not searched: it would take
 * long.
 */
#define INDIRECT_MOST 100

void
changed_definitions_add_file(struct changed_definitions *definitions,
	const struct changed_range *ranges, size_t nranges, const struct definition_text *text)
{
	const size_t first = definitions->count;
	struct source_definitions found;
	struct arena arena = {0};

	source_definitions_read(&found, text->bytes, text->len, is_go_file(ranges[0].path), &arena);
	for (size_t i = 0; i < nranges && found.count > 0; i++)
		for (uint32_t line = ranges[i].first;
			line <= ranges[i].last && line - ranges[i].first < LINES_OF_RANGE; line++) {
			const struct source_definition *at =
				source_definitions_at(&found, text->bytes, text->len, line);

			if (at)
				add_line(definitions, ranges[i].path, at, text, line);
		}
	for (size_t i = first;
		i < definitions->count && definitions->count - first <= INDIRECT_MOST; i++)
		while (add_indirect(&definitions->all[i], &found, text))
			;
	source_definitions_release(&found);
	arena_release(&arena);
}

uint32_t
changed_definitions_add_function(struct changed_definitions *definitions, const char *path,
	const char *function, uint32_t line)
{
	char *name = mem_printf("%s (inlined)", function);

	for (size_t i = 0; i < definitions->count; i++)
		if (definitions->all[i].line == line &&
			strcmp(definitions->all[i].path, path) == 0 &&
			strcmp(definitions->all[i].name, name) == 0) {
			free(name);
			return (uint32_t)i + 1;
		}
	add(definitions, path, line)->name = name;
	return (uint32_t)definitions->count;
}

void
changed_definitions_release(struct changed_definitions *definitions)
{
	for (size_t i = 0; i < definitions->count; i++) {
		for (size_t k = 0; k < definitions->all[i].nwords; k++)
			free(definitions->all[i].words[k]);
		free(definitions->all[i].name);
	}
	free(definitions->all);
	*definitions = (struct changed_definitions){0};
}

enum definition_kind
changed_definitions_named(
	const struct changed_definitions *definitions, const char *text, size_t len)
{
	enum definition_kind found = DEFINITION_NONE;

	for (size_t i = 0; i < definitions->count; i++) {
		const struct changed_definition *definition = &definitions->all[i];

		if (is_named(definition) && definition->kind > found &&
			count_words(definition, definition->ndirect, text, len) > 0)
			found = definition->kind;
	}
	return found;
}

uint32_t
changed_definitions_used(
	const struct changed_definitions *definitions, const char *text, size_t len)
{
	uint32_t most = 0;
	size_t most_words = 0;

	if (definitions->count == 1)
		return 1;
	for (size_t i = 0; i < definitions->count; i++) {
		const struct changed_definition *definition = &definitions->all[i];
		/*
		 * Its own names and members count for more than those of definitions that are made
		 * from it.
		 */
		const size_t words =
			count_words(definition, definition->nwords, text, len) +
			DEFINITION_WORDS * count_words(definition, definition->ndirect, text, len);

		if (words < most_words)
			continue;
		most = words > most_words ? (uint32_t)i + 1 : 0;
		most_words = words;
	}
	return most;
}
