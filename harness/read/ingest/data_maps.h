/*
 * Which memory a lock is in, by the mappings of the processes: those of data, too, where the
 * capture has them.
 */
#ifndef INGEST_DATA_MAPS_H
#define INGEST_DATA_MAPS_H

#include "ingest/wait_reason.h"
#include "perfdata/records.h"
#include "symbols/spaces.h"
#include "unwind/unwind_machine.h"

#include <linux/perf_event.h>
#include <stdint.h>

/* All zeros: nothing is mapped. */
struct data_maps {
	struct spaces spaces;
};

void data_maps_release(struct data_maps *maps);

/* The records of a capture, in order of time. */
void data_maps_add(struct data_maps *maps, const struct record_mmap *map);
void data_maps_fork(struct data_maps *maps, uint32_t pid, uint32_t parent_pid);
void data_maps_exec(struct data_maps *maps, uint32_t pid);

/*
 * The kind of memory that holds the lock of the system call that the sample's thread is in, if that
 * waits at a futex; `attr` is what it was sampled by. WAIT_UNKNOWN where the registers are not
 * known (`machine` NULL: of none).
 */
enum wait_reason data_maps_lock_of(const struct data_maps *maps,
	const struct unwind_machine *machine, const struct perf_event_attr *attr,
	const struct record *record);

#endif
