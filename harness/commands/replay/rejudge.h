/* Workloads judged again, as one gate, from what their replay.bin files have. */
#ifndef REPLAY_REJUDGE_H
#define REPLAY_REJUDGE_H

#include "output/replay_file.h"
#include "output/report.h"

#include <stddef.h>

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
 * Judges the files in their order; there must be at least one. The report is that of the first
 * file, with all workloads.
 */
void rejudge_make(struct rejudge *rejudge);
void rejudge_release(struct rejudge *rejudge);

#endif
