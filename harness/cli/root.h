/*
 * The root of a repository's benchmarks: the folder that has config/ and workloads/. Commands that
 * need these go there when they are started in a folder below it, as git does; paths of the command
 * line remain relative to where they were started.
 */
#ifndef CLI_ROOT_H
#define CLI_ROOT_H

#include "base/arena.h"
#include "base/err.h"
#include "spec/workload.h"

struct root {
	struct arena arena;
	const char *dir;    /* its absolute path; NULL: we did not move */
	const char *prefix; /* from there to where we were started, "src/lib/"; NULL as well */
};

/*
 * Goes to the nearest folder above that has CONFIG_PATH or a folder of workloads, if this one has
 * neither. No further than the root of the git repository; outside of one, nowhere.
 */
void root_enter(struct root *root);
/* Goes back. */
int root_leave(struct root *root, struct err *err);

/* A path of the command line as seen from the root; NULL and "-" stay. Owned by `root`. */
const char *root_path(struct root *root, const char *path);

void root_release(struct root *root);

#endif
