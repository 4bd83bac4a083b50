/*
 * Reads perf.data files, ours and those of `perf record`, record by record in order of time: also
 * those written to a pipe (`perf record -o -`) or compressed (`perf record -z`).
 *
 * Every length and offset in the file is checked before it is used. The whole file is mapped;
 * records point into it, or into the reader's memory where they were compressed or not aligned, and
 * live as long as the reader. Samples of our own whose stacks are shared (struct shared_stack) are
 * expanded when they are read, and live until PERFDATA_KEPT more were read.
 */
#ifndef PERFDATA_READER_H
#define PERFDATA_READER_H

#include "base/err.h"
#include "base/file.h"
#include "perfdata/records.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfdata_reader;

/* Whether the bytes begin like a perf.data file, of any kind. */
bool perfdata_detect(const char *bytes, size_t len);

/*
 * `view` is borrowed until the reader is closed, and starts at an address that 8 divides, as mapped
 * and allocated memory does. NULL on error.
 */
struct perfdata_reader *perfdata_open(
	const struct file_view *view, const char *path, struct err *err);
void perfdata_close(struct perfdata_reader *reader);

size_t perfdata_nevents(const struct perfdata_reader *reader);
const struct perfdata_event *perfdata_event(const struct perfdata_reader *reader, size_t event);
/*
 * Whether the file ends in the middle of a record, or of a compressed stream: a pipe that was cut
 * off. Its complete records are read.
 */
bool perfdata_truncated(const struct perfdata_reader *reader);

/* The header's description of the recording. */
const struct perfdata_texts *perfdata_texts(const struct perfdata_reader *reader);
/* When an event's clock showed `time_ns`, in seconds since 1970 UTC; 0 if that is not known. */
int64_t perfdata_date(const struct perfdata_reader *reader, size_t event, uint64_t time_ns);
/* Build-id of a file as recorded by perf, by path; its length, 0 if not there. */
size_t perfdata_build_id(
	const struct perfdata_reader *reader, const char *path, const unsigned char **id);

/*
 * The next record in order of time: 1 and *record, 0 at the end, -1 on error (with the offset of
 * the broken record). Returns all of the kernel's records, also of types that the struct has no
 * member for, but none of perf's own. A large file is indexed in pieces that end with a
 * FINISHED_ROUND record: if those are wrong, as in a damaged file, time can go back.
 */
int perfdata_next(struct perfdata_reader *reader, struct record *record, struct err *err);

#endif
