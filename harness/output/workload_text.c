/* report.txt of one workload: its verdict, what changed, and the analysis of what was measured. */
#include "analysis/analysis.h"
#include "format/figures.h"
#include "output/changes.h"
#include "output/headline.h"
#include "output/outputs.h"
#include "output/rows.h"
#include "output/text.h"

#define CHANGES_SHOWN 30

static void
put_times(const struct report_workload *workload, struct buf *out)
{
	buf_puts(out, "build and set-up ");
	format_duration(out, workload->build_s);
	buf_puts(out, ", measuring ");
	format_duration(out, workload->measure_s);
	buf_puts(out, ", own work ");
	format_duration(out, workload->process_s);
	buf_putc(out, '\n');
}

static bool
write_workload_text(
	const struct report *report, const struct report_workload *workload, struct buf *out)
{
	const struct judgement *judgement = workload->judgement;
	const struct analysis_options options = {0};

	text_workload(workload, out);
	if (judgement->input.candidate) {
		buf_putc(out, '\n');
		analysis_write(judgement->input.candidate, &options, out);
	}
	if (judgement->compared) {
		struct rows rows;

		rows_init(&rows, judgement);
		buf_printf(out, "\nWhat changed against %s\n",
			headline_other_side(workload->judgement));
		buf_puts(out, "  whole program: ");
		effect_describe(&judgement->comparison.whole, out);
		buf_puts(out, "\n");
		changes_write(&rows, true, CHANGES_SHOWN, out);
		changes_write_reference(&judgement->comparison, out);
		rows_release(&rows);
	}
	buf_puts(out, "\nEnvironment\n");
	text_environment(report, out);
	buf_puts(out, "\nTimes: ");
	put_times(workload, out);
	return true;
}

const struct workload_output output_workload_text = {
	.name = "report.txt",
	.summary = "one workload: verdict, runs, top functions and what changed",
	.write = write_workload_text,
};
