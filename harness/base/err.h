/*
 * Errors with a kind, a location and the chain of what was being done.
 *
 * The function that detects a failure calls err_set() or err_set_at(); every caller above it may
 * add with err_note() what it was doing; main() prints the text once and exits with
 * err_exit_code(). Nothing below main() prints an error or exits.
 *
 * A struct err is plain storage of the caller's: `struct err err = {0};`. It owns no memory. Text
 * that would not fit is cut with "...".
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stddef.h>

enum err_kind {
	ERR_NONE,
	ERR_USAGE,       /* the command line is wrong: EXIT_USAGE_ERROR */
	ERR_INPUT,       /* a file is malformed: EXIT_FAILED */
	ERR_MEASURE,     /* a workload failed or a capture was refused: EXIT_FAILED */
	ERR_SYSTEM,      /* the system refused (disk full, permission): EXIT_FAILED */
	ERR_INTERRUPTED, /* SIGINT or SIGTERM: 130 or 143, which is 128 and the signal */
};

/* The exit codes of errors. */
#define EXIT_FAILED 2
#define EXIT_USAGE_ERROR 64
#define EXIT_BY_SIGNAL 128

#define ERR_TEXT_MAX 4096

struct err {
	enum err_kind kind;
	int signal; /* of ERR_INTERRUPTED */
	size_t len;
	char text[ERR_TEXT_MAX];
};

/* Where in a text file something stands. Lines and columns count from 1; 0 is "not known". */
struct location {
	const char *file; /* as the user named it; borrowed */
	unsigned line;
	unsigned column;       /* in bytes */
	const char *line_text; /* the line itself, not terminated, for the caret; may be NULL */
	size_t line_len;
};

/*
 * The location of byte `offset` of a file whose whole contents is `text`. All pointers are borrowed
 * and live as long as `file` and `text` do.
 */
struct location location_at(const char *file, const char *text, size_t len, size_t offset);

/* Replaces what `err` held. Each returns -1, so that `return err_set(...)` reads well. */
int err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same, followed by ": " and the text of errno value `errnum`. */
int err_set_errno(struct err *err, enum err_kind kind, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* `file:line:column: error: ...`, then the line and a caret. The kind is ERR_INPUT. */
int err_set_at(struct err *err, const struct location *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* An interruption by `signal`. */
int err_set_interrupted(struct err *err, int signal);

/* Adds a line "  while ..." or, for any other text, "  note: ...". Returns -1. */
int err_note(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The process's exit code for `err`: see enum err_kind; 0 for ERR_NONE. */
int err_exit_code(const struct err *err);

#endif
