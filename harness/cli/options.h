/*
 * The options of a command line, parsed by one table per verb, which its help is made from, too.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/err.h"
#include "cli/verb.h"

#include <stdbool.h>
#include <stddef.h>

enum option_kind {
	OPTION_FLAG,        /* bool */
	OPTION_TEXT,        /* const char * */
	OPTION_NEEDED_TEXT, /* the same; an error if it is not given */
	OPTION_COUNT,       /* unsigned, at least 1 */
	OPTION_FREQUENCY,   /* double, Hz */
	OPTION_DURATION,    /* double, seconds; a bare number is seconds */
	OPTION_SIZE,        /* unsigned, bytes of stack: 8 to 64 KiB */
	OPTION_LIST,        /* struct cli_arguments: all words up to the next option, of each
			       time that it is given; the verb frees the items */
};

struct cli_option {
	const char *name; /* without "--"; NULL ends a table */
	char letter;      /* 0: none */
	enum option_kind kind;
	const char *value; /* "FILE", for help; NULL for a flag */
	void *target;      /* keeps its value when the option is not given */
	const char *help;
};

/* The action of a verb, after its options are read. `context` is the verb's own. */
typedef int (*cli_action)(const struct cli_call *call, void *context, struct err *err);

/*
 * Reads the options of a call into their targets, and performs `action` with the words that are
 * left as the call's arguments. Arguments are an error if the verb takes none.
 *
 * `--name value`, `--name=value`, `-n value`, `-nvalue`; `--` ends the options, and so does the
 * first argument of a verb that takes a command; "-" is an argument. If `call->look` (verb.h) is
 * set, it is called with the verb's table and the common one, and nothing else is done. -q, -v and
 * --help are understood everywhere; --help is handled here, and `action` is not performed. An
 * unknown option names the nearest known one.
 */
int cli_perform(const struct cli_call *call, const struct cli_option *options, cli_action action,
	void *context, struct err *err);

/* Whether '--no-sandbox' was not given, an option of verbs that are confined. */
bool cli_sandbox_wanted(void);

/* Adds the usage line of the verb to an error. Returns -1. */
int cli_usage_error(const struct cli_verb *verb, struct err *err);

#endif
