/* Reading source text word by word, without attributes, directives and the like. */
#include "builds/source_words.h"

#include <string.h>

bool
source_word_is(struct source_word word, const char *name)
{
	return strlen(name) == word.len && memcmp(name, word.at, word.len) == 0;
}

const char *
source_word_among(struct source_word word, const char *const *names)
{
	for (; *names; names++)
		if (source_word_is(word, *names))
			return *names;
	return NULL;
}

struct source_word
source_word_next(const char *at, const char *end)
{
	size_t len = 0;

	while (at < end && !source_is_word(*at))
		at++;
	while (at + len < end && source_is_word(at[len]))
		len++;
	return (struct source_word){at, len};
}

bool
source_has_word(const char *text, const char *end, const char *name)
{
	const size_t len = strlen(name);

	for (const char *at = text; (at = memmem(at, (size_t)(end - at), name, len)); at++)
		if ((at == text || !source_is_word(at[-1])) &&
			(at + len == end || !source_is_word(at[len])))
			return true;
	return false;
}

bool
source_is_directive(const struct source_scan *scan, const char *text)
{
	const char *at = scan->at;

	if (*at != '#' || scan->end - at < 2 || at[1] == '[' || at[1] == '!')
		return false;
	while (at > text && (at[-1] == ' ' || at[-1] == '\t'))
		at--;
	return at == text || at[-1] == '\n';
}

void
source_pass_directive(struct source_scan *scan)
{
	while (scan->at < scan->end && *scan->at != '\n')
		if (source_starts_with(scan, "/*") || *scan->at == '"')
			source_pass_other(scan);
		else
			source_advance(scan, *scan->at == '\\' ? 2 : 1);
}

/* Behind what is in these, which begins behind blanks or not at all. */
static void
pass_balanced(struct source_scan *scan, char open, char close)
{
	unsigned depth = 0;
	struct source_scan at = *scan;

	while (at.at < at.end && (*at.at == ' ' || *at.at == '\n' || *at.at == '\t'))
		source_advance(&at, 1);
	if (at.at == at.end || *at.at != open)
		return;
	while (at.at < at.end) {
		if (source_pass_other(&at))
			continue;
		depth += *at.at == open;
		depth -= *at.at == close;
		source_advance(&at, 1);
		if (depth == 0)
			break;
	}
	*scan = at;
}

/* Attributes and the parameters of templates; false where none begin. */
static bool
pass_attribute(struct source_scan *scan)
{
	static const char *const with_parens[] = {
		"__attribute__", "alignas", "_Alignas", "__declspec", "pub", NULL};
	static const char *const templates[] = {"template", NULL};

	if (source_starts_with(scan, "[[") || source_starts_with(scan, "#[") ||
		source_starts_with(scan, "#![")) {
		while (*scan->at != '[')
			source_advance(scan, 1);
		pass_balanced(scan, '[', ']');
		return true;
	}
	if (!source_is_word(*scan->at))
		return false;
	const struct source_word word = source_word_next(scan->at, scan->end);

	if (source_word_among(word, with_parens)) {
		source_advance(scan, word.len);
		pass_balanced(scan, '(', ')');
	} else if (source_word_among(word, templates)) {
		source_advance(scan, word.len);
		pass_balanced(scan, '<', '>');
	} else {
		return false;
	}
	return true;
}

void
source_head_clean(const char *from, const char *to, struct buf *out)
{
	struct source_scan scan = {from, to, 1};

	buf_clear(out);
	while (scan.at < scan.end) {
		if (source_is_directive(&scan, from)) {
			source_pass_directive(&scan);
		} else if (source_pass_other(&scan) || pass_attribute(&scan)) {
			buf_putc(out, ' ');
		} else if (source_is_word(*scan.at)) {
			const struct source_word word = source_word_next(scan.at, scan.end);

			if (source_word_is(word, "where"))
				return;
			buf_put(out, word.at, word.len);
			source_advance(&scan, word.len);
		} else {
			buf_putc(out, *scan.at);
			source_advance(&scan, 1);
		}
	}
}

const char *
source_type_keyword(struct source_word word)
{
	static const char *const keywords[] = {"struct", "class", "union", "enum", NULL};

	return source_word_among(word, keywords);
}

const char *
source_declarator_end(const char *at, const char *end)
{
	for (const char *c = at; c < end; c++)
		if (*c == '=' || (*c == '[' && c > at) ||
			(*c == ':' && c + 1 < end && c[1] != ':' && (c == at || c[-1] != ':')))
			return c;
	return end;
}
