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

/* The needs of all tools. */
struct crosscheck_task {
	const char *const *command;
	double frequency_hz;
	const char *dir;        /* for their files */
	const char *gmon_dir;   /* where the first, plain run's gmon files are */
	const char *const *env; /* of the other runs: such files go elsewhere */
	char sampled_event[64]; /* that profile_run samples; "": not known */
};

struct crosscheck_tool {
	const char *name;
	enum crosscheck_scope scope;
	bool counts;          /* every event; else it samples */
	const char *nature;   /* why it may differ though it is right: a sentence; NULL: nothing */
	const char *slowness; /* of a run, for a message; NULL: as fast as without it */
	/* Fills `profile`, which is initialised, without frames of inlined functions. */
	int (*measure)(struct crosscheck_task *task, struct profile *profile, struct err *err);
};

/* NULL-ended, the first one is what the others are compared with. */
extern const struct crosscheck_tool *const crosscheck_tools[];

#endif
