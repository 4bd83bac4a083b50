/*
 * Running programs to their end, with everything they started: a shell command, a tool, or any
 * child that is waited for.
 *
 * This process is the subreaper of all that it starts, so that a daemon that leaves its session and
 * its parent is still a descendant: it is found and ended. SIGINT, SIGTERM and SIGHUP end it in
 * order.
 */
#ifndef PROCESS_PROCESS_H
#define PROCESS_PROCESS_H

#include "base/buf.h"
#include "base/err.h"
#include "process/child.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Runs `spec`; `what` names it in messages. 0: it ended by itself, with child->status for
 * child_judge(). -1: it could not be run, took longer than `timeout_s` (0: none), or was
 * interrupted. Its process tree is ended, and `child` as child_end() leaves it.
 */
int process_run(struct child *child, const struct child_spec *spec, const char *what,
	double timeout_s, struct err *err);

/*
 * Runs a shell command (a workload's build, setup or teardown): stdout and stderr are shown as
 * debug log and their tail is in the error when it fails; an exit status that is not 0 is an error.
 * `what` names it: "build of cjson_parse".
 */
int process_run_shell(const char *what, const char *command, const char *const *env,
	const char *cwd, double timeout_s, struct err *err);

struct shell_command {
	const char *what;
	const char *text;
	const char *const *env;
	const char *cwd;
	double timeout_s;
	const char *output_path; /* a file that its output is copied to, up to CHILD_COPY_MAX; NULL:
				    none. The file is removed if the command printed nothing. */
};

/* As process_run_shell(), with the output in a file, too. */
int process_run_command(const struct shell_command *command, struct err *err);

/*
 * Running a tool (git, the compiler) and capturing its output. No shell is involved. The program
 * has no terminal and an empty standard input, so that it fails rather than prompts.
 */

/* Only the first so many bytes of each stream are kept. */
#define TOOL_OUTPUT_MAX ((size_t)64 * 1024)

struct tool_output {
	int status; /* the exit status; 128 + the number of the signal that ended the tool */
	struct buf out;
	struct buf complaint; /* its stderr */
};

/*
 * Runs argv[0], looked up in PATH, in `folder` (NULL: here) to its end, with everything it started.
 * `env` is as in struct child_spec. -1 if it could not be run or was interrupted; how it ended is
 * in output->status. `output` is to be released in either case.
 */
int tool_run(struct tool_output *output, const char *const *argv, const char *const *env,
	const char *folder, struct err *err);
/* The same, with so many bytes of its standard output kept. */
int tool_run_up_to(struct tool_output *output, size_t most_bytes, const char *const *argv,
	const char *const *env, const char *folder, struct err *err);
/* How long a tool may run, and what is read meanwhile. */
struct tool_watch {
	size_t most_bytes; /* of its standard output that are kept */
	double timeout_s;
	const int *fds; /* as in struct watch: a drain() that fails ends the tool */
	size_t nfds;
	int (*drain)(void *context, struct err *err);
	void *context;
};
/* tool_run() here, in our environment, within these limits. */
int tool_run_watched(struct tool_output *output, const char *const *argv,
	const struct tool_watch *limits, struct err *err);
void tool_output_release(struct tool_output *output);

/* The output without the newline at its end; free() it. */
char *tool_line(const struct tool_output *output);
/* Adds notes: the first lines of the tool's stderr. */
void tool_note_complaint(const struct tool_output *output, struct err *err);

/*
 * Where a program lies that is named as a command names it.
 */

/*
 * The file that would be executed if `name` were started in `cwd` (NULL: here) with these additions
 * to the environment, as struct child_spec has them; free() it. NULL where there is none: starting
 * the program then fails with a better message.
 */
char *find_program(const char *name, const char *const *env, const char *cwd);

/* Whether it is a file that may be executed; a folder may be "executed", too. */
bool is_executable_file(const char *path);

/*
 * Waiting for a process to end, while draining what comes from it.
 */

/* Why a wait ended. */
enum watch_end {
	WATCH_ENDED,
	WATCH_TIME_OVER,   /* the deadline came */
	WATCH_CPU_OVER,    /* the CPU time was used up */
	WATCH_INTERRUPTED, /* SIGINT, SIGTERM or SIGHUP came: signals_caught() */
	WATCH_LEFT,        /* the child `beside` it ended first */
};

struct watch {
	struct child *child;  /* NULL: `attached` is watched */
	struct child *beside; /* another child, whose end also ends the wait; NULL: none */
	pid_t attached;       /* 0: none, and only time or a signal ends the wait */
	const int *fds;       /* when one of them is readable, or hung up, drain() is called */
	size_t nfds;
	int (*drain)(void *context, struct err *err);
	void *context; /* for drain() and look() */
	/* Called before each sleep; returns the most milliseconds to sleep. NULL: not wanted. */
	unsigned (*look)(void *context);
	bool ahead;            /* this process runs with real-time priority meanwhile, where that is
				  permitted: drain() is urgent */
	uint64_t deadline_ns;  /* of clock_ns(); 0: none */
	uint64_t cpu_limit_ns; /* of all our descendants; 0: none; checked about every second */
};

/* Waits for one of the ends. -1 if drain() fails. */
int watch_wait(const struct watch *watch, enum watch_end *end, struct err *err);

/*
 * SIGINT, SIGTERM and SIGHUP: noted, so that running programs are ended in order.
 */

/*
 * From now on SIGINT, SIGTERM and SIGHUP (unless it is ignored) are noted instead of ending the
 * process; every wait in process/ and capture/ returns ERR_INTERRUPTED. A second signal ends the
 * process at once, unless it is the same one within half a second: timeout(1) sends its signal to
 * us and to our group. Writing to a pipe without a reader is an error of the write, not a signal.
 */
void signals_catch(void);
/* The signal that was noted; 0: none. */
int signals_caught(void);
/* -1 and ERR_INTERRUPTED if a signal was noted, else 0. */
int signals_check(struct err *err);

#endif
