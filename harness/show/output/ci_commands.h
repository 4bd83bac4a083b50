/*
 * Which CI system this process runs in, and the output whose lines are commands to it: a gate
 * prints them behind its verdict.
 */
#ifndef OUTPUT_CI_COMMANDS_H
#define OUTPUT_CI_COMMANDS_H

#include "base/err.h"
#include "output/output.h"

#define CI_COMMANDS_NAMES "auto|github|azure|teamcity|none"

/*
 * Sets *commands to the output for the system called `name`; NULL or "auto": for the one that the
 * environment names, of several the first in the table. *commands is NULL where there is none.
 */
int ci_commands_choose(const char *name, const struct report_output **commands, struct err *err);

#endif
