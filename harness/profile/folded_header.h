/*
 * The "# key: value" lines ahead of a folded file's stacks: what reader and writer share.
 */
#ifndef PROFILE_FOLDED_HEADER_H
#define PROFILE_FOLDED_HEADER_H

#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/* A key whose value is a string of struct profile. */
struct folded_key {
	const char *key;
	size_t offset; /* of the str_id */
};

/* Ends with a NULL key. */
extern const struct folded_key folded_keys[];

str_id *folded_key_slot(struct profile *profile, const struct folded_key *key);

/* "# key: value": the key's length, 0 if the line is not of that form. */
size_t folded_header_key_len(const char *line, size_t len);
/* Whether a line of that form has a key that is known. */
bool folded_header_is_known(const char *line, size_t key_len);

#endif
