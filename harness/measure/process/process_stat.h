/*
 * The processes of the system: read from /proc, and signalled without mistaking one for another
 * that got its number. Only async-signal-safe calls are made, so that a signal handler, and a copy
 * of a process with threads, may use these functions.
 */
#ifndef PROCESS_PROCESS_STAT_H
#define PROCESS_PROCESS_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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

/* Reads /proc/PID/FILE into `text`, terminated and cut to `size`; its length, or -1. */
ssize_t process_read(pid_t pid, const char *file, char *text, size_t size);
/* Takes a decimal number off the text at *at; 0 where there is none. */
uint64_t process_number(const char **at);

/* Calls visit() for each process of the system but this one. */
void process_each(void (*visit)(pid_t pid, void *context), void *context);

enum process_signalled {
	PROCESS_UNMATCHED, /* match() refused it */
	PROCESS_SIGNALLED,
	PROCESS_REFUSED, /* it is another user's */
	PROCESS_GONE,
};

/*
 * Sends the signal (0: none) to process `pid` if match(pid, context) accepts it: to that very
 * process, even if it ends meanwhile and another one gets its number (pidfd_open(2); by its number
 * before Linux 5.3).
 */
enum process_signalled process_signal(
	pid_t pid, int signal_number, bool (*match)(pid_t pid, void *context), void *context);

#endif
