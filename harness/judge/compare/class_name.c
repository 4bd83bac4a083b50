#include "compare/class_name.h"

#include "builds/source_scan.h"

#include <string.h>

#define ANONYMOUS "(anonymous namespace)"

static bool
starts(const char *at, const char *end, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(end - at) >= len && memcmp(at, word, len) == 0;
}

/*
 * The end of the bracket that begins at `at`, behind its closing one; `end` where it is not closed.
 * Where another byte is at `at`, the place behind that.
 */
static const char *
skip_brackets(const char *at, const char *end)
{
	size_t angles = 0;
	size_t others = 0;

	for (; at < end; at++) {
		bool arrow = *at == '>' && (at[-1] == '-' || at[-1] == '=');

		if (*at == '(' || *at == '{' || *at == '[')
			others++;
		else if ((*at == ')' || *at == '}' || *at == ']') && others > 0)
			others--;
		else if (*at == '<' && others == 0)
			angles++;
		else if (*at == '>' && others == 0 && !arrow)
			angles--;
		if (others == 0 && angles == 0)
			return at + 1;
	}
	return end;
}

/* Whether "operator" starts here, the last part of a name: brackets and spaces behind it are part
 * of it. */
static bool
is_operator(const char *at, const char *end)
{
	size_t len = strlen("operator");

	return starts(at, end, "operator") &&
	       ((size_t)(end - at) == len || !source_is_word(at[len]));
}

/* The parts of a path at its outer level, without template arguments. */
struct path {
	struct buf *text;
	size_t ends[2]; /* of `text` before the last "::", and before the one ahead of that */
};

/*
 * Collects the path up to its end: parameters, an operator's name, or a closure, which belongs to
 * the function that it is in. A space starts anew: the text before it is a type.
 */
static void
collect(struct path *path, const char *at, const char *end)
{
	bool part_starts = true;

	buf_clear(path->text);
	while (at < end) {
		if (part_starts && starts(at, end, ANONYMOUS)) {
			buf_puts(path->text, ANONYMOUS);
			at += strlen(ANONYMOUS);
		} else if (part_starts && *at == '{') {
			path->ends[0] = path->ends[1];
			return;
		} else if (*at == '(' || (part_starts && is_operator(at, end))) {
			return;
		} else if (starts(at, end, "::")) {
			path->ends[1] = path->ends[0];
			path->ends[0] = path->text->len;
			buf_puts(path->text, "::");
			at += 2;
			part_starts = true;
			continue;
		} else if (*at == '<' || *at == '[' || *at == '{') {
			at = skip_brackets(at, end);
		} else if (*at == ' ') {
			buf_clear(path->text);
			path->ends[0] = path->ends[1] = 0;
			at++;
			part_starts = true;
			continue;
		} else {
			buf_putc(path->text, *at++);
		}
		part_starts = false;
	}
}

/* "<a::B<T> as c::Trait>::f": the type, up to " as " at its outer level. */
static const char *
type_end(const char *at, const char *end)
{
	while (at < end && !starts(at, end, " as "))
		at = skip_brackets(at, end);
	return at;
}

bool
class_name(const char *name, size_t len, struct buf *out)
{
	const char *end = name + len;
	struct path path = {.text = out};
	const char *behind = len > 0 && *name == '<' ? skip_brackets(name, end) : name;

	buf_clear(out);
	if (behind > name) {
		if (!starts(behind, end, "::"))
			return false;
		collect(&path, name + 1, type_end(name + 1, behind - 1));
		/* A type without a path is a parameter: "<T as a::Trait>::f". */
		return path.ends[0] > 0;
	}
	collect(&path, name, end);
	if (path.ends[0] == 0)
		return false;
	out->len = path.ends[0];
	out->data[out->len] = '\0';
	return true;
}
