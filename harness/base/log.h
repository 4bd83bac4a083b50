/*
 * Messages on stderr: progress, and what the user should know about it. Results go to stdout, and
 * errors travel in struct err: only those after which the program goes on are logged.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

enum log_level {
	LOG_ERROR,
	LOG_WARN,
	LOG_INFO,
	LOG_DEBUG,
};

/*
 * The least urgent level that is shown; LOG_INFO at the start. `--quiet` is LOG_ERROR, `--verbose`
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
 * Progress, shown from LOG_INFO on. On a terminal it is one live line, which is rewritten in place
 * and erased by the next message. Elsewhere, in the log of a CI system, it is plain lines.
 */
/* A stage begins: on a terminal the live line, elsewhere a plain line. */
void log_step(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* How far the stage is: on a terminal only. */
void log_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The stage is done: a plain line, and nothing on a terminal. */
void log_step_end(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Erases the live line, if there is one. */
void log_progress_end(void);

#endif
