/*
 * The feature sections of a perf.data file: what perf noted of the machine, the command, the
 * events' names and the build-ids of files.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef PERFDATA_FEATURES_H
#define PERFDATA_FEATURES_H

#include "base/arena.h"
#include "perfdata/reader.h"

#include <stddef.h>
#include <stdint.h>

/* Where something lies in a file. */
struct file_section {
	uint64_t offset;
	uint64_t size;
};

/* Whether the section lies within `len` bytes. */
bool file_section_fits(struct file_section section, size_t len);

/* Number of words of 8 bytes that hold a bit for each feature. */
#define FEATURE_WORDS 4

struct build_id_entry {
	const char *path;
	const unsigned char *id; /* in the file */
	size_t len;
};

struct perf_features {
	const char *command; /* strings are the arena's */
	const char *hostname;
	const char *os_release;
	const char *arch;
	const char *cpu_model;
	struct build_id_entry *build_ids; /* owned, by path */
	size_t nbuild_ids;
};

/*
 * Reads the sections whose bits are set; their table starts at `table`. The names of `events` are
 * set where the file gives them. A feature that cannot be read is left out: none is needed.
 */
void perf_features_read(struct perf_features *features, const struct file_view *view,
	uint64_t table, const uint64_t bits[FEATURE_WORDS], struct arena *arena);
void perf_features_release(struct perf_features *features);
/* Sets the names of `events` by the ids or, without ids, the order of the EVENT_DESC section. */
void perf_features_name_events(const struct file_view *view, uint64_t table,
	const uint64_t bits[FEATURE_WORDS], struct perfdata_event *events, size_t nevents);

#endif
