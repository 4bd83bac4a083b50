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
 * The kind of lock at `address` for a thread of `pid` whose stack pointer is `sp`: in the memory of
 * a program file or library (also what follows that, its zeroed data), in memory that processes
 * share, on a stack, or in other memory, which is the heap; WAIT_LOCK where that is not known.
 * Stacks are the thread's own, and the first one of its process.
 */
enum wait_reason data_maps_lock(
	const struct data_maps *maps, uint32_t pid, uint64_t address, uint64_t sp);

/*
 * The same for the system call that the sample's thread is in, if that waits at a futex; `attr` is
 * what it was sampled by. WAIT_UNKNOWN where the registers are not known (`machine` NULL: of none).
 */
enum wait_reason data_maps_lock_of(const struct data_maps *maps,
	const struct unwind_machine *machine, const struct perf_event_attr *attr,
	const struct record *record);

#endif
