/*
 * Counting the system calls of a program without tracepoints, for users who may not use them: a
 * seccomp filter stops the program at each call, and profile_run, its tracer by ptrace(2), writes a
 * sample as the tracepoint raw_syscalls:sys_enter would have. Nothing is lost, as the program
 * waits; a call takes several times as long.
 */
#ifndef CAPTURE_CALL_TRACER_H
#define CAPTURE_CALL_TRACER_H

#include "base/err.h"
#include "capture/backend.h"

/*
 * One run of the request's command, as capture_backend.run(), but that processes which it leaves
 * behind are killed. The calls after the program's exec are counted; a program that traces others,
 * or sets seccomp filters itself, is an error. Without a perfdata_path no samples are written.
 */
int call_tracer_run(
	const struct capture_request *request, struct capture_result *result, struct err *err);

#endif
