/*
 * Times off the CPU as bcc's offcputime -f writes them: folded text whose weights are microseconds,
 * and whose stacks end in the scheduler, where a thread comes back to its CPU. No sample of a
 * profiler, or of the event context-switches, has such a leaf.
 *
 * They become what a capture of the metric offcpu has: the kernel's functions are marked as such,
 * and the reason of the wait is the leaf. Source: tools/offcputime.py of github.com/iovisor/bcc.
 */
#include "base/lines.h"
#include "ingest/ingest.h"
#include "ingest/ingest_internal.h"
#include "ingest/wait_reason.h"
#include "profile/folded.h"

#include <string.h>

#define LEAF "finish_task_switch"

/* Whether the line's last frame is the leaf that all of them have. */
static bool
is_off_cpu(const char *line, size_t len)
{
	const char *blank = memrchr(line, ' ', len);
	const char *leaf = blank ? memrchr(line, ';', (size_t)(blank - line)) : NULL;
	const size_t leaf_len = leaf ? (size_t)(blank - leaf) - 1 : 0;

	if (leaf_len < strlen(LEAF) || memcmp(leaf + 1, LEAF, strlen(LEAF)) != 0)
		return false;
	return leaf_len == strlen(LEAF) || leaf[1 + strlen(LEAF)] == '.';
}

/* A stack whose end could not be read has one of these in its place. */
static bool
is_missed(struct line line)
{
	return memmem(line.at, line.len, "[Missed Kernel Stack]",
		       strlen("[Missed Kernel Stack]")) ||
	       memmem(line.at, line.len, "[Missed User Stack]", strlen("[Missed User Stack]"));
}

/* Ours, or one that says itself what its weights are. */
static bool
is_header(struct line line)
{
	return folded_line_kind(line) == FOLDED_COMMENT &&
	       (memmem(line.at, line.len, "# runs:", strlen("# runs:")) ||
		       memmem(line.at, line.len, "# unit:", strlen("# unit:")));
}

static bool
detect_offcputime(const char *bytes, size_t len)
{
	struct first_lines first;
	struct line line;
	bool any = false;

	first_lines_init(&first, bytes, len);
	while (first_lines_next(&first, &line)) {
		if (is_header(line))
			return false;
		if (folded_line_kind(line) != FOLDED_STACK || is_missed(line))
			continue;
		if (!is_off_cpu(line.at, line.len))
			return false;
		any = true;
	}
	return any;
}

static int
read_times(struct profile *profile, const struct file_view *view, const char *path,
	const struct ingest_options *options, struct err *err)
{
	struct profile lines;

	(void)options;
	profile_init(&lines);
	int result = folded_read_view(&lines, path, view, err);

	if (result == 0) {
		wait_reason_add_stacks(profile, &lines);
		describe_times(profile, false);
		describe_set(profile, &profile->event, "offcputime");
	}
	profile_release(&lines);
	return result;
}

const struct input_format ingest_offcputime = {
	.name = "offcputime",
	.summary = "times off the CPU as folded stacks, as offcputime -f of bcc writes them",
	.detect = detect_offcputime,
	.read = read_times,
	.streams = true,
	.if_weightless = "no thread waited for a microsecond: record for longer",
};
