/*
 * What the kernel has counted of a child and its descendants by their end.
 */
#ifndef PROCESS_CHILD_COUNTS_H
#define PROCESS_CHILD_COUNTS_H

#include "process/child.h"

#include <stdbool.h>
#include <stdint.h>

struct child_counts {
	uint64_t user_ns; /* both by the kernel's ticks, scaled to the scheduler's time */
	uint64_t system_ns;
	uint64_t minor_faults;
	uint64_t major_faults;
	uint64_t max_rss_bytes; /* of the largest process; 0: not known */
	bool io_known;
	struct child_io io;
};

/*
 * For a child that has ended, and of the descendants that it has waited for or that ended before it
 * without anybody who waits; from its exec on. What a process did whose parent ignores SIGCHLD is
 * counted nowhere.
 */
struct child_counts child_counts(const struct child *child);

#endif
