#include "builds/source_head.h"

#include "builds/source_words.h"

#include <string.h>

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

struct source_head
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

struct source_word
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

bool
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
