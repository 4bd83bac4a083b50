/*
 * The policy of a gate as a commit has it: its configuration, its waivers, and the keys `gate` and
 * `requires` of each of its workloads. A pull request that changes these is judged by those of its
 * base. Workloads are measured as the working tree has them. All differences are reported.
 */
#ifndef GATE_POLICY_FROM_H
#define GATE_POLICY_FROM_H

#include "base/err.h"
#include "builds/commit_files.h"
#include "spec/policy_changes.h"
#include "spec/workload.h"

struct policy_from {
	struct commit_files files;
	char *name;         /* "main (1a2b3c4d5e6f)" */
	struct config head; /* the working tree's; its waivers may apply, too */
	struct policy_changes changes;
};

/* Where the working tree's configuration was found. */
struct policy_place {
	const char *path; /* as it was read, or would have been */
	/*
	 * NULL: `path` was named, and the commit must have it. Else where profile_run was started,
	 * below the root that it went to: "src/lib/", or "".
	 */
	const char *started;
};

/*
 * `config` holds the configuration that was read from `place` here, or the built-in one if there is
 * none; it becomes that of the commit `ref`. An error where the commit's benchmarks are in another
 * folder. Errors in the commit's files are located ("REF:PATH:3:5:"). On error
 * policy_from_release() is still to be called.
 */
int policy_from_read_config(struct policy_from *from, const char *ref,
	const struct policy_place *place, struct config *config, struct err *err);

/*
 * Reads the workloads that `paths` name, as workload_list_read() does, each with the policy that it
 * has in the commit, by its name or else its path. One that is new keeps its own.
 */
int policy_from_read_workloads(struct policy_from *from, struct workload_list *list,
	const char *const *paths, size_t npaths, const struct config *config, struct err *err);

/* May be called on one that is all zero. */
void policy_from_release(struct policy_from *from);

#endif
