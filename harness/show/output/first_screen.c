#include "output/first_screen.h"

#include "base/escape.h"
#include "base/mem.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "output/line_parts.h"
#include "output/report_view.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NAME_COLUMNS 24 /* of a workload */

static const char *const labels[] = {
	[STATUS_PASS] = "PASS",
	[STATUS_WARN] = "WARN",
	[STATUS_INCONCLUSIVE] = "UNDECIDED",
	[STATUS_FAIL] = "FAIL",
	[STATUS_ERROR] = "ERROR",
	[STATUS_SKIPPED] = "SKIPPED",
};

char *
first_screen_sentence(const char *text)
{
	const size_t line = strcspn(text, "\n");
	const char *stop = strstr(text, ". ");
	size_t len = stop && (size_t)(stop - text) < line ? (size_t)(stop - text) : line;

	if (len > 0 && text[len - 1] == '.')
		len--;
	return mem_dup(text, len);
}

size_t
first_screen_room(const struct first_screen *screen)
{
	return FIRST_SCREEN_COLUMNS - screen->label_columns - screen->name_columns -
	       2 * strlen("  ");
}

void
first_screen_put_head(const struct first_screen *screen, const struct workload_view *workload)
{
	buf_printf(screen->out, "%-*s  ", (int)screen->label_columns, labels[workload->status]);

	const size_t begin = screen->out->len;

	frame_fit_words(screen->out, workload->name, screen->name_columns);
	for (size_t i = name_columns(screen->out->data + begin, screen->out->len - begin);
		i < screen->name_columns + 2; i++)
		buf_putc(screen->out, ' ');
}

void
first_screen_put_named(const struct first_screen *screen, const char *subject, const char *rest)
{
	const size_t room = first_screen_room(screen);
	const size_t wanted = line_columns(rest);
	const size_t left = wanted + FIRST_SCREEN_SUBJECT_LEAST < room ? room - wanted
								       : FIRST_SCREEN_SUBJECT_LEAST;
	const size_t begin = screen->out->len;

	frame_fit_words(screen->out, subject, left);
	line_put_words(screen->out, rest,
		room - name_columns(screen->out->data + begin, screen->out->len - begin));
	buf_putc(screen->out, '\n');
}

/* Without its interval: "+3.0 %", "read +3.0 %" of a member. */
static void
put_change(const struct finding_view *view, struct buf *out)
{
	if (view->judged != view->finding) {
		frame_fit_words(out, view->judged->subject, FIRST_SCREEN_SUBJECT_LEAST);
		buf_putc(out, ' ');
	}
	effect_put_change(&view->judged->effect, out);
}

/*
 * "walk +3.0 % (95 % CI -20.0 to 31.0): it may be up to 31.0 % slower; take about 20 more runs":
 * where there is no room without its interval, then without the remedy, which the last lines have,
 * then without both.
 */
static void
put_tested(const struct first_screen *screen, const struct finding_view *view, const char *brief)
{
	const struct finding *judged = view->judged;
	const bool has_interval = judged->effect.tested && !judged->by_instructions;
	const size_t subject = line_columns(view->name);
	const char *remedy = finding_is_open(view->finding) ? strrchr(brief, ';') : NULL;
	struct buf rest = {0};

	for (int brevity = 0; brevity < 4; brevity++) {
		buf_clear(&rest);
		buf_puts(&rest, view->link);
		if (brevity % 2 == 1 && has_interval)
			put_change(view, &rest);
		else
			buf_puts(&rest, view->estimate);
		buf_puts(&rest, brief[0] ? ": " : "");
		buf_put(&rest, brief,
			brevity >= 2 && remedy ? (size_t)(remedy - brief) : strlen(brief));
		if (subject + line_columns(buf_text(&rest)) <= first_screen_room(screen))
			break;
	}
	first_screen_put_named(screen, view->subject, buf_text(&rest));
	buf_release(&rest);
}

/*
 * "not judged: no baseline; on main, in CI: profile_run baseline update parse": the command is
 * whole. One that records a baseline is for the default branch, and the machines of later gates.
 */
static void
put_not_judged(const struct first_screen *screen, const struct workload_view *workload,
	const char *sentence, struct buf *out)
{
	static const char ends[] = ",:";
	const char *update = workload->judgement->input.update_command;
	const char *remedy = workload->judgement->input.not_judged
				     ? workload->workload->plan.remedies[0]
				     : update;
	size_t len = strlen(sentence);
	struct buf rest = {0};

	const bool is_update = remedy && update && strcmp(remedy, update) == 0;
	const char *const places[] = {
		"on main, on CI's class of machines:", "on main, in CI:", "on main:", "run"};

	for (size_t i = is_update ? 0 : 3; remedy && i < (is_update ? 3 : 4); i++) {
		buf_clear(&rest);
		buf_printf(&rest, "; %s %s", places[i], remedy);
		if (name_columns(sentence, len) + line_columns(buf_text(&rest)) <=
			first_screen_room(screen))
			break;
	}
	for (const char *end = ends; *end; end++) {
		const size_t columns = name_columns(sentence, len);

		if (columns + line_columns(buf_text(&rest)) <= first_screen_room(screen))
			break;
		len = strcspn(sentence, (char[]){*end, '\0'});
	}
	buf_put(out, sentence, len);
	out->data[0] = (char)tolower((unsigned char)out->data[0]);
	buf_puts(out, buf_text(&rest));
	buf_release(&rest);
}

static void
put_text(const struct first_screen *screen, const char *text)
{
	line_put_words(screen->out, text, first_screen_room(screen));
	buf_putc(screen->out, '\n');
}

/* An error, and the file with all of it: the output of a build that failed, else the report. */
static void
put_with_place(
	const struct first_screen *screen, const struct workload_view *workload, const char *text)
{
	const char *const *outputs = workload->workload->build_outputs;
	const char *output = report_base_fails(workload) ? outputs[1] : outputs[0];
	struct line_parts parts = {.room = first_screen_room(screen)};
	struct buf place = {0};
	struct buf error = {0};

	if (screen->folder && output)
		buf_printf(&place, "output: %s/%s/%s", screen->folder, workload->workload->folder,
			output);
	else if (screen->folder)
		buf_printf(&place, "see %s/report.txt", screen->folder);
	const size_t taken = place.len > 0 ? strlen("; ") + line_columns(buf_text(&place)) : 0;

	report_put_error(
		workload, text, taken < parts.room ? parts.room - taken : parts.room, &error);
	line_put_words(&parts.line, buf_text(&error), parts.room);
	line_parts_add(&parts, "; ", buf_text(&place));
	line_put_words(screen->out, buf_text(&parts.line), parts.room);
	buf_putc(screen->out, '\n');
	buf_release(&parts.line);
	buf_release(&error);
	buf_release(&place);
}

/* The first finding that did not simply pass. */
static void
put_first_finding(const struct first_screen *screen, const struct workload_view *workload)
{
	const struct finding_view *first = workload->first;
	const struct gate_input *input = &workload->judgement->input;
	char *sentence = first_screen_sentence(first->reason);
	struct buf text = {0};

	const char *brief = first->finding->brief ? first->finding->brief : sentence;

	/* The estimate says so. */
	if (strcmp(first->estimate, "new") == 0 &&
		(strncmp(brief, "New: ", 5) == 0 || strncmp(brief, "New; ", 5) == 0))
		brief += strlen("New: ");

	if (first->estimate[0]) {
		put_tested(screen, first, brief);
	} else if (first->finding->rule != FINDING_BASELINE) {
		buf_printf(&text, ": %s", brief);
		first_screen_put_named(screen, first->subject, buf_text(&text));
	} else {
		if (input->not_judged) {
			put_not_judged(screen, workload, sentence, &text);
		} else if (input->base_is_new) {
			buf_puts(&text, "new workload: not judged until the base has it");
		} else if (!input->before && !input->base_problem) {
			put_not_judged(screen, workload, "Not judged: no baseline", &text);
		} else if (workload->limited[0] && first->finding->status == STATUS_WARN) {
			buf_printf(&text, "%s: no finding fails", workload->limited);
		} else {
			buf_printf(&text, "%s%s: %s",
				input->base_problem && first->finding->status == STATUS_WARN
					? "not judged: "
					: "",
				first->name, sentence);
		}
		if (report_base_fails(workload))
			put_with_place(screen, workload, buf_text(&text));
		else
			put_text(screen, buf_text(&text));
	}
	free(sentence);
	buf_release(&text);
}

/* All of it, else without the confidence, else without what is behind the whole program. */
static const char *
power_that_fits(const struct first_screen *screen, const struct workload_view *workload)
{
	return line_columns(workload->power) <= first_screen_room(screen) ? workload->power
									  : workload->brief_power;
}

/* "whole program at most 2.1 % slower (one-sided 95 %, threshold 5 %); 17 functions ...", or why
 * not. */
static void
put_pass(const struct first_screen *screen, const struct workload_view *workload)
{
	const struct judgement *judgement = workload->judgement;
	const struct gate_input *input = &judgement->input;
	struct buf text = {0};

	if (input->not_measured || (!workload->whole && !judgement->criteria.same_program)) {
		buf_puts(&text, power_that_fits(screen, workload));
	} else if (judgement->criteria.same_program) {
		buf_printf(&text, "same program as %s",
			input->mode == GATE_STORED ? "the baseline" : "the base");
		if (input->stale_files)
			buf_printf(&text, " although these files changed: %s", input->stale_files);
	} else {
		buf_puts(&text, power_that_fits(screen, workload));
	}
	if (line_columns(buf_text(&text)) > first_screen_room(screen) &&
		strchr(buf_text(&text), ';'))
		text.data[text.len = strcspn(text.data, ";")] = '\0';
	put_text(screen, buf_text(&text));
	buf_release(&text);
}

/* Benchmarks of one suite that pass share a line, if there are more of them than this. */
#define PASSES_MOST 3

/* The length of the suite's name in that of a benchmark's workload, with '/'; 0: it is none. */
static size_t
suite_len(const struct workload_view *workload)
{
	const char *slash = strchr(workload->name, '/');

	return slash ? (size_t)(slash + 1 - workload->name) : 0;
}

/* The benchmarks of the same suite that pass. */
struct passes {
	size_t count;
	size_t same;      /* they are the same program: nothing was measured */
	size_t unreached; /* they cannot reach the change: likewise */
	const struct workload_view *first;
};

static struct passes
passes_beside(const struct first_screen *screen, const struct workload_view *workload)
{
	const size_t len = suite_len(workload);
	struct passes passes = {0};

	for (size_t i = 0; i < screen->view->nworkloads; i++) {
		const struct workload_view *other = &screen->view->workloads[i];

		if (other->status != STATUS_PASS || suite_len(other) != len ||
			strncmp(other->name, workload->name, len) != 0)
			continue;
		passes.first = passes.count++ == 0 ? other : passes.first;
		if (other->judgement->input.unreached)
			passes.unreached++;
		else
			passes.same += other->judgement->input.not_measured;
	}
	return passes;
}

/* Whether a workload is one of several that pass, which have a line together. */
static bool
is_grouped(const struct first_screen *screen, const struct workload_view *workload)
{
	return workload->status == STATUS_PASS && suite_len(workload) > 0 &&
	       passes_beside(screen, workload).count > PASSES_MOST;
}

/* Appends "parser/", with an asterisk: all benchmarks of a suite. */
static void
put_suite(const struct workload_view *workload, struct buf *out)
{
	buf_put(out, workload->name, suite_len(workload));
	buf_putc(out, '*');
}

/*
 * "131 benchmarks pass, 112 of them the same program, not measured", or "37 benchmarks pass, 112
 * not reached by the change: not measured", once a suite.
 */
static void
put_passes(const struct first_screen *screen, const struct workload_view *workload)
{
	const struct passes passes = passes_beside(screen, workload);
	struct workload_view all = *workload;
	struct buf name = {0};
	struct buf text = {0};

	if (passes.first != workload)
		return;
	put_suite(workload, &name);
	all.name = buf_text(&name);
	first_screen_put_head(screen, &all);
	if (passes.unreached == passes.count)
		buf_printf(&text, "no benchmark of %zu reaches the change", passes.count);
	else
		format_plural(&text, passes.count - passes.unreached, "benchmark passes",
			"benchmarks pass");
	if (passes.unreached > 0 && passes.unreached < passes.count)
		buf_printf(&text, ", %zu not reached", passes.unreached);
	if (passes.same > 0 && passes.same == passes.count)
		buf_puts(&text, ": the same program, not measured");
	else if (passes.same > 0)
		buf_printf(&text, ", %zu of them the same program, not measured", passes.same);
	put_text(screen, buf_text(&text));
	buf_release(&name);
	buf_release(&text);
}

static void
put_workload(const struct first_screen *screen, const struct workload_view *workload)
{
	if (is_grouped(screen, workload)) {
		put_passes(screen, workload);
		return;
	}
	if (workload->status == STATUS_FAIL && !workload->error[0]) {
		first_screen_put_failures(screen, workload);
		return;
	}
	first_screen_put_head(screen, workload);
	if (workload->error[0]) {
		char *line = mem_dup(workload->error, strcspn(workload->error, "\n"));

		if (workload->status == STATUS_SKIPPED)
			put_text(screen, line);
		else
			put_with_place(screen, workload, line);
		free(line);
	} else if (workload->first) {
		put_first_finding(screen, workload);
	} else {
		put_pass(screen, workload);
	}
}

static void
measure_columns(struct first_screen *screen)
{
	for (size_t i = 0; i < screen->view->nworkloads; i++) {
		const struct workload_view *workload = &screen->view->workloads[i];
		const size_t label = line_columns(labels[workload->status]);
		struct buf name = {0};

		if (is_grouped(screen, workload))
			put_suite(workload, &name);
		else
			frame_fit_words(&name, workload->name, NAME_COLUMNS);
		const size_t columns = name_columns(buf_text(&name), name.len);

		if (label > screen->label_columns)
			screen->label_columns = label;
		if (columns > screen->name_columns)
			screen->name_columns = columns;
		buf_release(&name);
	}
}

void
first_screen_write(const struct report *report, const char *folder, struct buf *out)
{
	static const enum status order[] = {STATUS_FAIL, STATUS_ERROR, STATUS_INCONCLUSIVE,
		STATUS_WARN, STATUS_SKIPPED, STATUS_PASS};
	struct report_view view;
	const size_t begin = out->len;

	report_view_init(&view, report);
	struct first_screen screen = {.view = &view, .folder = folder, .out = out};

	measure_columns(&screen);
	for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++)
		for (size_t i = 0; i < view.nworkloads; i++)
			if (view.workloads[i].status == order[k])
				put_workload(&screen, &view.workloads[i]);
	first_screen_put_total(&view, folder, out);
	escape_terminal(out->data + begin, out->len - begin);
	report_view_release(&view);
}
