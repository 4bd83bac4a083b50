/*
 * The store of baselines: BASELINES/MACHINE-CLASS/WORKLOAD/METRIC/{runs.stacks,baseline.json}.
 *
 * Beside them stand the instructions of the same program, if they were counted, in the same two
 * formats: counts.stacks and counts.json. They have their own machine class. Runs and counts
 * of format 1 are folded text, runs.folded and counts.folded. code.txt has the machine code of the
 * program's functions (code/inventory.h).
 *
 * A baseline is written whole or not at all, under a lock: the folder is prepared beside its place
 * and exchanged in one step. baseline.json holds the SHA-256 of runs.stacks, so that a torn or
 * edited pair is found when it is read.
 *
 * The lock is taken on the folder WORKLOAD itself, so that no lock file is left to be committed.
 * Drafts that a killed writer left behind are removed by the next one.
 */
#ifndef BASELINE_STORE_H
#define BASELINE_STORE_H

#include "base/buf.h"
#include "base/err.h"
#include "baseline/baseline.h"

#include <stdbool.h>
#include <stddef.h>

/* The folder of one baseline; free() it. */
char *baseline_path(
	const char *store, const char *machine_class, const char *workload, const char *metric);

/*
 * Reads a baseline from its folder: format version, hash, counts and numbers are all checked. A
 * folder that is not there is not an error: *found is false then, and nothing needs releasing.
 */
int baseline_read(struct baseline *baseline, const char *folder, bool *found, struct err *err);
/* The same of the instructions that were counted beside it; false in *found also without these. */
int baseline_read_counts(struct baseline *counts, const char *folder, bool *found, struct err *err);
void baseline_release(struct baseline *baseline);

/*
 * Writes runs and info to its folder, in the place of what was there. `profile` must be sorted
 * (profile_sort()), hold at least one sample, and count its sessions from 0 without a gap;
 * format_version, nsessions, disturbed_runs and an empty tool_version are filled in. On error the
 * old baseline is untouched.
 */
int baseline_write(const char *folder, const struct baseline_info *info,
	const struct profile *profile, struct err *err);

/* The same of the instructions beside a baseline, which must be there and stays as it is, as does
 * its code. */
int baseline_write_counts(const char *folder, const struct baseline_info *info,
	const struct profile *profile, struct err *err);

/* The same of the text of code.txt; false in *found: there is none. */
int baseline_read_code(struct buf *text, const char *folder, bool *found, struct err *err);
int baseline_write_code(const char *folder, const struct buf *text, struct err *err);
/* Its path, for errors; free() it. */
char *baseline_code_path(const char *folder);

/* Sessions that are kept; the oldest goes when there is one more. */
#define BASELINE_SESSIONS_MAX 10

enum baseline_change {
	BASELINE_STORED,   /* there was none */
	BASELINE_EXTENDED, /* by a session */
	BASELINE_REPLACED, /* the old one was broken, or of another kind */
};

/*
 * Adds the runs of `profile` to the baseline of that folder as further sessions, reading the old
 * one and writing the new one under one lock. Other files beside it stay. An old one of
 * another event, frequency, unit, workload or program, whose runs cannot be pooled with these, or
 * one that is broken, is replaced; *change says what was done. With NULL as `change` it is always
 * replaced.
 */
int baseline_add(const char *folder, const struct baseline_info *info,
	const struct profile *profile, enum baseline_change *change, struct err *err);

/*
 * Writes what is stored in that folder in the present format, in one step: the same runs, counts
 * and descriptions. *changed says whether any of it had another one; if not, nothing is written.
 */
int baseline_convert(const char *folder, bool *changed, struct err *err);

/*
 * Every baseline below `store`, sorted by class, workload, metric; none if there is no such folder.
 * Hidden names and foreign files are ignored.
 */
struct baseline_entry {
	char *machine_class;
	char *workload;
	char *metric;
	char *folder;
};

struct baseline_list {
	struct baseline_entry *entries; /* owned */
	size_t nentries;
};

int baseline_list_read(struct baseline_list *list, const char *store, struct err *err);
void baseline_list_release(struct baseline_list *list);

#endif
