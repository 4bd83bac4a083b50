#include "ingest/describe.h"
#include "ingest/ingest.h"
#include "profile/folded.h"

#include <string.h>

static bool
ends_in_weight(const char *line, size_t len)
{
	size_t start = len;

	while (start > 0 && line[start - 1] != ' ' && line[start - 1] != '\t')
		start--;
	return start > 0 && start < len && line[start] >= '0' && line[start] <= '9' &&
	       line[len - 1] >= '0' && line[len - 1] <= '9';
}

/* "<svg ..." and "{" are other files' beginnings, but "<lambda>;f 3" and "{closure};f 3" are not.
 */
static bool
may_be_markup(const char *line, size_t len)
{
	return *line == '<' || *line == '{' ? !ends_in_weight(line, len) || line[1] == '"' : false;
}

/*
 * Text whose first line that is no comment has frames or ends in a number. A file that is nearly
 * folded text is taken, so that folded_read() can point at what is wrong in it.
 */
static bool
detect(const char *bytes, size_t len)
{
	const char *end = bytes + len;

	if (len == 0 || memchr(bytes, '\0', len))
		return false;
	for (const char *line = bytes; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		const char *line_end = newline ? newline : end;
		size_t line_len = (size_t)(line_end - line);

		if (line_len > 0 && line[line_len - 1] == '\r')
			line_len--;
		if (line_len > 0 && *line != '#') {
			return !may_be_markup(line, line_len) &&
			       (memchr(line, ';', line_len) || ends_in_weight(line, line_len));
		}
		line = line_end + 1;
	}
	return *bytes == '#';
}

/* Weights in another unit of time ("# unit: us") become ns. */
static void
scale_times(struct profile *profile, size_t first_run)
{
	const char *unit = strtab_str(&profile->strings, profile->unit);
	double scale;
	const char *ours = describe_unit(unit, strlen(unit), &scale);

	if (profile->unit == 0 || !ours || scale == 1)
		return;
	profile->unit = strtab_intern_str(&profile->strings, ours);
	for (size_t run = first_run; run < profile->nruns; run++)
		for (node_id node = CTREE_ROOT + 1; node < profile->tree.nnodes; node++)
			ctree_set(&profile->tree, run, node,
				ctree_weight(&profile->tree, run, node) * scale);
}

static int
read_folded(struct profile *profile, const struct file_view *view, const char *path,
	const struct ingest_options *options, struct err *err)
{
	const size_t first_run = profile->nruns;
	int result = options->pair ? folded_read_pair(profile, path, view, err)
				   : folded_read_view(profile, path, view, err);

	if (result == 0)
		scale_times(profile, first_run);
	return result;
}

const struct input_format ingest_folded = {
	.name = "folded",
	.summary = "folded stacks, one per line with its weight, as stackcollapse tools write them",
	.detect = detect,
	.read = read_folded,
	.streams = true,
	.pairs = true,
};
