/*
 * Continuous profiling, for `profile_run watch`: the whole machine is profiled in windows, one
 * every so often. The windows are kept, and the last ones are judged by those before. The folder
 * has the windows (windows.h), alerts.json and openmetrics.prom.
 */
#ifndef WATCH_CONTINUOUS_H
#define WATCH_CONTINUOUS_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct continuous_options {
	const char *dir;
	const char *cpus; /* "all" or a list */
	const char *event;
	const char *callgraph; /* "fp", "dwarf" or "none" */
	double frequency_hz;
	double every_s;       /* from the start of a window to that of the next, */
	double for_s;         /* ... and how long it takes */
	unsigned keep;        /* windows that are kept */
	bool once;            /* one window, now */
	double threshold;     /* the least growth of a share that is an alert */
	const char *push_url; /* NULL: windows are not pushed */
};

/*
 * Watches until SIGINT or SIGTERM, or for one window. *nalerts is the number of alerts after the
 * last one, which are appended to `text`. A window that these signals end is not kept. An error is
 * one of the capture or of the folder; a push that fails is a warning.
 */
int continuous_run(const struct continuous_options *options, size_t *nalerts, struct buf *text,
	struct err *err);

#endif
