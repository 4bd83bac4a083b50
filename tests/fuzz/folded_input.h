/*
 * A fuzzer's bytes as folded text.
 */
#ifndef FUZZ_FOLDED_INPUT_H
#define FUZZ_FOLDED_INPUT_H

#include "profile/folded.h"

/* False where the text has an error; `profile` must be released in any case. */
static inline bool
read_folded(struct profile *profile, const char *text, size_t len)
{
	struct err err = {0};

	profile_init(profile);
	return folded_read(profile, "fuzz", text, len, &err) == 0;
}

#endif
