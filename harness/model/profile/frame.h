/*
 * Frames: one function in a stack, interned.
 *
 * A frame's identity is its name and its kind, which is what a folded file can hold, so that a
 * profile just captured and one read from a baseline compare equal. Module, file and line are
 * attributes, kept as first seen. Only a profile that is read to be written with its lines
 * (ingest_options.at_lines) has several frames of a function, which differ in `at_line`.
 */
#ifndef PROFILE_FRAME_H
#define PROFILE_FRAME_H

#include "base/buf.h"
#include "base/map.h"
#include "base/strtab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t frame_id;

enum frame_kind {
	FRAME_USER,
	FRAME_KERNEL,  /* written with the suffix _[k] */
	FRAME_INLINED, /* _[i] */
	FRAME_JIT,     /* _[j] */
	FRAME_WAIT,    /* _[w]: no function, but what the thread waited for there */
};

struct frame {
	str_id name; /* without suffix; "[libc.so.6]" or "[unknown]" where no name is known */
	enum frame_kind kind;
	str_id module;    /* path of the ELF file, "[kernel.kallsyms]", "[vdso]"; 0 if not known */
	str_id build_id;  /* of the module, in hexadecimal digits; 0 if not known */
	str_id file;      /* source file that declares it; 0 if not known */
	uint32_t line;    /* of the declaration; 0 if not known */
	uint32_t at_line; /* of the code, or of the call in it; 0 if not wanted, or not known */
	str_id full;      /* a name before canonical_join() that differs; 0 where there is none */
};

struct frame_table {
	struct frame *frames; /* by frame_id; 0 is the nameless frame of the tree's root */
	size_t nframes;
	size_t capacity;
	struct map ids; /* by name, kind and at_line */
};

void frame_table_init(struct frame_table *table);
void frame_table_release(struct frame_table *table);

/* Whether there is a frame with this name and kind, without a line in it, and its id. */
bool frame_find(const struct frame_table *table, str_id name, enum frame_kind kind, frame_id *id);
/* Its id, added if new. */
frame_id frame_intern(struct frame_table *table, str_id name, enum frame_kind kind);
/* The same of a line in it. */
frame_id frame_intern_at(
	struct frame_table *table, str_id name, enum frame_kind kind, uint32_t at_line);

/*
 * Splits a suffix _[k], _[i], _[j] or _[w] off `text`: returns the kind and sets *len to the length
 * of the name before it.
 */
enum frame_kind frame_parse_kind(const char *text, size_t *len);

/* "_[k]" and so on, "" for FRAME_USER. */
const char *frame_kind_suffix(enum frame_kind kind);

/*
 * name_fit() of a frame in a sentence: its suffix in words, "mix (inlined)" for "mix_[i]", and a
 * name that would read as a verdict in quotes.
 */
void frame_fit_words(struct buf *out, const char *text, size_t columns);

/*
 * The marks between the process and the frames of a stack that does not reach its outermost
 * frame, so that it never merges with one that does: unwinding ended early, or the copy of the
 * stack was too short.
 */
#define FRAME_BROKEN "[broken]"
#define FRAME_TRUNCATED "[truncated]"

/* Whether the name is one of these marks: no function, and in no table of functions. */
bool frame_name_is_mark(const char *name);

/* Behind the name of a template, for all its instantiations: in sizes of program files. */
#define FRAME_TEMPLATE_END "<...>"

/*
 * Appends the name of a frame of which only the module is known: its file in brackets,
 * "[libc.so.6]", also where that has been deleted since; a module with brackets of its own,
 * "[vdso]", as it is; "[unknown]" without one.
 */
void frame_put_unnamed(struct buf *out, const char *module, size_t len);

/* Whether this name stands for code without a known name: "[unknown]" or "[some module]". */
bool frame_name_is_unknown(const char *name);

#endif
