/*
 * The launcher: a program of a few pages, carried by profile_run, that a measured program is
 * started from.
 *
 * The kernel keeps with a process the largest memory that it ever had, and does not begin anew with
 * an exec: a program that we fork would be given our own memory as its largest (getrusage(2),
 * ru_maxrss). So our child becomes the launcher, which makes a second child of ours, as small as
 * itself; that one waits, and becomes the program.
 *
 * The launcher is compiled without a library. This header is for it, too.
 */
#ifndef PROCESS_LAUNCH_H
#define PROCESS_LAUNCH_H

#include <stdbool.h>
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

/*
 * Makes the calling process the launcher, which starts the program: in `path`, with `argv`. The
 * descriptors stay open in it. Returns if that cannot be done here.
 */
void launch_exec(
	int start_fd, int report_fd, int parent, const char *path, const char *const *argv);

/*
 * The file that execvp(3) would run for this name, in `path`. False, with errno, where there is
 * none.
 */
bool launch_find(const char *name, char path[4096]);

/*
 * A place whose path has the same length wherever a checkout lies: a program that is started there
 * sees its folder and its home under the same names on every machine.
 *
 * The place exists for that program and its descendants only, in their own mount namespace;
 * without rights in a user namespace, too.
 */

#define FIXED_PLACE "/tmp/profile_run.counted"
#define FIXED_PLACE_FOLDER FIXED_PLACE "/checkout"
#define FIXED_PLACE_HOME FIXED_PLACE "/home"

/* What is seen there; absolute paths. */
struct fixed_place {
	const char *folder;
	const char *home; /* NULL: an empty one */
};

/*
 * Makes the calling process, of one thread, see the place; for a child before its exec. -1 with
 * errno where that is refused: it may be in its own namespace then, without the place.
 */
int fixed_place_enter(const struct fixed_place *place);

/* Whether that works here, by trying it in its own process. 0, or errno. */
int fixed_place_try(void);

#endif
