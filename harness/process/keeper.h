/*
 * Ends what we have started when we cannot do so ourselves: after SIGKILL, or a crash.
 *
 * A small process beside us waits for our end. It then kills the process group of the command that
 * runs; what has left the group (a daemon with a session of its own) it does not know.
 */
#ifndef PROCESS_KEEPER_H
#define PROCESS_KEEPER_H

#include <sys/types.h>

/* From now on `group` is to be ended with us; 0: nothing is. Without a keeper, where none can be
 * made, nothing happens. */
void keeper_set(pid_t group);

#endif
