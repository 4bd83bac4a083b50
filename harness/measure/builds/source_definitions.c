#include "builds/source_definitions.h"

#include "base/mem.h"
#include "builds/source_head.h"
#include "builds/source_scan.h"
#include "builds/source_words.h"

#include <stdlib.h>
#include <string.h>

struct block {
	enum source_block kind;
	size_t definition;   /* number of what ends with it, from 1; 0: none */
	bool goes_on;        /* that ends with the statement, behind the braces */
	const char *keyword; /* of a group of Go: "const ("; else NULL */
	unsigned parens;     /* around it */
	unsigned brackets;
};

struct parser {
	struct source_scan scan;
	const char *text;
	bool go;
	struct block *blocks; /* owned */
	size_t depth;
	size_t capacity;
	const char *begin; /* of a statement; NULL: none has begun */
	uint32_t first;    /* its line */
	unsigned parens;
	unsigned brackets;
	size_t open; /* number of a definition that the statement's end ends, from 1; 0: none */
	const char *tail; /* behind its braces */
	struct source_definitions *found;
	struct arena *arena;
};

static size_t
add_definition(struct parser *parser, enum definition_kind kind, const char *keyword,
	struct source_word name, const char *begin, uint32_t first)
{
	struct source_definitions *found = parser->found;
	const char *copy = arena_printf(parser->arena, "%.*s", (int)name.len, name.at);

	found->all = mem_grow(found->all, &found->capacity, found->count + 1, sizeof(*found->all));
	found->all[found->count++] = (struct source_definition){.kind = kind,
		.keyword = keyword,
		.name = copy,
		.alias = "",
		.first = first,
		.last = parser->scan.line,
		.begin = (size_t)(begin - parser->text),
		.end = (size_t)(parser->scan.at - parser->text)};
	return found->count;
}

static void
end_definition(struct parser *parser, size_t number)
{
	struct source_definition *definition = &parser->found->all[number - 1];

	definition->last = parser->scan.line;
	definition->end = (size_t)(parser->scan.at - parser->text);
}

static void
read_macro(struct parser *parser)
{
	const char *begin = parser->scan.at;
	const uint32_t first = parser->scan.line;

	source_pass_directive(&parser->scan);
	const struct source_word define = source_word_next(begin, parser->scan.at);
	const struct source_word name = source_word_next(define.at + define.len, parser->scan.at);

	if (source_word_is(define, "define") && name.len > 0)
		add_definition(parser, DEFINITION_MACRO, "macro", name, begin, first);
}

/* The block that is read, outside of all a container. */
static const struct block *
top_of(const struct parser *parser)
{
	static const struct block file = {.kind = BLOCK_CONTAINER};

	return parser->depth > 0 ? &parser->blocks[parser->depth - 1] : &file;
}

static void
push(struct parser *parser, struct block block)
{
	block.parens = parser->parens;
	block.brackets = parser->brackets;
	parser->blocks = mem_grow(
		parser->blocks, &parser->capacity, parser->depth + 1, sizeof(*parser->blocks));
	parser->blocks[parser->depth++] = block;
	parser->parens = 0;
	parser->brackets = 0;
	parser->begin = NULL;
	parser->open = 0;
}

static void
pop(struct parser *parser)
{
	const struct block *block = &parser->blocks[--parser->depth];

	parser->parens = block->parens;
	parser->brackets = block->brackets;
	parser->begin = NULL;
}

static void
open_braces(struct parser *parser, struct buf *scratch)
{
	const enum source_block around = top_of(parser)->kind;
	const char *begin = parser->begin;
	struct block block = {.kind = BLOCK_INERT};

	if (around == BLOCK_INERT || !parser->begin) {
		/* Braces without a head are those of a function, or of an enum's values. */
		push(parser, block);
		return;
	}
	source_head_clean(begin, parser->scan.at, scratch);
	const char *at = buf_text(scratch);
	const char *end = at + scratch->len;
	const struct source_head head = source_head_read(at, end, parser->go);
	const bool named = head.name.len > 0 || around == BLOCK_CONTAINER;

	block.kind = head.block;
	if (head.keyword && strcmp(head.keyword, "enum") == 0)
		block.kind = BLOCK_INERT;
	if (around == BLOCK_TYPE && head.kind == DEFINITION_NONE && memchr(at, '(', scratch->len))
		block.definition = add_definition(parser, DEFINITION_NONE, "",
			(struct source_word){at, 0}, begin, parser->first);
	else if (head.kind != DEFINITION_NONE && named &&
		 (around == BLOCK_CONTAINER || head.kind == DEFINITION_TYPE))
		block.definition = add_definition(
			parser, head.kind, head.keyword, head.name, begin, parser->first);
	block.goes_on = block.definition &&
			(source_has_word(at, end, "typedef") || head.kind == DEFINITION_VALUE);
	push(parser, block);
}

/* Whether more than a comment is behind braces in their line. */
static bool
has_more(const struct source_scan *scan)
{
	const char *at = scan->at;

	while (at < scan->end && (*at == ' ' || *at == '\t'))
		at++;
	return at < scan->end && *at != '\n' && *at != '/' && *at != '}' && *at != ',';
}

/* The scan is behind it. */
static void
close_braces(struct parser *parser)
{
	if (parser->depth == 0)
		return;
	const struct block block = *top_of(parser);

	pop(parser);
	parser->open = 0;
	if (!block.definition)
		return;
	end_definition(parser, block.definition);
	if (parser->found->all[block.definition - 1].kind > DEFINITION_NONE &&
		(block.goes_on || has_more(&parser->scan))) {
		parser->open = block.definition;
		parser->tail = parser->scan.at;
	}
}

/* The scan is at the mark that ends it. */
static void
end_statement(struct parser *parser, struct buf *scratch)
{
	const struct block *top = top_of(parser);
	const char *begin = parser->begin;
	struct source_head head;

	parser->begin = NULL;
	if (parser->open) {
		source_head_clean(parser->tail, parser->scan.at, scratch);
		const struct source_word name =
			source_typedef_name(buf_text(scratch), buf_text(scratch) + scratch->len);
		struct source_definition *ended = &parser->found->all[parser->open - 1];

		end_definition(parser, parser->open);
		if (ended->kind == DEFINITION_TYPE)
			ended->alias = arena_printf(parser->arena, "%.*s", (int)name.len, name.at);
		parser->open = 0;
		return;
	}
	if (!begin || top->kind == BLOCK_INERT || (top->kind == BLOCK_TYPE && parser->go))
		return;
	source_head_clean(begin, parser->scan.at, scratch);
	const char *at = buf_text(scratch);
	const char *end = at + scratch->len;

	if (top->kind == BLOCK_CONTAINER) {
		if (source_statement_read(at, end, top->keyword, parser->go, &head))
			add_definition(
				parser, head.kind, head.keyword, head.name, begin, parser->first);
		return;
	}
	/* A function's declaration lays out nothing, but a pointer to one does. */
	const char *stop = source_declarator_end(at, end);

	if (memchr(at, '(', (size_t)(stop - at)) && !memmem(at, scratch->len, "(*", 2))
		add_definition(parser, DEFINITION_NONE, "", (struct source_word){at, 0}, begin,
			parser->first);
}

#define GROUP_BYTES 64

/* "const (" of Go. */
static bool
open_group(struct parser *parser, struct buf *scratch)
{
	static const char *const groups[] = {"const", "type", "var", NULL};

	if (!parser->go || !parser->begin || top_of(parser)->kind != BLOCK_CONTAINER ||
		parser->scan.at - parser->begin > GROUP_BYTES)
		return false;
	source_head_clean(parser->begin, parser->scan.at, scratch);
	const char *end = buf_text(scratch) + scratch->len;
	const struct source_word word = source_word_next(buf_text(scratch), end);
	const char *keyword = source_word_next(word.at + word.len, end).len == 0
				      ? source_word_among(word, groups)
				      : NULL;

	if (keyword)
		push(parser, (struct block){.kind = BLOCK_CONTAINER, .keyword = keyword});
	return keyword != NULL;
}

static void
close_paren(struct parser *parser)
{
	if (parser->parens > 0)
		parser->parens--;
	else if (parser->depth > 0 && top_of(parser)->keyword)
		pop(parser);
}

/* One mark, or a byte of a word. */
static void
read_mark(struct parser *parser, struct buf *scratch)
{
	const char c = *parser->scan.at;
	const bool between = parser->parens == 0 && parser->brackets == 0;

	if ((c == ';' && parser->brackets == 0) || (c == '\n' && parser->go && between))
		end_statement(parser, scratch);
	else if (c == '{')
		open_braces(parser, scratch);
	else if (!parser->begin && c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '}') {
		parser->begin = parser->scan.at;
		parser->first = parser->scan.line;
	}
	if (c == '(' && !open_group(parser, scratch))
		parser->parens++;
	else if (c == ')')
		close_paren(parser);
	else if (c == '[')
		parser->brackets++;
	else if (c == ']' && parser->brackets > 0)
		parser->brackets--;
	source_advance(&parser->scan, 1);
	if (c == '}')
		close_braces(parser);
}

void
source_definitions_read(struct source_definitions *found, const char *text, size_t len, bool go,
	struct arena *arena)
{
	struct parser parser = {
		.scan = {text, text + len, 1},
		.text = text,
		.go = go,
		.found = found,
		.arena = arena,
	};
	struct buf scratch = {0};

	*found = (struct source_definitions){0};
	while (parser.scan.at < parser.scan.end) {
		if (source_is_directive(&parser.scan, text)) {
			read_macro(&parser);
		} else if (go && source_starts_with(&parser.scan, "//")) {
			while (parser.scan.at < parser.scan.end && *parser.scan.at != '\n')
				source_advance(&parser.scan, 1);
		} else if (!source_pass_other(&parser.scan)) {
			read_mark(&parser, &scratch);
		}
	}
	buf_release(&scratch);
	free(parser.blocks);
}

void
source_definitions_release(struct source_definitions *found)
{
	free(found->all);
	*found = (struct source_definitions){0};
}

const struct source_definition *
source_definitions_at(
	const struct source_definitions *found, const char *text, size_t len, uint32_t line)
{
	const struct source_definition *inner = NULL;
	struct source_scan scan = {line_begin(text, len, line), text + len, line};

	if (!scan.at)
		return NULL;
	while (scan.at < scan.end && (*scan.at == ' ' || *scan.at == '\t'))
		source_advance(&scan, 1);
	if (scan.at == scan.end || *scan.at == '\n' || source_starts_with(&scan, "* ") ||
		source_starts_with(&scan, "*/") || source_starts_with(&scan, "//") ||
		source_starts_with(&scan, "/*"))
		return NULL;
	for (size_t i = 0; i < found->count; i++)
		if (line >= found->all[i].first && line <= found->all[i].last &&
			(!inner || found->all[i].begin > inner->begin))
			inner = &found->all[i];
	return inner && inner->kind != DEFINITION_NONE ? inner : NULL;
}
