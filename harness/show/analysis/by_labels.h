/*
 * The table of a profile that was cut by labels (ingest/labels.h): the weight of each value, and
 * the functions that it is in.
 */
#ifndef ANALYSIS_BY_LABELS_H
#define ANALYSIS_BY_LABELS_H

#include "analysis/analysis.h"
#include "analysis/data.h"

/* Appends heading and table. */
void by_labels_write(
	const struct analysis_data *data, const struct analysis_options *options, struct buf *out);

#endif
