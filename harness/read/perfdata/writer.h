/*
 * The writer of perf.data files, and the names of the events by which ours are known again.
 */
#ifndef PERFDATA_WRITER_H
#define PERFDATA_WRITER_H

#include "base/err.h"
#include "base/file.h"
#include "perfdata/format.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* An event of the file; all borrowed until the end. */
struct written_event {
	const char *name; /* "cpu-clock" */
	/*
	 * attr->size bytes of it are stored: a size that an older perf knows keeps the file
	 * readable by it. All events of a file have the same size and, so that a record's event is
	 * known, PERF_SAMPLE_IDENTIFIER where there are several.
	 */
	const struct perf_event_attr *attr;
	const uint64_t *ids; /* of its descriptors, one a CPU (PERF_EVENT_IOC_ID) */
	size_t nids;
};

/*
 * Writes a perf.data file that `perf script` and `perf report` read: header, attributes of the
 * events with their ids, the records as the kernel wrote them, then the feature sections.
 *
 * The records are streamed to the file; the header is completed by perfdata_writer_finish().
 *
 * Source: the kernel tree's tools/perf/Documentation/perf.data-file-format.txt.
 */

struct perfdata_writer {
	struct file_draft draft;
	const struct written_event *events; /* borrowed */
	size_t nevents;
	struct perf_file_header header; /* its data: the records so far */
};

/* Starts `path` for these events, at least one, which are borrowed until the end. */
int perfdata_writer_open(struct perfdata_writer *writer, const char *path,
	const struct written_event *events, size_t nevents, struct err *err);
/* Appends whole records. */
int perfdata_writer_put(
	struct perfdata_writer *writer, const void *records, size_t bytes, struct err *err);
/* Appends records in pieces, which begin and end anywhere. */
int perfdata_writer_put_pieces(struct perfdata_writer *writer, const struct iovec *pieces,
	size_t npieces, struct err *err);

/* The contents of the feature sections. */
struct perfdata_description {
	const char *const *command; /* NULL-ended argv of the workload; NULL: not written */
	uint64_t first_sample_ns;   /* times of the first and last sample; last 0: not written */
	uint64_t last_sample_ns;
};

/*
 * Writes features and header, and puts the file in its place. The writer is then closed, also when
 * this fails.
 */
int perfdata_writer_finish(struct perfdata_writer *writer,
	const struct perfdata_description *description, struct err *err);
/* Closes the writer and leaves nothing behind. */
void perfdata_writer_abandon(struct perfdata_writer *writer);

/*
 * The events of a capture of ours whose samples are marks that a program sets, by their names: what
 * captures writes them so, and what reads a capture finds them by these.
 */

/* For slow operations, each with a name behind it. */
#define OPERATION_BEGIN_EVENT "operation-begin:"
#define OPERATION_END_EVENT "operation-end:"
#define OPERATION_RETURN_EVENT "operation-return:" /* ends, too */

/* For phases: with the name as raw data, and by probes, with it behind the colon. */
#define PHASE_EVENT "phase"
#define PHASE_PROBE_EVENT "phase:"

#endif
