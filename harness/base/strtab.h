/*
 * Interned strings: each distinct byte string is stored once and named by a 32-bit id, so that
 * equality is equality of ids. Id 0 is the empty string.
 */
#ifndef BASE_STRTAB_H
#define BASE_STRTAB_H

#include "base/arena.h"
#include "base/map.h"

#include <stddef.h>
#include <stdint.h>

typedef uint32_t str_id;

struct strtab_entry;

struct strtab {
	struct arena arena;
	struct strtab_entry *entries; /* by id */
	size_t nentries;
	size_t capacity;
	struct map ids; /* by text */
};

void strtab_init(struct strtab *tab);
void strtab_release(struct strtab *tab);

/* The id of `len` bytes (any bytes), added if new. */
str_id strtab_intern(struct strtab *tab, const char *text, size_t len);
str_id strtab_intern_str(struct strtab *tab, const char *text);
/* The id if the string is there, 0 if it is not (or is empty). */
str_id strtab_find(const struct strtab *tab, const char *text, size_t len);
/* The terminated string, the table's, valid as long as the table. */
const char *strtab_str(const struct strtab *tab, str_id id);
size_t strtab_len(const struct strtab *tab, str_id id);

#endif
