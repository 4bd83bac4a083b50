#include "analysis/crosscheck_text.h"

#include "format/figures.h"
#include "format/table.h"

#include <math.h>
#include <string.h>

#define LINE_COLUMNS 100
#define NAME_COLUMNS_MIN 30
#define DIFFERENCE_COLUMNS 6
#define DEFAULT_TOP 15
/* A default table has so many functions however little they have, and no others with less. */
#define LEAST_TOP 5
#define MIN_SHARE 0.005
#define GAP 2

static const char *
scope_name(enum crosscheck_scope scope)
{
	switch (scope) {
	case CROSSCHECK_ALL:
		return "all code";
	case CROSSCHECK_USER:
		return "user code";
	case CROSSCHECK_PROGRAM:
		return "the program's own code";
	}
	return "";
}

/* One cell, a blank in place of the mark so that digits stand below one another. */
static void
put_difference(struct table *table, struct crosscheck_difference difference, size_t ntests)
{
	struct buf *cell = table_cell(table);

	if (!isnan(difference.change)) {
		const double points = 100 * difference.change;

		buf_putc(cell, points < 0 ? '-' : '+');
		buf_put_fixed(cell, fabs(points), 1);
		buf_putc(cell, crosscheck_is_beyond(difference, ntests) ? '*' : ' ');
	}
	table_end_cell(table);
}

static void
put_share(struct table *table, double share)
{
	format_percent(table_cell(table), share);
	table_end_cell(table);
}

static void
put_function(const struct crosscheck *crosscheck, const struct crosscheck_function *function,
	size_t ntests, struct table *table)
{
	for (size_t side = 0; side < crosscheck->nsides; side++) {
		put_share(table, crosscheck_share(crosscheck, function, side));
		if (side > 0)
			put_difference(
				table, crosscheck_difference(crosscheck, function, side), ntests);
	}
	buf_printf(table_cell(table), "%s%s", function->name,
		function->kernel ? frame_kind_suffix(FRAME_KERNEL) : "");
	table_end_cell(table);
}

static void
put_rest(const struct crosscheck *crosscheck, size_t shown, struct table *table)
{
	const size_t left = crosscheck->nfunctions - shown;

	for (size_t side = 0; side < crosscheck->nsides; side++) {
		double sum = 0;

		for (size_t i = shown; i < crosscheck->nfunctions; i++) {
			const double share =
				crosscheck_share(crosscheck, &crosscheck->functions[i], side);

			sum += isnan(share) ? 0 : share;
		}
		put_share(table, sum);
		if (side > 0)
			table_put(table, "");
	}
	buf_puts(table_cell(table), "and ");
	format_plural(table_cell(table), left, "other function", "other functions");
	table_end_cell(table);
}

static void
put_functions(const struct crosscheck *crosscheck, size_t shown, struct buf *out)
{
	struct table_column columns[2 * CROSSCHECK_SIDES_MAX];
	size_t ncolumns = 0;
	size_t used = 0;
	struct table table;

	for (size_t side = 0; side < crosscheck->nsides; side++) {
		const char *tool = crosscheck->sides[side].tool;

		used += strlen(tool) + GAP;
		columns[ncolumns++] = (struct table_column){.heading = tool, .right = true};
		if (side == 0)
			continue;
		columns[ncolumns++] = (struct table_column){.heading = "diff ", .right = true};
		used += DIFFERENCE_COLUMNS + GAP;
	}
	columns[ncolumns++] = (struct table_column){
		.heading = "function",
		.max_columns = used + NAME_COLUMNS_MIN < LINE_COLUMNS ? LINE_COLUMNS - used
								      : NAME_COLUMNS_MIN,
	};
	table_init(&table, columns, ncolumns);
	for (size_t i = 0; i < shown; i++)
		put_function(crosscheck, &crosscheck->functions[i], shown, &table);
	if (shown < crosscheck->nfunctions)
		put_rest(crosscheck, shown, &table);
	table_write(&table, 0, out);
	table_release(&table);
}

/* How the columns are to be read. */
static void
put_legend(const struct crosscheck *crosscheck, size_t shown, struct buf *out)
{
	const char *first = crosscheck->sides[0].tool;

	if (crosscheck->nsides < 2)
		return;
	buf_printf(out, "diff: points of difference from %s; *: beyond sampling error (", first);
	format_setting(out, 1 - CROSSCHECK_ALPHA);
	buf_puts(out, ", corrected for ");
	format_plural(out, shown, "function", "functions");
	buf_puts(out, ")\n");
	for (size_t side = 1; side < crosscheck->nsides; side++) {
		const struct crosscheck_side *of = &crosscheck->sides[side];

		if (of->scope == crosscheck->sides[0].scope)
			continue;
		buf_printf(out, "%s sees only %s: its shares add up to the ", of->tool,
			scope_name(of->scope));
		format_percent(out, crosscheck_part(crosscheck, side));
		buf_printf(out, " that %s has there\n", first);
	}
}

static void
put_agreement(const struct crosscheck *crosscheck, struct buf *out)
{
	static const struct table_column columns[] = {
		{.heading = "tools"},
		{.heading = "agreement", .right = true},
		{.heading = "expected", .right = true},
		{.heading = "compared by"},
	};
	struct table table;

	buf_puts(out, "\nAgreement: the sum of each function's smaller share; expected: with "
		      "sampling error alone\n");
	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t a = 0; a < crosscheck->nsides; a++) {
		for (size_t b = a + 1; b < crosscheck->nsides; b++) {
			const struct crosscheck_agreement agreement =
				crosscheck_agree(crosscheck, a, b);

			buf_printf(table_cell(&table), "%s, %s", crosscheck->sides[a].tool,
				crosscheck->sides[b].tool);
			table_end_cell(&table);
			put_share(&table, agreement.overlap);
			put_share(&table, agreement.expected);
			table_put(&table, scope_name(agreement.scope));
		}
	}
	table_write(&table, 0, out);
	table_release(&table);
}

static size_t
count_shown(const struct crosscheck *crosscheck, size_t top)
{
	size_t shown = 0;

	while (shown < crosscheck->nfunctions && shown < (top > 0 ? top : DEFAULT_TOP) &&
		(top > 0 || shown < LEAST_TOP || crosscheck->functions[shown].largest >= MIN_SHARE))
		shown++;
	return shown;
}

void
crosscheck_write(const struct crosscheck *crosscheck, size_t top, struct buf *out)
{
	const size_t shown = count_shown(crosscheck, top);

	buf_puts(out, "Functions, by their own share\n");
	put_functions(crosscheck, shown, out);
	put_legend(crosscheck, shown, out);
	if (crosscheck->nsides > 1)
		put_agreement(crosscheck, out);
}
