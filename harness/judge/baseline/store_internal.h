/*
 * The parts of the store: baseline.json, which describes a baseline and each of its runs, one array
 * per quantity, so that a change reads well in a pull request; and the lock of a baseline, held
 * while it is exchanged.
 */
#ifndef BASELINE_STORE_INTERNAL_H
#define BASELINE_STORE_INTERNAL_H

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "baseline/baseline.h"

/* The folders CLASS/WORKLOAD/METRIC below the store: none of them may be a symbolic link. */
#define STORE_LEVELS 3

/* Appends the document: keys in a fixed order, numbers that read back as the same. */
void store_json_write(const struct baseline_info *info, const struct profile *profile,
	const char *runs_hash, struct buf *out);

/* The file of runs that a document is for. */
struct store_runs {
	bool folded; /* format 1 */
	char hash[HASH_TEXT_SIZE];
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

/*
 * Makes the parent of `folder` (a baseline) and locks it. Returns a descriptor for store_unlock(),
 * -1 on error.
 */
int store_lock(const char *folder, struct err *err);
/* Ends a replacement of `folder` during which a process was killed, once nobody else replaces it.
 */
int store_recover(const char *folder, struct err *err);
/* Releases the lock and removes folders above `folder` that are empty because writing failed. */
void store_unlock(int lock, const char *folder);

/* The key of the document that holds the SHA-256 of runs.stacks; in format 1, of runs.folded. */
#define STORE_JSON_HASH_KEY "runs_stacks_sha256"
#define STORE_JSON_FOLDED_HASH_KEY "runs_folded_sha256"
/* The key of the counters of runs; baselines of earlier versions have none. */
#define STORE_JSON_COUNTERS_KEY "counters"

#endif
