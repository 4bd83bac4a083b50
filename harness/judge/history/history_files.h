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

/* How the name of a file ends, and its text begins, ahead of the version. */
#define HISTORY_SUFFIX ".tsv"
#define HISTORY_HEADER "# profile_run history "
#define HISTORY_VERSION 1

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
/* history_entry_compare(), for qsort(). */
int history_by_measurement(const void *a, const void *b);
/* As history_file_parse(), but the entries are as the lines are, in any order. */
int history_file_parse_lines(struct history_file *file, const char *name, const char *text,
	size_t len, struct arena *arena, struct err *err);
/* Puts the entries in order; those about one measurement become one. */
void history_file_sort(struct history_file *file);
/* Reads and parses the file at `path`. */
int history_file_read(
	struct history_file *file, const char *path, struct arena *arena, struct err *err);
void history_file_release(struct history_file *file);
/* Appends the whole file: a line with the names of the fields, and the entries. */
void history_file_put(const struct history_file *file, struct buf *out);

/* Reads all of them below `dir`; an error if there is none. On error nothing needs releasing. */
int history_read(struct history *history, const char *dir, struct err *err);
void history_release(struct history *history);
/* An error where it has no such workload; `dir` stands in the message. */
int history_check_workload(
	const struct history *history, const char *workload, const char *dir, struct err *err);

/*
 * The name of a workload's file: '/', '%', control characters and a '.' at the begin are "%2F" and
 * so on, as names of benchmarks may have them. free() it. NULL where the name is empty or too long.
 */
char *history_file_name(const char *workload);

#endif
