/*
 * The kernel's tracepoints, as events of perf_event_open(2).
 */
#ifndef PERF_EVENT_TRACEPOINT_H
#define PERF_EVENT_TRACEPOINT_H

#include "base/err.h"

#include <stdint.h>

/*
 * The id of a tracepoint "raw_syscalls/sys_enter": perf_event_attr.config. It is read from tracefs
 * where that is mounted, else from a mount of it that nobody else sees. 0 and an error where both
 * are refused.
 */
uint64_t tracepoint_id(const char *name, struct err *err);

#endif
