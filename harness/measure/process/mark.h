/*
 * A mark on the processes that we start, which all their descendants inherit, whatever parent,
 * group, session or user they take on: by it they are found even after this process has died and
 * they have another parent.
 *
 * The mark is a resource limit that no process reaches, RLIMIT_RTTIME, with a number that no other
 * has: lowering a limit needs no rights, every process can read it, and a program does not notice
 * it, as it would notice a variable of its environment, which also moves its stack.
 */
#ifndef PROCESS_MARK_H
#define PROCESS_MARK_H

#include <stdbool.h>
#include <stdint.h>

struct mark {
	uint64_t number; /* 0: none */
	bool nested;     /* this process has another one's mark: only this very number is ours */
};

/* A mark that no other process has. None where the limit of this process could be reached. */
struct mark mark_new(void);

/* Marks the calling process. Like mark_kill_all(), it only makes async-signal-safe calls. */
void mark_set(struct mark mark);

/*
 * Kills all processes with the mark, and those that they start meanwhile; gives up after some
 * seconds where one cannot be killed.
 */
void mark_kill_all(struct mark mark);

#endif
