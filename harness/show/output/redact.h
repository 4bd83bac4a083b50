/*
 * A profile without the names that may not leave the house.
 *
 * Names of functions, modules, source files and labels become what the rules say
 * (spec/redaction.h): the same name the same in every profile, with the same rules and key, so that
 * profiles of two builds still compare. Function names are hashed in their canonical form
 * (profile/canonical.h). Beside the stacks, only numbers and words of our own are left:
 * no command, host, files or other texts.
 */
#ifndef OUTPUT_REDACT_H
#define OUTPUT_REDACT_H

#include "profile/profile.h"
#include "spec/redaction.h"

/* The frame of stacks of which nothing is left. */
#define REDACT_NOTHING_LEFT "[redacted]"

/* Makes `into`, which is not initialised, of `from`. */
void redact_profile(
	struct profile *into, const struct profile *from, const struct redaction *redaction);

/* How the rules' key is known, for the log: "the key in redact.key, fingerprint 1a2b3c4d". */
void redact_put_key(const struct redaction *redaction, struct buf *out);

#endif
