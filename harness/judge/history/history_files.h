/*
 * A history: what workloads and their functions cost, night by night, in files that are kept in
 * git. HISTORY/MACHINE-CLASS/WORKLOAD.tsv has a line for each entry (entry.h), sorted, so that new
 * entries are at the end. Lines may be repeated and in any order, as a merge of two branches that
 * keeps both sides leaves them (merge=union, set in HISTORY/.gitattributes).
 */
#ifndef HISTORY_HISTORY_FILES_H
#define HISTORY_HISTORY_FILES_H

#include "base/arena.h"
#include "base/err.h"
#include "history/entry.h"

#include <stddef.h>
#include <stdint.h>

#define HISTORY_DIR "history"
/* The largest file, in bytes: some thirty functions for twenty years. */
#define HISTORY_FILE_MAX ((size_t)64 * 1024 * 1024)

struct history_file {
	const char *machine_class;
	const char *workload;
	struct history_entry *entries; /* in order, no two about the same measurement; owned */
	size_t nentries;
	size_t capacity;
};

struct history {
	struct arena arena;         /* of all texts */
	struct history_file *files; /* by machine class, then workload; owned */
	size_t nfiles;
	size_t capacity;
};

/*
 * Reads the text of one file, of which `name` is the path for errors; the caller sets its class and
 * workload. A last line that was cut, or that another process writes at this moment, is ignored,
 * with a warning. On error nothing needs releasing but the arena.
 */
int history_file_parse(struct history_file *file, const char *name, const char *text, size_t len,
	struct arena *arena, struct err *err);
void history_file_release(struct history_file *file);
/* Appends the whole file: a line with the names of the fields, and the entries. */
void history_file_put(const struct history_file *file, struct buf *out);

/* Reads all of them below `dir`; an error if there is none. On error nothing needs releasing. */
int history_read(struct history *history, const char *dir, struct err *err);
void history_release(struct history *history);
/* An error where it has no such workload; `dir` stands in the message. */
int history_check_workload(
	const struct history *history, const char *workload, const char *dir, struct err *err);

/* Locks the history at `dir` for writing: a descriptor to be closed, or -1. */
int history_lock(const char *dir, struct err *err);

/*
 * Adds `entries` to the file of their class and workload, which is created with its folders if
 * needed. Those about a measurement that is already there are skipped; *nadded is the number of the
 * others. If it is 0, nothing is written. A class or a workload that is no plain file name is an
 * error.
 *
 * Entries later than the last line are appended: only the end of the file is read. Where a merge of
 * branches left more than 64 KiB of lines that are older than others before them, such an entry can
 * be repeated, which changes no result. All else replaces the file by one that is in order. A line
 * of a killed writer that was cut is removed by the next call that adds something.
 */
int history_add(const char *dir, const char *machine_class, const char *workload,
	const struct history_entry *entries, size_t nentries, size_t *nadded, struct err *err);

#endif
