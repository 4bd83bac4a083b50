/*
 * Running a program or a shell command to its end, with everything it started.
 *
 * This process is the subreaper of all that it starts, so that a daemon that leaves its session and
 * its parent is still a descendant: it is found and ended.
 */
#ifndef PROCESS_PROCESS_H
#define PROCESS_PROCESS_H

#include "base/err.h"
#include "process/child.h"

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

/* The same, with the output in a file, too. */
int process_run_command(const struct shell_command *command, struct err *err);

#endif
