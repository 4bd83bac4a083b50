/*
 * The number of frames at which the kernel ends a call chain (sysctl kernel.perf_event_max_stack):
 * a chain that has as many is cut, and its outermost frame is not where the program begins.
 */
#ifndef INGEST_FRAME_LIMIT_H
#define INGEST_FRAME_LIMIT_H

#include "base/file_view.h"
#include "perfdata/reader.h"
#include "perfdata/records.h"

#include <stdbool.h>
#include <stddef.h>

/* The kernel's default setting, and that of perf script. */
#define FRAME_LIMIT_USUAL 127

/* More truncated stacks than this part of all are warned of. */
#define TRUNCATED_TOLD 0.01

/* How many frames this machine's kernel records: FRAME_LIMIT_USUAL if it does not say. */
size_t frame_limit_here(void);

struct frame_limit {
	const struct perfdata_reader *reader; /* borrowed */
	const struct file_view *view;         /* the file; borrowed */
	const char *path;                     /* borrowed */
	size_t assumed;                       /* of events that state none; 0: not known */
	bool measured;                        /* ... by the depths of all chains */
};

void frame_limit_init(struct frame_limit *limit, const struct perfdata_reader *reader,
	const struct file_view *view, const char *path);
/*
 * Whether the sample's own chain is cut. Where an event does not state its limit, it is this
 * machine's if the file is from here, else the usual one; chains that are longer tell that it was
 * another one: then it is the length of the longest, if these do not begin where shorter ones do.
 */
bool frame_limit_cuts(struct frame_limit *limit, const struct record *record);

#endif
