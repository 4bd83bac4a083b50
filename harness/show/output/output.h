/*
 * Outputs: the files of a report, and the formats that `export` writes (export.c). Each file is a
 * const struct in report_outputs[] (for the whole gate) or workload_outputs[] (for each workload);
 * output.c holds both and says how to add one.
 */
#ifndef OUTPUT_OUTPUT_H
#define OUTPUT_OUTPUT_H

#include "base/buf.h"
#include "base/err.h"
#include "output/report_view.h"

#include <stdbool.h>

struct report_output {
	const char *name; /* of the file: "verdict.json" */
	const char *summary;
	bool has_commands; /* to a CI system that reads them in a log: printed as they are */
	void (*write)(const struct report_view *view, struct buf *out);
};

struct workload_output {
	const char *name; /* of the file: "flamegraph.svg" */
	const char *summary;
	/* Returns false where there is nothing to write (no baseline, nothing measured). */
	bool (*write)(const struct report_view *view, const struct workload_view *workload,
		struct buf *out);
};

/* Each in the file that makes it. */
extern const struct report_output output_json;
extern const struct report_output output_junit;
extern const struct report_output output_junit_extended;
extern const struct report_output output_text;
extern const struct report_output output_markdown;
extern const struct report_output output_html;
extern const struct report_output output_annotations;
extern const struct workload_output output_replay;
extern const struct workload_output output_workload_text;
extern const struct workload_output output_workload_page;

extern const struct report_output *const report_outputs[];
extern const struct workload_output *const workload_outputs[];

/* Writes every file of the report below `folder`, which must exist. */
int output_write_all(const struct report *report, const char *folder, struct err *err);

/* Appends one file of the report: output_text is what a command prints. */
void output_write(const struct report_output *output, const struct report *report, struct buf *out);

/*
 * Verdicts in the formats of other tools, named after them, which `export` writes. To add one: put
 * it into export_formats[] (export.c).
 */
extern const struct report_output export_benchmark_action;
extern const struct report_output export_bencher;
extern const struct report_output export_openmetrics;
extern const struct report_output export_sarif;
extern const struct report_output export_ctrf;
extern const struct report_output export_gitlab_code_quality;
extern const struct report_output export_gitlab_metrics;
extern const struct report_output export_github_check;
extern const struct report_output export_azure;
extern const struct report_output export_teamcity;
extern const struct report_output export_buildkite;
extern const struct report_output export_comment; /* without links: see comment.h */
extern const struct report_output export_picture; /* SVG; nothing where nothing was compared */

extern const struct report_output *const export_formats[];

/* By its name; NULL: there is none. */
const struct report_output *export_format_find(const char *name);

#endif
