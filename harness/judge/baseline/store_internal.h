/*
 * The parts of the store: baseline.json, which describes a baseline and each of its runs, one array
 * per quantity, so that a change reads well in a pull request; and the folders.
 */
#ifndef BASELINE_STORE_INTERNAL_H
#define BASELINE_STORE_INTERNAL_H

#include "base/buf.h"
#include "base/err.h"
#include "base/sha256.h"
#include "baseline/baseline.h"

/* Appends the document: keys in a fixed order, numbers that read back as the same. */
void store_json_write(const struct baseline_info *info, const struct profile *profile,
	const char *runs_hash, struct buf *out);

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

/* Ends a replacement of `folder` during which a process was killed, once nobody else replaces it.
 */
int store_recover(const char *folder, struct err *err);

#endif
