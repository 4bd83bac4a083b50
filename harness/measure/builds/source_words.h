/*
 * The words of source text outside functions, of C, C++, Rust and Go, and the text ahead of a
 * definition without what says nothing of it. source_definitions.c reads definitions by these.
 */
#ifndef BUILDS_SOURCE_WORDS_H
#define BUILDS_SOURCE_WORDS_H

#include "base/buf.h"
#include "builds/source_scan.h"

#include <stdbool.h>
#include <stddef.h>

/* Borrowed from the text. */
struct source_word {
	const char *at;
	size_t len;
};

/* The next word from `at` on, up to `end`; of length 0: there is none. */
struct source_word source_word_next(const char *at, const char *end);
bool source_word_is(struct source_word word, const char *name);
/* The one of the names, which a NULL ends, that the word is; NULL: none. */
const char *source_word_among(struct source_word word, const char *const *names);
/* The word if it begins a type, "struct", "class", "union", "enum"; else NULL. */
const char *source_type_keyword(struct source_word word);

/* Whether a line of the preprocessor begins where the scan is in `text`. */
bool source_is_directive(const struct source_scan *scan, const char *text);
/* Passes over it, with the lines that go on. */
void source_pass_directive(struct source_scan *scan);

/*
 * Puts a text into `out`, emptied first, without comments, texts, directives, attributes, the
 * parameters of templates and, in Rust, the bounds behind "where".
 */
void source_head_clean(const char *from, const char *to, struct buf *out);

/* Where the declaration of a value ends: at its "=", at a type behind a colon, at an array. */
const char *source_declarator_end(const char *at, const char *end);
/* Whether a cleaned text has a word. */
bool source_has_word(const char *at, const char *end, const char *word);

#endif
