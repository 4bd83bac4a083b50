/*
 * The commands of one file each: what the verbs of these names do (cli/verb_*.c), and their
 * options. Commands of more files have a folder beside this one.
 */
#ifndef COMMANDS_COMMANDS_H
#define COMMANDS_COMMANDS_H

#include "base/buf.h"
#include "base/err.h"
#include "measurement/session.h"
#include "profile/profile.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Adding a report to a history. */
struct add_history_options {
	const char *report;  /* a report folder, or one replay.bin */
	const char *history; /* the folder of the history; made if need be */
	const char *url;     /* of the report; NULL: the place of `report` */
};

/*
 * Adds the results of the report's workloads to the history, and a line for each of them to `text`.
 * Adding the same report again changes nothing. A report without any measured workload is an error.
 */
int add_history(const struct add_history_options *options, struct buf *text, struct err *err);

/*
 * Calibration: a build measured against itself, which tells the growth that a gate of this workload
 * can detect on this machine, its false-alarm rate there, and the settings that fit.
 */

/* With fewer pairs the difference between pairs is not known. */
#define CALIBRATE_LEAST_PAIRS 6

struct calibrate_options {
	const struct config *config;
	/* As a gate would take them; capture.runs says how many pairs it begins with. */
	const struct workload_list *workloads;
	const char *command; /* the command line, for the report */
	const char *branch;  /* whose settings apply; NULL: detected */
	unsigned pairs;      /* of runs to measure, CALIBRATE_LEAST_PAIRS or more */
	unsigned gates;      /* to simulate */
	uint64_t seed;
	double budget_s; /* wall time of the measuring; 0: no limit */
};

/*
 * Measures, and appends the results to `text` and to `json`. *any_failed: some of the workloads
 * could not be calibrated. -1 for an interruption and for a system that cannot go on.
 */
int calibrate_run(const struct calibrate_options *options, struct buf *text, struct buf *json,
	bool *any_failed, struct err *err);

/* The counters of one command, over some runs without a capture. */
struct count_options {
	const char *const *command; /* a program and its arguments, NULL-ended */
	unsigned runs;              /* at least 1 */
	const char *pin;            /* CPUs of the program: "none", "auto" or a list */
	bool quiet;                 /* its output is discarded */
};

/*
 * Adds a run to `profile`, which is initialised, for each run of the command, without weights. A
 * command that fails is an error.
 */
int count_run(const struct count_options *options, struct profile *profile, struct err *err);

/*
 * One command measured by several profilers, one run each, and compared: `profile_run crosscheck`.
 */
struct crosscheck_options {
	const char *const *command; /* a program and its arguments, NULL-ended */
	const char *tools;          /* names, separated by commas; NULL: all */
	double frequency_hz;        /* of those that sample at a frequency that can be chosen */
	unsigned top;               /* functions that are shown; 0: up to 15 with 0.5 % or more */
};

/*
 * Appends the comparison to `text`. A tool that is missing or fails is named there with its reason.
 * An error if the command fails without any of them, or if none of them works.
 */
int crosscheck_run(const struct crosscheck_options *options, struct buf *text, struct err *err);

/*
 * Judging profiles that were captured elsewhere, one run per file, for `profile_run compare`.
 */
struct judge_files_options {
	const struct session *session;
	const struct workload
		*workload;      /* whose rules and thresholds apply; NULL: the configuration's */
	const char *name;       /* in the report, where there is no workload; NULL: "compare" */
	const char *command;    /* the command line, for the report */
	const char *branch;     /* whose settings apply; NULL: detected */
	const char *report_dir; /* gets the report, whole or not at all; NULL: there is none */
	/*
	 * The runs of both sides were interleaved, run i beside run i: plain costs are compared
	 * pair by pair. Both sides then have equally many runs.
	 */
	bool paired;
	/* Both sides are of one machine and session: no spread between sessions is added. */
	bool same_session;
};

/*
 * Judges the runs of `after` against those of `before`. *exit_code is 0, 1, 2 or 3; the text of the
 * verdict is appended to `text`. Runs are numbered if they are paired.
 */
int judge_files(const struct judge_files_options *options, struct profile *before,
	struct profile *after, int *exit_code, struct buf *text, struct err *err);

/*
 * Merging the shards of a gate: one verdict and one report of all workloads, corrected over all
 * tests, as if one gate had measured them.
 */
struct merge_options {
	const char *const *paths; /* each a shard.bin, or a report folder that has one */
	size_t npaths;
	const char *reports_dir; /* as in struct replay_options */
	const char *output_dir;
	bool full;
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
