/*
 * The processes that we started and all their descendants, found through /proc, or by a mark that
 * they inherit, to describe and to signal them.
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

/*
 * The processes of the system: read from /proc, and signalled without mistaking one for another
 * that got its number. Only async-signal-safe calls are made, so that a signal handler and a copy
 * of a process with threads may use it.
 */

/* Fields of /proc/PID/stat (proc_pid_stat(5)). */
struct process_stat {
	char name[16]; /* unprintable characters are '?' */
	char state;
	pid_t parent;
	uint64_t threads;
	uint64_t start; /* in clock ticks since boot */
	uint64_t cpu;   /* CPU time in clock ticks, with that of children it has waited for */
};

/* False if there is no such process. */
bool process_stat_read(pid_t pid, struct process_stat *out);

/* `first`, a child just made, is from now on the oldest process that is ours to end. */
void tree_begin(pid_t first);

/* `pid`, though a descendant of ours, is from now on not among the descendants. */
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

/* The CPU time of all descendants and of the children that they have waited for. */
uint64_t tree_cpu_ns(void);

/*
 * `pid`, which cannot be ended, is from now on not among the descendants. False if there is no such
 * process, or there are too many of them.
 */
bool tree_add_survivor(pid_t pid);
/* Whether there is, or was, a process that cannot be ended. */
bool tree_has_survivors(void);

/*
 * A mark on the processes that we start, which all their descendants inherit, whatever parent,
 * group, session or user they take on: by it they are found even after this process has died and
 * they have another parent.
 *
 * The mark is a resource limit that no process reaches, RLIMIT_RTTIME, with a number that no other
 * has: lowering a limit needs no rights, every process can read it, and a program does not notice
 * it, as it would notice a variable of its environment, which also moves its stack.
 */

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
