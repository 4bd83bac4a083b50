/*
 * The names of threads over time, by COMM and FORK records, and the frames that stand for
 * them at the root of stacks.
 */
#ifndef INGEST_COMMS_H
#define INGEST_COMMS_H

#include "base/key_map.h"
#include "base/strtab.h"
#include "ingest/ingest.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct comm_entry;

struct comms {
	struct profile *profile; /* borrowed: frames are made in it */
	enum ingest_root root;
	struct strtab names;
	struct key_map by_tid;
	struct comm_entry *entries; /* by number in by_tid; owned */
	size_t capacity;
	frame_id *frames; /* by name, where all threads of a name have the same; 0: not made yet */
	size_t frames_capacity;
};

void comms_init(struct comms *comms, struct profile *profile, enum ingest_root root);
void comms_release(struct comms *comms);

void comms_set(struct comms *comms, uint32_t tid, const char *name);
/* The thread starts with the name of the one that made it. */
void comms_fork(struct comms *comms, uint32_t tid, uint32_t parent_tid);
/*
 * The thread's name with '_' for spaces; "(unnamed)" for an empty name; ":TID" where no record
 * named it, as perf script has it.
 */
const char *comms_name(struct comms *comms, uint32_t tid);
/* The frame that stands at the root of the thread's stacks, if it was made before; else 0. */
frame_id comms_frame_made(const struct comms *comms, uint32_t pid, uint32_t tid);
/* The frame that stands at the root of the thread's stacks. */
frame_id comms_frame(struct comms *comms, uint32_t pid, uint32_t tid);

#endif
