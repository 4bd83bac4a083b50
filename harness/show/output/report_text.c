/*
 * report.txt: the verdict first, then each workload, for a console and for a log; and report.txt of
 * one workload, which says more of it.
 */
#include "analysis/analysis.h"
#include "analysis/sentences.h"
#include "base/escape.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "output/cause_text.h"
#include "output/changes.h"
#include "output/line_parts.h"
#include "output/output.h"

#include <ctype.h>
#include <string.h>

#define LINE_COLUMNS 100
#define SUBJECT_COLUMNS 72
#define NAME_COLUMNS_MOST 500
#define FINDINGS_SHOWN 50
#define STATUS_COLUMNS 12
#define OVERVIEW_NAME_COLUMNS 40
#define OWNED_BY "owned by "
#define FINDING_INDENT 16
#define CHANGES_SHOWN 30

/* "carried by  main;run;f +12.1 ms": each wrapped behind its label; equal labels once. */
static void
put_causes(struct buf *out, const struct judgement *judgement, const struct finding *finding)
{
	const size_t indent = FINDING_INDENT + CAUSE_LABEL_COLUMNS + 1;
	struct cause_lines lines;

	cause_lines_init(&lines, &judgement->comparison, finding->frame, finding->causes,
		LINE_COLUMNS - indent);
	for (size_t i = 0; i < lines.nlines; i++) {
		const char *label = lines.lines[i].label;
		bool again = i > 0 && strcmp(label, lines.lines[i - 1].label) == 0;

		text_wrap_behind(
			out, FINDING_INDENT, again ? "" : label, lines.lines[i].text, indent);
	}
	cause_lines_release(&lines);
}

static void
put_finding(struct buf *out, const struct judgement *judgement, const struct finding_view *view)
{
	buf_printf(out, "  %-*s  ", STATUS_COLUMNS, view->verdict);
	name_fit(out, view->name, strlen(view->name), SUBJECT_COLUMNS);
	buf_printf(out, "%s\n", view->of);
	if (name_columns(view->name, strlen(view->name)) > SUBJECT_COLUMNS) {
		struct buf whole = {0};

		name_fit(&whole, view->name, strlen(view->name), NAME_COLUMNS_MOST);
		text_wrap(out, buf_text(&whole), FINDING_INDENT);
		buf_release(&whole);
	}
	if (view->effect[0])
		text_wrap(out, view->effect, FINDING_INDENT);
	if (view->where[0])
		text_wrap(out, view->where, FINDING_INDENT);
	if (view->owners[0])
		text_wrap_behind(out, FINDING_INDENT, OWNED_BY, view->owners,
			FINDING_INDENT + strlen(OWNED_BY));
	if (view->reason[0])
		text_wrap(out, view->reason, FINDING_INDENT);
	put_causes(out, judgement, view->finding);
}

static void
put_findings(struct buf *out, const struct workload_view *workload)
{
	size_t shown = 0;

	for (size_t i = 0; i < workload->nfindings && shown < FINDINGS_SHOWN; i++) {
		if (!workload->findings[i].is_listed)
			continue;
		put_finding(out, workload->judgement, &workload->findings[i]);
		shown++;
	}
	if (workload->nlisted > shown)
		buf_printf(out, "  and %zu more findings: see verdict.json\n",
			workload->nlisted - shown);
	if (workload->npassed > 0) {
		buf_printf(out, "  %-*s  ", STATUS_COLUMNS, status_word(STATUS_PASS));
		format_plural(out, workload->npassed, "function", "functions");
		buf_putc(out, '\n');
	}
}

/* The lines of an error as they are, which have its location and context. */
static void
put_lines(struct buf *out, const char *text)
{
	while (*text) {
		size_t line = strcspn(text, "\n");

		analysis_pad(out, 2);
		escape_utf8(out, text, line);
		buf_putc(out, '\n');
		text += line + (text[line] == '\n');
	}
}

/* Where the output of a build that failed or warned is, unless the error says so. */
static void
put_build_outputs(const struct workload_view *workload, struct buf *out)
{
	const char *const *files = workload->workload->build_outputs;

	for (size_t i = 0; i < 2; i++) {
		if (files[i] && !strstr(workload->error, files[i]))
			text_sentence(out, 2, "",
				"Output of the build%s, which failed or warned: %s%s",
				i > 0 ? " of the base" : "", workload->files, files[i]);
	}
}

static void
put_workload(const struct workload_view *workload, struct buf *out)
{
	const struct verdict *verdict = &workload->judgement->verdict;
	const struct side_view *after = &workload->after;
	const struct side_view *before = &workload->before;
	const char *sentences[][2] = {{after->prefix, after->stacks},
		{before->prefix, before->stacks}, {after->prefix, after->interpreter},
		{after->prefix, after->unsteady}, {after->prefix, after->cpu_choice},
		{after->prefix, after->disturbance}, {before->prefix, before->disturbance},
		{"", workload->files_note}};

	buf_printf(out, "%s: %s\n", workload->name, status_word(workload->status));
	if (workload->error[0])
		put_lines(out, workload->error);
	else if (before->profile)
		text_sentence(out, 2, "", "%s mode, %s; %s.", verdict->mode ? verdict->mode : "no",
			workload->basis, workload->power);
	else
		text_sentence(out, 2, "", "%s; %s.", workload->basis, workload->power);
	for (size_t i = 0; !workload->error[0] && i < sizeof(sentences) / sizeof(sentences[0]);
		i++) {
		if (sentences[i][1][0])
			text_sentence(out, 2, "", "%s%s.", sentences[i][0], sentences[i][1]);
	}
	put_build_outputs(workload, out);
	put_findings(out, workload);
	if (workload->counters[0])
		text_wrap_behind(out, 2, "counters      ", workload->counters, FINDING_INDENT);
	if (workload->latency[0])
		text_wrap_behind(out, 2, "latency       ", workload->latency, FINDING_INDENT);
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
put_evidence(const struct report *report, const struct workload_view *workload, struct buf *out)
{
	bool compared = workload->judgement->compared;

	if (report->folder[0] == '\0' || (!workload->after.profile && !compared))
		return;
	buf_printf(out, "  evidence      ");
	escape_utf8(out, report->folder, strlen(report->folder));
	if (workload->is_brief)
		buf_printf(out, "/%s/report.txt\n", workload->workload->folder);
	else
		buf_printf(out, "/%s/%s and report.txt beside it\n", workload->workload->folder,
			compared ? "diff.svg" : "flamegraph.svg");
}

/* One line a workload, its sentence wrapped beside status and name. */
static void
put_overview(const struct report_view *view, struct buf *out)
{
	size_t name_width = 0;
	struct buf label = {0};

	for (size_t i = 0; i < view->nworkloads; i++) {
		size_t len = strlen(view->workloads[i].name);

		name_width = len > name_width ? len : name_width;
	}
	if (name_width > OVERVIEW_NAME_COLUMNS)
		name_width = OVERVIEW_NAME_COLUMNS;
	for (size_t i = 0; i < view->nworkloads; i++) {
		const struct workload_view *workload = &view->workloads[i];

		buf_clear(&label);
		buf_printf(&label, "%-*s  ", STATUS_COLUMNS, status_word(workload->status));
		name_fit(&label, workload->name, strlen(workload->name), name_width);
		text_wrap_behind(out, 2, buf_text(&label), workload->headline,
			2 + STATUS_COLUMNS + 2 + name_width + 2);
	}
	buf_release(&label);
}

static void
put_machine(const struct machine *machine, struct buf *out)
{
	struct buf line = {0};

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
report_put_environment(const struct report *report, struct buf *out)
{
	const char *described = NULL; /* the class of the other machine described last */

	put_machine(report->machine, out);
	put_pair(out, "class", report->machine_class);
	put_pair(out, "event", report->event_reason);
	put_pair(out, "pinning", report->pinning);
	put_pair(out, "commit", report->commit);
	if (report->policy.from)
		put_pair(out, "policy", report->policy.from);
	if (report->nworkloads > 0)
		put_pair(out, "intervals", "simultaneous over all tests of the gate");
	for (size_t i = 0; i < report->nworkloads; i++) {
		const struct judgement *judgement = report->workloads[i].judgement;

		if (!judgement->input.before || !judgement->input.baseline_is_of_other_machine)
			continue;
		const char *its_class = judgement->input.before_info->machine_class;

		if (described && strcmp(described, its_class) == 0)
			continue;
		described = its_class;
		buf_printf(out, "The baseline of %s comes from another machine:\n",
			judgement->input.workload->name);
		put_machine(&judgement->input.before_info->machine, out);
		put_pair(out, "class", its_class);
	}
}

static void
put_how(const struct report_view *view, struct buf *out)
{
	const char *options = view->report->command_options;
	struct buf word = {0};

	buf_puts(out, "To reproduce\n");
	put_pair(out, "all of it", view->report->command);
	for (size_t i = 0; i < view->nworkloads; i++) {
		const struct workload_view *workload = &view->workloads[i];

		if (!workload->rerun[0])
			continue;
		buf_printf(out, "  %-13s ", workload->name);
		escape_utf8(out, options, strlen(options));
		buf_putc(out, ' ');
		buf_clear(&word);
		escape_shell_word(&word, workload->rerun);
		escape_utf8(out, buf_text(&word), word.len);
		buf_putc(out, '\n');
	}
	buf_release(&word);
}

static void
put_command(const struct view_command *command, struct buf *out)
{
	const size_t begin = out->len;

	if (!command->command[0])
		return;
	buf_printf(out, "  %s: ", command->label);
	escape_utf8(out, command->command, strlen(command->command));
	if (command->note[0]) {
		const size_t columns = line_columns(buf_text(out) + begin) + strlen("  # ") +
				       line_columns(command->note);

		buf_puts(out, columns > LINE_COLUMNS ? "\n    # " : "  # ");
		escape_utf8(out, command->note, strlen(command->note));
	}
	buf_putc(out, '\n');
}

/* The regression with its size and place, and the command that measures it again. */
static void
put_answer(const struct report_view *view, struct buf *out)
{
	if (view->other_machines[0])
		text_wrap(out, view->other_machines, 2);
	if (view->answer[0])
		text_wrap(out, view->answer, 2);
	for (size_t i = 0; i < VIEW_COMMANDS; i++)
		put_command(&view->commands[i], out);
}

static void
put_policy(const struct report_view *view, struct buf *out)
{
	size_t nleft_out = view->report->policy.nleft_out;

	if (!view->policy[0])
		return;
	text_sentence(out, 0, "", "%s:", view->policy);
	for (size_t i = 0; i < view->npolicy_changes; i++) {
		const struct policy_change_view *change = &view->policy_changes[i];

		text_sentence(out, 2, "", "%s: %s", change->place, change->text);
	}
	if (nleft_out > 0)
		buf_printf(out, "  and %zu more\n", nleft_out);
}

static void
write_text(const struct report_view *view, struct buf *out)
{
	const struct report *report = view->report;
	struct buf line = {0};

	for (const char *c = status_word(report->status); *c; c++)
		buf_putc(&line, (char)toupper((unsigned char)*c));
	buf_printf(&line, ": %s", view->headline);
	text_wrap(out, buf_text(&line), 0);
	put_answer(view, out);
	buf_clear(&line);
	buf_printf(&line, "profile_run %s, exit code %d, started ", report->tool_version,
		report->exit_code);
	format_time(&line, report->started);
	buf_puts(&line, ", took ");
	format_duration(&line, report->duration_s);
	text_wrap(out, buf_text(&line), 0);
	if (report->against_notes)
		text_sentence(out, 0, "", "%s", report->against_notes);
	put_policy(view, out);
	buf_putc(out, '\n');
	put_overview(view, out);
	for (size_t i = 0; i < view->nworkloads; i++) {
		buf_putc(out, '\n');
		put_workload(&view->workloads[i], out);
		put_evidence(report, &view->workloads[i], out);
	}
	buf_putc(out, '\n');
	put_how(view, out);
	buf_puts(out, "\nEnvironment\n");
	report_put_environment(report, out);
	escape_commands(out->data, out->len);
	buf_release(&line);
}

static bool
write_workload_text(
	const struct report_view *view, const struct workload_view *workload, struct buf *out)
{
	const struct judgement *judgement = workload->judgement;
	const struct analysis_options options = {0};

	put_workload(workload, out);
	if (workload->after.profile) {
		buf_putc(out, '\n');
		analysis_write(workload->after.profile, &options, out);
	}
	if (judgement->compared && !workload->is_brief) {
		buf_printf(out, "\nChanges against %s\n  whole program: ", workload->before.name);
		effect_describe(&judgement->comparison.whole, out);
		buf_puts(out, "\n");
		changes_write(&workload->rows, CHANGES_SHOWN, out);
	}
	buf_puts(out, "\nEnvironment\n");
	report_put_environment(view->report, out);
	buf_puts(out, "\nTimes: build and set-up ");
	format_duration(out, workload->workload->build_s);
	buf_puts(out, ", measuring ");
	format_duration(out, workload->workload->measure_s);
	if (workload->workload->count_s > 0) {
		buf_puts(out, ", counting instructions ");
		format_duration(out, workload->workload->count_s);
	}
	buf_puts(out, ", own work ");
	format_duration(out, workload->workload->process_s);
	buf_putc(out, '\n');
	escape_commands(out->data, out->len);
	return true;
}

const struct report_output output_text = {
	.name = "report.txt",
	.summary = "the verdict and every finding as plain text",
	.write = write_text,
};

const struct workload_output output_workload_text = {
	.name = "report.txt",
	.summary = "one workload: verdict, runs, top functions and what changed",
	.write = write_workload_text,
};
