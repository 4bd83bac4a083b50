/* `profile_run history add`: adds the results of a report, or of a benchmark suite, to a history.
 */
#ifndef COMMANDS_ADD_HISTORY_H
#define COMMANDS_ADD_HISTORY_H

#include "base/buf.h"
#include "base/err.h"

#include <stdint.h>

struct add_history_options {
	const char *report;  /* a report folder, or one replay.bin */
	const char *history; /* the folder of the history; made if need be */
	const char *url;     /* of the report; NULL: the place of `report` */
};

/*
 * Adds the results of the report's workloads to the history, and a line for each of them to `text`.
 * Adding the same report again changes nothing. A report without any measured workload is an error.
 */
int add_history(const struct add_history_options *options, struct buf *text, struct err *err);

struct add_suite_options {
	const char *format;        /* of import_suite_formats() */
	const char *input;         /* a file, "-", or for Criterion a folder */
	const char *history;       /* as above */
	const char *machine_class; /* of the machine that it was measured on */
	const char *commit;        /* that was measured; NULL: by the output, else `head` */
	const char *head;
	int64_t started; /* of the measurement; 0: by the output, else when the file was written */
	const char *url; /* where to read about it; NULL: nowhere */
};

/* Adds the output of a benchmark suite (history/import_suite.h), and a line about it to `text`. */
int add_suite(const struct add_suite_options *options, struct buf *text, struct err *err);

#endif
