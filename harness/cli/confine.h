/*
 * Confinement: verbs that open profiles from strangers do so in a process without rights
 * (process/sandbox.h). This is our own process or, where an output is to replace a file or a
 * folder, a child, which reads, computes and writes to the output that we have opened. When it has
 * succeeded, we move the output into its place.
 */
#ifndef CLI_CONFINE_H
#define CLI_CONFINE_H

#include "base/err.h"
#include "cli/verb.h"

#include <stdbool.h>

/* The outputs of the command; all optional. */
struct confinement {
	const char *file;    /* written as a whole; "-" is standard output */
	const char *folder;  /* replaced as a whole */
	const char *reports; /* a folder in which a new report is made */
	const char *store;   /* a folder, to be made if missing, whose files are replaced */
	bool programs;       /* rsvg-convert is run */
	bool debuginfod;     /* files are fetched from servers, and kept in their cache */
};

enum confined {
	CONFINED_FAILED = -1, /* in our process, with an error */
	CONFINED_OVER,        /* in our process: a child has done all, *call->exit_code is set */
	CONFINED_INSIDE,      /* go on; confined, unless there is no sandbox */
};

/*
 * Confines this process or a child. To be called once everything has been read that needs our
 * rights. No other thread may run.
 */
enum confined confine(
	const struct cli_call *call, const struct confinement *confinement, struct err *err);
/* Confines for writing a picture, which may be a PNG (cli/picture.h). */
enum confined confine_picture(
	const struct cli_call *call, const char *path, bool debuginfod, struct err *err);
/* Confines for writing a report, in `folder` or, without one, in a new folder in `reports`. */
enum confined confine_report(
	const struct cli_call *call, const char *folder, const char *reports, struct err *err);

#endif
