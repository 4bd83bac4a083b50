/*
 * Demangles a name in the scheme of its language: Rust's by libiberty, others in
 * demangle_LANGUAGE.c.
 */
#include "elf/demangle.h"

#include "base/allowance.h"
#include "base/buf.h"
#include "base/mem.h"
#include "elf/demangle_internal.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * No compiler writes names that stand for more text. A short mangled name can stand for any length
 * of text, since its parts may refer to earlier parts.
 */
#define TEXT_BYTES_MAX 65536

/* The output of libiberty. */
struct output {
	struct buf text;
	struct cxx_name name; /* of C++ only */
	jmp_buf full;         /* left to where `text` would be longer than TEXT_BYTES_MAX */
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

/*
 * The text of libiberty for a name of Rust, or else C++; NULL where it knows no such name. Its own
 * limits on recursion are kept.
 */
static char *
demangle_by_library(const char *name, bool rust, struct allowance *allowance)
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

/* NULL where it is no name of Java. */
static char *
demangle_java(const char *name)
{
	struct buf text = {0};
	char *copy = NULL;

	if (strlen(name) <= TEXT_BYTES_MAX && java_name(name, &text))
		copy = mem_strdup(buf_text(&text));
	buf_release(&text);
	return copy;
}

static char *
demangle_rust_or_cxx(const char *name, struct allowance *allowance)
{
	char *text = NULL;

	/*
	 * Rust's first scheme looks like C++, so that it is tried first; its names end with a hash
	 * of 17 letters.
	 */
	if (strncmp(name, "_R", 2) == 0 || (strncmp(name, "_ZN", 3) == 0 && strstr(name, "17h")))
		text = demangle_by_library(name, true, allowance);
	if (text || strncmp(name, "_Z", 2) != 0)
		return text;
	text = demangle_by_library(name, false, allowance);
	if (text)
		shorten_name(text);
	return text;
}

char *
demangle_within(const char *name, struct allowance *allowance)
{
	if (allowance_is_used(allowance))
		return NULL;
	if (name[0] == 'L')
		return demangle_java(name);
	if (name[0] == 'c')
		return demangle_ocaml(name);
	return name[0] == '_' && name[1] == 'D' ? demangle_d(name, allowance)
						: demangle_rust_or_cxx(name, allowance);
}

char *
demangle(const char *name)
{
	struct allowance any = {UINT64_MAX};

	return demangle_within(name, &any);
}
