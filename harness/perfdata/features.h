/*
 * The feature sections of a perf.data file: what perf noted of the machine, the command, the
 * events' names and the build-ids of files. In a file a table of sections stands after the records,
 * in a pipe each comes as a record.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef PERFDATA_FEATURES_H
#define PERFDATA_FEATURES_H

#include "base/arena.h"
#include "base/file.h"
#include "perfdata/event_table.h"
#include "perfdata/file_bytes.h"
#include "perfdata/format.h"

#include <stddef.h>
#include <stdint.h>

struct build_id_entry {
	const char *path;
	const unsigned char *id; /* in the file */
	size_t len;
	const char *record; /* the whole entry, in the file */
	size_t record_bytes;
};

struct perf_features {
	struct file_bytes sections[FEATURES_MAX]; /* by feature; at NULL: not there */
	const char *command;                      /* strings are the arena's */
	const char *hostname;
	const char *os_release;
	const char *arch;
	const char *cpu_model;
	struct clock_feature clock;       /* version 0: not there */
	struct build_id_entry *build_ids; /* owned; by path, once read */
	size_t nbuild_ids;
	size_t nsorted; /* of them, by path */
	size_t build_ids_capacity;
};

/* Finds the sections whose bits are set; their table starts at `table`. */
void perf_features_find(struct perf_features *features, const struct file_view *view,
	uint64_t table, const uint64_t bits[FEATURE_WORDS]);
/* Adds what one build-id record says. What cannot be read is left out. */
void perf_features_add_build_id(
	struct perf_features *features, const char *record, size_t record_bytes);
/* Orders by path what was added. */
void perf_features_sort_build_ids(struct perf_features *features);
/*
 * Reads the sections found, and sets the names of `events` where they are given: by ids or, without
 * ids, by their order. A feature that cannot be read is left out: none is needed.
 */
void perf_features_read(
	struct perf_features *features, struct event_table *events, struct arena *arena);
void perf_features_release(struct perf_features *features);

#endif
