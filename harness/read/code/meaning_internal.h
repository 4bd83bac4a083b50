/*
 * The parts of meaning.h: references of all programs (meaning.c), and those to data of Go
 * (meaning_go.c).
 */
#ifndef CODE_MEANING_INTERNAL_H
#define CODE_MEANING_INTERNAL_H

#include "base/buf.h"
#include "code/body.h"
#include "code/image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_meaning;

/* Bytes of a pointer. */
#define POINTER_BYTES 8

/* meaning.c */
/* A kind, `len` bytes and a terminator. */
void meaning_put_text(struct buf *out, char kind, const char *text, size_t len);
/* A text, without the folder of the build at its front. */
void meaning_put_path(
	const struct code_meaning *meaning, struct buf *out, const char *text, size_t len);
/*
 * The code at `address` of `section`: an instruction of `body` (may be NULL), a stub by what it
 * leads to, or a function and the instruction in it. False where nothing of it is known.
 */
bool meaning_put_code(struct code_meaning *meaning, const struct code_body *body,
	const struct code_section *section, uint64_t address, struct buf *out);

/* meaning_go.c */
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
