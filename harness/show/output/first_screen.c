#include "output/first_screen.h"

#include "base/escape.h"
#include "base/mem.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "format/place.h"
#include "output/line_parts.h"
#include "output/report_view.h"
#include "profile/weights.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NAME_COLUMNS 24  /* of a workload */
#define SUBJECT_LEAST 20 /* columns that a function has at least */
#define PLACE_COLUMNS 45 /* that a place has at least */
#define SUBJECT_COLUMNS 56
#define FINDINGS_SHOWN 10 /* of a workload */

struct first_screen {
	const struct report_view *view;
	const char *folder; /* NULL: no report is written */
	size_t label_columns;
	size_t name_columns;
	struct buf *out;
};

static const char *const labels[] = {
	[STATUS_PASS] = "PASS",
	[STATUS_WARN] = "WARN",
	[STATUS_INCONCLUSIVE] = "UNDECIDED",
	[STATUS_FAIL] = "FAIL",
	[STATUS_ERROR] = "ERROR",
	[STATUS_SKIPPED] = "SKIPPED",
};

/* The first sentence or line, without its full stop; free() it. */
static char *
first_sentence(const char *text)
{
	const size_t line = strcspn(text, "\n");
	const char *stop = strstr(text, ". ");
	size_t len = stop && (size_t)(stop - text) < line ? (size_t)(stop - text) : line;

	if (len > 0 && text[len - 1] == '.')
		len--;
	return mem_dup(text, len);
}

/* The columns behind the verdict and the workload. */
static size_t
room_of(const struct first_screen *screen)
{
	return FIRST_SCREEN_COLUMNS - screen->label_columns - screen->name_columns -
	       2 * strlen("  ");
}

/* "PASS  parse  " */
static void
put_head(const struct first_screen *screen, const struct workload_view *workload)
{
	buf_printf(screen->out, "%-*s  ", (int)screen->label_columns, labels[workload->status]);

	const size_t begin = screen->out->len;

	frame_fit_words(screen->out, workload->name, screen->name_columns);
	for (size_t i = name_columns(screen->out->data + begin, screen->out->len - begin);
		i < screen->name_columns + 2; i++)
		buf_putc(screen->out, ' ');
}

/* The name of a function and the rest of its line: the name gets the room that is left. */
static void
put_named(const struct first_screen *screen, const char *subject, const char *rest)
{
	const size_t room = room_of(screen);
	const size_t wanted = line_columns(rest);
	const size_t left = wanted + SUBJECT_LEAST < room ? room - wanted : SUBJECT_LEAST;
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
		frame_fit_words(out, view->judged->subject, SUBJECT_LEAST);
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
		if (subject + line_columns(buf_text(&rest)) <= room_of(screen))
			break;
	}
	put_named(screen, view->subject, buf_text(&rest));
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
		if (name_columns(sentence, len) + line_columns(buf_text(&rest)) <= room_of(screen))
			break;
	}
	for (const char *end = ends; *end; end++) {
		const size_t columns = name_columns(sentence, len);

		if (columns + line_columns(buf_text(&rest)) <= room_of(screen))
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
	line_put_words(screen->out, text, room_of(screen));
	buf_putc(screen->out, '\n');
}

/* An error, and the file with all of it: the output of a build that failed, else the report. */
static void
put_with_place(
	const struct first_screen *screen, const struct workload_view *workload, const char *text)
{
	const char *const *outputs = workload->workload->build_outputs;
	const char *output = report_base_fails(workload) ? outputs[1] : outputs[0];
	struct line_parts parts = {.room = room_of(screen)};
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
	char *sentence = first_sentence(first->reason);
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
		put_named(screen, first->subject, buf_text(&text));
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
	return line_columns(workload->power) <= room_of(screen) ? workload->power
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
	if (line_columns(buf_text(&text)) > room_of(screen) && strchr(buf_text(&text), ';'))
		text.data[text.len = strcspn(text.data, ";")] = '\0';
	put_text(screen, buf_text(&text));
	buf_release(&text);
}

/* The failing findings of a workload. */

/* The parts of a finding that its first line had room for. */
struct first_line {
	bool has_costs;
	bool has_threshold;
};

/* Parts that may come into the line behind the second; "": they have been shown. */
struct left_over {
	const char *brief; /* a waiver that does not accept it, or that accepts a part */
	const char *own;
	const char *whole;
	const char *share;
};

/* A further line of the finding. */
static void
put_more(const struct first_screen *screen, const char *text)
{
	const size_t indent = screen->label_columns + strlen("  ");

	buf_printf(screen->out, "%*s", (int)indent, "");
	line_put_words(screen->out, text, FIRST_SCREEN_COLUMNS - indent);
	buf_putc(screen->out, '\n');
}

/* A new function that it calls, as the place of the growth: "app.c:7: walk (new) +36.0 ms". */
static bool
put_new_callee(const struct workload_view *workload, const struct finding *finding, struct buf *out)
{
	const struct comparison *comparison = &workload->judgement->comparison;
	const struct profile *profile = &comparison->profile;
	const struct causes *causes = finding->causes;

	for (size_t i = 0; causes && i < causes->ncallees; i++) {
		const struct cause_neighbour *callee = &causes->callees[i];
		const struct frame *frame = &profile->frames.frames[callee->frame];
		struct buf name = {0};

		if (!comparison_is_new(comparison, &comparison->self[callee->frame]))
			continue;
		if (frame->file) {
			place_put(out, strtab_str(&profile->strings, frame->file), frame->line);
			buf_puts(out, ": ");
		}
		profile_put_frame(profile, callee->frame, &name);
		frame_fit_words(out, buf_text(&name), FIRST_SCREEN_COLUMNS / 2);
		buf_puts(out, " (new) +");
		format_cost(
			out, callee->after_cost - callee->before_cost, weights_cost_unit(profile));
		buf_release(&name);
		return true;
	}
	return false;
}

/* The changed line, with its type, macro or inlined function: "app.h:7: struct table changed". */
static void
put_changed(const struct report_lines *lines, struct buf *out)
{
	struct buf place = {0};

	buf_printf(&place, "%s:%u", lines->changed_path, lines->changed_line);
	if (strncmp(lines->growth, buf_text(&place), place.len) == 0 &&
		strncmp(lines->growth + place.len, ": ", 2) == 0)
		buf_put(out, lines->growth, strcspn(lines->growth, ";"));
	else
		buf_put(out, place.data, place.len);
	buf_release(&place);
}

/* The lines or the new function that carry the growth, else the changed line or the function. */
static void
put_cause(const struct workload_view *workload, const struct finding_view *view, struct buf *out)
{
	const struct report_lines *lines = report_lines_of(workload, view->finding);

	if (put_new_callee(workload, view->finding, out))
		return;
	if (lines && lines->growth[0] && view->finding->of == QUANTITY_SELF &&
		view->finding->effect.change > 0)
		/* Without its instruction. */
		buf_put(out, lines->growth, strcspn(lines->growth, ";"));
	else if (lines && lines->changed_path && view->finding->effect.change > 0)
		put_changed(lines, out);
	else
		buf_puts(out, view->where);
}

static bool
is_disturbed(const struct judgement *judgement)
{
	return judgement->criteria.disturbed_before || judgement->criteria.disturbed_after;
}

/* The baseline, but for that of one workload, which the last lines have; then how much it is. */
static void
put_baseline(const struct workload_view *workload, bool confirmed, struct buf *out)
{
	const struct gate_input *input = &workload->judgement->input;

	if (workload->report->nworkloads > 1) {
		buf_puts(out, confirmed ? "; baseline" : "compared with the baseline");
		report_put_recorded(input->before_info, input->before_info, out);
	} else if (!confirmed) {
		buf_puts(out, "compared with ");
		format_plural(out, input->before->nruns, "stored run", "stored runs");
		buf_puts(out, " of ");
		format_plural(out, input->before_info->nsessions, "session", "sessions");
	}
}

/* "confirmed by 20 interleaved pairs with main (4f81922); machine busy, pairs agree" */
static void
put_confirmed(const struct workload_view *workload, const struct finding *finding, struct buf *out)
{
	const struct judgement *judgement = workload->judgement;
	const struct gate_input *input = &judgement->input;

	/* A limit of the candidate alone. */
	if (!input->before || !workload->before.profile)
		return;
	switch (input->mode) {
	case GATE_FILES:
		buf_printf(out, "judged by %s", workload->basis);
		return;
	case GATE_PAIRED:
		buf_puts(out, "confirmed by ");
		format_plural(out, input->before->nruns, "interleaved pair", "interleaved pairs");
		buf_printf(out, " with %s", input->against ? input->against : "another build");
		break;
	case GATE_STORED:
		if (finding->first.tested) {
			buf_printf(out, "confirmed by %.0f new runs (first runs: ",
				judgement->criteria.runs_fresh);
			format_change(out, finding->first.change);
			buf_putc(out, ')');
		}
		put_baseline(workload, finding->first.tested, out);
		break;
	}
	if (is_disturbed(judgement))
		buf_puts(out, input->mode == GATE_PAIRED ? "; machine busy, pairs agree"
							 : "; machine busy");
}

/* Adds a part, or leaves it to the next line. */
static void
add_or_leave(struct line_parts *parts, const char **part)
{
	if (line_parts_add(parts, "; ", *part))
		*part = "";
}

/* "whole program +17.7 %"; that it fell although this grew is a clause that says so. */
static void
put_whole(const struct workload_view *workload, const struct finding_view *view, struct buf *out)
{
	const struct effect *whole = workload->whole;

	/* The first line has it where the whole program is why it fails. */
	if (!whole || view->judged->rule == FINDING_TOTAL || !view->estimate[0])
		return;
	if (!effect_excludes_none(whole) || whole->change > 0) {
		buf_puts(out, "whole program ");
		effect_put_change(whole, out);
		buf_puts(out, effect_excludes_none(whole) ? "" : ", not significant");
	} else {
		report_put_although_less(workload->judgement, "the whole program", whole, out);
	}
}

/*
 * The place, which is cut where it is long, the threshold unless the first line has it, the whole
 * program, the share, and what grew with it. Parts without room are left to the next line.
 */
static void
put_second(const struct first_screen *screen, const struct workload_view *workload,
	const struct finding_view *view, const struct first_line *first, struct left_over *left)
{
	struct line_parts parts = {
		.room = FIRST_SCREEN_COLUMNS - screen->label_columns - strlen("  ")};
	struct buf place = {0};
	struct buf members = {0};

	line_parts_add(&parts, "", first->has_costs ? "" : view->costs);
	put_cause(workload, view, &place);
	const char *threshold = first->has_threshold ? "" : view->threshold;
	const size_t others =
		parts.line.len + strlen(threshold) + strlen(left->whole) + 3 * strlen("; ");
	const size_t columns =
		parts.room > others + PLACE_COLUMNS ? parts.room - others : PLACE_COLUMNS;

	line_drop_clauses(&place, columns);
	if (place.len > 0) {
		buf_puts(&parts.line, parts.line.len > 0 ? "; " : "");
		line_put_words(&parts.line, buf_text(&place), columns);
	}
	line_parts_add(&parts, "; ", threshold);
	add_or_leave(&parts, &left->brief);
	add_or_leave(&parts, &left->own);
	add_or_leave(&parts, &left->whole);
	add_or_leave(&parts, &left->share);

	if (view->members[0])
		buf_printf(&members, "with it %s", view->members);
	line_parts_add(&parts, "; ", buf_text(&members));
	if (parts.line.len > 0)
		put_more(screen, buf_text(&parts.line));
	buf_release(&parts.line);
	buf_release(&members);
	buf_release(&place);
}

/* A name is whole rather than in one line with the costs, but not if it takes most of the line. */
static size_t
columns_of_subject(const char *subject)
{
	struct buf name = {0};

	frame_fit_words(&name, subject, SUBJECT_COLUMNS);
	const size_t columns = line_columns(buf_text(&name));

	buf_release(&name);
	return columns < SUBJECT_COLUMNS ? columns : SUBJECT_LEAST;
}

/* Subject and effect, then costs and threshold where there is room. */
static struct first_line
put_first(const struct first_screen *screen, const struct finding_view *view)
{
	const size_t least = columns_of_subject(view->subject);
	struct line_parts rest = {.room = room_of(screen) - least};
	struct first_line line = {0};

	buf_printf(&rest.line, "%s%s", view->link, view->estimate);
	line.has_costs = !view->costs[0] || line_parts_add(&rest, ", ", view->costs);
	line.has_threshold = !view->threshold[0] ||
			     (line.has_costs && line_parts_add(&rest, "; ", view->threshold));
	put_named(screen, view->subject, buf_text(&rest.line));
	buf_release(&rest.line);
	return line;
}

/* The confirmation, and parts that have no room above; then the picture. */
static void
put_evidence(const struct first_screen *screen, const struct workload_view *workload,
	const struct finding_view *view, struct buf *confirmed, const struct left_over *left)
{
	struct line_parts parts = {
		.room = FIRST_SCREEN_COLUMNS - screen->label_columns - strlen("  ")};
	struct buf text = {0};

	if (view->estimate[0])
		put_confirmed(workload, view->judged, &text);
	else if (view->finding->rule == FINDING_NAMED)
		buf_puts(&text,
			"a budget cannot be waived: lower its share, or raise max_share in gate.rules");
	line_put_words(&parts.line, left->brief, parts.room);
	line_parts_add(&parts, "; ", buf_text(&text));
	const bool is_other =
		parts.line.len > 0 && strcmp(buf_text(&parts.line), buf_text(confirmed)) != 0;

	if (is_other) {
		buf_clear(confirmed);
		buf_puts(confirmed, buf_text(&parts.line));
	} else {
		buf_clear(&parts.line);
	}
	line_parts_add(&parts, "; ", left->own);
	line_parts_add(&parts, "; ", left->whole);
	line_parts_add(&parts, "; ", left->share);
	if (parts.line.len > 0)
		put_more(screen, buf_text(&parts.line));
	buf_clear(&text);
	buf_printf(&text, "%s/%s/diff.svg", screen->folder ? screen->folder : "",
		workload->workload->folder);
	if (is_other && screen->folder && workload->judgement->compared)
		put_more(screen, buf_text(&text));
	buf_release(&parts.line);
	buf_release(&text);
}

/*
 * Four lines at most; `confirmed` is what the finding before it was confirmed by, and not said
 * again.
 */
static void
put_failure(const struct first_screen *screen, const struct workload_view *workload,
	const struct finding_view *view, struct buf *confirmed)
{
	struct first_line line = {.has_costs = true, .has_threshold = true};

	put_head(screen, workload);
	if (!view->estimate[0]) {
		struct buf text = {0};
		char *sentence = first_sentence(view->reason);

		buf_printf(&text, ": %s", sentence);
		put_named(screen, view->subject, buf_text(&text));
		free(sentence);
		buf_release(&text);
	} else {
		line = put_first(screen, view);
	}
	struct buf whole = {0};

	/* Once, for the first finding. */
	if (confirmed->len == 0)
		put_whole(workload, view, &whole);
	struct left_over left = {
		.brief = view->finding->brief ? view->finding->brief : "",
		.own = view->own,
		.whole = buf_text(&whole),
		.share = view->share,
	};

	put_second(screen, workload, view, &line, &left);
	put_evidence(screen, workload, view, confirmed, &left);
	buf_release(&whole);
}

/* Four lines at most for each finding. */
static void
put_failures(const struct first_screen *screen, const struct workload_view *workload)
{
	struct buf confirmed = {0};
	size_t shown = 0;
	size_t more = 0;

	for (size_t i = 0; i < workload->nfindings; i++) {
		if (workload->findings[i].finding->status != STATUS_FAIL)
			continue;
		if (shown++ < FINDINGS_SHOWN)
			put_failure(screen, workload, &workload->findings[i], &confirmed);
		else
			more++;
	}
	buf_release(&confirmed);
	if (more > 0) {
		put_head(screen, workload);
		format_plural(screen->out, more, "more finding fails", "more findings fail");
		buf_putc(screen->out, '\n');
	}
}

static void
put_workload(const struct first_screen *screen, const struct workload_view *workload)
{
	if (workload->status == STATUS_FAIL && !workload->error[0]) {
		put_failures(screen, workload);
		return;
	}
	put_head(screen, workload);
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
