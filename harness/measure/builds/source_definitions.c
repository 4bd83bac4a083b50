/*
 * Reading the definitions outside functions from source text, statement by statement and block by
 * block.
 */
#include "builds/source_definitions.h"

#include "base/mem.h"
#include "builds/source_scan.h"
#include "builds/source_words.h"

#include <stdlib.h>
#include <string.h>

/*
 * The definition of a statement outside functions, and the kind of block in braces, from the text
 * ahead of them: of C, C++, Rust and Go.
 */

/* The contents of braces. */
enum source_block {
	BLOCK_CONTAINER, /* definitions: a namespace, a module */
	BLOCK_TYPE,      /* members, of which functions do not belong to the type */
	BLOCK_INERT,     /* a function, values: nothing of this is read */
};

/* What a text defines. */
struct source_head {
	enum source_block block;
	enum definition_kind kind;
	const char
		*keyword; /* "struct", "typedef", "const"; a constant; NULL: it defines nothing */
	struct source_word name;
};

static struct source_word
last_word(const char *at, const char *end)
{
	struct source_word last = {end, 0};

	for (struct source_word word = source_word_next(at, end); word.len > 0;
		word = source_word_next(word.at + word.len, end))
		last = word;
	return last;
}

/* The first word behind "pub", "static" and the like. */
static struct source_word
leading_word(const char *at, const char *end)
{
	static const char *const before[] = {
		"pub", "export", "unsafe", "inline", "extern", "default", NULL};
	struct source_word word = source_word_next(at, end);

	while (word.len > 0 && source_word_among(word, before))
		word = source_word_next(word.at + word.len, end);
	return word;
}

/* By another name: "enum class limits", "class API node", but not "class node final". */
static bool
is_followed(struct source_word word, const char *end)
{
	const char *behind = word.at + word.len;
	const struct source_word next = source_word_next(behind, end);

	if (word.len == 0 || next.len == 0 || source_word_is(next, "final"))
		return false;
	while (behind < next.at && (*behind == ' ' || *behind == '\t' || *behind == '\n'))
		behind++;
	return behind == next.at;
}

/* "struct node"; "type node struct" of Go. */
static bool
is_type(const char *at, const char *end, struct source_head *head)
{
	struct source_word before = {at, 0};

	for (struct source_word word = source_word_next(at, end); word.len > 0;
		word = source_word_next(word.at + word.len, end)) {
		const char *keyword = source_type_keyword(word);
		struct source_word name = source_word_next(word.at + word.len, end);

		if (keyword && is_followed(name, end))
			name = source_word_next(name.at + name.len, end);
		/* Of bases, "struct : base", no name is its own. */
		if (keyword && name.len > 0 && memchr(word.at, ':', (size_t)(name.at - word.at)))
			name.len = 0;
		if (keyword && name.len == 0 && before.len > 0 &&
			!source_word_is(before, "typedef") && !source_word_is(before, "static") &&
			!source_word_is(before, "const"))
			name = before;
		if (keyword) {
			*head = (struct source_head){BLOCK_TYPE, DEFINITION_TYPE, keyword, name};
			return true;
		}
		before = word;
	}
	return false;
}

static const char *
keyword_of_value(const char *at, const char *end)
{
	return source_has_word(at, end, "constexpr") ? "constexpr"
	       : source_has_word(at, end, "const")   ? "const"
	       : source_has_word(at, end, "var")     ? "var"
	       : source_has_word(at, end, "static")  ? "static"
						     : "variable";
}

/* "static const int table[4]": a value with its name last. */
static bool
is_value(const char *at, const char *end, struct source_head *head)
{
	const char *stop = source_declarator_end(at, end);
	const struct source_word name = last_word(at, stop);
	const struct source_word first = source_word_next(at, end);

	if (memchr(at, '(', (size_t)(stop - at)) || name.len == 0 || name.at == first.at ||
		source_has_word(at, end, "operator"))
		return false;
	*head = (struct source_head){
		BLOCK_INERT, DEFINITION_VALUE, keyword_of_value(at, stop), name};
	return true;
}

/* From a cleaned text (source_head_clean()) ahead of braces. */
static struct source_head
source_head_read(const char *at, const char *end, bool go)
{
	static const char *const functions[] = {"fn", "func", "macro_rules", NULL};
	static const char *const containers[] = {"namespace", "mod", "impl", "trait", NULL};
	const char *paren = memchr(at, '(', (size_t)(end - at));
	const char *equal = memchr(at, '=', (size_t)(end - at));
	const struct source_word leading = leading_word(at, end);
	struct source_head head = {.block = BLOCK_INERT};

	if (leading.len == 0 && !source_has_word(at, end, "extern"))
		return head;
	if (leading.len == 0 || source_word_among(leading, containers))
		return (struct source_head){.block = BLOCK_CONTAINER};
	if (source_word_is(leading, "macro_rules"))
		return (struct source_head){BLOCK_INERT, DEFINITION_MACRO, "macro",
			source_word_next(leading.at + leading.len, end)};
	if (source_word_among(leading, functions) || (paren && (!equal || paren < equal)))
		return head;
	if (!paren && !equal && is_type(at, end, &head))
		return head;
	if (paren || (go && !equal) || !is_value(at, end, &head))
		return (struct source_head){.block = BLOCK_INERT};
	return head;
}

/* The name that a typedef declares: its last word, or that of a pointer to functions. */
static struct source_word
source_typedef_name(const char *at, const char *end)
{
	const char *pointer = memmem(at, (size_t)(end - at), "(*", 2);
	const char *stop = memchr(at, '[', (size_t)(end - at));

	if (pointer)
		return source_word_next(pointer, end);
	if (!stop)
		stop = memchr(at, '(', (size_t)(end - at));
	return last_word(at, stop ? stop : end);
}

/*
 * From a cleaned statement without braces; false where it defines nothing. `group`: in Go, the
 * keyword ahead of the parentheses around it, or NULL.
 */
static bool
source_statement_read(
	const char *at, const char *end, const char *group, bool go, struct source_head *head)
{
	static const char *const others[] = {"use", "mod", "import", "package", "func", "fn",
		"friend", "namespace", "return", "template", "let", "crate", NULL};
	const struct source_word leading =
		group ? (struct source_word){at, 0} : leading_word(at, end);
	const struct source_word next = source_word_next(leading.at + leading.len, end);
	const char *behind = next.at + next.len;

	if ((leading.len == 0 && !group) || next.len == 0 || source_word_among(leading, others))
		return false;
	*head = (struct source_head){BLOCK_INERT, DEFINITION_TYPE, NULL, next};
	if (source_word_is(leading, "typedef")) {
		head->keyword = "typedef";
		head->name = source_typedef_name(at, end);
	} else if (source_word_is(leading, "using")) {
		head->keyword = memchr(at, '=', (size_t)(end - at)) ? "using" : NULL;
	} else if (source_word_is(leading, "type") || (group && strcmp(group, "type") == 0)) {
		head->keyword = "type";
	} else if (go) {
		head->kind = DEFINITION_VALUE;
		head->keyword = group ? group : keyword_of_value(at, end);
	} else if (source_type_keyword(leading) && behind < end && *behind == '(') {
		head->keyword = source_type_keyword(leading); /* "struct Cell(i64);" of Rust */
	} else if (source_type_keyword(leading) && source_word_next(behind, end).len == 0) {
		head->keyword = NULL; /* "struct node;" says nothing of it */
	} else if (source_has_word(at, end, "extern") || !is_value(at, end, head)) {
		head->keyword = NULL;
	}
	return head->keyword && head->name.len > 0;
}

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
