/*
 * The files that callgrind leaves: one for each process, and one more for each time that it forked.
 */
#ifndef CAPTURE_CALLGRIND_FILES_H
#define CAPTURE_CALLGRIND_FILES_H

#include "base/err.h"

#include <sys/types.h>

/*
 * Writes all of the folder's files into one, those of process `first` ahead of the others, and adds
 * up the costs that they tell in *total. A folder without any, or a file that is not whole, is an
 * error.
 */
int callgrind_files_join(
	const char *dir, pid_t first, const char *into, double *total, struct err *err);

#endif
