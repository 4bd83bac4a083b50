/*
 * Reads the text ahead of braces, or of a ";", outside functions: what it defines, and which kind
 * of block the braces are. For C, C++, Rust and Go.
 */
#ifndef BUILDS_SOURCE_HEAD_H
#define BUILDS_SOURCE_HEAD_H

#include "builds/source_words.h"

#include <stdbool.h>

enum definition_kind {
	DEFINITION_NONE,  /* nothing, or a function */
	DEFINITION_TYPE,  /* or another name for one */
	DEFINITION_MACRO, /* its text is in that of functions */
	DEFINITION_VALUE, /* a constant or a variable */
};

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

/* From a cleaned text (source_head_clean()) ahead of braces. */
struct source_head source_head_read(const char *at, const char *end, bool go);

/*
 * From a cleaned statement without braces; false where it defines nothing. `group`: in Go, the
 * keyword ahead of the parentheses around it, or NULL.
 */
bool source_statement_read(
	const char *at, const char *end, const char *group, bool go, struct source_head *head);

/* The name that a typedef declares: its last word, or that of a pointer to functions. */
struct source_word source_typedef_name(const char *at, const char *end);

#endif
