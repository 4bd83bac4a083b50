/* The formats of other tools by their names, and the shortest of them: a still picture. */
#include "output/output.h"

#include "flamegraph/flamegraph.h"

#include <stdlib.h>
#include <string.h>

/* The first of those with the severest verdict that were compared; NULL: none was. */
static const struct workload_view *
severest(const struct report_view *view)
{
	const struct workload_view *found = NULL;

	for (size_t i = 0; i < view->nworkloads; i++) {
		const struct workload_view *workload = &view->workloads[i];

		if (workload->judgement->compared &&
			(!found ||
				report_severity(workload->status) > report_severity(found->status)))
			found = workload;
	}
	return found;
}

/* The changes in the workload with the severest verdict. */
static void
write_picture(const struct report_view *view, struct buf *out)
{
	const struct workload_view *workload = severest(view);

	if (!workload)
		return;
	bool *judged = rows_judged(&workload->rows);
	const struct flamegraph_options options = {.judged = judged, .still = true};

	flamegraph_write_diff(&workload->judgement->comparison, &options, out);
	free(judged);
}

const struct report_output export_picture = {
	.name = "picture",
	.summary = "a still picture of what changed in the workload with the severest verdict",
	.write = write_picture,
};

/* clang-format off */
const struct report_output *const export_formats[] = {
	&export_benchmark_action,
	&export_bencher,
	&export_openmetrics,
	&export_sarif,
	&export_ctrf,
	&export_gitlab_code_quality,
	&export_gitlab_metrics,
	&export_github_check,
	&export_azure,
	&export_teamcity,
	&export_buildkite,
	&export_comment,
	&export_picture,
	NULL,
};
/* clang-format on */

const struct report_output *
export_format_find(const char *name)
{
	for (size_t i = 0; export_formats[i]; i++) {
		if (strcmp(export_formats[i]->name, name) == 0)
			return export_formats[i];
	}
	return NULL;
}
