/*
 * Processes beside us that wait for our end, however it comes (SIGKILL, a crash), and then do what
 * we can no longer do ourselves.
 */
#ifndef PROCESS_KEEPER_H
#define PROCESS_KEEPER_H

#include "process/tree.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct keeper {
	int line; /* closed at our end, by whatever it is; -1: there is no such process */
	pid_t pid;
};

/*
 * Makes a process named `name`, a copy of ours, that calls run(line, context) and exits when that
 * returns: read(line) gives what is sent to keeper->line, and 0 at our end. It ignores the
 * terminal's signals and has no other file open. A copy of a process with threads may only make
 * async-signal-safe calls. keeper->line is -1 where none can be made.
 */
void keeper_start(struct keeper *keeper, const char *name, void (*run)(int line, void *context),
	void *context);
/* Closes the line and waits until the process has ended. */
void keeper_stop(struct keeper *keeper);

/*
 * The mark whose processes are killed at our end, daemons in other sessions included: to
 * be set in each that we start. None where there are no marks.
 */
struct mark keeper_mark(void);
/*
 * From now on the process group `group` is killed at our end, too. Nothing happens where no keeper
 * can be made.
 */
void keeper_add_group(pid_t group);
/* It is not any more; with 0, none is. */
void keeper_drop_group(pid_t group);

#endif
