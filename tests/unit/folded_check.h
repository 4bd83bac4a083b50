/*
 * What a profile is, as folded text.
 */
#ifndef UNIT_FOLDED_CHECK_H
#define UNIT_FOLDED_CHECK_H

#include "profile/folded.h"

#include "unit.h"

/* The sums of all runs, in order. */
static inline void
folded_check(struct profile *profile, const char *folded)
{
	struct buf out = {0};

	profile_sort(profile);
	folded_write(profile, FOLDED_SUM, &out);
	UNIT_STR_EQ(buf_text(&out), folded);
	buf_release(&out);
}

#endif
