/*
 * Demangles names of Java methods.
 */
#include "base/buf.h"
#include "elf/demangle.h"
#include "elf/demangle_internal.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The specification allows an array no more dimensions. */
#define DIMENSIONS_MAX 255

/* "java/lang/String;" as java.lang.String; NULL without its end. */
static const char *
put_class(const char *at, struct buf *out)
{
	const size_t len = strcspn(at, ";()");

	if (len == 0 || at[len] != ';')
		return NULL;
	for (size_t i = 0; i < len; i++)
		if (at[i] == '/')
			buf_putc(out, '.');
		else
			buf_putc(out, at[i]);
	return at + len + 1;
}

/* One type of a descriptor; NULL where there is none. Returns what follows it. */
static const char *
put_type(const char *at, struct buf *out)
{
	static const struct {
		char letter;
		const char *name;
	} types[] = {{'B', "byte"}, {'C', "char"}, {'D', "double"}, {'F', "float"}, {'I', "int"},
		{'J', "long"}, {'S', "short"}, {'Z', "boolean"}, {'V', "void"}};
	const size_t dimensions = strspn(at, "[");

	if (dimensions > DIMENSIONS_MAX)
		return NULL;
	at += dimensions;
	if (*at == 'L') {
		at = put_class(at + 1, out);
	} else {
		size_t i = 0;

		while (i < sizeof(types) / sizeof(types[0]) && types[i].letter != *at)
			i++;
		if (i == sizeof(types) / sizeof(types[0]))
			return NULL;
		buf_puts(out, types[i].name);
		at++;
	}
	for (size_t i = 0; at && i < dimensions; i++)
		buf_puts(out, "[]");
	return at;
}

static bool
put_method(const char *name, struct buf *out)
{
	const char *open = strchr(name, '(');
	const char *close = open ? strchr(open, ')') : NULL;

	/* The type that it returns stands at the end, and is written first. */
	if (name[0] != 'L' || !close)
		return false;
	const char *at = put_type(close + 1, out);

	if (!at || *at)
		return false;
	buf_putc(out, ' ');
	at = put_class(name + 1, out);
	if (!at || at >= open)
		return false;
	buf_putc(out, '.');
	buf_put(out, at, (size_t)(open - at));
	buf_putc(out, '(');
	for (at = open + 1; at < close;) {
		if (at > open + 1)
			buf_puts(out, ", ");
		at = put_type(at, out);
		if (!at || at > close)
			return false;
	}
	buf_putc(out, ')');
	return true;
}

bool
java_name(const char *name, struct buf *out)
{
	buf_clear(out);
	const bool known = put_method(name, out);

	if (!known)
		buf_clear(out);
	return known;
}
