/*
 * Processes that the kernel ended for lack of memory, and what SIGKILL means for a process that
 * profile_run did not send it to.
 */
#ifndef PROCESS_MEMORY_KILLS_H
#define PROCESS_MEMORY_KILLS_H

/*
 * How many processes the kernel has ended for lack of memory since it started, in all control
 * groups (proc(5), /proc/vmstat, oom_kill). -1: not known.
 */
long memory_kills(void);

/* Why a process was killed, as a note of its error. `before`: memory_kills() when it started. */
const char *memory_kills_explain(long before);

#endif
