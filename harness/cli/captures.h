/* The captures that a path of the command line stands for, which may be a folder or a report. */
#ifndef CLI_CAPTURES_H
#define CLI_CAPTURES_H

#include <stddef.h>

/* Their paths, in the order of their names. */
struct captures {
	char **paths; /* owned */
	size_t count;
	size_t capacity;
};

/*
 * Finds the captures: the file itself, or those in a folder of `capture`, in a workload's folder of
 * a report, or of the first workload in a report that has some. `prefix`: that of their names in
 * reports, "run" or "base". None is no error.
 */
void captures_find(struct captures *captures, const char *path, const char *prefix);
void captures_release(struct captures *captures);

#endif
