/*
 * Whether the weights of two profiles are of one quantity, so that they can be compared. Readers
 * have converted units of one quantity (base/unit.h); what is left are times, sizes, samples and
 * numbers of events, which no factor makes alike.
 */
#ifndef PROFILE_SAME_QUANTITY_H
#define PROFILE_SAME_QUANTITY_H

#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"

#include <stdbool.h>

/*
 * Weights without a unit are samples, and samples of an event that is not known may be of any. The
 * event decides what samples are of, all clocks and cycles being CPU time; of other units the
 * metric does, if both have one, else the event.
 */
bool quantity_is_same(const struct profile *a, const struct profile *b);

/* "ns of offcpu", "samples of page-faults", "samples (no unit is stated)". */
void quantity_put(const struct profile *profile, struct buf *out);

/*
 * An error that names both quantities if they differ; with `force` a warning. The names are those
 * of the files.
 */
int quantity_check(const struct profile *a, const char *a_name, const struct profile *b,
	const char *b_name, bool force, struct err *err);

#endif
