/*
 * Verbs: what the program can be told to do. Each is a const struct in cli_verbs[] (verb.c), in a
 * file of its own (verb_NAME.c); verb.c says how to add one.
 */
#ifndef CLI_VERB_H
#define CLI_VERB_H

#include "base/err.h"

struct cli_verb {
	const char *name;
	const char *usage;   /* "gate [WORKLOAD.yaml|DIR ...] [options]" */
	const char *summary; /* one line for `profile_run --help` */
	const char *help;    /* the options, for `profile_run NAME --help` */
	/* argv[0] is the verb. Sets *exit_code; -1 on error. */
	int (*run)(int argc, char **argv, int *exit_code, struct err *err);
};

extern const struct cli_verb *const cli_verbs[];

/* The whole command line. */
int cli_main(int argc, char **argv, int *exit_code, struct err *err);

#endif
