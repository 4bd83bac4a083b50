/*
 * Running commands and ending them with everything they started.
 *
 * We are the subreaper of all we start, so that a daemon that leaves its session and its parent is
 * still our descendant: it is found and ended.
 */
#ifndef PROCESS_PROCESS_H
#define PROCESS_PROCESS_H

#include "base/err.h"

#include <stdbool.h>

/*
 * Runs a shell command (a workload's build, setup or teardown) to its end: stdout and stderr are
 * shown as debug log and their tail is in the error when it fails. `what` names it in messages:
 * "build of cjson_parse". The process tree is ended before this returns.
 */
int process_run_shell(const char *what, const char *command, const char *const *env,
	const char *cwd, double timeout_s, struct err *err);

/*
 * From now on SIGINT, SIGTERM and SIGHUP (unless it is ignored) are noted instead of ending the
 * process; every wait in capture/ returns ERR_INTERRUPTED. A second one ends the process at once,
 * unless it is the same within half a second: timeout(1) sends its signal to us and to our group.
 * A pipe that nobody reads is an error of the write to it, not a signal.
 */
void process_catch_signals(void);
/* The signal that was noted, 0 if none. */
int process_interrupted(void);

#endif
