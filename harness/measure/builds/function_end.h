/*
 * Where a function ends in its source: debug information tells the line of its declaration only.
 *
 * For languages whose functions have braces: C, C++, Go, Rust, Java, JavaScript and the like.
 * Texts, characters and comments are passed over. A function without braces ends with its
 * statement.
 */
#ifndef BUILDS_FUNCTION_END_H
#define BUILDS_FUNCTION_END_H

#include <stddef.h>
#include <stdint.h>

/*
 * The last line of the function that is declared in `line` (1 is the first) of a text; that line
 * where the text has no such line or ends before the function does.
 */
uint32_t function_end(const char *text, size_t len, uint32_t line);

#endif
