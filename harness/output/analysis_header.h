/*
 * The head of an analysis: what was profiled, how, and how far the numbers can be believed.
 */
#ifndef OUTPUT_ANALYSIS_HEADER_H
#define OUTPUT_ANALYSIS_HEADER_H

#include "base/buf.h"
#include "profile/functions.h"
#include "profile/profile.h"

#include <stdbool.h>

/* Whether of every run it is known what was lost. */
bool analysis_is_measured(const struct profile *profile);

/* Appends "name        value" lines; `all` is the profile's whole weight. */
void analysis_put_header(const struct profile *profile, const struct functions *functions,
	double all, struct buf *out);

#endif
