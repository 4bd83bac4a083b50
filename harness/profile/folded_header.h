/*
 * The "# key: value" lines ahead of a folded file's stacks: what reader and writer share.
 */
#ifndef PROFILE_FOLDED_HEADER_H
#define PROFILE_FOLDED_HEADER_H

#include <stdbool.h>
#include <stddef.h>

/* "# key: value": the key's length, 0 if the line is not of that form. */
size_t folded_header_key_len(const char *line, size_t len);
/* Whether a line of that form has a key that is known. */
bool folded_header_is_known(const char *line, size_t key_len);

#endif
