/*
 * All our descendants, found through /proc.
 *
 * We are a subreaper, so that every process our program started, daemons included, has us among its
 * ancestors as long as it lives. Children that we had from the start (a shell that ran `job & exec
 * profile_run`) are older than the process we start, and are left alone.
 */
#ifndef PROCESS_TREE_H
#define PROCESS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The processes of the system, read from /proc, and signalled without mistaking one for another
 * that got its number. Only async-signal-safe calls are made, so that a signal handler and a copy
 * of a process with threads may use it.
 */

/* For /proc/PID/stat (proc_pid_stat(5)). */
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

#endif
