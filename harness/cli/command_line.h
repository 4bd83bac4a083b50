/* The command line of profile_run as one line of text, for reports and for a user to repeat it. */
#ifndef CLI_COMMAND_LINE_H
#define CLI_COMMAND_LINE_H

#include "cli/command_settings.h"
#include "cli/verb.h"

/*
 * argv as one line, quoted for a shell, without the words in `without` (pointers from argv) and the
 * options that have one of the NULL-ended `values` (NULL: all stay); free() it.
 */
char *command_line_quoted(
	int argc, char **argv, const struct cli_arguments *without, const char *const *values);

#endif
