/*
 * The files that a command uses, found by watching a run of it; and by that, whether a counted run
 * (by callgrind) uses the files of a timed one. A counted run lacks variables by which programs
 * find code (LD_LIBRARY_PATH, LD_PRELOAD, the folders of plugins): the command is run without
 * valgrind in both environments, and then with single variables.
 */
#ifndef CAPTURE_COUNTED_FILES_H
#define CAPTURE_COUNTED_FILES_H

#include "base/err.h"
#include "capture/backend.h"
#include "process/run_files.h"

/*
 * Runs the command of a request once, unmeasured, and watches which files its processes use: with a
 * service those of its companions, too. Its failures are those of capture_backend.run(); `files` is
 * to be released in any case, and has what was seen until then.
 */
int capture_watch_files(
	const struct capture_request *request, struct run_files *files, struct err *err);

/*
 * Whether a counted run, which does not have all of our environment, executes and maps the same
 * code as a run that has. `whole` are the files of the latter as capture_watch_files() saw them;
 * where it is NULL or not known, such a run is made. A file of code that only one of both uses is
 * an error, which names the file and the variables that cause it, found by running with single
 * ones. Files are compared by their contents, not by their paths alone. Where runs cannot be
 * watched, or fail, nothing is known, and that is no error here.
 */
int capture_check_counted_files(
	const struct capture_request *request, const struct run_files *whole, struct err *err);

/*
 * Warns of variables of our environment that name code for the dynamic loader and that a counted
 * run of the request does not have: for a command that cannot be run for a check.
 */
void capture_warn_of_dropped(const struct capture_request *request);

#endif
