/*
 * An event of a perf.data file that is written.
 */
#ifndef PERFDATA_WRITTEN_EVENT_H
#define PERFDATA_WRITTEN_EVENT_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
