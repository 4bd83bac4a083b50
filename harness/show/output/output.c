/*
 * The files of a report. To add one: write it as a const struct in its own file, declare it in
 * output.h, put it into the array below, and give it a golden case; HOWTO_ADD_OUTPUT.md goes
 * through an example.
 */
#include "output/output.h"

#include "base/file.h"
#include "base/mem.h"
#include "flamegraph/flamegraph.h"
#include "profile/folded.h"

#include <stdlib.h>

static bool
write_folded(const struct report_view *view, const struct workload_view *workload, struct buf *out)
{
	(void)view;
	if (!workload->after.profile || workload->is_brief)
		return false;
	folded_write(workload->after.profile, FOLDED_FILE, out);
	return true;
}

static bool
write_side(const struct workload_view *workload, const struct side_view *side, const char *subtitle,
	struct buf *out)
{
	const struct flamegraph_options options = {.subtitle = subtitle};

	if (!side->profile || workload->is_brief)
		return false;
	flamegraph_write(side->profile, &options, out);
	return true;
}

static bool
write_flamegraph(
	const struct report_view *view, const struct workload_view *workload, struct buf *out)
{
	(void)view;
	return write_side(workload, &workload->after, NULL, out);
}

static bool
write_baseline(
	const struct report_view *view, const struct workload_view *workload, struct buf *out)
{
	(void)view;
	return write_side(workload, &workload->before, workload->before.heading, out);
}

static bool
write_diff(const struct report_view *view, const struct workload_view *workload, struct buf *out)
{
	(void)view;
	if (!workload->judgement->compared || workload->is_brief)
		return false;
	bool *judged = rows_judged(&workload->rows);
	const struct flamegraph_options options = {.judged = judged};

	flamegraph_write_diff(&workload->judgement->comparison, &options, out);
	free(judged);
	return true;
}

static const struct workload_output output_folded = {
	.name = "folded.txt",
	.summary = "the stacks of all runs together, for any folded-stack tool",
	.write = write_folded,
};

static const struct workload_output output_flamegraph = {
	.name = "flamegraph.svg",
	.summary = "what was measured, as a flame graph",
	.write = write_flamegraph,
};

static const struct workload_output output_baseline = {
	.name = "baseline.svg",
	.summary = "the baseline, as a flame graph",
	.write = write_baseline,
};

static const struct workload_output output_diff = {
	.name = "diff.svg",
	.summary = "what changed, as a differential flame graph",
	.write = write_diff,
};

/* clang-format off */
const struct report_output *const report_outputs[] = {
	&output_json,
	&output_junit,
	&output_junit_extended,
	&output_text,
	&output_markdown,
	&output_html,
	&output_annotations,
	NULL,
};

const struct workload_output *const workload_outputs[] = {
	&output_folded,
	&output_flamegraph,
	&output_baseline,
	&output_diff,
	&output_workload_text,
	&output_replay,
	&output_workload_page,
	NULL,
};
/* clang-format on */

static int
put_file(const char *folder, const char *name, const struct buf *contents, struct err *err)
{
	char *path = file_join(folder, name);
	int result = file_write(path, buf_text(contents), contents->len, err);

	if (result)
		err_note(err, "while writing the report's \"%s\"", name);
	free(path);
	return result;
}

static int
write_workload(const struct report_view *view, const struct workload_view *workload,
	const char *folder, struct err *err)
{
	char *own = file_join(folder, workload->workload->folder);
	struct buf contents = {0};
	int result = file_make_dirs(own, err);

	for (size_t i = 0; result == 0 && workload_outputs[i]; i++) {
		buf_clear(&contents);
		if (workload_outputs[i]->write(view, workload, &contents))
			result = put_file(own, workload_outputs[i]->name, &contents, err);
	}
	buf_release(&contents);
	free(own);
	return result;
}

/* The files of the workload with this index. */
static int
write_one(const struct report_view *view, size_t i, const char *folder, struct err *err)
{
	const struct report_stacks *stacks = view->report->stacks;

	if (stacks && stacks->load(stacks->context, i, err) < 0)
		return -1;
	int result = write_workload(view, &view->workloads[i], folder, err);

	if (stacks)
		stacks->drop(stacks->context, i);
	return result;
}

int
output_write_all(const struct report *report, const char *folder, struct err *err)
{
	struct report_view view;
	struct buf contents = {0};
	int result = 0;

	report_view_init(&view, report);
	for (size_t i = 0; result == 0 && i < view.nworkloads; i++)
		result = write_one(&view, i, folder, err);
	for (size_t i = 0; result == 0 && report_outputs[i]; i++) {
		buf_clear(&contents);
		report_outputs[i]->write(&view, &contents);
		result = put_file(folder, report_outputs[i]->name, &contents, err);
	}
	buf_release(&contents);
	report_view_release(&view);
	return result;
}

void
output_write(const struct report_output *output, const struct report *report, struct buf *out)
{
	struct report_view view;

	report_view_init(&view, report);
	output->write(&view, out);
	report_view_release(&view);
}
