/*
 * The parts of meaning.h: names, references to code (meaning_code.c), constants and which of them
 * are texts (meaning_data.c), constants of Go (meaning_go.c).
 */
#ifndef CODE_MEANING_INTERNAL_H
#define CODE_MEANING_INTERNAL_H

#include "code/meaning.h"

/* A kind, `len` bytes and a terminator. */
void meaning_put_text(struct buf *out, char kind, const char *text, size_t len);
/* The name of a function as it is compared. */
void meaning_put_function(struct code_meaning *meaning, const char *name, struct buf *out);

/*
 * The code at `address` of `section`: an instruction of `body` (may be NULL), a stub by what it
 * leads to, or a function and the instruction in it. False where nothing of it is known.
 */
bool meaning_put_code(struct code_meaning *meaning, const struct code_body *body,
	const struct code_section *section, uint64_t address, struct buf *out);

/*
 * Whether a text begins at `bytes`, for constants that have no symbol: in a linked file nothing
 * says which are texts. `left` bytes are at `address`; `before` more can be read ahead of them.
 * *len is the text's length without the terminator. Bytes that may also be a table of small numbers
 * are no text.
 */
bool meaning_is_text(
	const unsigned char *bytes, size_t left, uint64_t address, size_t before, size_t *len);

/* Whether it is a program of Go. */
bool meaning_is_go(const struct code_image *image);
/* In one: where the constant at `address` ends, at the latest at `end`. */
uint64_t meaning_go_end(struct code_meaning *meaning, uint64_t address, uint64_t end);
/*
 * A string, a type or a function's value of Go, whose symbol stands for all of them. False, and
 * nothing of use, where the symbol is another.
 */
bool meaning_put_go(struct code_meaning *meaning, const struct code_section *section,
	uint64_t address, const struct code_symbol *symbol, struct buf *out);

#endif
