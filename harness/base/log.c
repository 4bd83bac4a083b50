#include "base/log.h"

#include "base/buf.h"
#include "base/escape.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static enum log_level shown = LOG_INFO;
static bool live_line;

void
log_set_level(enum log_level level)
{
	shown = level;
}

enum log_level
log_get_level(void)
{
	return shown;
}

/* Whether progress is a live line. */
static bool
is_terminal(void)
{
	return isatty(STDERR_FILENO) != 0;
}

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
		if (shown < (level))               \
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

	if (shown < LOG_INFO)
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

	if (shown < LOG_INFO || !is_terminal())
		return;
	va_start(args, fmt);
	put_live(fmt, args);
	va_end(args);
}

void
log_step_end(const char *fmt, ...)
{
	va_list args;

	if (shown < LOG_INFO || is_terminal())
		return;
	va_start(args, fmt);
	put_line("", "\n", fmt, args);
	va_end(args);
}

/*
 * The colours of verdicts.
 */

#define BOLD_RED "1;31"
#define GREEN "32"
#define YELLOW "33"
#define MAGENTA "35"

/* Verdicts of a gate, and those of `doctor` and `baseline check`. */
static const struct {
	const char *word;
	const char *sgr;
} verdicts[] = {
	{"pass", GREEN},
	{"warn", YELLOW},
	{"inconclusive", MAGENTA},
	{"undecided", MAGENTA},
	{"fail", BOLD_RED},
	{"error", BOLD_RED},
	{"skipped", YELLOW},
	{"ok", GREEN},
	{"limited", YELLOW},
	{"missing", YELLOW},
	{"fatal", BOLD_RED},
	{"broken", BOLD_RED},
};

static enum colour_when wanted;

void
colour_set(enum colour_when when)
{
	wanted = when;
}

bool
colour_wanted(int fd)
{
	const char *refused = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	if (wanted != COLOUR_AUTO)
		return wanted == COLOUR_ALWAYS;
	return !(refused && *refused) && !(terminal && strcmp(terminal, "dumb") == 0) && isatty(fd);
}

/* The colour of the verdict `text`; NULL if it is not a verdict. */
static const char *
sgr_of(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
		if (strlen(verdicts[i].word) == len &&
			strncasecmp(verdicts[i].word, text, len) == 0)
			return verdicts[i].sgr;
	}
	return NULL;
}

static void
put_coloured_line(struct buf *out, const char *line, size_t len)
{
	size_t begin = 0;

	while (begin < len && line[begin] == ' ')
		begin++;
	size_t end = begin;

	while (end < len && line[end] != ' ' && line[end] != ':')
		end++;
	bool first = end == len || line[end] == ':' || (end + 1 < len && line[end + 1] == ' ');
	const char *sgr = first ? sgr_of(line + begin, end - begin) : NULL;

	if (!sgr) {
		for (begin = end = len; begin > 0 && line[begin - 1] != ' ';)
			begin--;
		if (begin >= 2 && line[begin - 2] == ':')
			sgr = sgr_of(line + begin, end - begin);
	}
	if (!sgr) {
		buf_put(out, line, len);
		return;
	}
	buf_put(out, line, begin);
	buf_printf(out, "\033[%sm%.*s\033[0m", sgr, (int)(end - begin), line + begin);
	buf_put(out, line + end, len - end);
}

void
colour_verdicts(struct buf *out, const char *text, size_t len)
{
	while (len > 0) {
		const char *newline = memchr(text, '\n', len);
		size_t line = newline ? (size_t)(newline - text) : len;
		size_t taken = line + (newline ? 1 : 0);

		put_coloured_line(out, text, line);
		buf_put(out, text + line, taken - line);
		text += taken;
		len -= taken;
	}
}
