#include "builds/diff_hunks.h"

#include "base/mem.h"
#include "base/text.h"
#include "builds/git.h"
#include "process/process.h"

#include <stdlib.h>
#include <string.h>

#define CONTEXT_LINES 3
#define UNIFIED "--unified=3"
#define DIFF_BYTES_MAX ((size_t)64 << 20)

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
read_hunk(struct diff_hunks *hunks, struct text_lines *walk, const char *path, uint32_t begin)
{
	struct diff_hunk hunk = {.path = path, .begin = begin};
	const char *text = walk->at;
	uint32_t number = begin;
	size_t len;

	while (walk->at < walk->end && strchr(" +-\\", *walk->at) && *walk->at) {
		const char kind = *text_next_line(walk, &len);

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
	struct text_lines walk = {diff, diff + len};
	const char *path = NULL;
	const char *line;
	size_t line_len;

	/* Lines of hunks are read by read_hunk(): what is left are heads of files. */
	while ((line = text_next_line(&walk, &line_len))) {
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
	const char *const args[] = {"-c", "core.quotePath=false", "-c",
		"diff.suppressBlankEmpty=false", "diff", "--ignore-all-space", UNIFIED,
		"--no-color", "--no-ext-diff", "--no-textconv", "--no-relative",
		"--ignore-submodules=all", "--diff-filter=d", "--find-renames", "--src-prefix=a/",
		"--dst-prefix=b/", commit, "--", NULL};
	struct tool_output output = {0};
	struct err ignored = {0};

	*hunks = (struct diff_hunks){0};
	if (git_is_commit(commit) &&
		git_run_up_to(&output, DIFF_BYTES_MAX, NULL, args, &ignored) == 0)
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
	struct text_lines walk = {hunk->text, hunk->text + strlen(hunk->text)};
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
	while ((line = text_next_line(&walk, &len))) {
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

/* A run of lines that changed together: `count` from `first` on; none are left of removed ones. */
static void
add_range(struct changed_lines *lines, const char *path, uint32_t first, uint32_t count)
{
	const bool removed = count == 0;
	/* The line above; the first one where there is none. */
	const uint32_t begin = !removed ? first : first > 1 ? first - 1 : 1;

	lines->ranges =
		mem_grow(lines->ranges, &lines->capacity, lines->count + 1, sizeof(*lines->ranges));
	lines->ranges[lines->count++] =
		(struct changed_range){path, begin, removed ? begin : first + count - 1, removed};
}

static void
add_changes(struct changed_lines *lines, const char *path, const struct diff_hunk *hunk)
{
	struct text_lines walk = {hunk->text, hunk->text + strlen(hunk->text)};
	uint32_t number = hunk->begin;
	uint32_t added = 0;
	bool in_run = false;
	const char *line;
	size_t len;

	while ((line = text_next_line(&walk, &len))) {
		if (*line == ' ' && in_run)
			add_range(lines, path, number - added, added);
		if (*line == ' ') {
			in_run = false;
			added = 0;
		}
		in_run = in_run || *line == '-' || *line == '+';
		added += *line == '+';
		number += *line == ' ' || *line == '+';
	}
	if (in_run)
		add_range(lines, path, number - added, added);
}

void
changed_lines_find(struct changed_lines *lines, const struct diff_hunks *hunks)
{
	const char *path = NULL;

	for (size_t i = 0; i < hunks->count; i++) {
		if (!path || strcmp(path, hunks->hunks[i].path) != 0)
			path = arena_strdup(&lines->arena, hunks->hunks[i].path);
		add_changes(lines, path, &hunks->hunks[i]);
	}
}

void
changed_lines_read(struct changed_lines *lines, const char *commit)
{
	struct diff_hunks hunks;

	*lines = (struct changed_lines){0};
	diff_hunks_read(&hunks, commit);
	changed_lines_find(lines, &hunks);
	diff_hunks_release(&hunks);
}

void
changed_lines_release(struct changed_lines *lines)
{
	arena_release(&lines->arena);
	free(lines->ranges);
	*lines = (struct changed_lines){0};
}

bool
changed_lines_have(const struct changed_lines *lines, const char *path, uint32_t line)
{
	return line > 0 && changed_lines_near(lines, path, line, line, line) == line;
}

uint32_t
changed_lines_near(const struct changed_lines *lines, const char *path, uint32_t first,
	uint32_t last, uint32_t line)
{
	uint32_t above = 0;
	uint32_t below = 0;

	for (size_t i = 0; i < lines->count; i++) {
		const struct changed_range *range = &lines->ranges[i];
		const uint32_t from = range->first > first ? range->first : first;
		const uint32_t to = range->last < last ? range->last : last;

		if (from > to || strcmp(range->path, path) != 0)
			continue;
		if (from > line)
			below = below == 0 || from < below ? from : below;
		else if ((to < line ? to : line) > above)
			above = to < line ? to : line;
	}
	return above ? above : below;
}
