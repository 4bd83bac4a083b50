/* A profile as part of a record. */
#ifndef REPLAY_RECORD_PROFILE_H
#define REPLAY_RECORD_PROFILE_H

#include "profile/fields.h"
#include "profile/profile.h"
#include "replay/codec.h"

/*
 * A profile is read back with the same ids, weights and order, so that all results computed from it
 * are the same to the last bit.
 *
 * `profile` is sorted (profile_sort()) when it is written, and an initialised, empty one when it is
 * read; that is to be released whether or not reading finds a problem.
 */
void record_profile(struct codec *codec, struct profile *profile);

/*
 * One field, which `field` describes, of the struct at `object`. `strings`: the table of a
 * FIELD_STR_ID or FIELD_LINES; NULL where the struct has none.
 */
void record_field(
	struct codec *codec, const struct field *field, void *object, const struct strtab *strings);

#endif
