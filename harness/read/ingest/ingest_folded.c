/*
 * The reader of folded stacks, of whatever profiler.
 */
#include "base/lines.h"
#include "base/text.h"
#include "ingest/ingest.h"
#include "ingest/ingest_internal.h"
#include "profile/folded.h"
#include "profile/stack_table.h"

#include <string.h>

static bool
ends_in_weight(const char *line, size_t len)
{
	size_t start = len;

	while (start > 0 && line[start - 1] != ' ' && line[start - 1] != '\t')
		start--;
	return start > 0 && start < len && text_is_digit(line[start]) &&
	       text_is_digit(line[len - 1]);
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
detect_folded(const char *bytes, size_t len)
{
	struct first_lines first;
	struct line line;
	bool any = false;

	first_lines_init(&first, bytes, len);
	while (first_lines_next(&first, &line)) {
		const enum folded_line_kind kind = folded_line_kind(line);

		if (kind == FOLDED_STACK)
			return !may_be_markup(line.at, line.len) &&
			       (memchr(line.at, ';', line.len) ||
				       ends_in_weight(line.at, line.len));
		any |= kind != FOLDED_EMPTY;
	}
	return any;
}

/* The value of a line "# key: value" ahead of the stacks; an empty one where there is none. */
static struct line
find_comment(const struct file_view *view, const char *key)
{
	struct err ignored = {0};
	struct lines lines;
	struct line line;

	lines_init(&lines, view);
	while (lines_next(&lines, &line, &ignored) > 0 && folded_line_kind(line) != FOLDED_STACK) {
		struct line mark;
		struct line name;

		if (words_take(&line, &mark) && words_take(&line, &name) && words_are(name, key))
			return words_trim(line);
	}
	return (struct line){"", 0};
}

/* austin does not say what its weights are, but its mode does. Source: its README. */
static void
describe_austin(struct profile *profile, const struct file_view *view)
{
	static const struct {
		const char *mode, *metric, *unit;
	} modes[] = {
		{"wall", "wall", "us"},
		{"cpu", "cpu", "us"},
		{"memory", NULL, "bytes"},
	};
	const struct line mode = find_comment(view, "mode:");

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (!words_are(mode, modes[i].mode))
			continue;
		describe_set(profile, &profile->metric, modes[i].metric);
		describe_set(profile, &profile->unit, modes[i].unit);
	}
}

/* Weights in another unit of a quantity ("# unit: us") become those of its base. */
static void
convert_weights(struct profile *profile, size_t first_run)
{
	const char *text = strtab_str(&profile->strings, profile->unit);
	const struct line unit = words_trim((struct line){text, strlen(text)});

	profile->unit = 0;
	const double scale = describe_unit(profile, unit.at, unit.len);

	for (size_t run = first_run; run < profile->nruns && scale != 1; run++)
		for (node_id node = CTREE_ROOT + 1; node < profile->tree.nnodes; node++)
			ctree_set(&profile->tree, run, node,
				ctree_weight(&profile->tree, run, node) * scale);
}

/* The stored runs of a baseline. */
static int
read_table(struct profile *profile, const struct file_view *view, const char *path, bool pair,
	struct err *err)
{
	const size_t first_run = profile->nruns;

	if (stack_table_read(profile, path, view, err) < 0)
		return -1;
	if (pair && profile->nruns - first_run != 2)
		return err_set(err, ERR_INPUT,
			"%s: it has %zu runs; a difference has 2, before and after", path,
			profile->nruns - first_run);
	return 0;
}

static int
read_folded(struct profile *profile, const struct file_view *view, const char *path,
	const struct ingest_options *options, struct err *err)
{
	const size_t first_run = profile->nruns;

	/* First: of a pipe, text that was read is gone. */
	if (find_comment(view, "austin:").len > 0)
		describe_austin(profile, view);
	int result = stack_table_detect(view->data, view->len)
			     ? read_table(profile, view, path, options->pair, err)
		     : options->pair ? folded_read_pair(profile, path, view, err)
				     : folded_read_view(profile, path, view, err);

	if (result == 0)
		convert_weights(profile, first_run);
	return result;
}

const struct input_format ingest_folded = {
	.name = "folded",
	.summary =
		"folded stacks, one per line with its weight, as stackcollapse tools write them; also the stored runs of baselines",
	.detect = detect_folded,
	.read = read_folded,
	.streams = true,
	.pairs = true,
	.if_weightless =
		"the number at the end of a line is the weight of its stack: fold the capture again, by its number of samples",
};
