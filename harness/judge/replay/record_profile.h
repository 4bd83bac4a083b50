/*
 * A profile in a record: it is read back with the same ids, weights and order, so that all results
 * computed from it are the same to the last bit.
 */
#ifndef RECORD_RECORD_PROFILE_H
#define RECORD_RECORD_PROFILE_H

#include "profile/fields.h"
#include "profile/profile.h"
#include "replay/codec.h"

/*
 * `profile` is sorted (profile_sort()) when it is written, and an initialised, empty one when it is
 * read; that is to be released whether or not reading finds a problem.
 */
void record_profile(struct codec *codec, struct profile *profile);

/* A field of the struct `of`; the strings of a FIELD_STR_ID are in `strings`. */
void record_field(
	struct codec *codec, const struct field *field, void *of, const struct strtab *strings);

#endif
