/*
 * Verbs: what the program can do. Each is a const struct in cli_verbs[] (verb.c), in its
 * own file (verb_NAME.c); verb.c says how to add one.
 */
#ifndef CLI_VERB_H
#define CLI_VERB_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct cli_option;
struct cli_verb;

/* Called with each table of options, valid during the call, instead of performing the verb. */
typedef void (*cli_look)(const struct cli_option *options, void *context);

/* Words of argv, which are borrowed: those left after the options, or a list. */
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
	int *exit_code;                 /* 0 at the start */
	cli_look look;                  /* optional; if set, all others but `verb` may be NULL */
	void *look_context;
};

struct cli_verb {
	const char *name;
	const char *usage;   /* what follows the name: "[WORKLOAD.yaml|DIR|NAME ...] [options]" */
	const char *summary; /* one line */
	bool takes_arguments;
	bool takes_command; /* the first argument begins a command of all words that follow */
	bool has_verdicts;  /* its text does, in colour on a terminal */
	bool is_styled;     /* its text has styles on a terminal; it escapes all names itself */
	bool is_data;       /* its text is a file's contents, escaped for that format */
	bool is_confined;   /* it reads input through confine() */
	/* Sets *exit_code where it is not 0; -1 on error. */
	int (*run)(const struct cli_call *call, struct err *err);
};

extern const struct cli_verb *const cli_verbs[];

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
extern const struct cli_verb verb_merge;
extern const struct cli_verb verb_replay;
extern const struct cli_verb verb_export;
extern const struct cli_verb verb_waive;
extern const struct cli_verb verb_history;
extern const struct cli_verb verb_trend;
extern const struct cli_verb verb_watch;
extern const struct cli_verb verb_bisect;
extern const struct cli_verb verb_convert;
extern const struct cli_verb verb_calibrate;
extern const struct cli_verb verb_doctor;
extern const struct cli_verb verb_completions;

/*
 * The manual pages, which the program carries as text: `profile_run help` shows one.
 */

/* Texts of static storage, none of them terminated. */
struct manual_page {
	const char *topic; /* "gate" of profile_run-gate; of the index, "profile_run" */
	size_t topic_len;
	char section; /* '1', '5' or '7' */
	const char *text;
	size_t len;
};

/* The first page after a zeroed one, else the next in order of sections; false after the last. */
bool manual_next(struct manual_page *page);

/* Finds the page of a verb or of another topic. */
bool manual_find(struct manual_page *page, const char *topic);

/* The whole command line. */
int cli_main(int argc, char **argv, int *exit_code, struct err *err);

#endif
