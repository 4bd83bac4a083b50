/*
 * Which constants of a program are texts.
 */
#ifndef CODE_CONSTANT_TEXT_H
#define CODE_CONSTANT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Whether a text begins at `bytes`, for constants that have no symbol: in a linked file nothing
 * says which are texts. `left` bytes are at `address`; `before` more can be read ahead of them.
 * *len is the text's length without the terminator. Bytes that may also be a table of small numbers
 * are no text.
 */
bool code_is_text(
	const unsigned char *bytes, size_t left, uint64_t address, size_t before, size_t *len);

#endif
