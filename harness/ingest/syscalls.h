/*
 * Samples that are system calls: those of the tracepoint raw_syscalls:sys_enter, one for each call.
 */
#ifndef INGEST_SYSCALLS_H
#define INGEST_SYSCALLS_H

#include "ingest/stacks.h"
#include "perfdata/records.h"

#include <stdbool.h>

/* Whether each sample of the event is a system call, and none is left out. */
bool syscalls_are_counted(const struct perfdata_event *event);

/*
 * Pushes the call that the sample was taken at, of a program on machine `arch` (uname -m). False
 * where the sample does not say which call it is.
 */
bool syscalls_push(struct stacks *stacks, const struct record_sample *sample, const char *arch);

#endif
