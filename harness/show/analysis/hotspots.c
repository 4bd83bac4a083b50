/*
 * The table of hotspots: the functions with the largest own weight, each with its callers or
 * callees below it.
 */
#include "analysis/traits.h"

#include "analysis/hotspot_callers.h"
#include "analysis/sentences.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "format/place.h"
#include "profile/weights.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_TOP 20
#define LEAST_TOP 10 /* functions, however small their weights are */
#define CALLEES_SHOWN 5
#define CALLEE_MIN_SHARE 0.005 /* of the whole; below it a callee is not worth a line */
#define MIN_SHARE 0.001
#define HOT_SHARE 0.10
#define WARM_SHARE 0.03
#define SHARE_COLUMNS 7 /* "100.0 %" */
#define TIME_COLUMNS 7  /* "94.7 ms" */
#define NOUN_COLUMNS 24
#define GAP 2
#define LEAST_PLACE_COLUMNS 20
#define LEAST_NAME_COLUMNS 16
#define NARROW_NAME_COLUMNS 28
/* However narrow the terminal is. */
#define FEWEST_NAME_COLUMNS 4 /* that name_fit() takes */
#define FEWEST_PLACE_COLUMNS 8
#define NAME_INDENT 4 /* of rows that belong to a hotspot */

static void
add_callees(const struct analysis_data *data, frame_id frame, struct hotspot_rows *rows)
{
	struct analysis_edges callees;
	size_t shown = 0;

	analysis_callees(data, frame, &callees);
	for (; shown < callees.nedges && shown < CALLEES_SHOWN; shown++) {
		const struct function_edge *callee = &callees.edges[shown];
		const struct frame *f = &data->profile->frames.frames[callee->frame];

		if (callee->weight < data->all * CALLEE_MIN_SHARE)
			break;
		struct hotspot_row *row = hotspot_add(rows);

		row->indent = NAME_INDENT;
		row->total = callee->weight;
		row->frame = callee->frame;
		snprintf(row->label, sizeof(row->label), "%s ",
			f->kind == FRAME_INLINED ? "inlines" : "calls");
	}
	if (callees.nedges > shown && shown > 0) {
		struct hotspot_row *row = hotspot_add(rows);

		row->indent = NAME_INDENT;
		snprintf(row->label, sizeof(row->label), "calls %zu more", callees.nedges - shown);
	}
	free(callees.edges);
}

/* The layout of all rows. */
struct layout {
	const struct analysis_data *data;
	const struct analysis_options *options;
	size_t number_columns;
	size_t weight_columns;
	bool whole;      /* shares of what a focus was taken from, too */
	size_t place_at; /* where places stand behind names; 0: none is known, or no room */
	size_t room;     /* for name and place */
};

static size_t
text_columns(const struct buf *text)
{
	return name_columns(buf_text(text), text->len);
}

static void
put_right(struct buf *out, const struct layout *layout, enum analysis_style style,
	const struct buf *text, size_t columns)
{
	size_t width = text_columns(text);

	analysis_pad(out, columns > width ? columns - width : 0);
	analysis_put_styled(out, layout->options, style, buf_text(text));
	analysis_pad(out, GAP);
}

static void
put_share(struct buf *out, const struct layout *layout, enum analysis_style style, double weight,
	double all)
{
	struct buf text = {0};

	if (isfinite(weight))
		format_percent(&text, all > 0 ? weight / all : NAN);
	put_right(out, layout, style, &text, SHARE_COLUMNS);
	buf_release(&text);
}

static void
put_numbers(struct buf *out, const struct layout *layout, const struct hotspot_row *row)
{
	const struct analysis_focus *focus = layout->options->focus;
	double share = isfinite(row->self) ? analysis_share(layout->data, row->self) : 0;
	enum analysis_style style = share >= HOT_SHARE    ? STYLE_HOT
				    : share >= WARM_SHARE ? STYLE_WARM
							  : STYLE_PLAIN;
	double weight = isfinite(row->self) ? row->self : row->total;
	struct buf text = {0};

	if (row->number > 0)
		buf_printf(&text, "%u.", row->number);
	else
		style = STYLE_FAINT;
	put_right(out, layout, STYLE_PLAIN, &text, layout->number_columns);
	put_share(out, layout, style, row->self, layout->data->all);
	put_share(out, layout, STYLE_PLAIN, row->total, layout->data->all);
	if (layout->whole) {
		put_share(out, layout, STYLE_PLAIN, row->self, focus->whole);
		put_share(out, layout, STYLE_PLAIN, row->total, focus->whole);
	}
	buf_clear(&text);
	if (isfinite(weight))
		weights_put(layout->data->profile, weight, &text);
	put_right(out, layout, STYLE_PLAIN, &text, layout->weight_columns);
	buf_release(&text);
}

/* The columns of a row's indent, label and whole name. */
static size_t
full_columns(const struct analysis_data *data, const struct hotspot_row *row)
{
	const char *suffix =
		row->frame ? frame_kind_suffix(data->profile->frames.frames[row->frame].kind) : "";
	struct buf name = {0};

	if (row->frame) {
		const char *text = profile_frame_name(data->profile, row->frame);

		name_fit(&name, text, strlen(text), SIZE_MAX);
	}
	size_t columns = row->indent + strlen(row->label) + text_columns(&name) + strlen(suffix);

	buf_release(&name);
	return columns;
}

static bool
has_place(const struct analysis_data *data, const struct hotspot_row *row)
{
	return row->frame && data->profile->frames.frames[row->frame].file != 0;
}

/* Appends the name, cut to its room, and the place behind it where one is known. */
static void
put_hotspot(struct buf *out, const struct layout *layout, const struct hotspot_row *row)
{
	const struct profile *profile = layout->data->profile;
	const struct frame *frame = &profile->frames.frames[row->frame];
	const char *suffix = row->frame ? frame_kind_suffix(frame->kind) : "";
	bool placed = layout->place_at > 0 && has_place(layout->data, row);
	size_t ahead = row->indent + strlen(row->label);
	size_t full = full_columns(layout->data, row);
	size_t room = placed ? layout->room - GAP - LEAST_PLACE_COLUMNS : layout->room;
	struct buf name = {0};

	if (row->frame) {
		const char *text = profile_frame_name(profile, row->frame);
		size_t other = ahead + strlen(suffix);

		if (room >= other + LEAST_NAME_COLUMNS / 2) {
			name_fit(&name, text, strlen(text), room - other);
			buf_puts(&name, suffix);
		} else {
			name_fit(&name, text, strlen(text),
				room > ahead ? room - ahead : FEWEST_NAME_COLUMNS);
		}
	}
	analysis_pad(out, row->indent);
	analysis_put_styled(out, layout->options, STYLE_FAINT, row->label);
	analysis_put_styled(
		out, layout->options, row->number ? STYLE_NAME : STYLE_PLAIN, buf_text(&name));
	if (placed) {
		size_t used = ahead + text_columns(&name);
		size_t gap = full <= layout->place_at && used < layout->place_at
				     ? layout->place_at - used + GAP
				     : GAP;
		size_t left = layout->room > used + gap ? layout->room - used - gap : 0;

		buf_clear(&name);
		place_fit(&name, strtab_str(&profile->strings, frame->file), frame->line,
			left < FEWEST_PLACE_COLUMNS ? FEWEST_PLACE_COLUMNS : left);
		analysis_pad(out, gap);
		analysis_put_styled(out, layout->options, STYLE_FAINT, buf_text(&name));
	}
	buf_putc(out, '\n');
	buf_release(&name);
}

/* Appends the noun of the weights, which a file can name as it likes. */
static size_t
put_noun(const struct profile *profile, struct buf *out)
{
	const char *noun = weights_noun(profile);
	const size_t start = out->len;

	name_fit(out, noun, strlen(noun), NOUN_COLUMNS);
	return name_columns(buf_text(out) + start, out->len - start);
}

/* Places stand in their own column behind all names that leave them room. */
static void
plan_layout(struct layout *layout, const struct hotspot_rows *rows, unsigned shown)
{
	const struct analysis_data *data = layout->data;
	struct buf text = {0};

	buf_printf(&text, "%u.", shown);
	layout->number_columns = text.len > 2 ? text.len + 2 : 4;
	buf_clear(&text);
	const size_t noun = put_noun(data->profile, &text);

	buf_clear(&text);
	weights_put(data->profile, data->all, &text);
	layout->weight_columns = text.len > noun ? text.len : noun;
	/* The time of a function can take more columns than that of the whole. */
	if (weights_are_times(data->profile) && layout->weight_columns < TIME_COLUMNS)
		layout->weight_columns = TIME_COLUMNS;
	buf_release(&text);
	const size_t shares = (size_t)2 * (SHARE_COLUMNS + GAP);
	size_t used = layout->number_columns + GAP + layout->weight_columns + GAP + shares;
	size_t columns = analysis_columns(layout->options);

	/* On a narrow terminal names come first. */
	layout->whole = layout->options->focus && columns >= used + shares + NARROW_NAME_COLUMNS;
	used += layout->whole ? shares : 0;
	layout->room = columns > used + LEAST_NAME_COLUMNS ? columns - used : LEAST_NAME_COLUMNS;
	if (layout->room < NARROW_NAME_COLUMNS + GAP + LEAST_PLACE_COLUMNS)
		return;
	for (size_t i = 0; i < rows->nrows; i++) {
		size_t width = full_columns(data, &rows->rows[i]);

		if (has_place(data, &rows->rows[i]) && layout->place_at == 0)
			layout->place_at = 1;
		if (has_place(data, &rows->rows[i]) && width > layout->place_at &&
			width <= layout->room - GAP - LEAST_PLACE_COLUMNS)
			layout->place_at = width;
	}
}

static void
put_rows(struct buf *out, const struct layout *layout, const struct hotspot_rows *rows)
{
	static const char *const headings[] = {"self", "total", "of all", "of all"};
	size_t nheadings = layout->whole ? 4 : 2;
	bool callers = layout->options->callers;

	analysis_pad(out, layout->number_columns + GAP);
	for (size_t i = 0; i < nheadings; i++)
		buf_printf(out, "%*s  ", SHARE_COLUMNS, headings[i]);
	struct buf noun = {0};

	analysis_pad(out, layout->weight_columns - put_noun(layout->data->profile, &noun));
	buf_printf(out, "%s  %s\n", buf_text(&noun),
		layout->room < NARROW_NAME_COLUMNS ? "function"
		: callers                          ? "function, and its callers"
						   : "function, and its callees");
	buf_release(&noun);
	for (size_t i = 0; i < rows->nrows; i++) {
		size_t start = out->len;

		put_numbers(out, layout, &rows->rows[i]);
		put_hotspot(out, layout, &rows->rows[i]);
		/* A row with nothing behind its numbers. */
		while (out->len > start + 1 && out->data[out->len - 2] == ' ') {
			out->data[--out->len] = '\0';
			out->data[out->len - 1] = '\n';
		}
	}
}

/* Appends the number of functions left out, with their weight. */
static void
put_unlisted(struct buf *out, const struct analysis_data *data, size_t shown)
{
	double weight = 0;

	for (size_t i = shown; i < data->nranked; i++)
		weight += data->ranked[i].self;
	if (data->nranked <= shown)
		return;
	buf_puts(out, "  and ");
	format_count(out, (double)(data->nranked - shown));
	buf_printf(out, " more %s", data->nranked - shown == 1 ? "function" : "functions");
	if (weight > 0) {
		buf_puts(out, " with ");
		analysis_put_share(out, data, weight);
		buf_puts(out, " between them");
	}
	buf_putc(out, '\n');
}

static void
put_none(const struct analysis_data *data, const struct analysis_options *options, struct buf *out)
{
	struct buf text = {0};

	buf_printf(&text, "No hotspots: there %s no %s", weights_verb(data->profile),
		weights_noun(data->profile));
	buf_puts(&text, options->focus ? " with a frame that matches" : "");
	analysis_put_styled(out, options, STYLE_HEADING, buf_text(&text));
	buf_putc(out, '\n');
	buf_release(&text);
}

void
hotspots_write(
	const struct analysis_data *data, const struct analysis_options *options, struct buf *out)
{
	const size_t top = options->top ? options->top : DEFAULT_TOP;
	struct layout layout = {.data = data, .options = options};
	struct hotspot_rows rows = {0};
	size_t shown = 0;

	for (; shown < data->nranked && shown < top; shown++) {
		const struct analysis_function *one = &data->ranked[shown];

		/* A given number is shown; else functions of negligible weight are left out. */
		if (options->top == 0 &&
			!(one->self > 0 &&
				(shown < LEAST_TOP || one->self >= data->all * MIN_SHARE)))
			break;
		struct hotspot_row *row = hotspot_add(&rows);

		row->number = (unsigned)shown + 1;
		row->self = one->self;
		row->total = one->total;
		row->frame = one->frame;
		if (options->callers)
			hotspot_add_callers(data, one->frame, &rows);
		else
			add_callees(data, one->frame, &rows);
	}
	if (shown == 0 && data->nranked == 0) {
		put_none(data, options, out);
		return;
	}
	struct buf heading = {0};

	if (weights_are_samples(data->profile)) {
		buf_puts(&heading, "Hotspots, by the share of samples that ended in them");
	} else if (weights_are_times(data->profile)) {
		buf_puts(&heading, "Hotspots, by the share of the time that was spent in them");
	} else {
		buf_puts(&heading, "Hotspots, by the share of ");
		put_noun(data->profile, &heading);
		buf_puts(&heading, " that are their own");
	}
	analysis_put_styled(out, options, STYLE_HEADING, buf_text(&heading));
	buf_release(&heading);
	buf_putc(out, '\n');
	plan_layout(&layout, &rows, (unsigned)shown);
	if (shown > 0)
		put_rows(out, &layout, &rows);
	put_unlisted(out, data, shown);
	free(rows.rows);
}
