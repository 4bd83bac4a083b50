/*
 * Processes beside us that wait for our end, however it comes (SIGKILL, a crash), and then do what
 * we can no longer do ourselves.
 */
#ifndef PROCESS_KEEPER_H
#define PROCESS_KEEPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A mark on the processes that we start, which all their descendants inherit, whatever parent,
 * group, session or user they take on: with it they are found even after we have died and they have
 * another parent.
 *
 * It is a limit that no process reaches, RLIMIT_RTTIME, of its own number: lowering it needs
 * no rights, everybody can read it, and a program does not notice it, as it would a variable of its
 * environment, which also moves its stack.
 */

struct mark {
	uint64_t number; /* 0: none */
	bool nested;     /* we have a mark of another ourselves: only this very number is ours */
};

/* One that no other process has. None where our own limit is one that could be reached. */
struct mark mark_new(void);

/*
 * Marks the calling process. Like the other one below, it only makes async-signal-safe calls.
 */
void mark_set(struct mark mark);

/*
 * Kills all processes with the mark, and those that they start meanwhile; gives up after some
 * seconds where one cannot be killed.
 */
void mark_kill_all(struct mark mark);

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
