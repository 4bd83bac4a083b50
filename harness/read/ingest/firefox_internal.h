/*
 * The parts of the reader of Firefox Profiler files, for ingest_firefox.c: the tables that stacks
 * are made of (firefox_tables.c), and the stacks (firefox_stacks.c).
 */
#ifndef INGEST_FIREFOX_INTERNAL_H
#define INGEST_FIREFOX_INTERNAL_H

#include "base/err.h"
#include "base/json_pull.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the place of a row's number: there is none. */
#define FIREFOX_NONE UINT32_MAX

/* A column of a table: NAN where the file has null, or something else than a number. */
struct firefox_column {
	double *values; /* owned */
	size_t count;
	size_t capacity;
};

enum firefox_column_id {
	STACK_PREFIX,
	STACK_PREFIX_OFFSET, /* how many rows it is ahead; 0: none */
	STACK_FRAME,
	STACK_CATEGORY,
	FRAME_FUNC,
	FRAME_LOCATION, /* of raw files: the text that describes it */
	FRAME_INLINE_DEPTH,
	FRAME_LIB,
	FRAME_CATEGORY,
	FUNC_NAME,
	FUNC_FILE,   /* a text, */
	FUNC_SOURCE, /* or a row of the sources */
	FUNC_LINE,
	FUNC_RESOURCE,
	RESOURCE_NAME,
	SOURCE_FILE,
	SAMPLE_STACK,
	SAMPLE_WEIGHT,
	FIREFOX_NCOLUMNS,
};

/* Tables of a thread, or those that all threads share. */
struct firefox_tables {
	str_id weight_type; /* of the samples; 0: none */
	struct firefox_column columns[FIREFOX_NCOLUMNS];
	str_id *texts; /* owned */
	size_t ntexts;
	size_t texts_capacity;
	str_id *libs; /* names of libraries; owned */
	size_t nlibs;
	size_t libs_capacity;
};

/* The number in a row of a column; FIREFOX_NONE where there is none below `limit`. */
uint32_t firefox_row(const struct firefox_tables *tables, enum firefox_column_id column, size_t row,
	size_t limit);
/* The text that a row of a column names; 0: none. */
str_id firefox_text(const struct firefox_tables *tables, enum firefox_column_id column, size_t row);

/*
 * Reads the value of a key if that is of a table, the texts or the libraries: an object of columns,
 * or in raw files one of rows and the places in them. It replaces what was read of them before.
 * False, with nothing read, where the key is another one.
 */
bool firefox_take_table(struct json_pull *json, struct json_text key, struct profile *profile,
	struct firefox_tables *into);
/* The next object of a list, and its "name", "" where it has none; false at the list's end. */
bool firefox_next_name(struct json_pull *json, struct buf *name);
void firefox_tables_release(struct firefox_tables *tables);

struct firefox_thread {
	char *name;    /* owned; NULL: none */
	char *process; /* likewise */
	struct firefox_tables tables;
};

struct firefox_category {
	enum frame_kind kind;
	bool idle;
};

struct firefox_reading {
	struct json_pull json;
	struct profile *profile;
	const char *path;
	size_t column;
	size_t tree_limit;
	bool own;
	bool has_threads;
	size_t naddresses; /* functions that have an address in the place of a name */
	struct firefox_tables shared;
	frame_id *shared_frames; /* by row of the shared tables: struct thread_stacks */
	node_id *shared_nodes;
	bool *shared_idle;
	struct firefox_thread *threads;
	size_t nthreads;
	size_t threads_capacity;
	struct firefox_category *categories;
	size_t ncategories;
	size_t categories_capacity;
};

/*
 * Adds the samples of a thread to the profile: each weight times `scale`, which is 1 for what is no
 * time.
 */
int firefox_enter_thread(
	struct firefox_reading *reading, size_t number, double scale, struct err *err);

#endif
