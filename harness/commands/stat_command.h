/* `profile_run stat`: the counters of one command, over some runs without a capture. */
#ifndef COMMANDS_STAT_COMMAND_H
#define COMMANDS_STAT_COMMAND_H

#include "base/err.h"
#include "profile/profile.h"

#include <stdbool.h>

struct stat_options {
	const char *const *command; /* a program and its arguments, NULL-ended */
	unsigned runs;              /* at least 1 */
	const char *pin;            /* CPUs of the program: "none", "auto" or a list */
	bool quiet;                 /* its output is discarded */
};

/*
 * Adds a run to `profile`, which is initialised, for each run of the command, without weights. A
 * command that fails is an error.
 */
int stat_run(const struct stat_options *options, struct profile *profile, struct err *err);

#endif
