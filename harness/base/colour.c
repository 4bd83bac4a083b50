#include "base/colour.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define BOLD_RED "1;31"
#define GREEN "32"
#define YELLOW "33"
#define MAGENTA "35"

/* The verdicts of a gate, and those of `doctor` and `baseline check`. */
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

static enum colour_when when_wanted;

void
colour_set(enum colour_when when)
{
	when_wanted = when;
}

bool
colour_wanted(int fd)
{
	const char *refused = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	if (when_wanted != COLOUR_AUTO)
		return when_wanted == COLOUR_ALWAYS;
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

/*
 * Colours the first word where it stands alone (ahead of ':', two blanks or the end), else the last
 * word where it stands behind ": ".
 */
static void
put_coloured_line(struct buf *out, const char *line, size_t len)
{
	size_t begin = 0;

	while (begin < len && line[begin] == ' ')
		begin++;
	size_t end = begin;

	while (end < len && line[end] != ' ' && line[end] != ':')
		end++;
	bool stands_alone =
		end == len || line[end] == ':' || (end + 1 < len && line[end + 1] == ' ');
	const char *sgr = stands_alone ? sgr_of(line + begin, end - begin) : NULL;

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
