/*
 * "Did you mean ...?": the known name nearest to one that is not known.
 */
#ifndef SPEC_SUGGEST_H
#define SPEC_SUGGEST_H

#include <stddef.h>

/*
 * How many single-character edits (insert, delete, replace, swap of neighbours) lead from one name
 * to the other, letter case aside; names longer than 63 bytes are compared by their beginning.
 */
unsigned suggest_distance(const char *a, const char *b);

/*
 * The nearest of `names`, or NULL if none is near enough (two edits, or a third of the name where
 * that is more) to have been meant. Ties go to the first.
 */
const char *suggest_nearest(const char *name, const char *const *names, size_t nnames);

#endif
