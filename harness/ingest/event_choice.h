/*
 * Which event of a perf.data file is read.
 */
#ifndef INGEST_EVENT_CHOICE_H
#define INGEST_EVENT_CHOICE_H

#include "base/buf.h"
#include "base/err.h"
#include "ingest/views.h"
#include "perfdata/reader.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The event `wanted` (NULL: the first that has samples). It is an error if there is none of that
 * name, or if its call chains are branch stacks (LBR), which hold only as many calls as the
 * processor has room for. `path` is for messages.
 */
int event_choose(const struct perfdata_reader *reader, const char *path, const char *wanted,
	size_t *event, struct err *err);

/*
 * The errors of a file without samples of `event`, and of one without times, or any of a view; they
 * return -1.
 */
int event_without_times(const char *path, const struct view *view, struct err *err);
int event_without_samples(
	const struct perfdata_reader *reader, const char *path, size_t event, struct err *err);

/*
 * Whether recording began with the exec of the program that it is of: else it is of a process that
 * ran before, of a whole system, or of a program without its beginning.
 */
bool event_begins_with_exec(const struct perfdata_reader *reader);

/* "cycles, page-faults": those that have samples, but for `event`. */
void event_put_others(const struct perfdata_reader *reader, size_t event, struct buf *out);

#endif
