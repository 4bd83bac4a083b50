/*
 * Telling texts among constants that have no symbol: in a linked file nothing says which are.
 */
#ifndef CODE_CONSTANT_TEXT_H
#define CODE_CONSTANT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Whether a text begins at `bytes`, `left` of them, which are at `address`; `before` more can
 * be read ahead of them. *len is its length without the terminator. What can be a table of
 * small numbers as well is none.
 */
bool constant_text(
	const unsigned char *bytes, size_t left, uint64_t address, size_t before, size_t *len);

#endif
