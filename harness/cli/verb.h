/*
 * The verbs, which are the commands of profile_run. Each is a const struct in its own file,
 * verb_NAME.c, and in the table cli_verbs[]; verb.c says how to add one.
 */
#ifndef CLI_VERB_H
#define CLI_VERB_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct cli_option;
struct cli_verb;

/* Called with each table of a verb's options, valid during the call. */
typedef void (*cli_look)(const struct cli_option *options, void *context);

/* Borrowed words of argv: those left after the options, or those of a list option. */
struct cli_arguments {
	const char **items;
	size_t count;
};

/* One call of the program. argv[0] is the verb. */
struct cli_call {
	const struct cli_verb *verb;
	int argc;
	char **argv;
	struct cli_arguments arguments; /* empty before cli_perform() */
	struct buf *text;               /* for standard output, unless the verb fails */
	struct buf *commands;           /* lines to a CI system, behind the text, as they are */
	int *exit_code;                 /* 0 at the start */
	cli_look look; /* NULL, or called instead of performing the verb; members other than `verb`
			  may then be NULL */
	void *look_context;
};

struct cli_verb {
	const char *name;
	const char *usage;   /* what follows the name: "[WORKLOAD.yaml|DIR|NAME ...] [options]" */
	const char *summary; /* one line */
	bool takes_arguments;
	bool takes_command; /* the first argument begins a command of all words that follow */
	bool has_verdicts;  /* its text has verdicts, which are coloured on a terminal */
	bool is_styled;     /* its text has styles on a terminal; it escapes all names itself */
	bool is_data;       /* its text is a file's contents, escaped for that format */
	bool is_confined;   /* it reads input through confine() */
	/* Performs the call, and sets *exit_code where it is not 0. -1 on error. */
	int (*run)(const struct cli_call *call, struct err *err);
};

extern const struct cli_verb *const cli_verbs[];

/* Prints a verb's text on standard output, escaped and coloured as the verb has it. */
int cli_show(const struct cli_verb *verb, struct buf *text, struct err *err);

extern const struct cli_verb verb_init;
extern const struct cli_verb verb_gate;
extern const struct cli_verb verb_baseline;
extern const struct cli_verb verb_capture;
extern const struct cli_verb verb_stat;
extern const struct cli_verb verb_crosscheck;
extern const struct cli_verb verb_flamegraph;
extern const struct cli_verb verb_heatmap;
extern const struct cli_verb verb_analyze;
extern const struct cli_verb verb_annotate;
extern const struct cli_verb verb_diff;
extern const struct cli_verb verb_compare;
extern const struct cli_verb verb_coverage;
extern const struct cli_verb verb_merge;
extern const struct cli_verb verb_replay;
extern const struct cli_verb verb_explain;
extern const struct cli_verb verb_export;
extern const struct cli_verb verb_mcp;
extern const struct cli_verb verb_waive;
extern const struct cli_verb verb_history;
extern const struct cli_verb verb_trend;
extern const struct cli_verb verb_watch;
extern const struct cli_verb verb_bisect;
extern const struct cli_verb verb_convert;
extern const struct cli_verb verb_calibrate;
extern const struct cli_verb verb_doctor;
extern const struct cli_verb verb_completions;

/* Performs the whole command line. */
int cli_main(int argc, char **argv, int *exit_code, struct err *err);

#endif
