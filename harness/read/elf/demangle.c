#include "elf/demangle.h"

#include "base/buf.h"
#include "base/mem.h"
#include "elf/cxx_name.h"
#include "elf/d_name.h"
#include "elf/java_name.h"
#include "elf/ocaml_name.h"
#include "elf/rust_name.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * No compiler writes longer ones. A short mangled name can stand for any length of text, since its
 * parts may refer to earlier parts.
 */
#define TEXT_BYTES_MAX 65536

struct output {
	struct buf text;
	struct cxx_name name; /* of C++ */
	jmp_buf full;
};

/*
 * The library cannot be stopped, and its output could take years to write: it is left by longjmp().
 * It then leaks no memory but a few bytes where a Rust identifier is not ASCII.
 */
static void
take_text(const char *text, size_t len, void *opaque)
{
	struct output *output = opaque;

	if (output->text.len + len > TEXT_BYTES_MAX)
		longjmp(output->full, 1);
	buf_put(&output->text, text, len);
}

static bool
print_rust(const char *name, struct output *output)
{
	/* For the old scheme, each part is read and printed once. */
	if (strncmp(name, "_R", 2) == 0 && !rust_name_is_bounded(name))
		return false;
	return rust_demangle_callback(name, DMGL_PARAMS | DMGL_ANSI, take_text, output) != 0;
}

/* The library's text; NULL where it knows no such name. Its own limits on recursion are kept. */
static char *
decode(const char *name, bool rust, struct allowance *allowance)
{
	struct output *output = mem_zalloc(1, sizeof(*output));
	char *volatile text = NULL;

	if (setjmp(output->full) == 0) {
		const bool known = rust ? print_rust(name, output)
					: cxx_name_print(&output->name, name, take_text, output);

		if (known && output->text.len > 0)
			text = mem_strdup(buf_text(&output->text));
	}
	/* A name that is refused has cost its steps. */
	allowance_take(allowance, text ? output->text.len : output->text.len + output->name.steps);
	buf_release(&output->text);
	free(output->name.block);
	free(output);
	return text;
}

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

static void
shorten(char *text)
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

/* NULL where it is no name of Java. */
static char *
decode_java(const char *name)
{
	struct buf text = {0};
	char *copy = NULL;

	if (strlen(name) <= TEXT_BYTES_MAX && java_name(name, &text))
		copy = mem_strdup(buf_text(&text));
	buf_release(&text);
	return copy;
}

static char *
decode_any(const char *name, struct allowance *allowance)
{
	char *text = NULL;

	/*
	 * Rust's first scheme looks like C++, so that it is tried first; its names end with a hash
	 * of 17 letters.
	 */
	if (strncmp(name, "_R", 2) == 0 || (strncmp(name, "_ZN", 3) == 0 && strstr(name, "17h")))
		text = decode(name, true, allowance);
	if (text || strncmp(name, "_Z", 2) != 0)
		return text;
	text = decode(name, false, allowance);
	if (text)
		shorten(text);
	return text;
}

char *
demangle_within(const char *name, struct allowance *allowance)
{
	if (allowance_is_used(allowance))
		return NULL;
	if (name[0] == 'L')
		return decode_java(name);
	if (name[0] == 'c')
		return ocaml_name(name);
	return name[0] == '_' && name[1] == 'D' ? d_name(name, allowance)
						: decode_any(name, allowance);
}

char *
demangle(const char *name)
{
	struct allowance any = {UINT64_MAX};

	return demangle_within(name, &any);
}

char *
demangle_shorten(const char *name, size_t len)
{
	char *text = mem_dup(name, len);

	shorten(text);
	return text;
}
