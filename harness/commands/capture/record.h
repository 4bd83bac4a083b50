/*
 * `profile_run capture`: one capture for a person to look at, with perf.data, folded.txt,
 * flamegraph.svg and report.txt in a folder.
 */
#ifndef CAPTURE_RECORD_H
#define CAPTURE_RECORD_H

#include "base/buf.h"
#include "base/err.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct record_options {
	const struct config *config;
	/*
	 * The program: the path or name of a workload (then it is built and set up first), or a
	 * command for /bin/sh. NULL with `attach_pid`, and where `all_of` has no command.
	 */
	const char *workload;
	const char *const *command; /* instead: a program and its arguments, NULL-ended */
	pid_t attach_pid;           /* 0: none */
	double duration_s;          /* 0: until it ends */
	double skip_s;   /* of the command's beginning, not measured; 0: the workload's */
	bool repeats;    /* use `repeat`, else as the workload has it */
	unsigned repeat; /* number of executions; 0: as many as take about a second */
	double frequency_hz;
	const char *metric;    /* NULL: the workload's, of a command cpu */
	const char *thread;    /* as for run_capture_select_threads(); NULL: the workload's, of a
				  command "auto" */
	const char *operation; /* as operation_find() has it: only the times of these; NULL: all */
	const char *phases; /* as capture_phases_find() has it; NULL: the workload's, of a command
			       none */
	uint64_t slower_than_ns; /* ... and only of those that took longer; 0: of each */
	const char *event;
	const char *pin;
	const char *callgraph;  /* "auto", "fp", "dwarf" or "none"; NULL: as the workload has it */
	uint32_t stack_bytes;   /* 0: chosen automatically */
	const char *all_of;     /* sample every process on these CPUs: "all" or a list; NULL: only
				   what is run or attached to */
	bool keep_raw;          /* perf.data keeps the stack copies */
	const char *output_dir; /* NULL: a new folder, "capture-NAME", */
	const char *beside;     /* ... behind this: "" or "src/lib/" */
};

/* Whether `name` is the file, or the name, of a workload; else it is a command. */
bool record_is_workload(const struct config *config, const char *name);

/*
 * Captures and writes the four files; the contents of report.txt are appended to `text`, and the
 * name of a new folder. A program that fails, or that SIGINT ends, is an error; the files are
 * written even so, as far as it was sampled.
 */
int record_run(const struct record_options *options, struct buf *text, struct err *err);

#endif
