/*
 * How large a profile may become in the format of another viewer. It is made in memory; formats
 * that have each stack, or the name of each call, in full can be the square of the profile.
 */
#ifndef OUTPUT_EXPORTED_H
#define OUTPUT_EXPORTED_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

#define EXPORTED_BYTES_MAX ((size_t)256 << 20)

/* Writers end where this is false, with what they have so far, and return false. */
static inline bool
exported_fits(const struct buf *out)
{
	return out->len <= EXPORTED_BYTES_MAX;
}

#endif
