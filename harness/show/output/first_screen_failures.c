/*
 * The failing findings on the first screen: what failed, by how much, where, and how that is known,
 * in four lines at most for each. Sizes of files have the parts that grew besides.
 */
#include "output/first_screen.h"

#include "base/mem.h"
#include "compare/size_growth.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "format/place.h"
#include "output/line_parts.h"
#include "profile/weights.h"

#include <stdlib.h>
#include <string.h>

#define PLACE_COLUMNS 45 /* that a place has at least */
#define SUBJECT_COLUMNS 56
#define FINDINGS_SHOWN 10 /* of a workload */

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
	if (input->mode != GATE_FILES && size_growth_is_known(&judgement->comparison)) {
		buf_printf(out, "compared with the files of %s",
			input->mode == GATE_PAIRED && input->against ? input->against
								     : "the baseline");
		return;
	}
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

	for (const char *at = view->grown; *at; at += strcspn(at, "\n") + 1) {
		buf_put(&place, at, strcspn(at, "\n"));
		text_wrap(screen->out, buf_text(&place), screen->label_columns + strlen("  "));
		buf_clear(&place);
	}
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
	return columns < SUBJECT_COLUMNS ? columns : FIRST_SCREEN_SUBJECT_LEAST;
}

/* Subject and effect, then costs and threshold where there is room. */
static struct first_line
put_first(const struct first_screen *screen, const struct finding_view *view)
{
	const size_t least = columns_of_subject(view->subject);
	struct line_parts rest = {.room = first_screen_room(screen) - least};
	struct first_line line = {0};

	buf_printf(&rest.line, "%s%s", view->link, view->estimate);
	line.has_costs = !view->costs[0] || line_parts_add(&rest, ", ", view->costs);
	line.has_threshold = !view->threshold[0] ||
			     (line.has_costs && line_parts_add(&rest, "; ", view->threshold));
	first_screen_put_named(screen, view->subject, buf_text(&rest.line));
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
			"a budget cannot be waived: reduce its cost, or raise its limit in gate.rules");
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

	first_screen_put_head(screen, workload);
	if (!view->estimate[0]) {
		struct buf text = {0};
		char *sentence = first_screen_sentence(view->reason);

		buf_printf(&text, ": %s", sentence);
		first_screen_put_named(screen, view->subject, buf_text(&text));
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

void
first_screen_put_failures(const struct first_screen *screen, const struct workload_view *workload)
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
		first_screen_put_head(screen, workload);
		format_plural(screen->out, more, "more finding fails", "more findings fail");
		buf_putc(screen->out, '\n');
	}
}
