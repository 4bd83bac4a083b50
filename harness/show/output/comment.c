#include "output/comment.h"

#include "base/escape.h"
#include "base/mem.h"
#include "format/figures.h"
#include "output/markup.h"
#include "output/output.h"
#include "profile/weights.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_COLUMNS 100
#define SENTENCE_COLUMNS 300
#define COMMAND_COLUMNS 1000 /* a command names functions in full, of C++ often */
#define MOVERS_SHOWN 5
#define POLICY_SHOWN 10
/* The largest size of the part that follows the findings. */
#define TAIL_BYTES ((size_t)30000)

bool
comment_is_url(const char *text)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				    "-._~:/?#@!$&+,;=%";
	const char *scheme = strncmp(text, "https://", 8) == 0  ? text + 8
			     : strncmp(text, "http://", 7) == 0 ? text + 7
								: NULL;

	return scheme && *scheme && *scheme != '/' && text[strspn(text, plain)] == '\0' &&
	       strlen(text) <= COMMENT_URL_MAX;
}

static void
put_sentence(struct buf *out, const char *text)
{
	markup_sentence(out, text, SENTENCE_COLUMNS);
}

/* As code, in which GitHub does not replace ":name:" by emoji. */
static void
put_name(struct buf *out, const char *name)
{
	buf_puts(out, "<code>");
	markup_fit(out, name, NAME_COLUMNS);
	buf_puts(out, "</code>");
}

static bool
is_told(const struct finding *finding)
{
	return finding->status != STATUS_PASS || finding->accepted;
}

static bool
is_quiet(const struct report_view *view)
{
	if (view->report->status != STATUS_PASS || view->policy[0])
		return false;
	for (size_t i = 0; i < view->nworkloads; i++) {
		if (view->workloads[i].status != STATUS_PASS || view->workloads[i].has_accepted)
			return false;
	}
	return true;
}

static void
put_verdict(struct buf *out, const char *verdict, bool loud)
{
	buf_printf(out, loud ? "**%s**" : "%s", verdict);
}

/* "| **fail** | parse | +34.4 % | lex +51.0 % (95 % CI 41.2 to 61.4) |" */
static void
put_workload(const struct workload_view *workload, struct buf *out)
{
	buf_puts(out, "| ");
	put_verdict(out, status_word(workload->status),
		workload->status == STATUS_FAIL || workload->status == STATUS_ERROR);
	buf_puts(out, " | ");
	put_name(out, workload->name);
	buf_puts(out, " | ");
	if (workload->whole)
		effect_put_change(workload->whole, out);
	buf_puts(out, " | ");
	put_sentence(out, workload->headline);
	buf_puts(out, " |\n");
}

static void
put_finding(const struct workload_view *workload, const struct finding_view *view, struct buf *out)
{
	const struct finding *finding = view->finding;

	put_verdict(out, view->verdict,
		finding->status == STATUS_FAIL || finding->status == STATUS_ERROR);
	buf_putc(out, ' ');
	put_name(out, view->name);
	buf_puts(out, " in ");
	put_name(out, workload->name);
	if (view->effect[0]) {
		buf_puts(out, ": ");
		put_sentence(out, view->effect);
	}
	if (view->where[0]) {
		buf_puts(out, "; ");
		markup_fit(out, view->where, NAME_COLUMNS);
	}
	if (view->owners[0]) {
		buf_puts(out, "; owned by ");
		markup_fit(out, view->owners, NAME_COLUMNS);
	}
	if (view->reason[0]) {
		buf_puts(out, "<br>");
		put_sentence(out, view->reason);
	}
	buf_puts(out, "\n\n");
}

/* A row, if what follows still fits behind it. */
static bool
put_row(struct buf *out, const struct buf *row)
{
	if (out->len + row->len + TAIL_BYTES > COMMENT_BYTES_MAX)
		return false;
	buf_put(out, row->data, row->len);
	return true;
}

/* One table: all workloads, or those that passed, which are folded. */
static size_t
put_workloads(const struct report_view *view, bool passed, struct buf *out)
{
	struct buf row = {0};
	size_t shown = 0, left_out = 0;

	for (size_t i = 0; i < view->nworkloads; i++) {
		if (report_has_passed(&view->workloads[i]) != passed)
			continue;
		buf_clear(&row);
		if (shown == 0)
			buf_puts(&row, "| verdict | workload | whole program | first finding |\n"
				       "|---|---|--:|---|\n");
		put_workload(&view->workloads[i], &row);
		if (left_out == 0 && put_row(out, &row))
			shown++;
		else
			left_out++;
	}
	if (left_out > 0)
		buf_printf(out, "\nand %zu more workloads\n", left_out);
	if (shown + left_out > 0)
		buf_putc(out, '\n');
	buf_release(&row);
	return shown + left_out;
}

/* "8 others pass" */
static void
put_passed(const struct report_view *view, struct buf *out)
{
	struct buf table = {0};
	const size_t count = put_workloads(view, true, &table);

	if (count > 0 && out->len + table.len + TAIL_BYTES <= COMMENT_BYTES_MAX + TAIL_BYTES / 2) {
		buf_printf(out, "<details><summary>%zu %s</summary>\n\n%s</details>\n\n", count,
			count == view->nworkloads
				? count == 1 ? "workload passes" : "workloads pass"
			: count == 1 ? "other passes"
				     : "others pass",
			buf_text(&table));
	}
	buf_release(&table);
}

/* A paragraph for each leading finding, or for each other one; returns their number. */
static size_t
put_findings(const struct report_view *view, bool leading, struct buf *out)
{
	struct buf row = {0};
	size_t shown = 0;
	size_t left_out = 0;

	for (size_t i = 0; i < view->nworkloads; i++) {
		const struct workload_view *workload = &view->workloads[i];

		for (size_t k = 0; k < workload->nfindings && !workload->error[0]; k++) {
			const struct finding_view *finding = &workload->findings[k];

			if (finding->is_leading != leading || !is_told(finding->finding))
				continue;
			buf_clear(&row);
			put_finding(workload, finding, &row);
			if (left_out == 0 && put_row(out, &row))
				shown++;
			else
				left_out++;
		}
	}
	if (left_out > 0)
		buf_printf(out, "and %zu more findings\n\n", left_out);
	buf_release(&row);
	return shown + left_out;
}

static void
put_folded(const char *summary, const struct buf *text, struct buf *out)
{
	if (out->len + text->len + TAIL_BYTES <= COMMENT_BYTES_MAX + TAIL_BYTES / 2)
		buf_printf(out, "<details><summary>%s</summary>\n\n%s</details>\n\n", summary,
			buf_text(text));
}

/* Beside those that failed, or that a workload begins with. */
static void
put_other_findings(const struct report_view *view, struct buf *out)
{
	struct buf others = {0};
	char summary[64];
	const size_t count = put_findings(view, false, &others);

	snprintf(summary, sizeof(summary), "%zu other %s", count,
		count == 1 ? "finding" : "findings");
	if (count > 0)
		put_folded(summary, &others, out);
	buf_release(&others);
}

/* A function whose cost changed, by how much of its program's cost. */
struct mover {
	const struct workload_view *workload;
	const struct row *row;
	double moved;
};

static int
compare_movers(const void *a, const void *b)
{
	const struct mover *x = a;
	const struct mover *y = b;
	int by_name;

	if (x->moved != y->moved)
		return x->moved > y->moved ? -1 : 1;
	by_name = strcmp(x->workload->name, y->workload->name);
	return by_name ? by_name : strcmp(x->row->name, y->row->name);
}

static struct mover *
find_movers(const struct report_view *view, size_t *count)
{
	struct mover *movers = NULL;
	size_t capacity = 0;

	*count = 0;
	for (size_t i = 0; i < view->nworkloads; i++) {
		const struct workload_view *workload = &view->workloads[i];
		double whole = workload->whole ? workload->whole->after_cost : NAN;

		for (size_t k = 0; k < workload->rows.nrows && whole > 0; k++) {
			const struct row *row = &workload->rows.rows[k];
			double before = isfinite(row->before_cost) ? row->before_cost : 0;
			double moved = fabs(row->self->after_cost - before) / whole;
			bool is_known = row->self->tested && effect_excludes_none(row->self);

			if (!(is_known || row->novelty) || !(moved > 0))
				continue;
			movers = mem_grow(movers, &capacity, *count + 1, sizeof(*movers));
			movers[(*count)++] = (struct mover){workload, row, moved};
		}
	}
	if (*count > 0)
		qsort(movers, *count, sizeof(*movers), compare_movers);
	return movers;
}

static void
put_movers(const struct report_view *view, struct buf *out)
{
	size_t count;
	struct mover *movers = find_movers(view, &count);

	if (count > 0)
		buf_puts(out,
			"<details><summary>Changed most, as part of their programs</summary>\n\n"
			"| function | workload | before | after | change |\n"
			"|---|---|--:|--:|--:|\n");
	for (size_t i = 0; i < count && i < MOVERS_SHOWN; i++) {
		const struct row *row = movers[i].row;
		const char *unit = weights_cost_unit(movers[i].workload->rows.profile);
		struct buf name = {0};

		buf_puts(out, "| ");
		frame_fit_words(&name, row->name, NAME_COLUMNS);
		put_name(out, buf_text(&name));
		buf_release(&name);
		buf_puts(out, " | ");
		put_name(out, movers[i].workload->name);
		buf_puts(out, " | ");
		format_cost_as(out, row->before_cost, unit, escape_comment);
		buf_puts(out, " | ");
		format_cost_as(out, row->self->after_cost, unit, escape_comment);
		buf_puts(out, " | ");
		if (row->novelty)
			buf_puts(out, row->novelty);
		else
			effect_put_change(row->self, out);
		buf_puts(out, " |\n");
	}
	if (count > MOVERS_SHOWN)
		buf_printf(out, "\nand %zu more significant changes\n", count - MOVERS_SHOWN);
	if (count > 0)
		buf_puts(out, "\n</details>\n\n");
	free(movers);
}

static void
put_policy(const struct report_view *view, struct buf *out)
{
	size_t i = 0;

	if (!view->policy[0])
		return;
	buf_puts(out, "**");
	put_sentence(out, view->policy);
	buf_puts(out, ":**\n\n");
	for (; i < view->npolicy_changes && i < POLICY_SHOWN; i++) {
		buf_puts(out, "- ");
		markup_fit(out, view->policy_changes[i].place, NAME_COLUMNS);
		buf_puts(out, ": ");
		markup_fit(out, view->policy_changes[i].text, NAME_COLUMNS);
		buf_putc(out, '\n');
	}
	i = view->npolicy_changes - i + view->report->policy.nleft_out;
	if (i > 0)
		buf_printf(out, "\nand %zu more\n", i);
	buf_putc(out, '\n');
}

static void
put_links(const struct comment_options *options, struct buf *out)
{
	if (options->picture && options->page)
		buf_printf(out, "[![What changed, as a flame graph](%s)](%s)\n\n", options->picture,
			options->page);
	else if (options->picture)
		buf_printf(out, "![What changed, as a flame graph](%s)\n\n", options->picture);
	if (options->vector)
		buf_printf(out, "[The picture as SVG](%s)\n\n", options->vector);
	if (options->page)
		buf_printf(out, "[The whole report](%s)%s", options->page,
			options->run ? ", " : "\n\n");
	if (options->run)
		buf_printf(out, "[the run](%s)\n\n", options->run);
}

static void
put_commands(const struct report_view *view, struct buf *out)
{
	for (size_t i = 0; i < VIEW_COMMANDS; i++) {
		const struct view_command *each = &view->commands[i];
		struct buf line = {0};

		markup_command(&line, each->label, each->command, each->note, COMMAND_COLUMNS);
		if (line.len > 0 && out->len + line.len + TAIL_BYTES / 2 <= COMMENT_BYTES_MAX)
			buf_printf(out, "%s\n\n", buf_text(&line));
		buf_release(&line);
	}
}

static void
put_footer(const struct report *report, struct buf *out)
{
	buf_puts(out, "<sub>profile_run ");
	markup_fit(out, report->tool_version, NAME_COLUMNS);
	buf_puts(out, ", ");
	format_time(out, report->started);
	if (report->commit && report->commit[0]) {
		buf_puts(out, ", commit <code>");
		markup_fit(out, report->commit, NAME_COLUMNS);
		buf_puts(out, "</code>");
	}
	buf_puts(out, "</sub>\n");
}

/* `note` follows the verdict. */
static void
put_body(const struct report_view *view, const struct comment_options *options, const char *note,
	struct buf *text)
{
	buf_printf(text, "### profile_run: %s%s", status_word(view->report->status), note);
	if (view->base[0]) {
		buf_puts(text, ", against ");
		put_sentence(text, view->base);
	}
	buf_printf(text, "\n\n%s.\n\n", view->outcome);
	put_workloads(view, false, text);
	put_findings(view, true, text);
	put_links(options, text);
	put_commands(view, text);
	put_policy(view, text);
	put_other_findings(view, text);
	put_movers(view, text);
	put_passed(view, text);
	put_footer(view->report, text);
}

void
comment_write(
	const struct report_view *view, const struct comment_options *options, struct buf *out)
{
	const bool quiet = is_quiet(view);
	struct buf text = {0};

	buf_printf(&text, "<!-- profile_run comment %s -->\n<!-- profile_run state %s -->\n",
		options->marker ? options->marker : "gate", quiet ? "quiet" : "findings");
	put_body(view, options, quiet ? ", earlier findings are resolved" : "", &text);
	buf_put(out, text.data, text.len);
	buf_release(&text);
}

void
comment_write_body(const struct report_view *view, struct buf *out)
{
	struct buf text = {0};

	put_body(view, &(struct comment_options){0}, "", &text);
	buf_put(out, text.data, text.len);
	buf_release(&text);
}

static void
write_without_links(const struct report_view *view, struct buf *out)
{
	comment_write(view, &(struct comment_options){0}, out);
}

const struct report_output export_comment = {
	.name = "comment",
	.summary = "one comment for a pull request on GitHub, which replaces the one before",
	.write = write_without_links,
};

const struct report_output export_buildkite = {
	.name = "buildkite",
	.summary = "Markdown for buildkite-agent annotate",
	.write = comment_write_body,
};
