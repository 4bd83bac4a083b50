#include "builds/changed_lines.h"

#include "base/mem.h"
#include "builds/git.h"

#include <stdlib.h>
#include <string.h>

/* The rest of a larger diff is not read. */
#define DIFF_BYTES_MAX ((size_t)16 << 20)

static void
add_range(struct changed_lines *lines, const char *path, unsigned long first, unsigned long count)
{
	const bool removed = count == 0;

	if (removed && first == 0)
		first = 1; /* above the first line */
	if (first + count > UINT32_MAX)
		return;
	lines->ranges =
		mem_grow(lines->ranges, &lines->capacity, lines->count + 1, sizeof(*lines->ranges));
	lines->ranges[lines->count++] = (struct changed_range){
		path, (uint32_t)first, (uint32_t)(count > 1 ? first + count - 1 : first), removed};
}

/* "@@ -10,2 +12,3 @@": lines 12 to 14. */
static void
read_hunk(struct changed_lines *lines, const char *path, const char *text)
{
	const char *plus = strstr(text, " +");
	char *end;

	if (!plus)
		return;
	const unsigned long first = strtoul(plus + 2, &end, 10);

	add_range(lines, path, first, *end == ',' ? strtoul(end + 1, NULL, 10) : 1);
}

static void
read_diff(struct changed_lines *lines, char *diff)
{
	const char *path = NULL;
	char *rest = NULL;
	bool in_head = true; /* of a file: a changed line may begin with "++", too */

	for (char *line = strtok_r(diff, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, "diff ", 5) == 0) {
			in_head = true;
			path = NULL;
		} else if (in_head && strncmp(line, "+++ b/", 6) == 0) {
			/* A tab is behind a name with blanks. */
			line[strcspn(line, "\t")] = '\0';
			path = arena_strdup(&lines->arena, line + 6);
		} else if (path && strncmp(line, "@@ ", 3) == 0) {
			in_head = false;
			read_hunk(lines, path, line);
		}
	}
}

void
changed_lines_read(struct changed_lines *lines, const char *commit)
{
	const char *const args[] = {"-c", "core.quotePath=false", "diff", "--ignore-all-space",
		"--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative",
		"--ignore-submodules=all", "--diff-filter=d", "--find-renames", "--src-prefix=a/",
		"--dst-prefix=b/", commit, "--", NULL};
	struct tool_output output = {0};
	struct err ignored = {0};

	*lines = (struct changed_lines){0};
	if (!git_is_commit(commit))
		return;
	if (git_run_up_to(&output, DIFF_BYTES_MAX, NULL, args, &ignored) == 0 && output.out.len > 0)
		read_diff(lines, output.out.data);
	tool_output_release(&output);
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
