#include "gate/changed_definitions.h"

#include "base/mem.h"
#include "builds/function_end.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool
has_word(const char *text, size_t len, const char *word)
{
	const size_t word_len = strlen(word);
	const char *end = text + len;

	for (const char *at = text; (at = memmem(at, (size_t)(end - at), word, word_len)); at++) {
		const char *behind = at + word_len;

		if ((at == text || !source_is_word(at[-1])) &&
			(behind == end || !source_is_word(*behind)))
			return true;
	}
	return false;
}

static bool
is_macro(const struct changed_definition *definition)
{
	static const char prefix[] = "macro ";

	return strncmp(definition->name, prefix, sizeof(prefix) - 1) == 0;
}

static void
add_word(struct changed_definition *definition, const char *word, size_t len)
{
	for (size_t i = 0; i < definition->nwords; i++)
		if (strlen(definition->words[i]) == len &&
			memcmp(definition->words[i], word, len) == 0)
			return;
	if (len > 0 && definition->nwords < DEFINITION_WORDS)
		definition->words[definition->nwords++] = mem_dup(word, len);
}

/*
 * The member that a line of a type declares: "int a[4];" and "x: u32," have it ahead of the mark
 * that ends it, Go ahead of a blank.
 */
static void
add_member(struct changed_definition *definition, const char *line, size_t len)
{
	const size_t path_len = strlen(definition->path);
	const bool go = path_len > 3 && strcmp(definition->path + path_len - 3, ".go") == 0;
	size_t begin = 0;

	while (begin < len && isspace((unsigned char)line[begin]))
		begin++;
	size_t end = begin;

	if (go) {
		while (end < len && source_is_word(line[end]))
			end++;
		if (end < len && isspace((unsigned char)line[end]))
			add_word(definition, line + begin, end - begin);
		return;
	}
	while (end < len && !strchr(";[=:,{}", line[end]))
		end++;
	if (end == len || line[end] == '{' || line[end] == '}')
		return;
	while (end > begin && !source_is_word(line[end - 1]))
		end--;
	begin = end;
	while (begin > 0 && source_is_word(line[begin - 1]))
		begin--;
	add_word(definition, line + begin, end - begin);
}

void
changed_definitions_add(struct changed_definitions *definitions, const char *path, const char *text,
	size_t len, uint32_t line)
{
	struct changed_definition *last =
		definitions->count > 0 ? &definitions->all[definitions->count - 1] : NULL;
	char name[DEFINITION_SIZE];

	if (!definition_of(text, len, line, name))
		return;
	if (!last || strcmp(last->path, path) != 0 || strcmp(last->name, name) != 0) {
		definitions->all = mem_grow(definitions->all, &definitions->capacity,
			definitions->count + 1, sizeof(*definitions->all));
		last = &definitions->all[definitions->count++];
		*last = (struct changed_definition){
			.path = path, .line = line, .name = mem_strdup(name)};
		definitions->nmacros += is_macro(last);
		const char *word = strrchr(name, ' ');

		if (word)
			add_word(last, word + 1, strlen(word + 1));
	}
	const char *begin = line_begin(text, len, line);

	if (begin && !is_macro(last))
		add_member(last, begin, strcspn(begin, "\n"));
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
	definitions->all = mem_grow(definitions->all, &definitions->capacity,
		definitions->count + 1, sizeof(*definitions->all));
	definitions->all[definitions->count++] =
		(struct changed_definition){.path = path, .line = line, .name = name};
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

static size_t
count_words(const struct changed_definition *definition, const char *text, size_t len)
{
	size_t count = 0;

	for (size_t i = 0; i < definition->nwords; i++)
		count += has_word(text, len, definition->words[i]);
	return count;
}

bool
changed_definitions_use_macro(
	const struct changed_definitions *definitions, const char *text, size_t len)
{
	for (size_t i = 0; i < definitions->count; i++)
		if (is_macro(&definitions->all[i]) &&
			count_words(&definitions->all[i], text, len) > 0)
			return true;
	return false;
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
		const size_t words = count_words(&definitions->all[i], text, len);

		if (words > most_words) {
			most = (uint32_t)i + 1;
			most_words = words;
		}
	}
	return most;
}
