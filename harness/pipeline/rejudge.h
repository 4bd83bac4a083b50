/*
 * Workloads judged again from what their replay.bin keeps, as one gate.
 */
#ifndef PIPELINE_REJUDGE_H
#define PIPELINE_REJUDGE_H

#include "output/replay_file.h"

struct rejudge {
	struct replay_file **files; /* owned each: what is in them points to itself */
	size_t nfiles;
	size_t capacity;
	struct judgement *judgements;
	struct report_workload *entries;
	struct report report;
};

/* Takes over a file that was read into memory of its own. */
void rejudge_add(struct rejudge *rejudge, struct replay_file *file);
/*
 * Judges the files in their order, of which there is one at least. The report is that of the first,
 * with all workloads.
 */
void rejudge_make(struct rejudge *rejudge);
void rejudge_release(struct rejudge *rejudge);

#endif
