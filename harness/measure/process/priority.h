/*
 * The scheduling priority of this process, which the programs that it starts inherit.
 */
#ifndef PROCESS_PRIORITY_H
#define PROCESS_PRIORITY_H

#include <stdbool.h>

/*
 * Gives the calling thread, and what it starts from now on, the highest priority of those that
 * share time (nice value -20, setpriority(2)), among those that share it with them: processes of
 * other sessions and control groups may not (sched(7), autogroup). False, and nothing has changed,
 * where that is not permitted (without CAP_SYS_NICE and RLIMIT_NICE), or where the priority is not
 * the normal one: whoever set it wanted that.
 */
bool priority_raise(void);
/* After a priority_raise() that returned true: the normal priority again. */
void priority_restore(void);
/* Whether priority_raise() would return true. */
bool priority_may_rise(void);

/*
 * Gives the calling thread real-time priority (SCHED_FIFO), ahead of all programs, and takes it
 * back; what it starts has the normal policy. False where it has another policy than the normal
 * one, or that is not permitted.
 */
bool priority_run_ahead(void);
void priority_run_normally(void);

#endif
