#include "base/log.h"

#include "base/buf.h"
#include "base/colour.h"
#include "base/escape.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

static enum log_level level_shown = LOG_INFO;
/* Whether the last line on the terminal is a live line. */
static bool live_line;

void
log_set_level(enum log_level level)
{
	level_shown = level;
}

enum log_level
log_get_level(void)
{
	return level_shown;
}

/* Whether progress is shown as a live line. */
static bool
is_terminal(void)
{
	return isatty(STDERR_FILENO) != 0;
}

/* Writes a message that is safe for terminals, with its verdicts in colour where that is wanted. */
static void __attribute__((format(printf, 3, 0)))
put_line(const char *before, const char *after, const char *fmt, va_list args)
{
	char text[2048];
	int len = vsnprintf(text, sizeof(text), fmt, args);

	if (len < 0)
		return;
	struct buf line = {0};
	size_t shown_len = (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1;

	escape_terminal(text, shown_len);
	buf_puts(&line, before);
	if (colour_wanted(STDERR_FILENO))
		colour_verdicts(&line, text, shown_len);
	else
		buf_put(&line, text, shown_len);
	/* One write a line, so that lines of parallel jobs do not mix. */
	fprintf(stderr, "%s%s", buf_text(&line), after);
	fflush(stderr);
	buf_release(&line);
}

void
log_progress_end(void)
{
	if (live_line)
		fputs("\r\033[K", stderr);
	live_line = false;
}

#define LOG_AT(level, prefix)                      \
	do {                                       \
		va_list args;                      \
		if (level_shown < (level))         \
			break;                     \
		log_progress_end();                \
		va_start(args, fmt);               \
		put_line(prefix, "\n", fmt, args); \
		va_end(args);                      \
	} while (0)

void
log_error(const char *fmt, ...)
{
	LOG_AT(LOG_ERROR, "profile_run: ");
}

void
log_warn(const char *fmt, ...)
{
	LOG_AT(LOG_WARN, "profile_run: warning: ");
}

void
log_info(const char *fmt, ...)
{
	LOG_AT(LOG_INFO, "");
}

void
log_debug(const char *fmt, ...)
{
	LOG_AT(LOG_DEBUG, "debug: ");
}

static void __attribute__((format(printf, 1, 0))) put_live(const char *fmt, va_list args)
{
	put_line("\r\033[K", "", fmt, args);
	live_line = true;
}

void
log_step(const char *fmt, ...)
{
	va_list args;

	if (level_shown < LOG_INFO)
		return;
	va_start(args, fmt);
	if (is_terminal())
		put_live(fmt, args);
	else
		put_line("", "\n", fmt, args);
	va_end(args);
}

void
log_progress(const char *fmt, ...)
{
	va_list args;

	if (level_shown < LOG_INFO || !is_terminal())
		return;
	va_start(args, fmt);
	put_live(fmt, args);
	va_end(args);
}

void
log_step_end(const char *fmt, ...)
{
	va_list args;

	if (level_shown < LOG_INFO || is_terminal())
		return;
	va_start(args, fmt);
	put_line("", "\n", fmt, args);
	va_end(args);
}
