/*
 * Samples that are system calls: those of the tracepoint raw_syscalls:sys_enter, one for each call.
 */
#ifndef INGEST_SYSCALLS_H
#define INGEST_SYSCALLS_H

#include "ingest/stacks.h"
#include "perfdata/records.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether each sample of the event is a system call, and none is left out. */
bool syscalls_are_counted(const struct perfdata_event *event);

/* Whether the call reads or writes, and returns how many bytes it did. */
bool syscalls_move_bytes(const struct record_sample *sample, const char *arch);

/* How many a sample of raw_syscalls:sys_exit says; 0 where the call failed. */
uint64_t syscalls_moved(const struct record_sample *sample);

/*
 * Pushes the call that the sample was taken at, of a program on machine `arch` (uname -m). False
 * where the sample does not say which call it is.
 */
bool syscalls_push(struct stacks *stacks, const struct record_sample *sample, const char *arch);

#endif
