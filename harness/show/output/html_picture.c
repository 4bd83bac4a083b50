/* The flame graph of a workload inside the page, with links to those beside it. */
#include "output/html.h"

#include <stdlib.h>

void
html_picture(const struct workload_view *workload, frame_id zoom, struct html_pictures *pictures,
	struct buf *out)
{
	const struct judgement *judgement = workload->judgement;
	const struct profile *candidate = workload->after.profile;
	const struct flamegraph_options options = {
		.embedded = true,
		.page = &pictures->page,
		.coarse = workload->is_terse,
		.max_frames = pictures->max_frames,
	};
	const char *const links[][2] = {
		{"diff.svg", judgement->compared ? "difference" : NULL},
		{"flamegraph.svg", "this run"},
		{"baseline.svg", workload->before.profile ? workload->before.heading : NULL},
		{"folded.txt", "folded stacks"},
		{"report.txt", "text"},
	};

	html_put(out,
		"<h3>Flame graph</h3>\n<figure class=\"picture\"><div class=\"scroll\" "
		"tabindex=\"0\" role=\"region\" aria-label=\"Flame graph of %s\">\n",
		workload->name);
	if (judgement->compared) {
		bool *judged = rows_judged(&workload->rows);
		struct flamegraph_options outlined = options;

		outlined.judged = judged;
		outlined.zoom = zoom;
		flamegraph_write_diff(&judgement->comparison, &outlined, out);
		free(judged);
	} else if (candidate)
		flamegraph_write(candidate, &options, out);
	buf_puts(out, "</div><figcaption>In full, beside this page:");
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		if (links[i][1])
			html_put(out, " <a href=\"%s%s\">%s</a>", workload->files, links[i][0],
				links[i][1]);
	}
	buf_puts(out, "</figcaption></figure>\n");
}
