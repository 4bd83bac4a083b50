/*
 * A report made again from its replay.bin files: the same verdict and the same files.
 */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "base/buf.h"
#include "base/err.h"
#include "output/output.h"

struct replay_options {
	const char *path;        /* a report folder, or one replay.bin (output/replay_file.h) */
	const char *reports_dir; /* the report goes to a new folder in this one ... */
	const char *output_dir;  /* ... or, unless it is NULL, to this folder */
	bool full;               /* report.full */
};

/*
 * Everything is read before anything is written, and the report appears whole or not at all.
 * *exit_code and `text` as gate_run() has them. A single file of a report of several workloads is
 * judged as a separate gate, with fewer tests to correct for, and a warning says so.
 */
int replay_run(
	const struct replay_options *options, int *exit_code, struct buf *text, struct err *err);

/* A report that was judged again. */
struct replay;

/* Opens a report folder or a single replay.bin, for a full report; to be closed. NULL on error. */
struct replay *replay_open(const char *path, struct err *err);
/* The report that outputs are made from; lives until it is closed. */
const struct report *replay_report(const struct replay *replay);
void replay_close(struct replay *replay);

/* Appends one output of the report in `path`, which is a folder or a replay.bin. */
int replay_write(
	const char *path, const struct report_output *output, struct buf *out, struct err *err);

#endif
