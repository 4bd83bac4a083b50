/*
 * Which counters there are, and the part of a run that holds them; counters.h says what they are.
 */
#ifndef PROFILE_COUNTER_ID_H
#define PROFILE_COUNTER_ID_H

#include <stdint.h>

enum counter_id {
	COUNTER_CPU_TIME,
	COUNTER_USER_TIME,
	COUNTER_SYSTEM_TIME,
	COUNTER_PAGE_FAULTS,
	COUNTER_MINOR_FAULTS,
	COUNTER_MAJOR_FAULTS,
	COUNTER_MAX_RSS,
	COUNTER_CONTEXT_SWITCHES,
	COUNTER_MIGRATIONS,
	COUNTER_READ_BYTES,
	COUNTER_WRITE_BYTES,
	COUNTER_READ_CALLS,
	COUNTER_WRITE_CALLS,
	COUNTER_STORAGE_READ_BYTES,
	COUNTER_STORAGE_WRITE_BYTES,
	COUNTER_CYCLES,
	COUNTER_INSTRUCTIONS,
	COUNTER_IPC,
	COUNTER_BRANCHES,
	COUNTER_BRANCH_MISSES,
	COUNTER_BRANCH_MPKI,
	COUNTER_CACHE_MISSES,
	COUNTER_CACHE_MPKI,
	COUNTER_PMU_RUNNING,
	NCOUNTERS,
};

/* The part of struct run that holds them; all zero means that none is known. */
struct run_counters {
	uint64_t known; /* bit 1 << id: values[id] is set */
	double values[NCOUNTERS];
};

#endif
