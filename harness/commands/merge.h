/*
 * `profile_run merge`: merges the shards of a gate into one verdict and one report of all
 * workloads, corrected over all tests, as if one gate had measured them.
 */
#ifndef COMMANDS_MERGE_H
#define COMMANDS_MERGE_H

#include "base/buf.h"
#include "base/err.h"
#include "output/output.h"

#include <stdbool.h>
#include <stddef.h>

struct merge_options {
	const char *const *paths; /* each a shard.bin, or a report folder that has one */
	size_t npaths;
	const char *reports_dir; /* as in struct replay_options */
	const char *output_dir;
	bool full;
	const struct report_output *commands; /* as in struct gate_options */
	struct buf *commands_out;
};

/*
 * Everything is read before anything is written, and the report appears whole or not at all.
 * *exit_code and `text` as gate_run() has them. An error where the files are not those of one gate,
 * each of its shards once: of the same commits, settings and plan, and of this version of
 * profile_run.
 */
int merge_run(
	const struct merge_options *options, int *exit_code, struct buf *text, struct err *err);

#endif
