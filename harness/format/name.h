/*
 * Function names for people: made safe, measured in columns, and shortened so that what tells one
 * function from another stays.
 */
#ifndef FORMAT_NAME_H
#define FORMAT_NAME_H

#include "base/buf.h"

#include <stddef.h>

/* The number of terminal columns that `text`, valid UTF-8, takes. */
size_t name_columns(const char *text, size_t len);

/*
 * Appends `text` made valid UTF-8 and at most `columns` wide (4 at least). What is too long loses,
 * in this order and only as far as needed: the contents of parameter lists, the contents of
 * template arguments, and its middle; "..." stands for what is gone.
 */
void name_fit(struct buf *out, const char *text, size_t len, size_t columns);

#endif
