/*
 * Numbers as decimal text, byte for byte as printf writes them, several times as fast: a flame
 * graph holds a hundred thousand of them.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stddef.h>

/* Holds any double with NUMBER_DECIMALS_MAX decimals, and a terminator. */
#define NUMBER_BYTES 336
#define NUMBER_DECIMALS_MAX 9
#define NUMBER_DIGITS_MAX 9

/* As "%.*f"; at most NUMBER_DECIMALS_MAX decimals. Returns the length of the text. */
size_t number_fixed(char text[NUMBER_BYTES], double value, unsigned decimals);
/* As "%.*g"; 1 to NUMBER_DIGITS_MAX digits. Returns the length of the text. */
size_t number_short(char text[NUMBER_BYTES], double value, unsigned digits);

#endif
