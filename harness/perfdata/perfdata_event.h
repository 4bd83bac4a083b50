/*
 * An event of a perf.data file.
 */
#ifndef PERFDATA_PERFDATA_EVENT_H
#define PERFDATA_PERFDATA_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfdata_event {
	struct perf_event_attr attr;
	char name[128]; /* from the file, or made from the attr: "cpu-clock", "cycles" */
	uint64_t *ids;  /* owned by the reader */
	size_t nids;
	bool lbr; /* call chains of the user are branch stacks (--call-graph lbr): not decoded */
};

/*
 * The name that perf would show without a name from the user: "cpu-clock", "cycles"; "type 4 config
 * 0x1c2" for others.
 */
void perfdata_event_name(const struct perf_event_attr *attr, char *name, size_t size);

#endif
