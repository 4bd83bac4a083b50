/* Reads one profile, or two at once, as the command line's options select it. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include "base/err.h"
#include "cli/options.h"
#include "ingest/ingest.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

#define INPUT_HELP                                                                                        \
	"perf.data, folded, perf script, callgrind, pprof, speedscope, cpuprofile, firefox, bpf-stacks, " \
	"gprof, offcputime or ELF; - is standard input"

/* The options that select samples and say how to read them; NULL or 0 where not given. */
struct input_choice {
	/* The options of reading; those that have a member below are set from that. */
	struct ingest_options options;
	const char *by;
	const char *only;
	const char *weight;      /* of a sample: samples, period */
	const char *slower_than; /* only in operations that took longer */
	double from_s;           /* since the capture's start; 0: from there on */
	double to_s;             /* 0: to its end */
	const char *symfs;
	bool debuginfod;
};

/* The rows of an option table for `c`. */
#define INPUT_OPTIONS(c)                                                                           \
	{"event", 'e', OPTION_TEXT, "EVENT", &(c).options.event,                                   \
		"samples of this event (default: that of the largest total weight)"},              \
		{"weight", 0, OPTION_TEXT, "samples|period", &(c).weight,                          \
			"weight of a sample of perf: 1, or its period (default: its period; of "   \
			"clocks with one period 1)"},                                              \
		{"pid", 'p', OPTION_COUNT, "PID", &(c).options.pid,                                \
			"samples of this process only"},                                           \
		{"tid", 0, OPTION_COUNT, "TID", &(c).options.tid, "samples of this thread only"},  \
		{"comm", 0, OPTION_TEXT, "NAME", &(c).options.comm,                                \
			"samples of threads with this name only"},                                 \
		{"slower-than", 0, OPTION_TEXT, "TIME", &(c).slower_than,                          \
			"only operations that took longer (capture --operation); 0: all of them"}, \
		{"by", 0, OPTION_TEXT, "LABEL,...", &(c).by,                                       \
			"labels at the root of each stack: thread (default), process, pid, tid, "  \
			"phase, a pprof file's"},                                                  \
		{"only", 0, OPTION_TEXT, "LABEL=VALUE", &(c).only,                                 \
			"samples with this value of a label only"},                                \
		{"no-inline", 0, OPTION_FLAG, NULL, &(c).options.no_inline,                        \
			"no frames of inlined functions"},                                         \
		{"no-marks", 0, OPTION_FLAG, NULL, &(c).options.no_marks,                          \
			"leave out [broken] and [truncated] before incomplete stacks"},            \
		{"symfs", 0, OPTION_TEXT, "DIR", &(c).symfs,                                       \
			"look for programs and debug files below DIR"},                            \
	{                                                                                          \
		"debuginfod", 0, OPTION_FLAG, NULL, &(c).debuginfod,                               \
			"fetch missing debug files from $DEBUGINFOD_URLS"                          \
	}

/* The row of the option to compare two profiles of different quantities. */
#define FORCE_UNITS_OPTION(force)                                                              \
	{                                                                                      \
		"force-units", 0, OPTION_FLAG, NULL, &(force),                                 \
			"compare numbers of different quantities (ns and samples) as they are" \
	}

/* The rows of the options that select a part of the capture's time. */
#define INPUT_TIME_OPTIONS(c)                                                              \
	{"from", 0, OPTION_DURATION, "TIME", &(c).from_s,                                  \
		"perf.data: from this time on, since the capture's start (2.5, 800ms)"},   \
	{                                                                                  \
		"to", 0, OPTION_DURATION, "TIME", &(c).to_s, "perf.data: before this time" \
	}

/* Parses the time of '--slower-than', 0 or more, into ns. */
int input_threshold(const char *text, uint64_t *ns, struct err *err);

/*
 * The path of the perf.data or callgrind.out in a folder that `capture` made; free() it. NULL:
 * `path` is no such folder.
 */
char *input_recording(const char *path);

/*
 * Reads `path` ("-": standard input; a folder of `capture`: its recording) into a new, sorted
 * profile; on success it is to be released.
 */
int input_read(struct profile *profile, const char *path, const struct input_choice *choice,
	struct err *err);

/*
 * Reads two profiles as input_read() does, but with siblings in no order; in parallel where both
 * are files of folded text. If both fail, the error is the first one's.
 */
int input_read_two(struct profile profiles[2], const char *const paths[2],
	const struct input_choice *choice, struct err *err);

#endif
