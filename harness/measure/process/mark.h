/*
 * A mark on the processes that we start, which all their descendants inherit, whatever parent,
 * group, session or user they take on: with it they are found even after we have died and they have
 * another parent.
 *
 * It is a limit that no process reaches, RLIMIT_RTTIME, of its own number: lowering it needs
 * no rights, everybody can read it, and a program does not notice it, as it would a variable of its
 * environment, which also moves its stack.
 */
#ifndef PROCESS_MARK_H
#define PROCESS_MARK_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
