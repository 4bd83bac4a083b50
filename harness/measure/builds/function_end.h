/*
 * Where a function ends in its source, for debug information tells the line of its declaration
 * only; and which type or macro has a line.
 *
 * For languages whose functions have braces: C, C++, Go, Rust, Java, JavaScript and the like.
 * Texts, characters and comments are passed over. A function without braces ends with its
 * statement.
 */
#ifndef BUILDS_FUNCTION_END_H
#define BUILDS_FUNCTION_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The last line of the function that is declared in `line` (1 is the first) of a text; that line
 * where the text has no such line or ends before the function does.
 */
uint32_t function_end(const char *text, size_t len, uint32_t line);

/* Where a line of a text begins; NULL: it has no such line. */
const char *line_begin(const char *text, size_t len, uint32_t line);

/*
 * The type or the macro that a line of a text belongs to: "struct node", "macro LIMIT". False where
 * it belongs to none, as the lines of functions do, and for a comment.
 */
#define DEFINITION_SIZE 128
bool definition_of(const char *text, size_t len, uint32_t line, char name[DEFINITION_SIZE]);

#endif
