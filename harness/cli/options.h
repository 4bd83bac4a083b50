/*
 * Command-line options, from one table per verb that also makes its help.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/err.h"
#include "cli/verb.h"

#include <stdbool.h>
#include <stddef.h>

enum option_kind {
	OPTION_FLAG,      /* bool */
	OPTION_TEXT,      /* const char * */
	OPTION_COUNT,     /* unsigned, at least 1 */
	OPTION_FREQUENCY, /* double, Hz */
	OPTION_DURATION,  /* double, seconds; a bare number is seconds */
};

struct cli_option {
	const char *name; /* without "--"; NULL ends a table */
	char letter;      /* 0: none */
	enum option_kind kind;
	const char *value; /* "FILE", for help; NULL for a flag */
	void *target;      /* left alone when the option is not given */
	const char *help;
};

/* What is left when the options are taken out; borrowed from argv. */
struct cli_arguments {
	const char **items;
	size_t count;
	bool help_shown; /* --help was there and has been answered: do nothing more */
};

/*
 * Parses argv[1..]. `--name value`, `--name=value`, `-n value`, `-nvalue`; `--` ends the options;
 * "-" is an argument. -q, -v and --help are understood everywhere. An unknown option names the
 * nearest known one. The items array is owned by the caller: cli_arguments_release().
 */
int cli_options_parse(const struct cli_verb *verb, int argc, char **argv,
	const struct cli_option *options, struct cli_arguments *arguments, struct err *err);
void cli_arguments_release(struct cli_arguments *arguments);

/* Adds to an error of usage how the verb is used. Returns -1. */
int cli_usage_error(const struct cli_verb *verb, struct err *err);
/* An error if there are arguments at all. */
int cli_no_arguments(
	const struct cli_verb *verb, const struct cli_arguments *arguments, struct err *err);
/* An error naming `--option` if `value` is NULL. */
int cli_require(
	const struct cli_verb *verb, const char *option, const char *value, struct err *err);

#endif
