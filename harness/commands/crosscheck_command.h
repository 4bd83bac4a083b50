/*
 * `profile_run crosscheck`: measures one command with several profilers, in one run each, and
 * compares their profiles.
 */
#ifndef COMMANDS_CROSSCHECK_COMMAND_H
#define COMMANDS_CROSSCHECK_COMMAND_H

#include "base/buf.h"
#include "base/err.h"

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

#endif
