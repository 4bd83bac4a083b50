/*
 * summary.md, for a pull request and for GITHUB_STEP_SUMMARY, which takes 1 MiB a step: the
 * verdict, a row a workload, the findings, and details that fold away.
 */
#include "base/escape.h"
#include "base/mem.h"
#include "format/figures.h"
#include "format/name.h"
#include "format/place.h"
#include "output/cause_text.h"
#include "output/headline.h"
#include "output/outputs.h"
#include "output/rows.h"
#include "output/text.h"
#include "profile/disturbance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_LIMIT ((size_t)800 * 1024) /* rows stop here; what follows them is short */
#define NAME_COLUMNS 100
#define SENTENCE_COLUMNS 400
#define COMMAND_BYTES 4096
#define FUNCTIONS_SHOWN 15

static void
put_safe(struct buf *out, const char *text)
{
	escape_markdown(out, text, strlen(text));
}

static void
put_name(struct buf *out, const char *name)
{
	name_fit_as(out, name, strlen(name), NAME_COLUMNS, &name_markdown);
}

/* A sentence that may hold hostile names and newlines, as one safe line of bounded length. */
static void
put_sentence(struct buf *out, const char *text)
{
	char *line = mem_strdup(text);

	for (char *at = line; *at; at++) {
		if (*at == '\n')
			*at = ' ';
	}
	name_fit_as(out, line, strlen(line), SENTENCE_COLUMNS, &name_markdown);
	free(line);
}

static void
put_status(struct buf *out, enum status status)
{
	bool loud = status == STATUS_FAIL || status == STATUS_ERROR;

	buf_printf(out, "%s%s%s", loud ? "**" : "", status_name(status), loud ? "**" : "");
}

static void
put_overview(const struct report *report, struct buf *out)
{
	size_t i = 0;

	buf_puts(out, "| verdict | workload | whole program | in short |\n|---|---|---|---|\n");
	for (; i < report->nworkloads && out->len < SIZE_LIMIT / 2; i++) {
		const struct judgement *judgement = report->workloads[i].judgement;
		struct buf line;

		buf_init(&line);
		headline_workload(judgement, &line);
		buf_puts(out, "| ");
		put_status(out, headline_status(judgement));
		buf_puts(out, " | ");
		put_safe(out, judgement->input.workload->name);
		buf_puts(out, " | ");
		if (judgement->compared && judgement->comparison.whole.tested)
			effect_put_change(&judgement->comparison.whole, out);
		buf_puts(out, " | ");
		put_sentence(out, buf_text(&line));
		buf_puts(out, " |\n");
		buf_release(&line);
	}
	if (i < report->nworkloads)
		buf_printf(out, "\nand %zu more workloads\n", report->nworkloads - i);
}

/* The shortest of what is known of why: the stack that carries most, and what takes the blame. */
static void
put_causes(const struct judgement *judgement, const struct finding *finding, struct buf *out)
{
	struct cause_lines lines;
	struct buf line;

	buf_init(&line);
	cause_lines_init(
		&lines, &judgement->comparison, finding->frame, finding->causes, NAME_COLUMNS);
	for (size_t i = 0; i < lines.nlines; i++) {
		if (!lines.lines[i].brief)
			continue;
		buf_clear(&line);
		buf_printf(&line, "%s: %s", lines.lines[i].label, lines.lines[i].text);
		buf_puts(out, "<br>");
		put_sentence(out, buf_text(&line));
	}
	cause_lines_release(&lines);
	buf_release(&line);
}

static void
put_finding(const struct judgement *judgement, const struct finding *finding, struct buf *out)
{
	const struct effect *effect = &finding->effect;

	buf_puts(out, "| ");
	put_status(out, finding->status);
	buf_puts(out, " | ");
	put_safe(out, judgement->input.workload->name);
	buf_puts(out, " | ");
	put_name(out, finding->subject);
	if (finding->source) {
		struct buf place;

		buf_init(&place);
		place_put_path(&place, finding->source);
		buf_puts(out, "<br>");
		put_name(out, buf_text(&place));
		buf_release(&place);
	}
	buf_puts(out, " | ");
	if (effect->tested) {
		effect_put_change(effect, out);
		buf_putc(out, ' ');
		effect_put_interval(effect, out);
		buf_puts(out, " | ");
		effect_put_p(effect, out);
		buf_puts(out, " | ");
		format_percent(out, effect->detectable);
	} else {
		effect_describe(effect, out);
		buf_puts(out, " | | ");
	}
	buf_puts(out, " | ");
	put_sentence(out, finding->reason ? finding->reason : "");
	put_causes(judgement, finding, out);
	buf_puts(out, " |\n");
}

static void
put_findings(const struct report *report, struct buf *out)
{
	size_t written = 0;
	size_t left_out = 0;

	for (size_t i = 0; i < report->nworkloads; i++) {
		const struct judgement *judgement = report->workloads[i].judgement;
		const struct verdict *verdict = &judgement->verdict;

		for (size_t k = 0; k < verdict->nfindings; k++) {
			if (verdict->findings[k].status == STATUS_PASS)
				continue;
			if (out->len > SIZE_LIMIT * 3 / 4) {
				left_out++;
				continue;
			}
			if (written++ == 0)
				buf_puts(out, "\n### Findings\n\n| verdict | workload | subject "
					      "| change [95 %] | p | could see | why |\n"
					      "|---|---|---|---|---|---|---|\n");
			put_finding(judgement, &verdict->findings[k], out);
		}
	}
	if (left_out > 0)
		buf_printf(out, "\nand %zu more findings\n", left_out);
}

static void
put_functions(const struct rows *rows, struct buf *out)
{
	size_t shown = 0;
	size_t left_out = 0;

	buf_puts(out, "| function | before | after | change | p | verdict |\n"
		      "|---|--:|--:|--:|--:|---|\n");
	for (size_t i = 0; i < rows->nrows; i++) {
		const struct row *row = &rows->rows[i];

		/* Those without weight of their own stand last. */
		if (!(row->self.before_weight > 0) && !(row->self.after_weight > 0))
			break;
		if (shown == FUNCTIONS_SHOWN) {
			left_out++;
			continue;
		}
		shown++;
		buf_puts(out, "| ");
		put_name(out, row->name);
		buf_puts(out, " | ");
		format_percent(out, row->self.before_share);
		buf_puts(out, " | ");
		format_percent(out, row->self.after_share);
		buf_puts(out, " | ");
		if (row->self.tested)
			effect_put_change(&row->self, out);
		buf_puts(out, " | ");
		if (row->self.tested)
			format_p(out, row->self.p_adjusted);
		buf_puts(out, " | ");
		if (row->finding)
			put_status(out, row->finding->status);
		else
			buf_puts(out, row->self.tested ? "pass" : "not tested");
		buf_puts(out, " |\n");
	}
	if (left_out > 0)
		buf_printf(out, "\nand %zu more functions\n", left_out);
}

static void
put_details(const struct report_workload *workload, struct buf *out)
{
	const struct judgement *judgement = workload->judgement;
	struct rows rows;
	struct buf line;

	buf_init(&line);
	rows_init(&rows, judgement);
	buf_puts(out, "\n<details><summary>");
	escape_xml(out, judgement->input.workload->name, strlen(judgement->input.workload->name));
	buf_printf(out, ": %s</summary>\n\n", status_name(headline_status(judgement)));
	headline_baseline(judgement, &line);
	put_sentence(out, buf_text(&line));
	if (judgement->verdict.limited) {
		buf_puts(out, "\n\nWarnings at most: ");
		put_sentence(out, judgement->verdict.limited);
	}
	if (judgement->input.candidate) {
		buf_clear(&line);
		disturbance_put(judgement->input.candidate, &line);
		if (line.len > 0) {
			buf_puts(out, "\n\n");
			put_sentence(out, buf_text(&line));
		}
	}
	buf_puts(out, "\n\n");
	if (rows.nrows > 0)
		put_functions(&rows, out);
	buf_puts(out, "\n</details>\n");
	rows_release(&rows);
	buf_release(&line);
}

static void
put_pre(struct buf *out, const char *text, size_t len)
{
	buf_puts(out, "<pre>");
	for (size_t at = 0; at < len;) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t line = end ? (size_t)(end - text) - at : len - at;

		escape_xml(out, text + at, line);
		at += line + 1;
		if (end)
			buf_putc(out, '\n');
	}
	buf_puts(out, "</pre>\n");
}

static void
put_environment(const struct report *report, struct buf *out)
{
	struct buf text;

	buf_init(&text);
	text_environment(report, &text);
	buf_puts(out, "\n<details><summary>Environment, and how to reproduce</summary>\n\n");
	put_pre(out, buf_text(&text), text.len);
	put_pre(out, report->command, strnlen(report->command, COMMAND_BYTES));
	buf_puts(out, "\n</details>\n");
	buf_release(&text);
}

static void
write_markdown(const struct report *report, struct buf *out)
{
	struct buf line;
	size_t left_out = 0;

	buf_init(&line);
	headline_gate(report, &line);
	buf_printf(out, "## profile_run: %s\n\n", status_name(report->status));
	put_sentence(out, buf_text(&line));
	buf_puts(out, "\n\n");
	put_overview(report, out);
	put_findings(report, out);
	for (size_t i = 0; i < report->nworkloads; i++) {
		if (out->len < SIZE_LIMIT)
			put_details(&report->workloads[i], out);
		else
			left_out++;
	}
	if (left_out > 0)
		buf_printf(out, "\nand the details of %zu more workloads\n", left_out);
	put_environment(report, out);
	buf_release(&line);
}

const struct report_output output_markdown = {
	.name = "summary.md",
	.summary = "the verdict as GitHub-flavoured Markdown, for a step summary or a comment",
	.write = write_markdown,
};
