/*
 * Checks that the benchmarks of the working tree are those of a commit. profile_run enters the
 * nearest folder above that has benchmarks (cli/root.h): a pull request that adds such a folder, or
 * replaces it by a link or a submodule, would otherwise be judged as if all its workloads were new.
 */
#ifndef GATE_BENCHMARKS_ROOT_H
#define GATE_BENCHMARKS_ROOT_H

#include "base/err.h"
#include "builds/commit_files.h"

/*
 * `files` are those of the commit, and `name` is what messages call it. profile_run was started in
 * `started` below the current folder ("src/lib/"; "": in this one). An error if the nearest
 * benchmarks of the commit are in another folder than the current one, or if it has none there and
 * above, but some elsewhere.
 */
int benchmarks_root_check(
	struct commit_files *files, const char *name, const char *started, struct err *err);
/*
 * An error if the repository is a submodule and the commit is not named by its hash: a pull request
 * chooses the branches of a submodule.
 */
int benchmarks_root_check_submodule(const struct commit_files *files, struct err *err);

#endif
