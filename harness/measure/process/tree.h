/*
 * The tree of all our descendants, found through /proc: listing, describing and signalling them.
 *
 * This process is a subreaper, so that every process that a program of ours started, daemons
 * included, has it among its ancestors as long as it lives. Children that we had from the start (a
 * shell that ran `job & exec profile_run`) are older than the first process that we start, and are
 * left alone.
 */
#ifndef PROCESS_TREE_H
#define PROCESS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* `first`, a child just made, is from now on the oldest process that is ours to end. */
void tree_begin(pid_t first);

/* `pid`, though a descendant of ours, is not among them. */
void tree_spare(pid_t pid);

/*
 * When a living process began, in clock ticks since boot: with its pid it identifies it for good. 0
 * if there is none, or only a zombie.
 */
uint64_t tree_start_of(pid_t pid);

struct tree_found {
	size_t count;
	size_t refused; /* of them: another user's, such as a setuid program, which we may not
			   signal */
};

/*
 * Sends `signal_number` (0: none) to every living descendant, and returns how many there are. Only
 * async-signal-safe calls are made, so that a signal handler may use it.
 */
struct tree_found tree_signal(int signal_number);

/* Fills in up to `most` living descendants; returns how many. */
size_t tree_list(pid_t *pids, size_t most);

/*
 * Which living descendant cannot go on by itself, for a message: "process 12 ('sh') is stopped",
 * or "... is traced by process 11 ('gdb')"; "" if there is none. Stopped ones come first.
 */
void tree_describe_held(char *text, size_t size);

/* The CPU time of them and of the children that they have waited for. */
uint64_t tree_cpu_ns(void);

/*
 * `pid`, which cannot be ended, is from now on not among the descendants. False if there is no such
 * process, or there are too many of them.
 */
bool tree_add_survivor(pid_t pid);
/* Whether there is, or was, such a process. */
bool tree_has_survivors(void);

#endif
