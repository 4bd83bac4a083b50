/*
 * The functions of a program's file that have several names there: "free" and "cfree" are one in
 * glibc. Which of them a tool shows is its choice, so that samples may have one and the counts of
 * valgrind another.
 */
#ifndef SYMBOLS_ALIAS_NAMES_H
#define SYMBOLS_ALIAS_NAMES_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* Puts the name that is compared into `out`; false if it is `name` itself. */
typedef bool alias_fold(const char *name, size_t len, struct buf *out);

struct alias_names;

/*
 * Reads the aliases of a file, by its symbols and those of its debug file, demangled and folded.
 * Functions that choose one of several variants for a CPU (STT_GNU_IFUNC) are left out: the code at
 * their symbol is the choice. A file that cannot be read has none.
 */
struct alias_names *alias_names_read(const char *path, alias_fold *fold);
/* NULL is fine. */
void alias_names_free(struct alias_names *names);

/*
 * Appends to others[], of which n are there already and at most `most` fit, each name once, the
 * further names of functions that are called `name`. Returns how many there are then; they live as
 * long as `names`.
 */
size_t alias_names_of(const struct alias_names *names, const char *name, size_t len,
	const char **others, size_t n, size_t most);

#endif
