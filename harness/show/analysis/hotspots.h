/*
 * The numbered table of an analysis: functions by their own weight, each with its callees or
 * callers below it.
 */
#ifndef ANALYSIS_HOTSPOTS_H
#define ANALYSIS_HOTSPOTS_H

#include "analysis/analysis.h"
#include "analysis/data.h"

/* One line. Weights are those of all runs, NAN where there is none to show. */
struct hotspot_row {
	unsigned number; /* 0: belongs to the row above that has one */
	double self;
	double total;
	unsigned indent;
	char label[48]; /* ahead of the name: "calls " */
	frame_id frame; /* 0: only `label` */
};

struct hotspot_rows {
	struct hotspot_row *rows;
	size_t nrows;
	size_t capacity;
};

struct hotspot_row *hotspot_add(struct hotspot_rows *rows);

/*
 * Adds the tree of callers of function `of`, a few levels deep: each row's self weight is the part
 * of the function's own weight on this path.
 */
void hotspot_add_callers(const struct analysis_data *data, frame_id of, struct hotspot_rows *rows);

/* Appends heading and table. */
void hotspots_write(
	const struct analysis_data *data, const struct analysis_options *options, struct buf *out);

#endif
