/*
 * The head of an analysis: what was profiled, how, and how far the numbers can be believed.
 */
#ifndef ANALYSIS_HEADER_H
#define ANALYSIS_HEADER_H

#include "analysis/analysis.h"
#include "analysis/data.h"
#include "base/buf.h"

#include <stdbool.h>

/* Whether of every run it is known what was lost. */
bool analysis_is_measured(const struct profile *profile);

/* Appends "name        value" lines. */
void analysis_put_header(
	const struct analysis_data *data, const struct analysis_options *options, struct buf *out);

#endif
