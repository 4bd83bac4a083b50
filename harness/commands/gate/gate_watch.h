/*
 * The gate again and again, as the sources change: the local loop of `gate --watch`.
 */
#ifndef GATE_GATE_WATCH_H
#define GATE_GATE_WATCH_H

#include "base/buf.h"
#include "base/err.h"

#define GATE_WATCH_LINES 3

/* Prints a text, which is not yet escaped. */
typedef int (*gate_watch_print)(struct buf *text, struct err *err);

/*
 * Runs this command line of our own program, NULL-ended, now and each time that tracked files of
 * the repository have other contents, and prints the first lines of its verdict, GATE_WATCH_LINES
 * at most, as far as they differ from those of the run before. Ends with a signal: always -1.
 */
int gate_watch(const char *const *argv, gate_watch_print print, struct err *err);

#endif
