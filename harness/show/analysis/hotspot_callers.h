/*
 * The callers that a function's own weight comes from: its stacks from the leaf up, merged, as rows
 * of the table of hotspots.
 */
#ifndef ANALYSIS_HOTSPOT_CALLERS_H
#define ANALYSIS_HOTSPOT_CALLERS_H

#include "analysis/data.h"

#include <stddef.h>

/* One row of the table. Weights are those of all runs, NAN where none is shown. */
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

/* Adds an empty row, valid until the next one is added. */
struct hotspot_row *hotspot_add(struct hotspot_rows *rows);
/*
 * Adds the tree of a function's callers, a few levels deep. A row's self weight is the part of the
 * function's own weight that comes by this caller.
 */
void hotspot_add_callers(
	const struct analysis_data *data, frame_id function, struct hotspot_rows *rows);

#endif
