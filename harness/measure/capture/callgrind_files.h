/*
 * The files that callgrind leaves of a run, one for each process and part of it, as one file.
 */
#ifndef CAPTURE_CALLGRIND_FILES_H
#define CAPTURE_CALLGRIND_FILES_H

#include "base/err.h"
#include "profile/metric.h"

#include <sys/types.h>

struct surroundings;

/* The cost of the processes of a run. */
struct callgrind_totals {
	double program; /* without the loader, where its cost is separated */
	double loader; /* of the dynamic loader, which runs ahead of each program's constructors and
			  main; NAN: not separated, and part of the program's */
};

/*
 * Writes the files that callgrind left in the folder `dir` into one file, in the order of
 * left_files_list(), and adds up their costs. Each process has a file, one more for each time that
 * it forked, and one of its loader (CALLGRIND_LOADER_END), whose cost is counted and which is left
 * out. Paths in the fixed place of `surroundings` are replaced by the real ones. Where a cost is a
 * sum of events, the file states the metric (profile/metric.h). A folder without files, or a file
 * that is not whole, is an error.
 */
int callgrind_files_join(const char *dir, pid_t first, const struct metric *metric,
	const struct surroundings *surroundings, const char *into, struct callgrind_totals *totals,
	struct err *err);

/*
 * callgrind's option that writes the cost up to the loader's end into a separate file, which
 * names this option's function as its trigger.
 */
#define CALLGRIND_LOADER_END "--dump-after=_dl_start"

#endif
