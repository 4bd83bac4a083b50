/*
 * The root of a repository's benchmarks: the folder that has config/ and workloads/. A command that
 * needs these goes there when it is started in a folder below it, as git does. Paths of the command
 * line remain relative to the folder where it was started.
 */
#ifndef CLI_ROOT_H
#define CLI_ROOT_H

#include "base/arena.h"
#include "base/err.h"
#include "spec/workload.h"

struct root {
	struct arena arena;
	const char *dir;    /* absolute path of the root; NULL: we stayed where we were started */
	const char *prefix; /* from there to where we were started: "src/lib/"; NULL as `dir` */
};

/*
 * Goes to the nearest folder above that has CONFIG_PATH or a folder of workloads, if the current
 * folder has neither: at most up to the root of the git repository, and nowhere without a
 * repository.
 */
void root_enter(struct root *root);
/* Goes back to where we were started. */
int root_leave(struct root *root, struct err *err);

/* A path of the command line as seen from the root; NULL and "-" stay. Owned by `root`. */
const char *root_path(struct root *root, const char *path);

void root_release(struct root *root);

#endif
