/*
 * The parts that reading, writing and listing baselines share: baseline.json as text, the folders,
 * the files in them, and the lock.
 */
#ifndef BASELINE_STORE_INTERNAL_H
#define BASELINE_STORE_INTERNAL_H

#include "base/buf.h"
#include "base/err.h"
#include "base/sha256.h"
#include "baseline/baseline.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Appends baseline.json, which describes a baseline and each of its runs, one array per quantity,
 * so that a change reads well in a pull request: keys in a fixed order, numbers that read back as
 * the same.
 */
void store_json_write(const struct baseline_info *info, const struct profile *profile,
	const char *runs_hash, struct buf *out);

/* The key of the SHA-256 of runs.stacks in baseline.json. */
#define STORE_HASH_KEY "runs_stacks_sha256"
/* The key of the counters of runs; baselines of earlier versions have none. */
#define STORE_COUNTERS_KEY "counters"
/* Whole numbers up to 2^53 are the same in every JSON reader; larger ones are written as text. */
#define STORE_EXACT_MAX ((uint64_t)1 << 53)

/* The file of runs that a document is for. */
struct store_runs {
	bool folded; /* format 1 */
	char hash[SHA256_TEXT_SIZE];
};

/* From a document of a version that is read here. `file` names the document in errors. */
int store_json_read_hash(
	struct store_runs *runs, const char *file, const char *text, size_t len, struct err *err);

/*
 * Reads the document into `info` and into the description and the runs of `profile`, which holds
 * the tree and its runs. info->format_version is the one that is written, whichever was read.
 */
int store_json_read(struct baseline_info *info, struct profile *profile, const char *file,
	const char *text, size_t len, struct err *err);

/* The folders CLASS/WORKLOAD/METRIC below the store: none of them may be a symbolic link. */
#define STORE_LEVELS 3

/* The two files of runs, and those of the instructions that were counted beside them. */
struct store_part {
	const char *json;
	const char *runs;
	const char *folded; /* the runs in format 1 */
};

extern const struct store_part store_timed;
extern const struct store_part store_counted;

#define STORE_CODE_FILE "code.txt"
#define STORE_RUNS_FILE_MAX ((size_t)256 << 20)

/*
 * Reads one part of the baseline of that folder. *found: whether it is there; *folded: whether it
 * is of format 1.
 */
int store_read_part(struct baseline *baseline, const char *folder, const struct store_part *part,
	bool *found, bool *folded, struct err *err);

/*
 * Makes the parent of `folder` (a baseline) and locks it. Returns a descriptor for store_unlock(),
 * -1 on error.
 */
int store_lock(const char *folder, struct err *err);
/* Releases the lock and removes folders above `folder` that are empty because writing failed. */
void store_unlock(int lock, const char *folder);

/* Ends a replacement of `folder` during which a process was killed, once nobody else replaces it.
 */
int store_recover(const char *folder, struct err *err);

#endif
