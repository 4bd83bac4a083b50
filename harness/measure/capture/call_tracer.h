/*
 * Counts the system calls of a program without tracepoints, for who may not have them: a seccomp
 * filter stops the program at each call, and we, its tracer by ptrace(2), write a sample as the
 * tracepoint raw_syscalls:sys_enter would have. Nothing is lost, as the program waits; it costs
 * several times as much. Internal to capture/.
 */
#ifndef CAPTURE_CALL_TRACER_H
#define CAPTURE_CALL_TRACER_H

#include "base/err.h"
#include "capture/backend.h"

/*
 * One run of the request's command, as capture_backend.run(), but for processes that it leaves
 * behind: they are killed. Calls from behind the exec of the program on are counted; a program that
 * traces, or has seccomp filters of its own, is an error. Without a perfdata_path they are only
 * counted.
 */
int call_tracer_run(
	const struct capture_request *request, struct capture_result *result, struct err *err);

#endif
