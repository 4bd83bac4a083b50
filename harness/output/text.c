/* report.txt: the verdict first, then each workload, for a console and for a log. */
#include "output/text.h"

#include "base/escape.h"
#include "base/file.h"
#include "format/figures.h"
#include "format/name.h"
#include "format/place.h"
#include "output/cause_text.h"
#include "output/headline.h"
#include "output/outputs.h"
#include "profile/disturbance.h"
#include "profile/quality.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LINE_COLUMNS 100
#define SUBJECT_COLUMNS 72
#define FINDINGS_SHOWN 50
#define STATUS_COLUMNS 12
#define OVERVIEW_NAME_COLUMNS 40
#define FINDING_INDENT 16

static void
pad(struct buf *out, size_t columns)
{
	for (size_t i = 0; i < columns; i++)
		buf_putc(out, ' ');
}

void
text_wrap(struct buf *out, const char *text, size_t indent)
{
	struct buf safe;
	size_t column = 0;

	buf_init(&safe);
	/* Newlines in a message are its own wrapping. */
	for (const char *at = text; *at;) {
		size_t word = strcspn(at, " \n\t");

		if (word > 0) {
			buf_clear(&safe);
			escape_utf8(&safe, at, word);
			size_t width = name_columns(buf_text(&safe), safe.len);

			if (column > 0 && column + 1 + width > LINE_COLUMNS - indent) {
				buf_putc(out, '\n');
				column = 0;
			}
			if (column == 0)
				pad(out, indent);
			else
				buf_putc(out, ' ');
			buf_put(out, buf_text(&safe), safe.len);
			column += width + (column > 0);
		}
		at += word;
		if (*at)
			at++;
	}
	buf_putc(out, '\n');
	buf_release(&safe);
}

static void
put_upper(struct buf *out, const char *text)
{
	for (; *text; text++)
		buf_putc(out, (char)toupper((unsigned char)*text));
}

static void
put_place(struct buf *out, const char *source)
{
	struct buf place;

	buf_init(&place);
	place_put_path(&place, source);
	escape_utf8(out, buf_text(&place), place.len);
	buf_release(&place);
}

/* "carried by  main;run;f +12.1 ms": each wrapped behind its label, alike ones under one. */
static void
put_causes(struct buf *out, const struct judgement *judgement, const struct finding *finding)
{
	const size_t indent = FINDING_INDENT + CAUSE_LABEL_COLUMNS + 1;
	struct cause_lines lines;
	struct buf wrapped;

	buf_init(&wrapped);
	cause_lines_init(&lines, &judgement->comparison, finding->frame, finding->causes,
		LINE_COLUMNS - indent);
	for (size_t i = 0; i < lines.nlines; i++) {
		const char *label = lines.lines[i].label;
		bool again = i > 0 && strcmp(label, lines.lines[i - 1].label) == 0;

		buf_clear(&wrapped);
		text_wrap(&wrapped, lines.lines[i].text, indent);
		pad(out, FINDING_INDENT);
		buf_printf(out, "%-*s ", CAUSE_LABEL_COLUMNS, again ? "" : label);
		buf_puts(out, buf_text(&wrapped) + (wrapped.len > indent ? indent : 0));
	}
	cause_lines_release(&lines);
	buf_release(&wrapped);
}

static void
put_finding(struct buf *out, const struct judgement *judgement, const struct finding *finding)
{
	struct buf effect;

	buf_init(&effect);
	effect_describe(&finding->effect, &effect);
	buf_printf(out, "  %-*s  ", STATUS_COLUMNS, status_name(finding->status));
	name_fit(out, finding->subject, strlen(finding->subject), SUBJECT_COLUMNS);
	if (finding->effect.tested && finding->rule != FINDING_TOTAL)
		buf_printf(out, " (%s)", quantity_name(finding->of));
	buf_putc(out, '\n');
	if (effect.len > 0) {
		pad(out, FINDING_INDENT);
		buf_printf(out, "%s\n", buf_text(&effect));
	}
	if (finding->reason && finding->reason[0])
		text_wrap(out, finding->reason, FINDING_INDENT);
	if (finding->source) {
		pad(out, FINDING_INDENT);
		buf_puts(out, "at ");
		put_place(out, finding->source);
		buf_putc(out, '\n');
	}
	put_causes(out, judgement, finding);
	buf_release(&effect);
}

static void
put_findings(struct buf *out, const struct judgement *judgement)
{
	const struct verdict *verdict = &judgement->verdict;
	size_t passed = 0;
	size_t told = 0;

	for (size_t i = 0; i < verdict->nfindings; i++) {
		const struct finding *finding = &verdict->findings[i];

		if (!headline_tells(judgement, finding))
			passed += finding->status == STATUS_PASS;
		else if (++told <= FINDINGS_SHOWN)
			put_finding(out, judgement, finding);
	}
	if (told > FINDINGS_SHOWN)
		buf_printf(
			out, "  and %zu more findings: see verdict.json\n", told - FINDINGS_SHOWN);
	if (passed > 0) {
		buf_printf(out, "  %-*s  ", STATUS_COLUMNS, status_name(STATUS_PASS));
		format_plural(out, passed, "other subject", "other subjects");
		buf_putc(out, '\n');
	}
}

/* An error's own lines, which point into a file or say what was being done. */
static void
put_lines(struct buf *out, const char *text)
{
	while (*text) {
		size_t line = strcspn(text, "\n");

		pad(out, 2);
		escape_utf8(out, text, line);
		buf_putc(out, '\n');
		text += line + (text[line] == '\n');
	}
}

/* What `put` knows to tell, of either side. */
static void
put_of_sides(const struct judgement *judgement,
	void (*put)(const struct profile *profile, struct buf *out), struct buf *out)
{
	const struct profile *sides[] = {judgement->input.candidate, judgement->input.before};
	struct buf line;

	buf_init(&line);
	for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
		if (!sides[i])
			continue;
		buf_clear(&line);
		if (i > 0)
			buf_printf(&line, "In %s, ", headline_other_side(judgement));
		size_t start = line.len;

		put(sides[i], &line);
		if (line.len == start)
			continue;
		buf_putc(&line, '.');
		text_wrap(out, buf_text(&line), 2);
	}
	buf_release(&line);
}

void
text_workload(const struct report_workload *workload, struct buf *out)
{
	const struct judgement *judgement = workload->judgement;
	const struct verdict *verdict = &judgement->verdict;
	struct buf line;

	buf_init(&line);
	buf_printf(out, "%s: %s\n", judgement->input.workload->name,
		status_name(headline_status(judgement)));
	if (judgement->input.error) {
		put_lines(out, judgement->input.error);
	} else {
		if (judgement->input.before)
			buf_printf(&line, "%s mode, ", verdict->mode ? verdict->mode : "no");
		headline_baseline(judgement, &line);
		buf_puts(&line, "; ");
		headline_power(verdict, &line);
		buf_putc(&line, '.');
		text_wrap(out, buf_text(&line), 2);
	}
	if (verdict->limited) {
		buf_clear(&line);
		buf_printf(&line, "Warnings at most: %s", verdict->limited);
		text_wrap(out, buf_text(&line), 2);
	}
	if (!judgement->input.error) {
		put_of_sides(judgement, quality_put_stacks, out);
		put_of_sides(judgement, disturbance_put, out);
	}
	put_findings(out, judgement);
	buf_release(&line);
}

/* "  name        value": one line of a list. */
static void
put_pair(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, "  %-13s ", name);
	if (value && *value)
		escape_utf8(out, value, strlen(value));
	else
		buf_puts(out, "not known");
	buf_putc(out, '\n');
}

static void
put_evidence(const struct report *report, const struct report_workload *workload, struct buf *out)
{
	const struct judgement *judgement = workload->judgement;
	const char *picture = judgement->compared ? "diff.svg" : "flamegraph.svg";

	if (report->folder[0] == '\0' || (!judgement->input.candidate && !judgement->compared))
		return;
	buf_printf(out, "  evidence      ");
	escape_utf8(out, report->folder, strlen(report->folder));
	buf_printf(out, "/%s/%s and report.txt beside it\n", workload->folder, picture);
}

/* One line a workload, its sentence wrapped beside status and name. */
static void
put_overview(const struct report *report, struct buf *out)
{
	size_t name_width = 0;
	struct buf line;
	struct buf wrapped;

	buf_init(&line);
	buf_init(&wrapped);
	for (size_t i = 0; i < report->nworkloads; i++) {
		size_t len = strlen(report->workloads[i].judgement->input.workload->name);

		name_width = len > name_width ? len : name_width;
	}
	if (name_width > OVERVIEW_NAME_COLUMNS)
		name_width = OVERVIEW_NAME_COLUMNS;
	for (size_t i = 0; i < report->nworkloads; i++) {
		const struct judgement *judgement = report->workloads[i].judgement;
		size_t indent = 2 + STATUS_COLUMNS + 2 + name_width + 2;

		buf_clear(&line);
		buf_clear(&wrapped);
		headline_workload(judgement, &line);
		text_wrap(&wrapped, buf_text(&line), indent);
		buf_printf(
			out, "  %-*s  ", STATUS_COLUMNS, status_name(headline_status(judgement)));
		buf_clear(&line);
		name_fit(&line, judgement->input.workload->name,
			strlen(judgement->input.workload->name), name_width);
		buf_printf(out, "%-*s  ", (int)name_width, buf_text(&line));
		buf_puts(out, buf_text(&wrapped) + (wrapped.len > indent ? indent : 0));
	}
	buf_release(&line);
	buf_release(&wrapped);
}

static void
put_machine(const struct machine *machine, struct buf *out)
{
	struct buf line;

	buf_init(&line);
	buf_printf(&line, "%s, %s, %u CPUs, %.1f GiB", machine->cpu_model, machine->arch,
		machine->cpus, machine->memory_gib);
	if (machine->hypervisor[0])
		buf_printf(&line, ", under %s", machine->hypervisor);
	put_pair(out, "machine", buf_text(&line));
	buf_clear(&line);
	buf_printf(&line, "%s, %s", machine->kernel, machine->os);
	put_pair(out, "system", buf_text(&line));
	buf_release(&line);
}

void
text_environment(const struct report *report, struct buf *out)
{
	const char *told = NULL; /* the class of the other machine described last */

	put_machine(report->machine, out);
	put_pair(out, "class", report->machine_class);
	put_pair(out, "event", report->event_reason);
	put_pair(out, "pinning", report->pinning);
	put_pair(out, "commit", report->commit);
	for (size_t i = 0; i < report->nworkloads; i++) {
		const struct judgement *judgement = report->workloads[i].judgement;

		if (!judgement->input.before || !judgement->input.baseline_is_of_other_machine)
			continue;
		const char *its_class = judgement->input.before_info->machine_class;

		if (told && strcmp(told, its_class) == 0)
			continue;
		told = its_class;
		buf_printf(out, "The baseline of %s comes from another machine:\n",
			judgement->input.workload->name);
		put_machine(&judgement->input.before_info->machine, out);
		put_pair(out, "class", its_class);
	}
}

static void
put_how(const struct report *report, struct buf *out)
{
	buf_puts(out, "To reproduce\n");
	put_pair(out, "all of it", report->command);
	for (size_t i = 0; i < report->nworkloads; i++) {
		const struct judgement *judgement = report->workloads[i].judgement;

		/* Profiles that were captured elsewhere have no file that names them. */
		if (headline_status(judgement) == STATUS_PASS ||
			judgement->input.workload->path[0] == '\0')
			continue;
		buf_printf(out, "  %-13s ", judgement->input.workload->name);
		escape_utf8(out, report->command_options, strlen(report->command_options));
		buf_putc(out, ' ');
		escape_utf8(out, judgement->input.workload->path,
			strlen(judgement->input.workload->path));
		buf_putc(out, '\n');
	}
}

static void
write_text(const struct report *report, struct buf *out)
{
	struct buf line;

	buf_init(&line);
	put_upper(&line, status_name(report->status));
	buf_puts(&line, ": ");
	headline_gate(report, &line);
	text_wrap(out, buf_text(&line), 0);
	buf_clear(&line);
	buf_printf(&line, "profile_run %s, exit code %d, started ", report->tool_version,
		report->exit_code);
	format_time(&line, report->started);
	buf_puts(&line, ", took ");
	format_duration(&line, report->duration_s);
	text_wrap(out, buf_text(&line), 0);
	buf_putc(out, '\n');
	put_overview(report, out);
	for (size_t i = 0; i < report->nworkloads; i++) {
		buf_putc(out, '\n');
		text_workload(&report->workloads[i], out);
		put_evidence(report, &report->workloads[i], out);
	}
	buf_putc(out, '\n');
	put_how(report, out);
	buf_puts(out, "\nEnvironment\n");
	text_environment(report, out);
	buf_release(&line);
}

const struct report_output output_text = {
	.name = "report.txt",
	.summary = "the verdict and every finding as plain text",
	.write = write_text,
};
