/*
 * Workloads judged again from their replay.bin, as one gate.
 */
#ifndef PIPELINE_REJUDGE_H
#define PIPELINE_REJUDGE_H

#include "output/replay_file.h"

struct rejudge {
	struct replay_file **files; /* each owned: they contain pointers into themselves */
	size_t nfiles;
	size_t capacity;
	struct judgement *judgements;
	struct report_workload *entries;
	struct report report;
};

/* Takes over a file that was read into its own memory. */
void rejudge_add(struct rejudge *rejudge, struct replay_file *file);
/*
 * Judges the files in their order; there must be at least one. The report is that of the first,
 * with all workloads.
 */
void rejudge_make(struct rejudge *rejudge);
void rejudge_release(struct rejudge *rejudge);

#endif
