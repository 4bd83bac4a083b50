/*
 * Verbs: what the program can be told to do. Each is a const struct in cli_verbs[] (verb.c), in a
 * file of its own (verb_NAME.c); verb.c says how to add one.
 */
#ifndef CLI_VERB_H
#define CLI_VERB_H

#include "base/err.h"

struct cli_verb {
	const char *name;
	const char *usage;   /* what follows the name: "[WORKLOAD.yaml|DIR|NAME ...] [options]" */
	const char *summary; /* one line */
	/* argv[0] is the verb. Sets *exit_code (0 at the start); -1 on error. */
	int (*run)(const struct cli_verb *verb, int argc, char **argv, int *exit_code,
		struct err *err);
};

extern const struct cli_verb *const cli_verbs[];

/* The whole command line. */
int cli_main(int argc, char **argv, int *exit_code, struct err *err);

#endif
