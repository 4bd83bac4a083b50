#include "base/lines.h"

#include "base/text.h"

#include <stdbool.h>
#include <string.h>

/* Large enough that releasing it costs little, small compared with a reader's other memory. */
#define WINDOW_BYTES ((size_t)4 << 20)

void
lines_init(struct lines *lines, const struct file_view *view)
{
	*lines = (struct lines){
		.view = view,
		.at = view->data,
		.end = view->data + view->len,
		.released = view->data,
	};
}

/* Files that were joined have a mark at the first line of each. */
static struct line
line_between(const char *at, const char *end)
{
	at += text_mark_len(at, (size_t)(end - at));
	while (end > at && end[-1] == '\r')
		end--;
	return (struct line){at, (size_t)(end - at)};
}

int
lines_next(struct lines *lines, struct line *line, struct err *err)
{
	size_t looked_at = 0;

	for (;;) {
		const char *from = lines->at + looked_at;
		const char *newline = memchr(from, '\n', (size_t)(lines->end - from));

		if (newline) {
			*line = line_between(lines->at, newline);
			lines->at = newline + 1;
			lines->number++;
			return 1;
		}
		size_t len = (size_t)(lines->end - lines->view->data);

		looked_at = (size_t)(lines->end - lines->at);
		int more = file_view_more(lines->view, &len, err);

		lines->end = lines->view->data + len;
		if (more < 0)
			return -1;
		if (more == 0)
			break;
	}
	const bool any = lines->at < lines->end;

	*line = line_between(lines->at, lines->end);
	lines->at = lines->end;
	lines->number += any;
	return any;
}

void
lines_done(struct lines *lines, const char *at)
{
	if ((size_t)(at - lines->released) < WINDOW_BYTES)
		return;
	file_view_done(lines->view, (size_t)(lines->released - lines->view->data),
		(size_t)(at - lines->view->data));
	lines->released = at;
}

struct location
lines_location(const struct lines *lines, const char *file, struct line line, const char *at)
{
	return (struct location){
		.file = file,
		.line = lines->number,
		.column = (unsigned)(at - line.at) + 1,
		.line_text = line.at,
		.line_len = line.len,
	};
}
