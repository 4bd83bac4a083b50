#include "ingest/first_lines.h"

#include "ingest/ingest.h"

#include <string.h>

void
first_lines_init(struct first_lines *first, const char *bytes, size_t len)
{
	*first = (struct first_lines){
		.view = {.data = bytes, .len = memchr(bytes, '\0', len) ? 0 : len},
		.may_be_cut = len >= INGEST_DETECT_BYTES,
	};
	lines_init(&first->lines, &first->view);
}

bool
first_lines_next(struct first_lines *first, struct line *line)
{
	struct err ignored = {0};

	if (lines_next(&first->lines, line, &ignored) <= 0)
		return false;
	const bool whole = first->lines.at > first->view.data && first->lines.at[-1] == '\n';

	return whole || !first->may_be_cut || first->lines.number == 1;
}
