#include "output/changes.h"

#include "base/escape.h"
#include "base/mem.h"
#include "format/figures.h"
#include "format/table.h"
#include "profile/counters.h"
#include "profile/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_COLUMNS 24
#define MIN_SHARE 0.001 /* functions below it on both sides without a finding have no line */
#define DEFAULT_TOP 20
#define IMPLAUSIBLE_SPEED 1.5

/* The size of a function's change, as a fraction of the whole before. */
static double
worth(const struct row *row)
{
	const struct effect *effect = row->self;
	double before = isfinite(effect->before_share) ? effect->before_share : 0;
	double after = isfinite(effect->after_share) ? effect->after_share : 0;

	if (effect->tested && isfinite(effect->change))
		return fabs(effect->change) * before;
	return fabs(after - before);
}

static int
compare_changes(const void *a, const void *b)
{
	const struct row *x = *(const struct row *const *)a;
	const struct row *y = *(const struct row *const *)b;

	if (x->status != y->status)
		return x->status < y->status ? 1 : -1;
	double worth_x = worth(x);
	double worth_y = worth(y);

	if (worth_x != worth_y)
		return worth_x < worth_y ? 1 : -1;
	return strcmp(x->name, y->name);
}

static bool
is_worth_a_line(const struct row *row)
{
	return row->is_judged || row->self->before_share >= MIN_SHARE ||
	       row->self->after_share >= MIN_SHARE;
}

/* The verdict where no gate judged, by the interval, corrected for all functions shown. */
static const char *
direction_of(const struct effect *effect)
{
	if (effect->low <= 0 && effect->high >= 0)
		return "same";
	return effect->change > 0 ? "slower" : "faster";
}

static const char *
verdict_of(const struct row *row, bool judged)
{
	if (!judged && row->self->tested)
		return direction_of(row->self);
	return rows_verdict(row);
}

static void
put_cost(struct table *table, double cost, const char *unit)
{
	if (format_is_scaled(unit))
		format_cost(table_cell(table), cost, unit);
	else
		format_count(table_cell(table), cost);
	table_end_cell(table);
}

static void
put_change(struct table *table, const struct row *row, const char *unit, bool judged)
{
	const struct effect *effect = row->self;

	table_put(table, verdict_of(row, judged));
	table_put(table, row->name);
	put_cost(table, row->before_cost, unit);
	put_cost(table, effect->after_cost, unit);
	if (!effect->tested) {
		table_put(table, row->novelty ? row->novelty : "");
		for (size_t i = 0; i < 2; i++)
			table_put(table, "");
		return;
	}
	effect_put_change(effect, table_cell(table));
	table_end_cell(table);
	/* Counted costs are exact: no interval. */
	if (!judged && effect_is_exact(effect)) {
		for (size_t i = 0; i < 2; i++)
			table_put(table, "");
		return;
	}
	effect_put_interval(effect, table_cell(table));
	table_end_cell(table);
	format_percent(table_cell(table), effect->detectable);
	table_end_cell(table);
}

/*
 * Up to `top` functions that were tested or are not negligible, each with its verdict or, if
 * nothing was judged, the direction of its interval: first those with a finding above pass, the
 * severest first, then by their effect on the whole.
 */
static void
write_functions(const struct rows *rows, bool judged, size_t top, struct buf *out)
{
	const char *unit = weights_cost_unit(rows->profile);
	struct buf heading = {0};

	buf_puts(&heading, "function (self");
	if (!format_is_scaled(unit)) {
		buf_puts(&heading, ", ");
		escape_utf8(&heading, unit, strlen(unit));
	}
	buf_putc(&heading, ')');
	struct buf interval = {0};

	format_ci(&interval, 1 - rows->alpha);
	const struct table_column columns[] = {
		{.heading = "verdict"},
		{.heading = buf_text(&heading), .max_columns = NAME_COLUMNS},
		{.heading = "before", .right = true},
		{.heading = "after", .right = true},
		{.heading = "change", .right = true},
		{.heading = buf_text(&interval)},
		{.heading = "detectable", .right = true},
	};
	const struct row **order = mem_zalloc(rows->nrows, sizeof(const struct row *));
	struct table table;
	size_t n = 0;

	for (size_t i = 0; i < rows->nrows; i++)
		if (is_worth_a_line(&rows->rows[i]))
			order[n++] = &rows->rows[i];
	if (n > 0)
		qsort(order, n, sizeof(const struct row *), compare_changes);
	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < n && i < top; i++)
		put_change(&table, order[i], unit, judged);
	table_write(&table, 2, out);
	if (n > top)
		buf_printf(out, "  and %zu more functions\n", n - top);
	if (n > 0 && judged && isfinite(rows->alpha))
		buf_printf(out,
			"  The upper end of an interval whose estimate is below the threshold is the\n"
			"  one-sided %.4g %% limit by which the function passes.\n",
			100 * (1 - rows->alpha));
	table_release(&table);
	buf_release(&interval);
	buf_release(&heading);
	free(order);
}

static void
write_shares(double stable_share, struct buf *out)
{
	if (isfinite(stable_share)) {
		buf_puts(out, "Only ");
		format_percent(out, stable_share);
		buf_puts(out, " of the program is stable, less than half: ");
	} else {
		buf_puts(out, "Nothing of the program is stable: ");
	}
	buf_puts(out, "shares of the whole are compared,\ncosts before are shown at the total of "
		      "after.\n");
}

/* The reference of the comparison: the machine's speed then and now, and the spread used. */
static void
write_reference(const struct comparison *comparison, struct buf *out)
{
	static const char *const sources[] = {
		[SPREAD_ASSUMED] = ", assumed.\n",
		[SPREAD_OF_SESSIONS] = ", learned from the baseline.\n",
		[SPREAD_OF_FUNCTIONS] = ", as most functions changed.\n",
	};

	if (comparison->model.shares) {
		write_shares(comparison->model.reference_share, out);
	} else if (isfinite(comparison->model.machine_speed)) {
		buf_puts(out, "The stable rest of the program, ");
		format_percent(out, comparison->model.reference_share);
		buf_puts(out, " of it, changed by ");
		format_change(out, comparison->model.machine_speed - 1);
		buf_puts(out, ";\nfunctions are compared relative to it, costs before are shown at "
			      "that speed.\n");
	}
	if (comparison->mode == COMPARISON_EXACT)
		return;
	buf_puts(out, "Spread between sessions: ");
	format_percent(out, comparison->plain_costs ? comparison->model.machine_spread
						    : comparison->model.session_spread);
	buf_puts(out, sources[comparison->model.session_spread_from]);
}

void
changes_write(const struct rows *rows, size_t top, struct buf *out)
{
	write_functions(rows, true, top, out);
	write_reference(rows->comparison, out);
}

static bool
is_empty(const struct comparison *comparison, size_t first, size_t end)
{
	for (size_t column = first; column < end; column++) {
		if (profile_column_total(&comparison->profile, column) > 0)
			return false;
	}
	return true;
}

/*
 * If the rest of the program changed this much, another machine is hardly the reason: it was
 * compiled differently, or did other work.
 */
static void
write_hint(const struct comparison *comparison, struct buf *out)
{
	if (comparison->profile.cost_unit == 0 || !isfinite(comparison->model.machine_speed) ||
		fabs(log(comparison->model.machine_speed)) < log(IMPLAUSIBLE_SPEED))
		return;
	buf_puts(out, "If both did the same work, '--no-normalise' compares what they cost.\n");
}

void
changes_write_diff(const struct comparison *comparison, size_t top, bool colour, struct buf *out)
{
	struct rows rows;

	rows_init(&rows, comparison, NULL, NULL);
	buf_puts(out, colour ? "\033[1mWhole program\033[0m  " : "Whole program  ");
	if (comparison->whole.tested)
		effect_describe(&comparison->whole, out);
	else
		buf_puts(out, "not compared");
	buf_puts(out, "\nbefore: ");
	executions_put_runs(&comparison->profile, 0, comparison->nbefore, out);
	buf_puts(out, ", after: ");
	executions_put_runs(&comparison->profile, comparison->nbefore, comparison->nafter, out);
	buf_puts(out, "\n");
	if (comparison->whole.tested)
		write_reference(comparison, out);
	else if (!is_empty(comparison, 0, comparison->nbefore) ||
		 !is_empty(comparison, comparison->nbefore, comparison->profile.nruns))
		buf_puts(out, "One side holds nothing.\n");
	else
		buf_puts(out, "Both sides hold nothing.\n");
	write_hint(comparison, out);
	buf_putc(out, '\n');
	write_functions(&rows, false, top ? top : DEFAULT_TOP, out);
	rows_release(&rows);
}
