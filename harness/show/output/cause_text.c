#include "output/cause_text.h"

#include "base/buf.h"
#include "base/escape.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "format/place.h"
#include "profile/weights.h"

#include <math.h>
#include <string.h>

#define LAYOUT_REMEDY "-falign-functions=64 -falign-loops=32 reduces it."

/* The data that the lines are made from. */
struct source {
	const struct comparison *comparison;
	frame_id frame;
	const struct causes *causes;
	size_t columns;
};

static void
put_fitted(const struct source *source, const char *text, struct buf *out)
{
	name_fit(out, text, strlen(text), source->columns);
}

static void
put_frame(const struct source *source, frame_id frame, struct buf *out)
{
	struct buf name = {0};

	profile_put_frame(&source->comparison->profile, frame, &name);
	put_fitted(source, buf_text(&name), out);
	buf_release(&name);
}

static void
put_growth(const struct source *source, double growth, struct buf *out)
{
	buf_puts(out, growth > 0 ? "+" : "");
	format_cost(out, growth, weights_cost_unit(&source->comparison->profile));
}

/* The line in `text`, which is emptied; nothing for an empty one. */
static void
add_cause_line(struct cause_lines *lines, const char *label, bool brief, struct buf *text)
{
	if (text->len == 0)
		return;
	lines->lines[lines->nlines++] = (struct cause_line){.label = label,
		.text = arena_strdup(&lines->arena, buf_text(text)),
		.brief = brief};
	buf_clear(text);
}

/* "+0.1 % [-0.9, 1.1]" */
static void
put_domain_change(const struct source *source, struct buf *out)
{
	const struct effect *effect = &source->causes->domain_effect;

	effect_put_change(effect, out);
	buf_putc(out, ' ');
	effect_put_interval(effect, out);
}

/* The most likely fate of the function that lost the cost. */
static void
put_origin(const struct source *source, struct buf *out)
{
	const struct causes *causes = source->causes;
	const struct comparison *comparison = source->comparison;
	bool is_new = comparison_is_new(comparison, &comparison->self[source->frame]);

	if (!causes->from) {
		buf_putc(out, '.');
		return;
	}
	buf_puts(out, "; likely ");
	if (is_new && !causes->from_gone)
		buf_puts(out, "it was split off ");
	put_frame(source, causes->from, out);
	if (is_new && causes->from_gone)
		buf_puts(out, ", which is gone, became this.");
	else if (causes->from_gone && causes->moved == DOMAIN_CALLEES)
		buf_puts(out, ", which is gone, was inlined into it.");
	else if (causes->from_gone)
		buf_puts(out, ", which is gone, became part of it.");
	else
		buf_puts(out, is_new ? "." : " lost what it took.");
}

static void
put_moved(const struct source *source, struct buf *out)
{
	const struct causes *causes = source->causes;
	bool with_calls;
	struct buf domain = {0};

	if (causes->domain && causes->moved == DOMAIN_FILE)
		place_put_path(&domain, causes->domain);
	else if (causes->domain)
		buf_puts(&domain, causes->domain);
	switch (causes->moved) {
	case DOMAIN_NONE:
		break;
	case DOMAIN_NAMES:
		put_fitted(source, buf_text(&domain), out);
		buf_puts(out, ", which is gone, likely goes by this name now: the two together "
			      "changed by ");
		put_domain_change(source, out);
		buf_putc(out, '.');
		break;
	case DOMAIN_CALLER:
	case DOMAIN_CALLEES:
	case DOMAIN_CLASS:
	case DOMAIN_FILE:
		with_calls = causes->moved == DOMAIN_CALLER || causes->moved == DOMAIN_CALLEES;
		buf_puts(out, "Its cost moved here: ");
		buf_puts(out, with_calls ? "" : "the functions of ");
		put_fitted(source, buf_text(&domain), out);
		buf_puts(out, with_calls ? " with all it calls" : " together");
		buf_puts(out, " changed by ");
		put_domain_change(source, out);
		put_origin(source, out);
		break;
	}
	buf_release(&domain);
}

/* The same code costs more where it is called more often, or with other data. */
static void
put_other_calls(const struct source *source, struct buf *out)
{
	const struct causes *causes = source->causes;
	const bool sure = source->comparison->mode == COMPARISON_EXACT ||
			  causes_more_work(causes) > CAUSES_SAME_WORK;

	buf_puts(out, sure ? "it is called more often, or with other data"
			   : "it may be called more often, or with other data");
	if (causes->changed_caller) {
		buf_puts(out, "; the code of its caller ");
		put_frame(source, causes->changed_caller, out);
		buf_puts(out, " changed");
	}
	buf_putc(out, '.');
}

/* Returns the name of the line. */
static const char *
put_code(const struct source *source, struct buf *out)
{
	const struct causes *causes = source->causes;

	/* The finding says so. */
	if (causes->same_file)
		return "code";
	switch (causes->code) {
	case CODE_SAME:
		buf_puts(out, "Its machine code is the same in both builds, addresses apart: ");
		/* Layout moves no counts. */
		if (source->comparison->mode == COMPARISON_EXACT || !causes_may_be_layout(causes)) {
			put_other_calls(source, out);
			return "code";
		}
		buf_puts(out, causes->unreachable ? "layout. "
						  : "layout, unless it is called more often or "
						    "with other data. ");
		buf_puts(out, LAYOUT_REMEDY);
		return "layout";
	case CODE_CHANGED:
		buf_puts(out, "Its machine code changed.");
		break;
	case CODE_NEW:
		buf_puts(out, "Its machine code is new.");
		break;
	case CODE_UNKNOWN:
	case CODE_GONE:
		break;
	}
	return "code";
}

static void
put_work(const struct causes *causes, struct buf *out)
{
	double more = causes_more_work(causes);

	if (!isfinite(more))
		return;
	if (fabs(more) <= CAUSES_SAME_WORK) {
		buf_puts(out, "It executes the same instructions (");
		format_change(out, more);
		buf_puts(out, causes_may_be_layout(causes)
				      ? "): layout, cache or memory, not more work."
				      : "): cache or memory, not more work.");
		return;
	}
	buf_puts(out, "It executes ");
	if (more < FORMAT_FACTOR_FROM) {
		format_percent(out, fabs(more));
		buf_puts(out, more > 0 ? " more" : " fewer");
	} else {
		format_change(out, more);
		buf_puts(out, " the");
	}
	buf_puts(out, more > 0 ? " instructions: more work."
			       : " instructions: not more work, each takes longer.");
}

/* As in the folded format, where a ';' in a name is replaced. */
static void
put_name(const struct source *source, frame_id frame, struct buf *out)
{
	struct buf name = {0};

	profile_put_frame(&source->comparison->profile, frame, &name);
	escape_utf8(out, buf_text(&name), name.len);
	buf_release(&name);
}

static size_t
columns_of(const struct source *source, frame_id frame)
{
	struct buf name = {0};

	put_name(source, frame, &name);
	size_t columns = name_columns(buf_text(&name), name.len);

	buf_release(&name);
	return columns;
}

/*
 * A stack loses frames behind its first one until it fits. They are counted from its end: of a deep
 * stack only the frames shown are visited.
 */
static void
put_stack(const struct source *source, const struct cause_stack *stack, struct buf *out)
{
	struct buf line = {0};
	size_t below = stack->nframes - 1;
	size_t kept = 0;
	size_t columns = columns_of(source, stack->frames[0]);

	for (; kept < below; kept++) {
		columns += 1 + columns_of(source, stack->frames[below - kept]);
		if (kept > 0 && columns + (kept + 1 < below ? strlen(";...") : 0) > source->columns)
			break;
	}
	put_name(source, stack->frames[0], &line);
	buf_puts(&line, kept < below ? ";..." : "");
	for (size_t i = below - kept + 1; i <= below; i++) {
		buf_putc(&line, ';');
		put_name(source, stack->frames[i], &line);
	}
	name_fit(out, buf_text(&line), line.len, source->columns);
	buf_release(&line);
}

/* Whether the rest that the parts shown leave of a whole is worth naming beside it. */
static bool
has_rest(double whole, double rest)
{
	return fabs(rest) >= 0.005 * fabs(whole);
}

/* Whether they leave something. */
static bool
add_stacks(struct cause_lines *lines, const struct source *source, struct buf *text)
{
	const struct causes *causes = source->causes;
	double rest = causes->growth;

	for (size_t i = 0; i < causes->nstacks; i++) {
		const struct cause_stack *stack = &causes->stacks[i];

		if (stack->nframes == 0)
			continue;
		put_stack(source, stack, text);
		buf_putc(text, ' ');
		put_growth(source, stack->after_cost - stack->before_cost, text);
		rest -= stack->after_cost - stack->before_cost;
		if (i == 0 && causes->growth > 0) {
			buf_puts(text, " of ");
			put_growth(source, causes->growth, text);
		}
		add_cause_line(lines, "carried by", i == 0, text);
	}
	if (causes->nstacks == 0 || !(causes->growth > 0) || !has_rest(causes->growth, rest))
		return false;
	buf_puts(text, "other stacks ");
	put_growth(source, rest, text);
	add_cause_line(lines, "carried by", false, text);
	return true;
}

/* "run +8.00 ms, load +5.00 ms, others +1.00 ms"; `rest` is what these are parts of. */
static void
put_neighbours(const struct source *source, const struct cause_neighbour *neighbours, size_t count,
	double rest, struct buf *out)
{
	const double whole = rest;

	for (size_t i = 0; i < count; i++) {
		const double growth = neighbours[i].after_cost - neighbours[i].before_cost;

		rest -= growth;
		buf_puts(out, i > 0 ? ", " : "");
		put_frame(source, neighbours[i].frame, out);
		buf_putc(out, ' ');
		put_growth(source, growth, out);
	}
	if (has_rest(whole, rest)) {
		buf_puts(out, ", others ");
		put_growth(source, rest, out);
	}
}

/* "+16.5 ms with all it calls: own +12.0 ms, read +4.50 ms" */
static void
put_calls(const struct source *source, struct buf *out)
{
	const struct causes *causes = source->causes;
	const double growth = causes->after_calls - causes->before_calls;

	if (causes->ncallees == 0)
		return;
	put_growth(source, growth, out);
	buf_puts(out, " with all it calls: own ");
	put_growth(source, causes->growth, out);
	buf_puts(out, ", ");
	put_neighbours(source, causes->callees, causes->ncallees, growth - causes->growth, out);
}

void
cause_lines_init(struct cause_lines *lines, const struct comparison *comparison, frame_id frame,
	const struct causes *causes, size_t columns)
{
	const struct source source = {comparison, frame, causes, columns};
	struct buf text = {0};

	*lines = (struct cause_lines){0};
	if (!causes || frame >= comparison->nframes)
		return;
	put_moved(&source, &text);
	add_cause_line(lines, "moved", true, &text);
	const char *name = put_code(&source, &text);

	add_cause_line(lines, name, true, &text);
	if (causes->changed_input) {
		escape_utf8(&text, causes->changed_input, strlen(causes->changed_input));
		buf_puts(&text, " differs: the program may have more to do.");
	}
	add_cause_line(lines, "input", true, &text);
	if (causes->variant_before) {
		put_fitted(&source, causes->variant_after, &text);
		buf_puts(&text, " here, ");
		put_fitted(&source, causes->variant_before, &text);
		buf_puts(&text, " in the baseline: chosen by the CPU.");
	}
	add_cause_line(lines, "variant", true, &text);
	put_work(causes, &text);
	add_cause_line(lines, "work", true, &text);
	if (causes->unreachable)
		buf_puts(&text, "No function that changed is on any sampled path to it.");
	add_cause_line(lines, "unreachable", true, &text);
	const bool has_other_stacks = add_stacks(lines, &source, &text);

	/* Else the stacks tell. */
	if (has_other_stacks && causes->ncallers > 0)
		put_neighbours(&source, causes->callers, causes->ncallers, causes->growth, &text);
	add_cause_line(lines, "by caller", false, &text);
	put_calls(&source, &text);
	add_cause_line(lines, "calls", false, &text);
	buf_release(&text);
}

void
cause_lines_release(struct cause_lines *lines)
{
	arena_release(&lines->arena);
	*lines = (struct cause_lines){0};
}
