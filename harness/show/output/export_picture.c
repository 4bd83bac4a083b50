/*
 * The picture of a report: what changed in the workload with the severest verdict.
 */
#include "flamegraph/flamegraph.h"
#include "output/export.h"

#include <stdlib.h>

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
