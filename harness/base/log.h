/*
 * Messages on stderr: progress, and what the user should know about it. Results go to stdout, and
 * errors travel in struct err; logged are only those after which the rest goes on. And the colours
 * of verdicts (colour_*), which results on stdout have, too.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

enum log_level {
	LOG_ERROR,
	LOG_WARN,
	LOG_INFO,
	LOG_DEBUG,
};

/* The lowest level that is shown; LOG_INFO at the start. `--quiet` is LOG_ERROR, `--verbose`
 * LOG_DEBUG.
 */
void log_set_level(enum log_level level);
enum log_level log_get_level(void);

/* Always shown. */
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Progress, shown from LOG_INFO on. A step is a stage that begins: on a terminal a live line, which
 * is rewritten in place, in a log a plain line. Progress within it is only the live line; its end
 * is only a plain line. The next message starts on its own line.
 */
void log_step(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_step_end(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Ends a live line, if there is one. */
void log_progress_end(void);

/*
 * Verdicts in colour, on terminals only: a file gets the same text without colour.
 */

enum colour_when {
	COLOUR_AUTO, /* on a terminal, unless NO_COLOR is set or TERM is "dumb" */
	COLOUR_ALWAYS,
	COLOUR_NEVER,
};

/* COLOUR_AUTO at the start. */
void colour_set(enum colour_when when);

/* Whether output to `fd` is to be coloured. */
bool colour_wanted(int fd);

/*
 * Appends `text` with each verdict in its colour (SGR sequences of ECMA-48): pass, warn, fail and
 * the like in any case, where they begin a line, ahead of a colon or two blanks, or end it behind
 * ": ". The bytes without the sequences are those of `text`.
 */
void colour_verdicts(struct buf *out, const char *text, size_t len);

#endif
