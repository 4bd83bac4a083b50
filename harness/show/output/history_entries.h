/*
 * The history entries of a report: one for each workload that was measured, and for each of its
 * functions that was judged or has at least 1 % of it.
 */
#ifndef OUTPUT_HISTORY_ENTRIES_H
#define OUTPUT_HISTORY_ENTRIES_H

#include "base/arena.h"
#include "history/entry.h"
#include "output/report_view.h"

#include <stddef.h>

/*
 * The entries of one workload, *nentries of them, none where it was not measured; free() them.
 * Their texts are the view's and the arena's. `report` is the link to the report.
 */
struct history_entry *history_entries_of(const struct workload_view *workload, const char *report,
	struct arena *arena, size_t *nentries);

#endif
