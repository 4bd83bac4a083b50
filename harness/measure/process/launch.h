/*
 * The launcher: a program of a few pages, carried by profile_run, that a measured program is
 * started from.
 *
 * The kernel keeps with a process the largest memory that it ever had, and does not begin anew with
 * an exec: a program that we fork would be given our own memory as its largest (getrusage(2),
 * ru_maxrss). So our child becomes the launcher, which makes a second child of ours, as small as
 * itself; that one waits, and becomes the program.
 *
 * The launcher (launcher/launcher.c) is compiled without a library. This header is for it, too.
 */
#ifndef PROCESS_LAUNCH_H
#define PROCESS_LAUNCH_H

#include <stdint.h>

/* How far the child has come. */
enum launch_step {
	LAUNCH_READY, /* it waits for a word */
	LAUNCH_PIN,
	LAUNCH_PLACE,
	LAUNCH_CWD,
	LAUNCH_STDIN,
	LAUNCH_STDOUT,
	LAUNCH_FILTER,
	LAUNCH_EXEC,
};

/* What the child writes to its parent. */
struct launch_report {
	enum launch_step step;
	int errnum;      /* why the step failed */
	int pid;         /* of the process that reports */
	unsigned faults; /* page faults that it has had by now, all of them minor ... */
	uint64_t cpu_ns; /* ... and its CPU time: they are not the program's */
};

/*
 * The parent's message, above 0 as an eventfd requires: to exec, or to spin for so many ns more
 * than that and wait again.
 */
#define LAUNCH_GO UINT64_C(1)

/* The words of the launcher's command line, ahead of those of the program's. */
enum launch_word {
	LAUNCH_NAME,
	LAUNCH_START_FD,  /* where it reads words from ... */
	LAUNCH_REPORT_FD, /* ... and writes reports to */
	LAUNCH_PARENT,    /* whose child the program is to be */
	LAUNCH_PATH,      /* of the program */
	LAUNCH_ARGV,
};

#endif
