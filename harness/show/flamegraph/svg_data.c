/*
 * The part of a flame graph that only the script reads, and the place of a function in the source.
 */
#include "base/escape.h"
#include "base/mem.h"
#include "flamegraph/packed.h"
#include "flamegraph/svg.h"
#include "format/name_fit.h"
#include "format/place.h"
#include "profile/functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WEIGHTS_MAX 2
#define FRAGMENT_NAME_BYTES 400
/* For the weight of what is not in the layout. */
#define HIDDEN_DIGITS 5
#define PACKED_HIDDEN_UNITS 1e6

enum { MODULE, PLACE, FULL_NAME, PARTS };

/* The parts of a function's tooltip beside its name, "" where not known. */
struct parts {
	struct buf text[PARTS];
};

static void
find_parts(const struct profile *profile, frame_id frame, struct parts *parts)
{
	const struct frame *f = &profile->frames.frames[frame];

	*parts = (struct parts){0};
	if (frame_name_is_mark(profile_frame_name(profile, frame))) {
		buf_puts(&parts->text[PLACE], "stacks that do not reach their outermost frame");
		return;
	}
	buf_puts(&parts->text[MODULE], strtab_str(&profile->strings, f->module));
	place_put(&parts->text[PLACE], strtab_str(&profile->strings, f->file), f->line);
	if (f->full)
		buf_printf(&parts->text[FULL_NAME], "includes %s",
			strtab_str(&profile->strings, f->full));
}

static void
release_parts(struct parts *parts)
{
	for (size_t i = 0; i < PARTS; i++)
		buf_release(&parts->text[i]);
}

void
flamegraph_svg_put_place(const struct flamegraph_svg *svg, frame_id frame, struct buf *out)
{
	struct parts parts;
	bool any = false;

	find_parts(svg->profile, frame, &parts);
	for (size_t i = 0; i < PARTS; i++) {
		const char *text = buf_text(&parts.text[i]);

		if (!*text)
			continue;
		buf_puts(out, any ? "  " : "\n");
		name_put(out, text, strlen(text), svg->name_bytes, &name_picture);
		any = true;
	}
	release_parts(&parts);
}

void
flamegraph_put_fragment(const char *name, struct buf *out)
{
	struct name_style style = name_picture;
	struct buf text = {0};

	/* As in the data; the script takes a name that lost its middle for the whole one. */
	style.escape = escape_utf8;
	name_put(&text, name, strlen(name), FRAGMENT_NAME_BYTES, &style);
	buf_puts(out, "#function=");
	escape_url(out, buf_text(&text), text.len);
	buf_release(&text);
}

/* A bracket expression of fnmatch(3) as one of a regular expression; returns what follows it. */
static const char *
put_bracket(const char *at, struct buf *out)
{
	const char *end = at[1] == '!' ? at + 2 : at + 1;

	end = *end ? strchr(end + 1, ']') : NULL;
	if (!end) {
		buf_puts(out, "\\[");
		return at + 1;
	}
	buf_putc(out, '[');
	at++;
	if (*at == '!') {
		buf_putc(out, '^');
		at++;
	}
	for (; at < end; at++) {
		if (*at == '\\' || *at == '[' || *at == ']')
			buf_putc(out, '\\');
		buf_putc(out, *at);
	}
	buf_putc(out, ']');
	return end + 1;
}

void
flamegraph_put_pattern_fragment(const char *pattern, struct buf *out)
{
	struct buf regex = {0};

	buf_putc(&regex, '^');
	while (*pattern) {
		if (*pattern == '[') {
			pattern = put_bracket(pattern, &regex);
			continue;
		}
		if (*pattern == '\\' && pattern[1])
			pattern++;
		else if (*pattern == '*' || *pattern == '?') {
			buf_puts(&regex, *pattern == '*' ? ".*" : ".");
			pattern++;
			continue;
		}
		if (strchr("^$\\.*+?()[]{}|/", *pattern))
			buf_putc(&regex, '\\');
		buf_putc(&regex, *pattern++);
	}
	buf_putc(&regex, '$');
	buf_puts(out, "#search=");
	escape_url(out, buf_text(&regex), regex.len);
	buf_release(&regex);
}

/* In a page, its line in the page's list, less the one before, and classes: svg.h. */
static void
put_page_name(struct flamegraph_svg *svg, const struct buf *line, const char *classes)
{
	struct strtab *functions = &svg->page->functions;
	const size_t known = functions->nentries;
	const str_id id = strtab_intern(functions, buf_text(line), line->len);

	if (functions->nentries > known)
		svg->page_bytes += line->len + 1;
	packed_put_signed(&svg->names, (int64_t)id - svg->page_line);
	svg->page_line = id;
	if (*classes)
		buf_printf(&svg->names, "{%s}", classes);
}

/* A line of the names; `parts`, with their tabs, are what follows the classes. */
static void
put_name_line(
	struct flamegraph_svg *svg, const char *name, const char *classes, const struct buf *parts)
{
	struct buf line = {0};

	name_put(&line, name, strlen(name), svg->name_bytes, &name_picture);
	if (!svg->page && (*classes || parts->len > 0))
		buf_printf(&line, "\t%s", classes);
	buf_put(&line, buf_text(parts), parts->len);
	if (svg->page) {
		put_page_name(svg, &line, classes);
	} else {
		buf_put(&svg->names, buf_text(&line), line.len);
		buf_putc(&svg->names, '\n');
	}
	buf_release(&line);
	svg->nnames++;
}

void
flamegraph_svg_first_names(struct flamegraph_svg *svg, const char *whole)
{
	const struct buf none = {0};

	put_name_line(svg, "frames too small to draw", "o", &none);
	put_name_line(svg, whole, "z", &none);
}

/* The line of this frame in the data's names, written at its first use. */
static uint32_t
name_line(struct flamegraph_svg *svg, frame_id frame)
{
	struct buf classes = {0};
	struct buf texts = {0};
	struct parts parts;
	size_t nparts = 0;

	if (svg->name_lines[frame] > 0)
		return svg->name_lines[frame];
	find_parts(svg->profile, frame, &parts);
	for (size_t i = 0; i < PARTS; i++)
		nparts = parts.text[i].len > 0 ? i + 1 : nparts;
	for (size_t i = 0; i < nparts; i++) {
		const char *text = buf_text(&parts.text[i]);

		buf_putc(&texts, '\t');
		name_put(&texts, text, strlen(text), svg->name_bytes, &name_picture);
	}
	release_parts(&parts);
	svg->put_classes(svg->context, frame, &classes);
	svg->name_lines[frame] = svg->nnames;
	put_name_line(svg, profile_frame_name(svg->profile, frame), buf_text(&classes), &texts);
	buf_release(&classes);
	buf_release(&texts);
	return svg->name_lines[frame];
}

/* From the end of the box before on the same call, or the begin of that call. */
static void
put_gap(struct flamegraph_svg *svg, const struct flamegraph_box *box)
{
	const size_t depth = box->depth;

	svg->ends = mem_grow(svg->ends, &svg->ends_capacity, depth + 2, sizeof(*svg->ends));
	if (depth == 0)
		svg->ends[0] = box->x;
	flamegraph_svg_data_number(svg, box->x - svg->ends[depth]);
	svg->ends[depth] = box->x + box->width;
	svg->ends[depth + 1] = box->x;
}

/* The line of a box's name. */
static uint32_t
box_line(struct flamegraph_svg *svg, const struct flamegraph_box *box)
{
	if (box->gathered > 0)
		return 0;
	return box->node == CTREE_ROOT ? 1
				       : name_line(svg, svg->profile->tree.nodes[box->node].frame);
}

void
flamegraph_svg_packed_data(
	struct flamegraph_svg *svg, const struct flamegraph_box *box, double whole)
{
	const uint32_t line = box_line(svg, box);
	const int64_t step = (int64_t)line - svg->last_name;

	packed_put(&svg->numbers, svg->last_depth - box->depth);
	svg->last_depth = box->depth + 1;
	if (box->gathered > 0) {
		packed_put(&svg->numbers, 0);
		packed_put(
			&svg->numbers, packed_units(box->width / whole, FLAMEGRAPH_PACKED_UNITS));
		return;
	}
	packed_put(&svg->numbers, 1 + (uint64_t)(step < 0 ? 1 - 2 * step : 2 * step));
	svg->last_name = line;
}

void
flamegraph_svg_data(struct flamegraph_svg *svg, const struct flamegraph_box *box)
{
	const uint32_t line = box_line(svg, box);

	if (svg->numbers.len > 0)
		buf_putc(&svg->numbers, '\n');
	if (svg->callers)
		buf_putc(&svg->numbers, '-');
	buf_put_number(&svg->numbers, box->depth);
	buf_putc(&svg->numbers, ' ');
	buf_put_number(&svg->numbers, line);
	flamegraph_svg_data_number(svg, box->width);
	if (svg->chart)
		put_gap(svg, box);
}

void
flamegraph_svg_data_number(struct flamegraph_svg *svg, double value)
{
	buf_putc(&svg->numbers, ' ');
	if (value == floor(value) && value >= 0 && value < 1e15)
		buf_put_number(&svg->numbers, value);
	else
		buf_put_short(&svg->numbers, value);
}

/* A function and the weight of its nodes that are not in the layout. */
struct hidden {
	const char *name;
	frame_id frame;
	double weights[WEIGHTS_MAX];
};

static int
compare_hidden(const void *a, const void *b)
{
	const struct hidden *x = a;
	const struct hidden *y = b;

	for (size_t i = 0; i < WEIGHTS_MAX; i++)
		if (x->weights[i] != y->weights[i])
			return x->weights[i] < y->weights[i] ? 1 : -1;
	int order = strcmp(x->name, y->name);

	return order != 0 ? order : (x->frame > y->frame) - (x->frame < y->frame);
}

/* Marks the nodes that are in the layout. */
static bool *
find_laid_out(const struct flamegraph_layout *layout, size_t nnodes)
{
	bool *laid_out = mem_zalloc(nnodes, sizeof(*laid_out));

	for (size_t i = 0; i < layout->nboxes; i++)
		laid_out[layout->boxes[i].node] = true;
	return laid_out;
}

/* By frame: the first frame of its name, of whatever kind. */
static frame_id *
find_same_names(const struct profile *profile)
{
	const struct frame_table *table = &profile->frames;
	frame_id *first = mem_zalloc(profile->strings.nentries + 1, sizeof(*first));
	frame_id *same = mem_zalloc(table->nframes + 1, sizeof(*same));

	for (frame_id frame = 1; frame < table->nframes; frame++) {
		frame_id *of_name = &first[table->frames[frame].name];

		if (*of_name == 0)
			*of_name = frame;
		same[frame] = *of_name;
	}
	free(first);
	return same;
}

/*
 * Sums up the outermost nodes of each function that are not in the layout: hidden[frame]. A node
 * below another of its name, in the layout or not, is not counted: a search for the name finds
 * both.
 */
static void
sum_hidden(const struct profile *profile, const bool *laid_out, const double *const *weights,
	size_t nweights, struct hidden *hidden)
{
	const struct ctree *tree = &profile->tree;
	frame_id *same = find_same_names(profile);
	bool *outermost = functions_outermost(profile, same);

	for (node_id node = 1; node < tree->nnodes; node++) {
		if (!outermost[node] || laid_out[node])
			continue;
		for (size_t i = 0; i < nweights; i++)
			hidden[tree->nodes[node].frame].weights[i] += weights[i][node];
	}
	free(outermost);
	free(same);
}

/* In the order of the names, so that a line need not refer to its name. */
static void
put_hidden(struct flamegraph_svg *svg, const struct hidden *hidden, size_t nweights)
{
	const bool packed = flamegraph_svg_is_packed(svg);

	if (svg->hidden.len > 0 && !packed)
		buf_putc(&svg->hidden, '\n');
	name_line(svg, hidden->frame);
	for (size_t i = 0; i < nweights; i++) {
		if (packed) {
			packed_put(&svg->hidden,
				packed_units(hidden->weights[i], PACKED_HIDDEN_UNITS));
			continue;
		}
		if (i > 0)
			buf_putc(&svg->hidden, ' ');
		buf_put_digits(&svg->hidden, hidden->weights[i], HIDDEN_DIGITS);
	}
}

static size_t
list_bytes(const struct flamegraph_svg *svg)
{
	return svg->names.len + svg->page_bytes + svg->hidden.len;
}

void
flamegraph_svg_functions(struct flamegraph_svg *svg, const struct flamegraph_layout *layout,
	const double *const *weights, size_t nweights)
{
	const struct profile *profile = svg->profile;
	size_t nframes = profile->frames.nframes;

	if (layout->hidden == 0)
		return;
	struct hidden *hidden = mem_zalloc(nframes + 1, sizeof(*hidden));
	bool *laid_out = find_laid_out(layout, profile->tree.nnodes);
	size_t count = 0;

	sum_hidden(profile, laid_out, weights, nweights, hidden);
	for (frame_id frame = 0; frame < nframes; frame++) {
		if (!(hidden[frame].weights[0] > 0) && !(hidden[frame].weights[1] > 0))
			continue;
		hidden[count] = hidden[frame];
		hidden[count].frame = frame;
		hidden[count++].name = profile_frame_name(profile, frame);
	}
	if (count > 1)
		qsort(hidden, count, sizeof(*hidden), compare_hidden);
	for (size_t i = 0; i < count && list_bytes(svg) < svg->function_bytes; i++)
		put_hidden(svg, &hidden[svg->functions++], nweights);
	svg->listed_bytes = list_bytes(svg);
	svg->unlisted = count - svg->functions;
	free(laid_out);
	free(hidden);
}
