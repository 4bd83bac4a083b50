/*
 * How far the runs of a workload can be believed: what is to be said of them, in what the two sides
 * differ, and every run by itself.
 */
#include "format/figures.h"
#include "output/headline.h"
#include "output/html.h"
#include "profile/disturbance.h"
#include "profile/fields.h"
#include "profile/quality.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Enough of a hash to tell it from another. */
#define HASH_DIGITS 16
#define HEADING_BYTES 40

/* "In the baseline, " for the other side; what `put` knows to tell of all runs. */
static void
put_sentence(const char *of, const struct profile *profile,
	void (*put)(const struct profile *profile, struct buf *text), struct buf *out)
{
	struct buf text;

	buf_init(&text);
	put(profile, &text);
	if (text.len > 0) {
		buf_puts(out, "<p>");
		html_text(out, of);
		html_text(out, buf_text(&text));
		buf_puts(out, ".</p>\n");
	}
	buf_release(&text);
}

/* "2 of 20 runs are too poor to be judged by". */
static void
put_poor_runs(const struct profile *profile, struct buf *text)
{
	char why[QUALITY_TEXT_MAX];
	size_t poor = 0;

	for (size_t i = 0; i < profile->nruns; i++)
		poor += quality_of_run(&profile->runs[i], why);
	if (poor > 0)
		buf_printf(text, "%zu of %zu runs %s too poor to be judged by", poor,
			profile->nruns, poor == 1 ? "is" : "are");
}

static void
put_cell(const struct run_field *column, double value, struct buf *out)
{
	html_number_begin(out, value);
	if (!column->unit)
		format_count(out, round(value));
	else if (strcmp(column->unit, "ratio") != 0)
		format_cost(out, value, column->unit);
	else if (!isnan(value))
		format_percent(out, value);
	buf_puts(out, "</td>");
}

static void
put_runs(const char *workload, const struct profile *profile, const char *which, struct buf *out)
{
	const struct run_field *columns[RUN_COLUMNS_MAX];
	char capitals[RUN_COLUMNS_MAX][HEADING_BYTES];
	struct html_heading headings[RUN_COLUMNS_MAX + 2] = {{"Run", "number sorted up"}};
	size_t ncolumns = run_table_columns(RUN_TABLE_PAGE, columns);
	struct buf label;
	struct buf caption;

	for (size_t k = 0; k < ncolumns; k++) {
		snprintf(capitals[k], sizeof(capitals[k]), "%s",
			run_column_heading(columns[k], profile));
		capitals[k][0] = (char)toupper((unsigned char)capitals[k][0]);
		headings[1 + k] = (struct html_heading){capitals[k], "number"};
	}
	headings[1 + ncolumns] = (struct html_heading){"Too poor", ""};
	buf_init(&label);
	buf_init(&caption);
	buf_printf(&caption, "Runs of %s", which);
	buf_printf(&label, "%s, %s", buf_text(&caption), workload);
	html_table_begin(
		out, buf_text(&label), buf_text(&caption), "sortable runs", headings, ncolumns + 2);
	for (size_t i = 0; i < profile->nruns; i++) {
		char why[QUALITY_TEXT_MAX];

		buf_printf(out, "<tr><th scope=\"row\" class=\"number\" data-v=\"%zu\">%zu</th>",
			i + 1, i + 1);
		for (size_t k = 0; k < ncolumns; k++)
			put_cell(columns[k], run_column_value(columns[k], &profile->runs[i]), out);
		buf_puts(out, "<td>");
		if (quality_of_run(&profile->runs[i], why))
			html_text(out, why);
		buf_puts(out, "</td></tr>\n");
	}
	html_table_end(out);
	buf_release(&label);
	buf_release(&caption);
}

/* The table of both sides in the making. */
struct sides {
	struct buf rows;
	struct buf differing; /* names of what differs, as a list */
	bool two;
};

/* What neither side knows has no row. */
static void
put_both(struct sides *sides, const char *name, const char *before, const char *after)
{
	bool differs = sides->two && before[0] && after[0] && strcmp(before, after) != 0;
	const char *cells[] = {before, after};

	if (!after[0] && !(sides->two && before[0]))
		return;
	buf_printf(&sides->rows, "<tr%s><th scope=\"row\">%s</th>",
		differs ? " class=\"differs\"" : "", name);
	for (int i = sides->two ? 0 : 1; i < 2; i++) {
		buf_puts(&sides->rows, "<td>");
		html_text(&sides->rows, cells[i][0] ? cells[i] : "not known");
		buf_puts(&sides->rows, "</td>");
	}
	if (sides->two)
		buf_puts(&sides->rows, differs ? "<td>differs</td>" : "<td></td>");
	buf_puts(&sides->rows, "</tr>\n");
	if (differs)
		buf_printf(&sides->differing, "%s%s", sides->differing.len > 0 ? ", " : "", name);
}

/* A text of either side as `put` writes it, which may be nothing. */
static void
put_both_with(struct sides *sides, const char *name, double before, double after,
	void (*put)(struct buf *text, double value))
{
	struct buf texts[2];
	const double values[] = {before, after};

	for (int i = 0; i < 2; i++) {
		buf_init(&texts[i]);
		if (values[i] > 0)
			put(&texts[i], values[i]);
	}
	put_both(sides, name, buf_text(&texts[0]), buf_text(&texts[1]));
	buf_release(&texts[0]);
	buf_release(&texts[1]);
}

static void
put_plain(struct buf *text, double value)
{
	buf_put_short(text, value);
}

static void
put_hertz(struct buf *text, double value)
{
	buf_put_short(text, value);
	buf_puts(text, " Hz");
}

static void
put_kibibytes(struct buf *text, double value)
{
	buf_put_short(text, value / 1024);
	buf_puts(text, " KiB");
}

static void
put_gibibytes(struct buf *text, double value)
{
	buf_put_fixed(text, value, 1);
	buf_puts(text, " GiB");
}

static void
put_hashes(struct sides *sides, const char *name, const char *before, const char *after)
{
	char cut[2][HASH_DIGITS + 1] = {"", ""};

	strncat(cut[0], before ? before : "", HASH_DIGITS);
	strncat(cut[1], after ? after : "", HASH_DIGITS);
	put_both(sides, name, cut[0], cut[1]);
}

static void
put_machines(struct sides *sides, const struct machine *before, const struct machine *after)
{
	put_both(sides, "Processor", before->cpu_model, after->cpu_model);
	put_both(sides, "Architecture", before->arch, after->arch);
	put_both_with(sides, "CPUs", before->cpus, after->cpus, put_plain);
	put_both_with(sides, "Memory", before->memory_gib, after->memory_gib, put_gibibytes);
	put_both(sides, "Kernel", before->kernel, after->kernel);
	put_both(sides, "System", before->os, after->os);
	put_both(sides, "Hypervisor", before->hypervisor, after->hypervisor);
}

/* "" where there is no such side, or it does not say. */
static const char *
text_of(const struct profile *profile, str_id text)
{
	return profile && text ? strtab_str(&profile->strings, text) : "";
}

#define BOTH(name, field)                                                  \
	put_both(sides, name, text_of(before, before ? before->field : 0), \
		text_of(after, after ? after->field : 0))

static void
put_captures(struct sides *sides, const struct profile *before, const struct profile *after)
{
	BOTH("Recorded on", host);
	BOTH("Metric", metric);
	BOTH("Event", event);
	put_both_with(sides, "Frequency", before ? before->frequency_hz : 0,
		after ? after->frequency_hz : 0, put_hertz);
	BOTH("Call graph", callgraph);
	put_both_with(sides, "Stack copied", before ? before->stack_bytes : 0,
		after ? after->stack_bytes : 0, put_kibibytes);
	put_both_with(sides, "Runs", before ? (double)before->nruns : 0,
		after ? (double)after->nruns : 0, put_plain);
}

#undef BOTH

/* Of profiles that were captured elsewhere nothing is known but what they say themselves. */
static void
fill_sides(struct sides *sides, const struct report *report, const struct judgement *judgement)
{
	const struct machine no_machine = {0};
	const struct baseline_info *info = judgement->input.before_info;
	struct buf taken;

	put_captures(sides, judgement->input.before, judgement->input.candidate);
	if (judgement->input.mode == GATE_FILES)
		return;
	put_both(sides, "Commit", info ? info->commit : "", report->commit ? report->commit : "");
	put_hashes(sides, "Program hash", info ? info->program_hash : "",
		judgement->input.program_hash);
	put_hashes(sides, "Workload hash", info ? info->workload_hash : "",
		judgement->input.workload->hash);
	put_both(sides, "Machine class", info ? info->machine_class : "",
		judgement->input.machine_class ? judgement->input.machine_class : "");
	put_machines(sides, info ? &info->machine : &no_machine, report->machine);
	put_both(sides, "profile_run", info ? info->tool_version : "", report->tool_version);
	if (judgement->input.mode != GATE_STORED || !info)
		return;
	buf_init(&taken);
	format_time(&taken, info->created);
	buf_printf(
		&sides->rows, "<tr><th scope=\"row\">Taken</th><td>%s</td><td>", buf_text(&taken));
	format_time(&sides->rows, report->started);
	buf_puts(&sides->rows, "</td><td></td></tr>\n");
	buf_release(&taken);
}

static void
put_sides(const struct report *report, const struct judgement *judgement, struct buf *out)
{
	const char *before = headline_other_side(judgement) + strlen("the ");
	const char *after = judgement->input.mode == GATE_FILES ? "profiles after" : "this run";
	struct html_heading headings[] = {
		{"What", "plain"}, {before, "plain"}, {after, "plain"}, {"Differs", "plain"}};
	struct sides sides = {.two = judgement->input.before != NULL};
	struct buf label;

	buf_init(&label);
	fill_sides(&sides, report, judgement);
	if (sides.two) {
		buf_puts(out, "<p>");
		if (sides.differing.len > 0)
			buf_printf(out, "The sides differ in: %s.", buf_text(&sides.differing));
		else
			buf_puts(out, "What is known of both sides is the same.");
		buf_puts(out, "</p>\n");
	} else {
		headings[1] = headings[2];
	}
	buf_puts(out, "<details><summary>Circumstances");
	buf_puts(out, sides.two ? " of both sides</summary>\n" : "</summary>\n");
	buf_printf(&label, "Circumstances of %s", judgement->input.workload->name);
	html_table_begin(out, buf_text(&label), "What the runs were taken of, and how", "sides",
		headings, sides.two ? 4 : 2);
	buf_puts(out, buf_text(&sides.rows));
	html_table_end(out);
	buf_puts(out, "</details>\n");
	buf_release(&label);
	buf_release(&sides.rows);
	buf_release(&sides.differing);
}

void
html_validity(const struct report *report, const struct judgement *judgement, struct buf *out)
{
	const struct profile *profiles[] = {judgement->input.candidate, judgement->input.before};
	const char *name = judgement->input.workload->name;
	struct buf of;

	buf_init(&of);
	buf_puts(out, "<h3>Validity</h3>\n");
	for (size_t i = 0; i < 2; i++) {
		if (!profiles[i])
			continue;
		if (i > 0)
			buf_printf(&of, "In %s, ", headline_other_side(judgement));
		put_sentence(buf_text(&of), profiles[i], put_poor_runs, out);
		put_sentence(buf_text(&of), profiles[i], quality_put_stacks, out);
		put_sentence(buf_text(&of), profiles[i], disturbance_put, out);
	}
	put_sides(report, judgement, out);
	buf_puts(out, "<details><summary>Every run</summary>\n");
	if (judgement->input.candidate)
		put_runs(name, judgement->input.candidate,
			judgement->input.mode == GATE_FILES ? "the profiles after" : "this gate",
			out);
	if (judgement->input.before)
		put_runs(name, judgement->input.before, headline_other_side(judgement), out);
	buf_puts(out, "</details>\n");
	buf_release(&of);
}
