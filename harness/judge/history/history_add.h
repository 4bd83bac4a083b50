/*
 * Adding nights to a history (history_files.h).
 */
#ifndef HISTORY_HISTORY_ADD_H
#define HISTORY_HISTORY_ADD_H

#include "base/err.h"
#include "history/entry.h"

#include <stddef.h>

/* Locks the history at `dir` for writing: a descriptor to be closed, or -1. */
int history_lock(const char *dir, struct err *err);

/*
 * Adds `entries` to the file of their class and workload, which is created with its folders if
 * needed. Those about a measurement that is already there are skipped; *nadded is the number of the
 * others. If it is 0, nothing is written. A class that is no name of a folder, and a
 * workload without history_file_name(), is an error.
 *
 * Entries later than the last line are appended: only the end of the file is read. Where a merge of
 * branches left more than 64 KiB of lines that are older than others before them, such an entry can
 * be repeated, which changes no result. All else replaces the file by one that is in order. A line
 * of a killed writer that was cut is removed by the next call that adds something.
 */
int history_add(const char *dir, const char *machine_class, const char *workload,
	const struct history_entry *entries, size_t nentries, size_t *nadded, struct err *err);

#endif
