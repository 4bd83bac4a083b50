/*
 * The section of FEATURE_TRACING_DATA: the fields of tracepoints, without which perf does not open
 * a file that has samples of some. Internal to the writer.
 *
 * Source: the kernel tree's tools/perf/util/trace-event-info.c.
 */
#ifndef PERFDATA_TRACING_DATA_H
#define PERFDATA_TRACING_DATA_H

#include "base/buf.h"
#include "perfdata/written_event.h"

#include <stdbool.h>
#include <stddef.h>

/* Appends the section for those of the events that are tracepoints of system calls. */
void tracing_data_put(struct buf *out, const struct written_event *events, size_t nevents);
/* Whether there are any. */
bool tracing_data_needed(const struct written_event *events, size_t nevents);

#endif
