#include "builds/diff_hunks.h"

#include "base/mem.h"
#include "builds/commit_files.h"
#include "process/process.h"

#include <stdlib.h>
#include <string.h>

#define CONTEXT_LINES 3

/* A walk over the lines of a text. */
struct walk {
	const char *at;
	const char *end;
};

/* The next line without its end, of `len` bytes; NULL at the end. */
static const char *
next_line(struct walk *walk, size_t *len)
{
	const char *line = walk->at;

	if (line >= walk->end)
		return NULL;
	const char *stop = memchr(line, '\n', (size_t)(walk->end - line));

	*len = (size_t)((stop ? stop : walk->end) - line);
	walk->at = stop ? stop + 1 : walk->end;
	return line;
}

/* The line number behind '+' of "@@ -10,2 +12,3 @@ head"; 0: it is no such line. */
static uint32_t
number_after(const char *line, size_t len)
{
	const char *plus = memmem(line, len, " +", 2);
	uint64_t number = 0;

	for (const char *at = plus ? plus + 2 : NULL; at && at < line + len; at++) {
		if (*at < '0' || *at > '9' || number > UINT32_MAX / 2)
			break;
		number = number * 10 + (uint64_t)(*at - '0');
	}
	return number > UINT32_MAX / 2 ? 0 : (uint32_t)number;
}

/* Reads the lines of one hunk, of which the first is numbered `begin`. */
static void
read_hunk(struct diff_hunks *hunks, struct walk *walk, const char *path, uint32_t begin)
{
	struct diff_hunk hunk = {.path = path, .begin = begin};
	const char *text = walk->at;
	uint32_t number = begin;
	size_t len;

	while (walk->at < walk->end && strchr(" +-\\", *walk->at) && *walk->at) {
		const char kind = *next_line(walk, &len);

		if (kind == '+' || kind == '-') {
			hunk.first = hunk.first ? hunk.first : number;
			hunk.last = number;
		}
		number += kind == ' ' || kind == '+';
	}
	if (hunk.first == 0)
		return;
	hunk.text = arena_dup(&hunks->arena, text, (size_t)(walk->at - text));
	hunks->hunks =
		mem_grow(hunks->hunks, &hunks->capacity, hunks->count + 1, sizeof(*hunks->hunks));
	hunks->hunks[hunks->count++] = hunk;
}

void
diff_hunks_parse(struct diff_hunks *hunks, const char *diff, size_t len)
{
	struct walk walk = {diff, diff + len};
	const char *path = NULL;
	const char *line;
	size_t line_len;

	/* Lines of hunks are read by read_hunk(): what is left are heads of files. */
	while ((line = next_line(&walk, &line_len))) {
		if (line_len > 5 && memcmp(line, "diff ", 5) == 0) {
			path = NULL;
		} else if (line_len > 6 && memcmp(line, "+++ b/", 6) == 0) {
			/* A tab is behind a name with blanks. */
			const char *tab = memchr(line, '\t', line_len);

			path = arena_dup(&hunks->arena, line + 6,
				(size_t)((tab ? tab : line + line_len) - (line + 6)));
		} else if (path && line_len > 3 && memcmp(line, "@@ ", 3) == 0) {
			const uint32_t begin = number_after(line, line_len);

			/* "+0,0": the file is empty now. */
			read_hunk(hunks, &walk, path, begin > 0 ? begin : 1);
		}
	}
}

void
diff_hunks_read(struct diff_hunks *hunks, const char *commit)
{
	struct tool_output output;

	*hunks = (struct diff_hunks){0};
	if (commit_diff_read(commit, CONTEXT_LINES, &output))
		diff_hunks_parse(hunks, buf_text(&output.out), output.out.len);
	tool_output_release(&output);
}

void
diff_hunks_release(struct diff_hunks *hunks)
{
	arena_release(&hunks->arena);
	free(hunks->hunks);
	*hunks = (struct diff_hunks){0};
}

uint32_t
diff_hunk_put(
	const struct diff_hunk *hunk, const struct diff_excerpt *wanted, struct buf *out, bool *cut)
{
	struct walk walk = {hunk->text, hunk->text + strlen(hunk->text)};
	const uint32_t from = wanted->from > hunk->first ? wanted->from : hunk->first;
	const uint32_t near =
		wanted->near >= from && wanted->near <= hunk->last ? wanted->near : from;
	/* A line that is wanted most and would be beyond the last one is shown early. */
	const bool is_far = near - from >= wanted->most_lines / 2;
	const uint32_t start = is_far ? near : from;
	const size_t begin = out->len;
	uint32_t number = hunk->begin;
	uint32_t shown_from = 0;
	size_t lines = 0;
	size_t len;
	const char *line;

	*cut = false;
	while ((line = next_line(&walk, &len))) {
		const uint32_t at = number;

		number += *line == ' ' || *line == '+';
		if (*line == '\\')
			continue;
		if (at + CONTEXT_LINES < start || at > wanted->to + CONTEXT_LINES) {
			*cut = true;
			continue;
		}
		if (lines == wanted->most_lines ||
			out->len - begin + len + 1 > wanted->most_bytes) {
			*cut = true;
			break;
		}
		shown_from = shown_from ? shown_from : at;
		buf_put(out, line, len);
		buf_putc(out, '\n');
		lines++;
	}
	return shown_from ? shown_from : start;
}
