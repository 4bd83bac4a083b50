/*
 * How long system calls took, or how many bytes they moved: from the sample of
 * raw_syscalls:sys_enter to the next one of raw_syscalls:sys_exit in the same thread.
 *
 * That is known only at the end of a call, so that the file is read twice, as for timeline.h:
 * call_times_read() goes through it first, call_times_take() then gives the time, or the bytes, of
 * each call in the same order. A call that does not return, and one during which records were lost,
 * takes no time and moves nothing.
 */
#ifndef INGEST_CALL_TIMES_H
#define INGEST_CALL_TIMES_H

#include "base/err.h"
#include "base/file.h"
#include "ingest/timeline.h"
#include "ingest/views.h"
#include "perfdata/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CALL_TIMES_START "raw_syscalls:sys_enter"
#define CALL_TIMES_END "raw_syscalls:sys_exit"

struct call_times;

/* The event of the ends of calls whose starts are samples of `start`. SIZE_MAX: there is none. */
size_t call_times_end(const struct perfdata_reader *reader, size_t start);

/*
 * Reads the whole file, which `reader` reads, too; `kind` is one of system calls. NULL on error,
 * such as a file without the ends of the calls of `start`.
 */
struct call_times *call_times_read(const struct perfdata_reader *reader,
	const struct file_view *view, const char *path, size_t start, enum view_kind kind,
	struct err *err);
void call_times_free(struct call_times *times);

/*
 * Whether the record is the start of a call, and then what that weighs, as `ns`. To be called for
 * each record in the file's order.
 */
bool call_times_take(
	struct call_times *times, const struct record *record, struct timeline_entry *entry);

#endif
