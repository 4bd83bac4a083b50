/*
 * Whether the benchmarks of the working tree are those of a commit. profile_run enters the nearest
 * folder above that has benchmarks: a pull request that adds such a folder, or replaces it by a
 * link or a submodule, would otherwise be judged as if all its workloads were new.
 */
#ifndef PIPELINE_POLICY_ROOT_H
#define PIPELINE_POLICY_ROOT_H

#include "base/err.h"
#include "builds/commit_files.h"

/*
 * An error if `files`, started in the folder `started` below the current one ("src/lib/", "" for
 * this one), has its nearest benchmarks in another folder than the current one, or has none there
 * and above but some elsewhere. `name` is the commit as messages have it.
 */
int policy_root_check(
	struct commit_files *files, const char *name, const char *started, struct err *err);

/* An error if the repository is a submodule, whose branches a pull request chooses, and the commit
 * is not named by its hash. */
int policy_root_check_submodule(const struct commit_files *files, struct err *err);

#endif
