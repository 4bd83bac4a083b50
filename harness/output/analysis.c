#include "output/analysis.h"

#include "base/mem.h"
#include "output/analysis_header.h"
#include "output/name.h"
#include "output/place.h"
#include "output/table.h"
#include "output/words.h"
#include "profile/functions.h"
#include "profile/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_TOP 20
#define CALLEES_SHOWN 5
#define MARKS 2                /* of incomplete stacks: no callees */
#define CALLEE_MIN_SHARE 0.005 /* of the whole; below it a callee is not worth a line */
#define MIN_SHARE 0.001
#define MIN_TOTAL_SHARE 0.05
#define NAME_COLUMNS 60
#define NAME_COLUMNS_BESIDE_PLACE 40
#define RUNS_SHOWN 40
#define PLACE_COLUMNS 26
#define FUNCTION_COLUMNS 5 /* the last is that of places, where any is known */

static void
put_bold(struct buf *out, const struct analysis_options *options, const char *text)
{
	buf_puts(out, options->colour ? "\033[1m" : "");
	buf_puts(out, text);
	buf_puts(out, options->colour ? "\033[0m" : "");
	buf_putc(out, '\n');
}

static void
put_runs(const struct profile *profile, struct buf *out)
{
	const struct table_column columns[] = {
		{.heading = "run", .right = true},
		{.heading = "CPU time", .right = true},
		{.heading = "wall time", .right = true},
		{.heading = weights_noun(profile), .right = true},
		{.heading = "expected", .right = true},
		{.heading = "lost", .right = true},
		{.heading = "throttled", .right = true},
		{.heading = "switches", .right = true},
		{.heading = "own CPU", .right = true},
	};
	struct table table;

	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < profile->nruns && i < RUNS_SHOWN; i++) {
		const struct run *run = &profile->runs[i];
		const uint64_t counts[] = {run->lost, run->throttled, run->context_switches};

		words_count(table_cell(&table), (double)i + 1);
		table_end_cell(&table);
		words_cost(table_cell(&table), (double)run->cpu_ns, "ns");
		table_end_cell(&table);
		words_cost(table_cell(&table), (double)run->wall_ns, "ns");
		table_end_cell(&table);
		words_count(table_cell(&table), (double)run->samples);
		table_end_cell(&table);
		words_count(table_cell(&table), run->expected_samples);
		table_end_cell(&table);
		for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
			words_count(table_cell(&table), (double)counts[k]);
			table_end_cell(&table);
		}
		words_cost(table_cell(&table), (double)run->harness_cpu_ns, "ns");
		table_end_cell(&table);
	}
	table_write(&table, 2, out);
	if (profile->nruns > RUNS_SHOWN)
		buf_printf(out, "  and %zu more runs\n", profile->nruns - RUNS_SHOWN);
	table_release(&table);
}

struct ranked {
	frame_id frame;
	double self;
	double total;
	const char *name;
	enum frame_kind kind;
};

static int
compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a;
	const struct ranked *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	int by_name = strcmp(x->name, y->name);

	if (by_name != 0)
		return by_name;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

/* Functions that hold weight, largest self first; free() *ranked. */
static size_t
rank_functions(
	const struct profile *profile, const struct functions *functions, struct ranked **ranked)
{
	size_t n = 0;

	*ranked = mem_zalloc(functions->nfunctions, sizeof(**ranked));
	for (frame_id frame = 1; frame < functions->nfunctions; frame++) {
		struct ranked one = {
			.frame = frame,
			.self = functions_self(functions, frame, 0, profile->nruns),
			.total = functions_total(functions, frame, 0, profile->nruns),
			.name = profile_frame_name(profile, frame),
			.kind = profile->frames.frames[frame].kind,
		};

		if (one.total > 0 && !frame_name_is_mark(one.name))
			(*ranked)[n++] = one;
	}
	if (n > 0)
		qsort(*ranked, n, sizeof(**ranked), compare_ranked);
	return n;
}

/* `prefix` and the name in at most NAME_COLUMNS, the suffix always whole. */
static void
put_name_cell(
	struct table *table, const char *prefix, const struct profile *profile, frame_id frame)
{
	struct buf *cell = table_cell(table);
	const char *name = profile_frame_name(profile, frame);
	const char *suffix = frame_kind_suffix(profile->frames.frames[frame].kind);

	buf_puts(cell, prefix);
	size_t columns =
		table->ncolumns < FUNCTION_COLUMNS ? NAME_COLUMNS : NAME_COLUMNS_BESIDE_PLACE;

	name_fit(cell, name, strlen(name), columns - strlen(prefix) - strlen(suffix));
	buf_puts(cell, suffix);
	table_end_cell(table);
}

static void
put_share_cell(struct table *table, double weight, double all)
{
	effect_put_ratio(all > 0 ? weight / all : NAN, table_cell(table));
	table_end_cell(table);
}

/* In tables that have a column for it. */
static void
put_place_cell(struct table *table, const struct profile *profile, frame_id frame)
{
	if (table->ncolumns < FUNCTION_COLUMNS)
		return;
	place_fit(profile, frame, PLACE_COLUMNS, table_cell(table));
	table_end_cell(table);
}

static bool
any_place_is_known(const struct profile *profile)
{
	for (size_t i = 1; i < profile->frames.nframes; i++)
		if (profile->frames.frames[i].file)
			return true;
	return false;
}

/* Takes marks of incomplete stacks out of the first edges of `n`; returns how many are left. */
static size_t
drop_marks(const struct profile *profile, struct function_edge *edges, size_t n)
{
	size_t known = n < CALLEES_SHOWN + MARKS ? n : CALLEES_SHOWN + MARKS;
	size_t kept = 0;

	for (size_t i = 0; i < known; i++)
		if (!frame_name_is_mark(profile_frame_name(profile, edges[i].frame)))
			edges[kept++] = edges[i];
	return n - (known - kept);
}

static void
put_callees(struct table *table, const struct profile *profile, frame_id frame, double all)
{
	struct function_edge edges[CALLEES_SHOWN + MARKS];
	size_t n = functions_callees(profile, frame, edges, CALLEES_SHOWN + MARKS);
	size_t shown = 0;

	n = drop_marks(profile, edges, n);
	while (shown < n && shown < CALLEES_SHOWN &&
		edges[shown].weight >= all * CALLEE_MIN_SHARE) {
		put_name_cell(table, "    calls ", profile, edges[shown].frame);
		table_put(table, "");
		put_share_cell(table, edges[shown].weight, all);
		table_put(table, "");
		put_place_cell(table, profile, edges[shown].frame);
		shown++;
	}
	if (n > shown && shown > 0) {
		buf_printf(table_cell(table), "    calls %zu more", n - shown);
		table_end_cell(table);
		for (size_t i = 1; i < table->ncolumns; i++)
			table_put(table, "");
	}
}

static void
put_functions(const struct profile *profile, const struct functions *functions, double all,
	size_t top, struct buf *out)
{
	static const struct table_column columns[FUNCTION_COLUMNS] = {
		{.heading = "function, and what it calls"},
		{.heading = "self", .right = true},
		{.heading = "total", .right = true},
		{.heading = "weight", .right = true},
		{.heading = "declared at"},
	};
	struct ranked *ranked;
	size_t n = rank_functions(profile, functions, &ranked);
	struct table table;
	size_t shown = 0;

	table_init(&table, columns, FUNCTION_COLUMNS - !any_place_is_known(profile));
	for (size_t i = 0; i < n && shown < (top ? top : DEFAULT_TOP); i++) {
		const struct ranked *one = &ranked[i];

		/* Whoever names a number gets it; else those of next to no weight go untold. */
		if (top == 0 && one->self < all * MIN_SHARE && one->total < all * MIN_TOTAL_SHARE)
			continue;
		shown++;
		put_name_cell(&table, "", profile, one->frame);
		put_share_cell(&table, one->self, all);
		put_share_cell(&table, one->total, all);
		words_count(table_cell(&table), one->self);
		table_end_cell(&table);
		put_place_cell(&table, profile, one->frame);
		put_callees(&table, profile, one->frame, all);
	}
	table_write(&table, 2, out);
	if (n > shown)
		buf_printf(out, "  and %zu more functions\n", n - shown);
	table_release(&table);
	free(ranked);
}

void
analysis_write(
	const struct profile *profile, const struct analysis_options *options, struct buf *out)
{
	struct functions functions;
	double all = 0;

	functions_init(&functions, profile);
	for (size_t column = 0; column < profile->nruns; column++)
		all += profile_column_total(profile, column);
	analysis_put_header(profile, &functions, all, out);
	if (analysis_is_measured(profile)) {
		buf_putc(out, '\n');
		put_bold(out, options, "Runs");
		put_runs(profile, out);
	}
	buf_putc(out, '\n');
	put_bold(out, options,
		weights_are_counted(profile)
			? "Top functions, by the share of instructions that are their own"
			: "Top functions, by the share of samples that ended in them");
	put_functions(profile, &functions, all, options->top, out);
	functions_release(&functions);
}
