/*
 * The names of threads over time, as COMM and FORK records tell them.
 */
#ifndef INGEST_COMMS_H
#define INGEST_COMMS_H

#include "profile/profile.h"

#include <stddef.h>
#include <stdint.h>

struct comm_entry;

struct comms {
	struct profile *profile; /* borrowed: names are frames of it */
	struct comm_entry *slots;
	size_t nslots;
	size_t count;
};

void comms_init(struct comms *comms, struct profile *profile);
void comms_release(struct comms *comms);

void comms_set(struct comms *comms, uint32_t tid, const char *name);
/* The thread starts with the name of the one that made it. */
void comms_fork(struct comms *comms, uint32_t tid, uint32_t parent_tid);
/*
 * The frame that stands for the thread at the root of its stacks: its name with '_' for spaces;
 * "(unnamed)" for an empty name; ":TID" where no record named it, as perf script has it.
 */
frame_id comms_frame(struct comms *comms, uint32_t tid);

#endif
