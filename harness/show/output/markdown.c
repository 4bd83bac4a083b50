/*
 * summary.md, for a pull request and for GITHUB_STEP_SUMMARY, which takes 1 MiB a step: the
 * verdict, a row a workload, the findings, and details that fold away.
 */
#include "base/escape.h"
#include "base/mem.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "output/cause_text.h"
#include "output/markup.h"
#include "output/output.h"
#include "profile/weights.h"

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
	escape_comment(out, text, strlen(text));
}

static void
put_name(struct buf *out, const char *name)
{
	name_fit_as(out, name, strlen(name), NAME_COLUMNS, &name_markdown);
}

/* A function of a table, its suffix in words. */
static void
put_function(struct buf *out, const char *name)
{
	struct buf words = {0};

	frame_fit_words(&words, name, NAME_COLUMNS);
	put_name(out, buf_text(&words));
	buf_release(&words);
}

/* "src/lex.c:120, called from parse()", the place a link where it has a URL. */
static void
put_where(struct buf *out, const struct finding_view *view)
{
	size_t place = strlen(view->place);

	if (!view->url[0]) {
		put_name(out, view->where);
		return;
	}
	buf_putc(out, '[');
	put_name(out, view->place);
	markup_put(out, markup_line, "](%s)", view->url);
	put_name(out, view->where + place);
}

/* A sentence that may hold hostile names and newlines, as one safe line of bounded length. */
static void
put_sentence(struct buf *out, const char *text)
{
	markup_sentence(out, text, SENTENCE_COLUMNS);
}

static void
put_paragraph(const char *text, struct buf *out)
{
	if (!text || !text[0])
		return;
	put_sentence(out, text);
	buf_puts(out, "\n\n");
}

static void
put_status(struct buf *out, enum status status)
{
	bool loud = status == STATUS_FAIL || status == STATUS_ERROR;

	buf_printf(out, "%s%s%s", loud ? "**" : "", status_word(status), loud ? "**" : "");
}

static void
put_verdict(struct buf *out, const struct finding *finding)
{
	if (finding->accepted)
		buf_puts(out, finding_verdict(finding));
	else
		put_status(out, finding->status);
}

/* A row for each workload that passed, or that did not; returns their number. */
static size_t
put_overview(const struct report_view *view, bool passed, struct buf *out)
{
	const size_t begin = out->len;
	size_t shown = 0;
	size_t left_out = 0;

	for (size_t i = 0; i < view->nworkloads; i++) {
		const struct workload_view *workload = &view->workloads[i];

		if (report_has_passed(workload) != passed)
			continue;
		if (out->len - begin >= SIZE_LIMIT / 4) {
			left_out++;
			continue;
		}
		if (shown++ == 0)
			buf_puts(out, "| verdict | workload | whole program | first finding |\n"
				      "|---|---|---|---|\n");
		buf_puts(out, "| ");
		put_status(out, workload->status);
		buf_puts(out, " | ");
		put_safe(out, workload->name);
		buf_puts(out, " | ");
		if (workload->whole)
			effect_put_change(workload->whole, out);
		if (workload->whole && !effect_excludes_none(workload->whole))
			buf_puts(out, ", not significant");
		buf_puts(out, " | ");
		put_sentence(out, workload->headline);
		buf_puts(out, " |\n");
	}
	if (left_out > 0)
		buf_printf(out, "\nand %zu more workloads\n", left_out);
	return shown + left_out;
}

/* "8 others pass" */
static void
put_passed(const struct report_view *view, struct buf *out)
{
	struct buf table = {0};
	const size_t count = put_overview(view, true, &table);

	if (count > 0)
		buf_printf(out, "\n<details><summary>%zu %s</summary>\n\n%s\n</details>\n", count,
			count == view->nworkloads
				? count == 1 ? "workload passes" : "workloads pass"
			: count == 1 ? "other passes"
				     : "others pass",
			buf_text(&table));
	buf_release(&table);
}

/* The causes in brief: only the lines shown where there is little room. */
static void
put_causes(const struct judgement *judgement, const struct finding *finding, struct buf *out)
{
	struct cause_lines lines;
	struct buf line = {0};

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

/* All lines of an error that has no result: what to repair is in the last ones. */
static void
put_error(const struct workload_view *workload, struct buf *out)
{
	buf_putc(out, '\n');
	put_status(out, workload->status);
	buf_puts(out, " in ");
	put_safe(out, workload->name);
	if (strchr(workload->error, '\n')) {
		markup_put(out, markup_text, ":\n\n<pre>%s</pre>\n", workload->error);
		return;
	}
	buf_puts(out, ": ");
	put_sentence(out, workload->error);
	buf_putc(out, '\n');
}

/* A paragraph. */
static void
put_finding(const struct workload_view *workload, const struct finding_view *view, struct buf *out)
{
	buf_putc(out, '\n');
	put_verdict(out, view->finding);
	buf_puts(out, " <b>");
	put_name(out, view->name);
	buf_puts(out, "</b> in ");
	put_safe(out, workload->name);
	if (view->effect[0]) {
		buf_puts(out, ": ");
		put_safe(out, view->effect);
	}
	if (view->where[0]) {
		buf_puts(out, "; ");
		put_where(out, view);
	}
	if (view->owners[0]) {
		buf_puts(out, "; owned by ");
		put_name(out, view->owners);
	}
	buf_puts(out, view->reason[0] ? "<br>" : "");
	/* The first line of an error; the rest is in the details. */
	char *first_line = mem_dup(view->reason, strcspn(view->reason, "\n"));

	put_sentence(out, first_line);
	free(first_line);
	put_causes(workload->judgement, view->finding, out);
	buf_putc(out, '\n');
}

/* The leading findings, or the others; returns their number. */
static size_t
put_findings(const struct report_view *view, bool leading, struct buf *out)
{
	size_t shown = 0;
	size_t left_out = 0;

	for (size_t i = 0; i < view->nworkloads; i++) {
		const struct workload_view *workload = &view->workloads[i];

		for (size_t k = 0; k < workload->nfindings; k++) {
			const struct finding_view *finding = &workload->findings[k];

			if (finding->is_leading != leading ||
				(finding->finding->status == STATUS_PASS &&
					!finding->finding->accepted))
				continue;
			if (out->len > SIZE_LIMIT * 3 / 4) {
				left_out++;
				continue;
			}
			if (workload->error[0] && finding->finding->rule == FINDING_MEASUREMENT)
				put_error(workload, out);
			else
				put_finding(workload, finding, out);
			shown++;
		}
	}
	if (left_out > 0)
		buf_printf(out, "\nand %zu more findings\n", left_out);
	return shown + left_out;
}

/* Beside those that failed, or that a workload begins with. */
static void
put_other_findings(const struct report_view *view, struct buf *out)
{
	struct buf others = {0};
	const size_t count = put_findings(view, false, &others);

	if (count > 0)
		buf_printf(out, "\n<details><summary>%zu other %s</summary>\n%s\n</details>\n",
			count, count == 1 ? "finding" : "findings", buf_text(&others));
	buf_release(&others);
}

static void
put_change(const struct row *row, struct buf *out)
{
	if (row->self->tested) {
		effect_put_change(row->self, out);
		buf_putc(out, ' ');
		effect_put_interval(row->self, out);
	} else if (row->novelty) {
		buf_puts(out, row->novelty);
	}
}

static void
put_functions(const struct rows *rows, struct buf *out)
{
	size_t shown = 0;
	size_t left_out = 0;

	const char *unit = weights_cost_unit(rows->profile);

	buf_puts(out, "| function | before | after | share after | change [");
	format_ci(out, 1 - rows->alpha);
	buf_puts(out, "] | p | verdict |\n|---|--:|--:|--:|--:|--:|---|\n");
	for (size_t i = 0; i < rows->nrows; i++) {
		const struct row *row = &rows->rows[i];

		/* Rows without self weight are last. */
		if (!(row->self->before_weight > 0) && !(row->self->after_weight > 0))
			break;
		if (shown == FUNCTIONS_SHOWN) {
			left_out++;
			continue;
		}
		shown++;
		buf_puts(out, "| ");
		put_function(out, row->name);
		buf_puts(out, " | ");
		format_cost_as(out, row->before_cost, unit, escape_comment);
		buf_puts(out, " | ");
		format_cost_as(out, row->self->after_cost, unit, escape_comment);
		buf_puts(out, " | ");
		format_percent(out, row->self->after_share);
		buf_puts(out, " | ");
		put_change(row, out);
		buf_puts(out, " | ");
		if (row->self->tested)
			effect_put_p(row->self, out);
		buf_puts(out, " | ");
		if (row->finding)
			put_verdict(out, row->finding);
		else
			buf_puts(out, rows_verdict(row));
		buf_puts(out, " |\n");
	}
	if (left_out > 0)
		buf_printf(out, "\nand %zu more functions\n", left_out);
	if (rows->nbefore > 0)
		buf_puts(out,
			"\nThe upper end of an interval below the threshold is the one-sided limit by "
			"which the function passes.\n");
}

static void
put_details(const struct workload_view *workload, struct buf *out)
{
	markup_put(out, markup_line, "\n<details><summary>%s: %s</summary>\n\n", workload->name,
		status_word(workload->status));
	put_sentence(out, workload->basis);
	if (!workload->error[0]) {
		buf_puts(out, "; ");
		put_sentence(out, workload->power);
	}
	if (workload->limited[0]) {
		buf_puts(out, "\n\nOnly warnings: ");
		put_sentence(out, workload->limited);
	}
	if (workload->after.disturbance[0]) {
		buf_puts(out, "\n\n");
		put_sentence(out, workload->after.disturbance);
	}
	if (workload->counters[0]) {
		buf_puts(out, "\n\nCounters: ");
		put_sentence(out, workload->counters);
	}
	if (workload->latency[0])
		markup_put(out, markup_text, "\n\nLatency: %s", workload->latency);
	buf_puts(out, "\n\n");
	if (workload->rows.nrows > 0)
		put_functions(&workload->rows, out);
	buf_puts(out, "\n</details>\n");
}

static void
put_environment(const struct report *report, struct buf *out)
{
	char *command = mem_dup(report->command, strnlen(report->command, COMMAND_BYTES));
	struct buf text = {0};

	report_put_environment(report, &text);
	markup_put(out, markup_text,
		"\n<details><summary>Environment, and how to reproduce</summary>\n\n"
		"<pre>%s</pre>\n<pre>%s</pre>\n\n</details>\n",
		buf_text(&text), command);
	buf_release(&text);
	free(command);
}

static void
put_commands(const struct report_view *view, struct buf *out)
{
	for (size_t i = 0; i < VIEW_COMMANDS; i++) {
		const struct view_command *each = &view->commands[i];
		struct buf line = {0};

		markup_command(&line, each->label, each->command, each->note, COMMAND_BYTES);
		if (line.len > 0)
			buf_printf(out, "\n%s\n", buf_text(&line));
		buf_release(&line);
	}
}

static void
put_policy(const struct report_view *view, struct buf *out)
{
	size_t i = 0;

	if (!view->policy[0])
		return;
	buf_puts(out, "\n### Policy changed\n\n");
	put_sentence(out, view->policy);
	buf_puts(out, ":\n\n");
	for (; i < view->npolicy_changes && out->len < SIZE_LIMIT * 3 / 4; i++) {
		buf_puts(out, "- ");
		put_sentence(out, view->policy_changes[i].place);
		buf_puts(out, ": ");
		put_sentence(out, view->policy_changes[i].text);
		buf_putc(out, '\n');
	}
	i = view->npolicy_changes - i + view->report->policy.nleft_out;
	if (i > 0)
		buf_printf(out, "\nand %zu more\n", i);
}

static void
write_markdown(const struct report_view *view, struct buf *out)
{
	size_t left_out = 0;

	buf_printf(out, "## profile_run: %s", status_word(view->report->status));
	if (view->base[0]) {
		buf_puts(out, ", against ");
		put_sentence(out, view->base);
	}
	buf_printf(out, "\n\n%s.\n\n", view->outcome);
	/* Else the table says it. */
	if (view->report->interrupted || view->report->shard)
		put_paragraph(view->headline, out);
	put_paragraph(view->other_machines, out);
	put_paragraph(view->report->against_notes, out);
	put_overview(view, false, out);
	put_findings(view, true, out);
	put_commands(view, out);
	put_other_findings(view, out);
	put_passed(view, out);
	put_policy(view, out);
	/* Workloads that passed are rows of one fold. */
	for (size_t i = 0; i < view->nworkloads; i++) {
		if (report_has_passed(&view->workloads[i]))
			continue;
		if (out->len < SIZE_LIMIT)
			put_details(&view->workloads[i], out);
		else
			left_out++;
	}
	if (left_out > 0)
		buf_printf(out, "\nand the details of %zu more workloads\n", left_out);
	put_environment(view->report, out);
}

const struct report_output output_markdown = {
	.name = "summary.md",
	.summary = "the verdict as GitHub-flavoured Markdown, for a step summary or a comment",
	.write = write_markdown,
};
