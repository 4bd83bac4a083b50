/*
 * Drops from demangled names of C++ and Rust the parts that frames do not show: parameters, return
 * type, the compiler's suffix and Rust's hash.
 */
#include "base/mem.h"
#include "elf/demangle.h"
#include "elf/demangle_internal.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Whether the text is about a function rather than the function: left as it is. */
static bool
is_special(const char *text)
{
	static const char *const prefixes[] = {"vtable for ", "VTT for ",
		"construction vtable for ", "typeinfo for ", "typeinfo name for ",
		"guard variable for ", "virtual thunk to ", "non-virtual thunk to ",
		"covariant return thunk to ", "reference temporary ", "TLS init function for ",
		"TLS wrapper function for ", "transaction clone for ",
		"non-transaction clone for "};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(text, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/* Takes `suffix` off the end of `text`, if it is there. */
static bool
drop_suffix(char *text, size_t *len, const char *suffix)
{
	size_t part = strlen(suffix);

	if (*len <= part || memcmp(text + *len - part, suffix, part) != 0)
		return false;
	*len -= part;
	text[*len] = '\0';
	return true;
}

/* "f(int) [clone .cold]" -> "f(int)". */
static void
drop_clones(char *text)
{
	size_t len = strlen(text);
	char *clone;

	if (len > 0 && text[len - 1] == ']' && (clone = strstr(text + 1, " [clone ")))
		*clone = '\0';
}

/* The bracket that opens what the last character closes; 0 if none. */
static size_t
opening_bracket(const char *text, size_t len)
{
	int depth = 0;

	for (size_t at = len; at-- > 0;) {
		if (text[at] == ')')
			depth++;
		else if (text[at] == '(' && --depth == 0)
			return at;
	}
	return 0;
}

/* "f(int) const &" -> "f"; a name that has no parameters stays. Returns whether there were any. */
static bool
drop_parameters(char *text)
{
	size_t len = strlen(text);

	while (drop_suffix(text, &len, " const") || drop_suffix(text, &len, " volatile") ||
		drop_suffix(text, &len, " &") || drop_suffix(text, &len, " &&"))
		continue;
	if (len == 0 || text[len - 1] != ')')
		return false;
	const size_t at = opening_bracket(text, len);
	static const char call[] = "operator()";
	const size_t before = at >= strlen("operator") ? at - strlen("operator") : 0;

	if (at == 0 || strcmp(text + before, call) == 0)
		return false;
	text[at] = '\0';
	return true;
}

static bool
starts_operator(const char *text, size_t at)
{
	if (text[at] != 'o')
		return false;
	bool inside = at > 0 && (isalnum((unsigned char)text[at - 1]) || text[at - 1] == '_');

	return !inside && strncmp(text + at, "operator", 8) == 0 &&
	       !isalnum((unsigned char)text[at + 8]) && text[at + 8] != '_';
}

/* Where the name starts after a return type: "void ns::f<int>" -> the n. */
static size_t
skip_return_type(const char *text)
{
	size_t start = 0;
	int depth = 0;

	for (size_t at = 0; text[at]; at++) {
		char c = text[at];

		if (c == '<' || c == '(' || c == '{' || c == '[')
			depth++;
		else if ((c == '>' && (at == 0 || text[at - 1] != '-')) || c == ')' || c == '}' ||
			 c == ']')
			depth--;
		if (depth != 0)
			continue;
		/* What follows an operator's name may hold any sign, and spaces. */
		if (starts_operator(text, at))
			break;
		if (c == ' ' && strncmp(text + at, " const", 6) != 0 &&
			strncmp(text + at, " volatile", 9) != 0 && text[at + 1] != '&')
			start = at + 1;
	}
	return start;
}

/* "core::fmt::write::h0123456789abcdef" -> "core::fmt::write". */
static void
drop_rust_hash(char *text)
{
	size_t len = strlen(text);

	if (len <= 19 || strncmp(text + len - 19, "::h", 3) != 0)
		return;
	for (size_t i = len - 16; i < len; i++)
		if (!isdigit((unsigned char)text[i]) && (text[i] < 'a' || text[i] > 'f'))
			return;
	text[len - 19] = '\0';
}

void
shorten_name(char *text)
{
	if (is_special(text))
		return;
	drop_clones(text);
	if (drop_parameters(text)) {
		size_t start = skip_return_type(text);

		if (text[start])
			memmove(text, text + start, strlen(text + start) + 1);
	}
	drop_rust_hash(text);
}

char *
demangle_shorten(const char *name, size_t len)
{
	char *text = mem_dup(name, len);

	shorten_name(text);
	return text;
}
