#include "analysis/crosscheck.h"

#include "base/file.h"
#include "base/mem.h"
#include "compare/stats.h"
#include "format/figures.h"
#include "format/table.h"
#include "profile/functions.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A function of one side, before those of the same name are joined. */
struct entry {
	const char *name;
	const char *module; /* "" where it is not known */
	bool kernel;
	size_t side;
	double weight;
};

struct entries {
	struct entry *all;
	size_t count;
	size_t capacity;
};

static void
add_entries(struct entries *entries, struct strtab *names, const struct crosscheck_side *from,
	size_t side)
{
	const struct profile *profile = from->profile;
	struct functions functions;

	functions_init(&functions, profile);
	for (frame_id id = 1; id < profile->frames.nframes; id++) {
		const struct frame *frame = &profile->frames.frames[id];
		const double weight = functions_self(&functions, id, 0, profile->nruns);
		const bool kernel = frame->kind == FRAME_KERNEL;

		if (!(weight > 0) || (kernel && from->scope > CROSSCHECK_ALL))
			continue;
		entries->all = mem_grow(entries->all, &entries->capacity, entries->count + 1,
			sizeof(*entries->all));
		entries->all[entries->count++] = (struct entry){
			.name = strtab_str(
				names, strtab_intern_str(names, profile_frame_name(profile, id))),
			.module = strtab_str(&profile->strings, frame->module),
			.kernel = kernel,
			.side = side,
			.weight = weight,
		};
	}
	functions_release(&functions);
}

static int
compare_entries(const void *a, const void *b)
{
	const struct entry *x = a;
	const struct entry *y = b;
	const int order = strcmp(x->name, y->name);

	if (order != 0)
		return order;
	if (x->kernel != y->kernel)
		return x->kernel ? 1 : -1;
	return x->side < y->side ? -1 : x->side > y->side;
}

/* A tool that sees nothing but the program says by that alone where a function is. */
static enum crosscheck_scope
place_of(const struct entry *entry, const struct crosscheck_side *side, const char *program)
{
	if (entry->kernel)
		return CROSSCHECK_ALL;
	return side->scope == CROSSCHECK_PROGRAM ||
			       strcmp(file_basename(entry->module), program) == 0
		       ? CROSSCHECK_PROGRAM
		       : CROSSCHECK_USER;
}

static void
join_entries(struct crosscheck *crosscheck, struct entries *entries, const char *program)
{
	struct crosscheck_function *function = NULL;

	if (entries->count > 1)
		qsort(entries->all, entries->count, sizeof(*entries->all), compare_entries);
	crosscheck->functions = mem_zalloc(entries->count + 1, sizeof(*crosscheck->functions));
	for (size_t i = 0; i < entries->count; i++) {
		const struct entry *entry = &entries->all[i];
		const enum crosscheck_scope place =
			place_of(entry, &crosscheck->sides[entry->side], program);

		if (!function || strcmp(function->name, entry->name) != 0 ||
			function->kernel != entry->kernel) {
			function = &crosscheck->functions[crosscheck->nfunctions++];
			function->name = entry->name;
			function->kernel = entry->kernel;
		}
		if (place > function->narrowest)
			function->narrowest = place;
		function->weights[entry->side] += entry->weight;
	}
}

static void
sum_scopes(struct crosscheck *crosscheck)
{
	for (size_t i = 0; i < crosscheck->nfunctions; i++) {
		const struct crosscheck_function *function = &crosscheck->functions[i];

		for (size_t side = 0; side < crosscheck->nsides; side++)
			for (size_t scope = 0; scope <= function->narrowest; scope++)
				crosscheck->whole[side][scope] += function->weights[side];
	}
}

static int
compare_functions(const void *a, const void *b)
{
	const struct crosscheck_function *x = a;
	const struct crosscheck_function *y = b;

	if (x->largest != y->largest)
		return x->largest < y->largest ? 1 : -1;
	const int order = strcmp(x->name, y->name);

	return order != 0 ? order : x->kernel - y->kernel;
}

void
crosscheck_init(struct crosscheck *crosscheck, const struct crosscheck_side *sides, size_t nsides,
	const char *program)
{
	struct entries entries = {.count = 0};

	assert(nsides > 0 && nsides <= CROSSCHECK_SIDES_MAX);
	*crosscheck = (struct crosscheck){.nsides = nsides};
	strtab_init(&crosscheck->names);
	for (size_t side = 0; side < nsides; side++) {
		crosscheck->sides[side] = sides[side];
		add_entries(&entries, &crosscheck->names, &sides[side], side);
	}
	join_entries(crosscheck, &entries, file_basename(program));
	free(entries.all);
	sum_scopes(crosscheck);
	for (size_t i = 0; i < crosscheck->nfunctions; i++)
		for (size_t side = 0; side < nsides; side++)
			crosscheck->functions[i].largest = fmax(crosscheck->functions[i].largest,
				crosscheck_share(crosscheck, &crosscheck->functions[i], side));
	if (crosscheck->nfunctions > 1)
		qsort(crosscheck->functions, crosscheck->nfunctions, sizeof(*crosscheck->functions),
			compare_functions);
}

void
crosscheck_release(struct crosscheck *crosscheck)
{
	free(crosscheck->functions);
	strtab_release(&crosscheck->names);
	*crosscheck = (struct crosscheck){.nsides = 0};
}

/* The share in `scope`; 0 where the side has nothing there. */
static double
share_in(const struct crosscheck *crosscheck, const struct crosscheck_function *function,
	size_t side, enum crosscheck_scope scope)
{
	const double whole = crosscheck->whole[side][scope];

	return whole > 0 ? function->weights[side] / whole : 0;
}

double
crosscheck_part(const struct crosscheck *crosscheck, size_t side)
{
	const double *whole = crosscheck->whole[0];
	const double all = whole[crosscheck->sides[0].scope];

	return all > 0 ? whole[crosscheck->sides[side].scope] / all : 0;
}

double
crosscheck_share(const struct crosscheck *crosscheck, const struct crosscheck_function *function,
	size_t side)
{
	const enum crosscheck_scope scope = crosscheck->sides[side].scope;

	if (function->narrowest < scope)
		return NAN;
	return share_in(crosscheck, function, side, scope) * crosscheck_part(crosscheck, side);
}

/* The variance of the difference of two shares that are the same, but for sampling. */
static double
variance_of(const struct crosscheck *crosscheck, const struct crosscheck_function *function,
	size_t a, size_t b, enum crosscheck_scope scope)
{
	const size_t sides[] = {a, b};
	double samples = 0;
	double weight = 0;
	double inverse = 0;
	double counted = 0;

	for (size_t i = 0; i < 2; i++) {
		const double whole = crosscheck->whole[sides[i]][scope];

		if (crosscheck->sides[sides[i]].counts) {
			const double share = share_in(crosscheck, function, sides[i], scope);

			counted = share * (1 - share);
			continue;
		}
		samples += whole;
		weight += function->weights[sides[i]];
		inverse += whole > 0 ? 1 / whole : 0;
	}
	const double share = samples > 0 ? weight / samples : 0;

	/* Beside a count the larger one: one sample of a function that runs rarely is no proof. */
	return fmax(fmax(share * (1 - share), counted), 0) * inverse;
}

struct crosscheck_difference
crosscheck_difference(const struct crosscheck *crosscheck,
	const struct crosscheck_function *function, size_t side)
{
	const enum crosscheck_scope scope = crosscheck->sides[side].scope;
	const double part = crosscheck_part(crosscheck, side);

	if (function->narrowest < scope)
		return (struct crosscheck_difference){NAN, NAN};
	return (struct crosscheck_difference){
		.change = (share_in(crosscheck, function, side, scope) -
				  share_in(crosscheck, function, 0, scope)) *
			  part,
		.error = sqrt(variance_of(crosscheck, function, 0, side, scope)) * part,
	};
}

bool
crosscheck_is_beyond(struct crosscheck_difference difference, size_t ntests)
{
	const double p = CROSSCHECK_ALPHA / 2 / (double)(ntests > 0 ? ntests : 1);

	return fabs(difference.change) > stats_t_quantile(p, INFINITY) * difference.error;
}

struct crosscheck_agreement
crosscheck_agree(const struct crosscheck *crosscheck, size_t a, size_t b)
{
	const enum crosscheck_scope scopes[] = {
		crosscheck->sides[a].scope, crosscheck->sides[b].scope};
	const enum crosscheck_scope scope = scopes[0] > scopes[1] ? scopes[0] : scopes[1];
	struct crosscheck_agreement agreement = {.scope = scope, .expected = 1};
	/* The mean absolute value of a normal distribution, in standard deviations. */
	const double mean_absolute = sqrt(2 / M_PI);

	for (size_t i = 0; i < crosscheck->nfunctions; i++) {
		const struct crosscheck_function *function = &crosscheck->functions[i];

		if (function->narrowest < scope)
			continue;
		const double shares[] = {share_in(crosscheck, function, a, scope),
			share_in(crosscheck, function, b, scope)};
		const double error = sqrt(variance_of(crosscheck, function, a, b, scope));

		agreement.overlap += fmin(shares[0], shares[1]);
		agreement.expected -= fmin(mean_absolute * error / 2, (shares[0] + shares[1]) / 2);
	}
	if (!(crosscheck->whole[a][scope] > 0 && crosscheck->whole[b][scope] > 0))
		agreement.overlap = agreement.expected = NAN;
	return agreement;
}

/*
 * As text.
 */

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
put_compared(const struct crosscheck *crosscheck, const struct crosscheck_function *function,
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
put_left_out(const struct crosscheck *crosscheck, size_t shown, struct table *table)
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
		put_compared(crosscheck, &crosscheck->functions[i], shown, &table);
	if (shown < crosscheck->nfunctions)
		put_left_out(crosscheck, shown, &table);
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
