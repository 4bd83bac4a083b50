/*
 * Orphans: stored baselines without a workload of their name, most often because the workload was
 * renamed. They are reported, with the command that keeps them, and never used automatically.
 */
#ifndef GATE_ORPHANS_H
#define GATE_ORPHANS_H

#include "base/arena.h"
#include "base/buf.h"
#include "baseline/store.h"
#include "spec/workload.h"

#include <stddef.h>

/* The baselines of one workload name on one class of machines. */
struct orphan {
	const struct baseline_entry *entries; /* one for each metric; borrowed from the list */
	size_t nentries;
	const char *folder; /* BASELINES/CLASS/WORKLOAD */
	/*
	 * The file_name of the workload that these baselines belong to: by git's history, or
	 * probably, because that workload does the same work; NULL: not known.
	 */
	const char *successor;
	const char *reason; /* "w/a.yaml was renamed to w/b.yaml"; NULL if `successor` is */
};

struct orphans {
	struct arena arena; /* owns the strings */
	struct orphan *items;
	size_t count;
	size_t capacity;
};

/*
 * Finds the orphans in a list of stored baselines, which has to outlive them. A name is not an
 * orphan's if a workload of `given` (NULL: none), of the configuration's folder or of any folder of
 * the repository has it, or if that is not known.
 */
void orphans_find(struct orphans *orphans, const struct baseline_list *stored,
	const struct config *config, const struct workload_list *given);
void orphans_release(struct orphans *orphans);

/* Appends "no workload is named 'a': w/a.yaml was renamed to w/b.yaml; to keep it: git mv ...". */
void orphan_put(const struct orphan *orphan, const struct config *config, struct buf *out);

/*
 * Appends a sentence for a workload without a baseline: the orphans that belong to it or, if none
 * is known to, those that may. Appends nothing where there are none of its metric.
 */
void orphans_put_for(const struct orphans *orphans, const struct workload *workload,
	const struct config *config, struct buf *out);

#endif
