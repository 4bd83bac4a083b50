/* Workloads judged again, as one gate, from what their replay.bin files have. */
#ifndef REPLAY_REJUDGE_H
#define REPLAY_REJUDGE_H

#include "output/replay_file.h"
#include "output/report.h"

#include <stdbool.h>
#include <stddef.h>

struct rejudge {
	struct replay_file **files; /* each owned: they contain pointers into themselves */
	size_t nfiles;
	size_t capacity;
	struct judgement *judgements;
	struct report_workload *entries;
	struct report report;
	struct report_stacks stacks; /* of the report, where it is a large one */
	bool full; /* the report has everything of each workload, however many there are */
};

/* Takes over a file that was read into its own memory. */
void rejudge_add(struct rejudge *rejudge, struct replay_file *file);
/*
 * Judges the files in their order; there must be at least one. The report is that of the first
 * file, with all workloads. Where it is a large one, files have what they were parsed from, and
 * call trees are in memory for one workload at a time.
 */
int rejudge_make(struct rejudge *rejudge, struct err *err);
void rejudge_release(struct rejudge *rejudge);

#endif
