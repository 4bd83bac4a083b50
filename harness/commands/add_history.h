/* `profile_run history add`: adds the results of a report to a history. */
#ifndef COMMANDS_ADD_HISTORY_H
#define COMMANDS_ADD_HISTORY_H

#include "base/buf.h"
#include "base/err.h"

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

#endif
