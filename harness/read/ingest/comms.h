/*
 * The names of threads over time, by COMM and FORK records.
 */
#ifndef INGEST_COMMS_H
#define INGEST_COMMS_H

#include "base/key_map.h"
#include "base/strtab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct comms {
	struct strtab names;
	struct key_map by_tid;
	str_id *entries; /* names by number in by_tid; owned */
	size_t capacity;
};

void comms_init(struct comms *comms);
void comms_release(struct comms *comms);

void comms_set(struct comms *comms, uint32_t tid, const char *name);
/* The thread starts with the name of the one that made it. */
void comms_fork(struct comms *comms, uint32_t tid, uint32_t parent_tid);
/* Whether a record named the thread, or was of its parent. */
bool comms_know(const struct comms *comms, uint32_t tid);
/*
 * The thread's name with '_' for spaces; "(unnamed)" for an empty name; ":TID" where no record
 * named it, as perf script has it.
 */
const char *comms_name(struct comms *comms, uint32_t tid);
/* The same, in `names`. */
str_id comms_name_id(struct comms *comms, uint32_t tid);

#endif
