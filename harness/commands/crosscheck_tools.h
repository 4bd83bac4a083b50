/*
 * The profilers that `crosscheck` compares.
 *
 * Each is a const struct in crosscheck_tools[] (crosscheck_tools.c). To add one: write a function
 * that runs the command under it and reads what it wrote, and put it into the array, where those
 * that see more code come first.
 */
#ifndef COMMANDS_CROSSCHECK_TOOLS_H
#define COMMANDS_CROSSCHECK_TOOLS_H

#include "analysis/crosscheck.h"
#include "base/err.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/* The data that all tools need. */
struct crosscheck_task {
	const char *const *command;
	double frequency_hz;
	const char *dir;        /* for the files of the tools */
	const char *gmon_dir;   /* for the gmon files of the run without a profiler */
	const char *const *env; /* of all other runs: their gmon files go elsewhere */
	char sampled_event[64]; /* the event that profile_run samples; "": not known */
};

struct crosscheck_tool {
	const char *name;
	enum crosscheck_scope scope;
	bool counts; /* it counts every event; else it samples */
	const char *
		nature; /* a sentence: why its correct results may differ from others; NULL: none */
	const char *slowness; /* of its runs, for a message; NULL: as fast as without it */
	/* Fills `profile`, which is initialised, without frames of inlined functions. */
	int (*measure)(struct crosscheck_task *task, struct profile *profile, struct err *err);
};

/* NULL-ended; the others are compared with the first. */
extern const struct crosscheck_tool *const crosscheck_tools[];

/* The length of an event's name without how precise its addresses are: perf's ":ppp" or ":P". */
size_t crosscheck_event_len(const char *event);

#endif
