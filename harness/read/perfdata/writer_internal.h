/*
 * The feature sections of a perf.data file that is being written, for writer.c and condense.c
 * (feature_table.c, and tracing_data.c for one of the sections).
 */
#ifndef PERFDATA_WRITER_INTERNAL_H
#define PERFDATA_WRITER_INTERNAL_H

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "perfdata/format.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/* Contents one after the other, in the order of their bits. All zeros is an empty one. */
struct feature_table {
	struct buf contents;                        /* to be released */
	struct file_section sections[FEATURES_MAX]; /* offsets into `contents` */
	size_t nsections;
	uint64_t bits;
};

/*
 * Begin and end a section: what is appended to `contents` in between. Features come in ascending
 * order.
 */
void feature_table_begin(struct feature_table *table, enum feature_bit feature);
void feature_table_end(struct feature_table *table);

/* A section of one string. */
void feature_table_add_string(
	struct feature_table *table, enum feature_bit feature, const char *text);
/* Appends a string as perf's headers have them. */
void feature_put_string(struct buf *out, const char *text);
/* Appends an event's entry in the section of FEATURE_EVENT_DESC. */
void feature_put_event(struct buf *out, const struct perf_event_attr *attr, size_t attr_bytes,
	const char *name, const uint64_t *ids, size_t nids);

/*
 * Completes the file in `draft` after its records: appends the sections, then writes `header`, with
 * the bits filled in, at its start.
 */
int feature_table_write(const struct feature_table *table, struct perf_file_header *header,
	const struct file_draft *draft, struct err *err);

/* tracing_data.c */
struct written_event;
/* Whether there are any. */
bool tracing_data_needed(const struct written_event *events, size_t nevents);
/* Appends the section for those of the events that are tracepoints of system calls. */
void tracing_data_put(struct buf *out, const struct written_event *events, size_t nevents);

#endif
