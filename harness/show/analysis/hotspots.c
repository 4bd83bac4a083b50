/* The callers that a function's own weight comes from: its stacks from the leaf up, merged. */
#include "analysis/traits.h"

#include "analysis/sentences.h"
#include "base/mem.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "format/place.h"
#include "profile/weights.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One line. Weights are those of all runs, NAN where there is none to show. */
struct hotspot_row {
	unsigned number; /* 0: belongs to the row above that has one */
	double self;
	double total;
	unsigned indent;
	char label[48]; /* ahead of the name: "calls " */
	frame_id frame; /* 0: only `label` */
};

struct hotspot_rows {
	struct hotspot_row *rows;
	size_t nrows;
	size_t capacity;
};

static struct hotspot_row *
hotspot_add(struct hotspot_rows *rows)
{
	rows->rows = mem_grow(rows->rows, &rows->capacity, rows->nrows + 1, sizeof(*rows->rows));
	rows->rows[rows->nrows] = (struct hotspot_row){.self = NAN, .total = NAN};
	return &rows->rows[rows->nrows++];
}

#define LEVELS 4
#define CALLERS_SHOWN 5
#define MIN_PART 0.05      /* of the function's own weight, of the first level */
#define MIN_PART_ABOVE 0.1 /* ... of those above it */
#define FIRST_INDENT 4

/* A path from the leaf up: the node that it has reached, and its weight. */
struct way {
	node_id at;
	double weight;
};

struct ways {
	struct way *ways;
	size_t nways;
};

/* One caller, with its ways in a part of their array. */
struct caller {
	struct function_edge edge; /* the first: functions_compare_edges() */
	struct ways ways;
};

static int
compare_ways(const void *a, const void *b, void *context)
{
	const struct ctree_node *nodes = context;
	const struct way *x = a;
	const struct way *y = b;
	frame_id mine = nodes[x->at].frame;
	frame_id theirs = nodes[y->at].frame;

	if (mine != theirs)
		return mine < theirs ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* The callers that the ways have reached, each with its part of them; free() them. */
static struct caller *
group_ways(const struct analysis_data *data, struct ways all, size_t *count)
{
	const struct ctree_node *nodes = data->profile->tree.nodes;
	struct caller *callers = NULL;
	size_t capacity = 0;
	size_t n = 0;

	if (all.nways > 1)
		qsort_r(all.ways, all.nways, sizeof(*all.ways), compare_ways, (void *)nodes);
	for (size_t i = 0; i < all.nways; i++) {
		frame_id frame = nodes[all.ways[i].at].frame;

		if (n == 0 || callers[n - 1].edge.frame != frame) {
			callers = mem_grow(callers, &capacity, n + 1, sizeof(*callers));
			callers[n++] =
				(struct caller){.edge.frame = frame, .ways.ways = all.ways + i};
		}
		callers[n - 1].edge.weight += all.ways[i].weight;
		callers[n - 1].ways.nways++;
	}
	if (n > 1)
		qsort_r(callers, n, sizeof(*callers), functions_compare_edges,
			(void *)data->profile);
	*count = n;
	return callers;
}

static void
add_level(const struct analysis_data *data, double whole, struct ways ways, unsigned level,
	struct hotspot_rows *rows)
{
	const struct ctree_node *nodes = data->profile->tree.nodes;
	double least = whole * (level == 0 ? MIN_PART : MIN_PART_ABOVE);
	size_t kept = 0;

	for (size_t i = 0; i < ways.nways; i++) {
		/* Direct recursion is left out. */
		node_id up = data->recursion.other[ways.ways[i].at];

		/* The process is no caller, but where it is all there is. */
		if (up != CTREE_ROOT &&
			(level == 0 || nodes[up].parent != CTREE_ROOT || data->self[up] > 0))
			ways.ways[kept++] = (struct way){up, ways.ways[i].weight};
	}
	ways.nways = kept;
	size_t n;
	size_t shown = 0;
	struct caller *callers = group_ways(data, ways, &n);

	for (; shown < n && shown < CALLERS_SHOWN && callers[shown].edge.weight >= least; shown++) {
		const struct function_edge *edge = &callers[shown].edge;
		struct hotspot_row *row = hotspot_add(rows);

		row->self = edge->weight;
		row->indent = FIRST_INDENT + 2 * level;
		row->frame = edge->frame;
		snprintf(row->label, sizeof(row->label), "%u %% from ",
			(unsigned)lround(100 * edge->weight / whole));
		if (level + 1 < LEVELS)
			add_level(data, whole, callers[shown].ways, level + 1, rows);
	}
	double rest = 0;

	for (size_t i = shown; i < n; i++)
		rest += callers[i].edge.weight;
	if (rest >= least && (shown > 0 || level == 0)) {
		struct hotspot_row *row = hotspot_add(rows);

		row->self = rest;
		row->indent = FIRST_INDENT + 2 * level;
		snprintf(row->label, sizeof(row->label), "%u %% from %u more",
			(unsigned)lround(100 * rest / whole), (unsigned)(n - shown));
	}
	free(callers);
}

static void
add_way(struct ways *ways, size_t *capacity, node_id at, double weight)
{
	if (!(weight > 0))
		return;
	ways->ways = mem_grow(ways->ways, capacity, ways->nways + 1, sizeof(*ways->ways));
	ways->ways[ways->nways++] = (struct way){at, weight};
}

/*
 * Adds the tree of callers of function `of`, a few levels deep: each row's self weight is the part
 * of the function's own weight on this path.
 */
static void
hotspot_add_callers(const struct analysis_data *data, frame_id of, struct hotspot_rows *rows)
{
	struct ways ways = {0};
	size_t capacity = 0;

	/* An inlined function has no own weight. */
	if (!(data->function_self[of] > 0))
		return;
	for (size_t i = data->first[of]; i < data->first[of + 1]; i++) {
		node_id at = data->nodes[i];

		for (node_id own = at; own != CTREE_NONE; own = analysis_next_own(data, at, own))
			add_way(&ways, &capacity, at, data->self[own]);
	}
	if (ways.nways > 0)
		add_level(data, data->function_self[of], ways, 0, rows);
	free(ways.ways);
}

#define TIME_COLUMNS 7 /* "94.7 ms" */
#define DEFAULT_TOP 20
#define LEAST_TOP 10 /* however little they have */
#define CALLEES_SHOWN 5
#define CALLEE_MIN_SHARE 0.005 /* of the whole; below it a callee is not worth a line */
#define MIN_SHARE 0.001
#define HOT_SHARE 0.10
#define WARM_SHARE 0.03
#define SHARE_COLUMNS 7 /* "100.0 %" */
#define NOUN_COLUMNS 24
#define GAP 2
#define LEAST_PLACE_COLUMNS 20
#define LEAST_NAME_COLUMNS 16
#define NARROW_NAME_COLUMNS 28
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

/* The width of name and what stands ahead of it, were there room for all. */
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
			name_fit(&name, text, strlen(text), room > ahead ? room - ahead : 4);
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
		size_t left = layout->room > used + gap ? layout->room - used - gap : 8;

		buf_clear(&name);
		place_fit(&name, strtab_str(&profile->strings, frame->file), frame->line,
			left < 8 ? 8 : left);
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
	/* Those of parts are often longer. */
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
	struct buf heading = {0};

	if (shown == 0 && data->nranked == 0) {
		put_none(data, options, out);
		return;
	}
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
