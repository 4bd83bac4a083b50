/*
 * Writes the analysis of a profile: header, runs, recommendations, the table by labels
 * and the hotspots.
 */
#include "analysis/analysis.h"
#include "analysis/data.h"
#include "analysis/sentences.h"
#include "analysis/traits.h"
#include "base/escape.h"
#include "base/mem.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "format/table.h"
#include "profile/counters.h"
#include "profile/disturbance.h"
#include "profile/fields.h"
#include "profile/incomplete.h"
#include "profile/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * The table of a profile that was cut by labels (ingest/ingest.h): the weight of each value, and
 * the functions that it is in.
 */

#define ROWS_SHOWN 40
#define FUNCTIONS_SHOWN 3

/* A combination of values: the node of the last one. */
struct group {
	node_id node;
	double weight;
};

struct groups {
	const struct analysis_data *data;
	struct group *all;
	size_t count;
	size_t capacity;
};

static void
add_groups(struct groups *groups, node_id parent, size_t left)
{
	const struct ctree_node *nodes = groups->data->profile->tree.nodes;
	node_id node = nodes[parent].first_child;

	for (; node != CTREE_NONE; node = nodes[node].next_sibling) {
		const double weight = groups->data->total[node];

		if (!(weight > 0))
			continue;
		if (left > 1) {
			add_groups(groups, node, left - 1);
			continue;
		}
		groups->all = mem_grow(
			groups->all, &groups->capacity, groups->count + 1, sizeof(*groups->all));
		groups->all[groups->count++] = (struct group){node, weight};
	}
}

static int
compare_groups(const void *a, const void *b)
{
	const struct group *x = a;
	const struct group *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static void
put_values(const struct analysis_data *data, node_id node, struct buf *out)
{
	const struct ctree_node *nodes = data->profile->tree.nodes;

	if (nodes[node].parent != CTREE_ROOT) {
		put_values(data, nodes[node].parent, out);
		buf_puts(out, ", ");
	}
	buf_puts(out, profile_frame_name(data->profile, nodes[node].frame));
}

/* Adds the own weights of all functions below. */
static void
add_label_functions(const struct analysis_data *data, node_id top, struct analysis_edges *edges)
{
	const struct ctree_node *nodes = data->profile->tree.nodes;
	node_id node = top;

	for (;;) {
		if (node != top)
			analysis_edges_add(data, edges, data->code[node], data->self[node]);
		if (nodes[node].first_child != CTREE_NONE) {
			node = nodes[node].first_child;
			continue;
		}
		while (node != top && nodes[node].next_sibling == CTREE_NONE)
			node = nodes[node].parent;
		if (node == top)
			return;
		node = nodes[node].next_sibling;
	}
}

/*
 * "parse 96 %, read 3 %": shares of the group, as many as have room in `columns`. A list that was
 * shortened in its middle would have the end of one name behind the start of another.
 */
static void
put_functions(const struct analysis_data *data, const struct group *group, size_t columns,
	struct buf *out)
{
	struct analysis_edges edges = {.nedges = 0};
	struct buf one = {0};

	add_label_functions(data, group->node, &edges);
	analysis_edges_end(data, &edges);
	for (size_t i = 0; i < edges.nedges && i < FUNCTIONS_SHOWN; i++) {
		buf_clear(&one);
		buf_puts(&one, i > 0 ? ", " : "");
		profile_put_frame(data->profile, edges.edges[i].frame, &one);
		buf_putc(&one, ' ');
		format_percent(&one, edges.edges[i].weight / group->weight);
		if (i > 0 && out->len + one.len > columns)
			break;
		buf_puts(out, buf_text(&one));
	}
	buf_release(&one);
	free(edges.edges);
}

static void
put_table(const struct groups *groups, const struct analysis_options *options, struct buf *out)
{
	const struct analysis_data *data = groups->data;
	const size_t width = analysis_columns(options) - 30;
	const struct table_column columns[] = {
		{.heading = "share", .right = true},
		{.heading = weights_noun(data->profile), .right = true},
		{.heading = strtab_str(&data->profile->strings, data->profile->by),
			.max_columns = width / 3},
		{.heading = "largest functions, by their own share of it",
			.max_columns = width * 2 / 3},
	};
	struct table table;

	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < groups->count && i < ROWS_SHOWN; i++) {
		const struct group *group = &groups->all[i];

		format_percent(table_cell(&table), analysis_share(data, group->weight));
		table_end_cell(&table);
		weights_put(data->profile, group->weight, table_cell(&table));
		table_end_cell(&table);
		put_values(data, group->node, table_cell(&table));
		table_end_cell(&table);
		put_functions(data, group, columns[3].max_columns, table_cell(&table));
		table_end_cell(&table);
	}
	table_write(&table, 2, out);
	table_release(&table);
}

/* Appends heading and table. */
static void
by_labels_write(
	const struct analysis_data *data, const struct analysis_options *options, struct buf *out)
{
	struct groups groups = {.data = data};
	struct buf heading = {0};

	add_groups(&groups, CTREE_ROOT, data->nlabels);
	if (groups.count > 1)
		qsort(groups.all, groups.count, sizeof(*groups.all), compare_groups);
	const char *by = strtab_str(&data->profile->strings, data->profile->by);

	buf_puts(&heading, "By ");
	escape_utf8(&heading, by, strlen(by));
	analysis_put_styled(out, options, STYLE_HEADING, buf_text(&heading));
	buf_putc(out, '\n');
	put_table(&groups, options, out);
	if (groups.count > ROWS_SHOWN)
		buf_printf(out, "  and %zu more\n", groups.count - ROWS_SHOWN);
	buf_release(&heading);
	free(groups.all);
}

#define RUNS_SHOWN 40
#define FIELD_COLUMNS 12
#define NAME_COLUMNS 24

/* Appends "name        value", wrapped, and empties `text`; nothing where `text` is empty. */
static void
end_field(struct buf *out, const char *name, struct buf *text, size_t columns)
{
	if (text->len == 0)
		return;
	/* A space also separates a long name from its value. It can be a unit, from a file. */
	const size_t start = out->len;

	name_fit(out, name, strlen(name), NAME_COLUMNS);
	for (size_t n = name_columns(buf_text(out) + start, out->len - start);
		n < FIELD_COLUMNS - 1; n++)
		buf_putc(out, ' ');
	buf_putc(out, ' ');
	analysis_wrap(out, buf_text(text), FIELD_COLUMNS, columns, false);
	buf_clear(text);
}

/* Whether there are runs and all were measured. */
static bool
is_measured(const struct profile *profile)
{
	for (size_t i = 0; i < profile->nruns; i++) {
		if (!profile->runs[i].measured)
			return false;
	}
	return profile->nruns > 0;
}

static void
put_sampling(const struct profile *profile, struct buf *out)
{
	const struct strtab *strings = &profile->strings;

	if (profile->event == 0 && profile->frequency_hz <= 0)
		return;
	buf_puts(out, strtab_str(strings, profile->event));
	if (profile->frequency_hz > 0) {
		buf_puts(out, profile->event ? " at " : "");
		buf_put_number(out, profile->frequency_hz);
		buf_puts(out, " Hz");
	}
	if (profile->callgraph)
		buf_printf(out, ", call graph %s", strtab_str(strings, profile->callgraph));
	if (profile->callgraph && profile->callgraph_why)
		buf_printf(out, " (%s)", strtab_str(strings, profile->callgraph_why));
}

static void
put_duration(const struct profile *profile, struct buf *out)
{
	if (profile->duration_s > 0)
		format_duration(out, profile->duration_s);
	else
		buf_puts(out, "not known");
	buf_puts(out, ", ");
	executions_put_runs(profile, 0, profile->nruns, out);
}

static bool
losses_are_known(const struct profile *profile)
{
	for (size_t i = 0; i < profile->nruns; i++)
		if (!profile->runs[i].measured && !profile->runs[i].delivered)
			return false;
	return true;
}

/* Samples that the kernel delivered, compared with those expected by the clock. */
static void
put_validity(const struct profile *profile, struct buf *out)
{
	double expected = 0;
	double got = 0;
	double lost = 0;
	double throttled = 0;
	const struct incomplete_stacks stacks = incomplete_count_stacks(profile);

	for (size_t i = 0; i < profile->nruns; i++) {
		expected += profile->runs[i].expected_samples;
		got += (double)profile->runs[i].samples;
		lost += (double)profile->runs[i].lost;
		throttled += (double)profile->runs[i].throttled;
	}
	if (!losses_are_known(profile)) {
		buf_puts(out, "not known: the input does not say what was lost");
		return;
	}
	format_count(out, got);
	if (expected > 0) {
		buf_printf(out, " %s of ", weights_samples_noun(profile));
		format_count(out, round(expected));
		buf_puts(out, " expected (");
		format_percent(out, got / expected);
		buf_putc(out, ')');
	} else {
		buf_printf(out, " %s", weights_samples_noun(profile));
	}
	buf_puts(out, ", lost ");
	format_count(out, lost);
	buf_puts(out, ", throttled ");
	format_count(out, throttled);
	buf_puts(out, ", incomplete stacks ");
	format_count(out, (double)(stacks.broken + stacks.truncated));
}

/* The weight below the marks of incomplete stacks: they are in no table of functions. */
static void
put_marks(const struct profile *profile, struct buf *out)
{
	static const char *const marks[] = {FRAME_BROKEN, FRAME_TRUNCATED};
	size_t shown = 0;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		double share = incomplete_marked_share(profile, marks[i]);

		if (!(share > 0))
			continue;
		buf_puts(out, shown++ > 0 ? ", " : "");
		format_percent(out, share);
		buf_printf(out, " below %s", marks[i]);
	}
	if (shown > 0)
		buf_puts(out, ", in stacks that do not reach their outermost frame");
}

static void
put_symbols(const struct analysis_data *data, struct buf *out)
{
	const struct profile *profile = data->profile;

	if (!(data->all > 0)) {
		buf_printf(out, "no %s", weights_noun(profile));
		return;
	}
	analysis_put_share(out, data, data->all - data->unknown);
	buf_printf(out, " of the %s %s in a function with a name, ", weights_noun(profile),
		weights_are_counted(profile) ? "are"
		: weights_are_times(profile) ? "passed"
					     : "end");
	analysis_put_share(out, data, data->unknown);
	buf_puts(out, weights_are_times(profile) ? " did not" : " do not");
}

/* The part of a counted run that is not in the profile. */
static void
put_loader(const struct profile *profile, struct buf *out)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < profile->nruns; i++) {
		const double value = counter_value(&profile->runs[i], COUNTER_LOADER);

		sum += value > 0 ? value : 0;
		n += value > 0;
	}
	if (n == 0)
		return;
	format_count(out, sum / (double)n);
	buf_printf(out,
		" %s a run in the dynamic loader, ahead of constructors and main: not part of these",
		weights_noun(profile));
}

/* The focus that the profile was reduced to: all that follows is of that part. */
static void
put_focus(const struct analysis_data *data, const struct analysis_focus *focus, struct buf *out)
{
	buf_printf(out, "%s: ", focus->pattern);
	weights_put(data->profile, data->all, out);
	buf_puts(out, " of ");
	weights_put(data->profile, focus->whole, out);
	buf_printf(out, " %s (", weights_noun(data->profile));
	format_percent(out, focus->whole > 0 ? data->all / focus->whole : 0);
	buf_printf(out, ") %s a frame that matches; shares below are of %s",
		weights_are_times(data->profile) ? "is below" : "have",
		weights_are_times(data->profile) ? "that" : "these");
}

/* Appends what was profiled, how, and how reliable the numbers are. */
static void
put_header(
	const struct analysis_data *data, const struct analysis_options *options, struct buf *out)
{
	const struct profile *profile = data->profile;
	const struct strtab *strings = &profile->strings;
	const size_t columns = analysis_columns(options);
	struct buf text = {0};

	buf_puts(&text, strtab_str(strings, profile->workload));
	end_field(out, "workload", &text, columns);
	if (profile->command != profile->workload)
		buf_puts(&text, strtab_str(strings, profile->command));
	end_field(out, "command", &text, columns);
	format_time(&text, profile->started);
	end_field(out, "date", &text, columns);
	put_duration(profile, &text);
	end_field(out, "duration", &text, columns);
	put_sampling(profile, &text);
	end_field(out, weights_are_counted(profile) ? "counting" : "sampling", &text, columns);
	if (profile->weight != 0)
		buf_printf(&text, "%s: a sample weighs the events that it stands for",
			strtab_str(strings, profile->weight));
	end_field(out, "weight", &text, columns);
	weights_put(profile, options->focus ? options->focus->whole : data->all, &text);
	end_field(out, weights_noun(profile), &text, columns);
	put_loader(profile, &text);
	end_field(out, "loader", &text, columns);
	buf_puts(&text, strtab_str(strings, profile->operations));
	end_field(out, "operations", &text, columns);
	if (options->focus)
		put_focus(data, options->focus, &text);
	end_field(out, "focus", &text, columns);
	put_symbols(data, &text);
	end_field(out, "symbols", &text, columns);
	put_validity(profile, &text);
	end_field(out, "validity", &text, columns);
	incomplete_put_stacks(profile, &text);
	if (text.len == 0)
		put_marks(profile, &text);
	end_field(out, "stacks", &text, columns);
	disturbance_put(profile, &text);
	end_field(out, "disturbed", &text, columns);
	buf_puts(&text, strtab_str(strings, profile->host));
	end_field(out, "machine", &text, columns);
	buf_release(&text);
}

static void
put_runs(const struct profile *profile, struct buf *out)
{
	const struct run_field *fields[RUN_COLUMNS_MAX];
	struct table_column columns[RUN_COLUMNS_MAX + 1] = {{.heading = "run", .right = true}};
	size_t ncolumns = run_table_columns(RUN_TABLE_TEXT, fields);
	struct table table;

	for (size_t k = 0; k < ncolumns; k++)
		columns[1 + k] = (struct table_column){
			.heading = run_column_heading(fields[k], profile), .right = true};
	table_init(&table, columns, 1 + ncolumns);
	for (size_t i = 0; i < profile->nruns && i < RUNS_SHOWN; i++) {
		format_count(table_cell(&table), (double)i + 1);
		table_end_cell(&table);
		for (size_t k = 0; k < ncolumns; k++) {
			double value = run_column_value(fields[k], &profile->runs[i]);

			if (fields[k]->unit)
				format_cost(table_cell(&table), value, fields[k]->unit);
			else
				format_count(table_cell(&table), round(value));
			table_end_cell(&table);
		}
	}
	table_write(&table, 2, out);
	if (profile->nruns > RUNS_SHOWN)
		buf_printf(out, "  and %zu more runs\n", profile->nruns - RUNS_SHOWN);
	table_release(&table);
}

void
analysis_write(
	const struct profile *profile, const struct analysis_options *options, struct buf *out)
{
	struct analysis_data data;
	struct buf sparse = {0};
	const bool is_sparse = incomplete_put_sparse(profile, &sparse);

	analysis_data_init(&data, profile);
	if (is_sparse) {
		analysis_wrap(out, buf_text(&sparse), 0, analysis_columns(options), false);
		buf_putc(out, '\n');
	}
	buf_release(&sparse);
	put_header(&data, options, out);
	if (is_measured(profile)) {
		buf_putc(out, '\n');
		analysis_put_styled(out, options, STYLE_HEADING, "Runs");
		buf_putc(out, '\n');
		put_runs(profile, out);
	}
	if (!is_sparse)
		advice_write(&data, options, out);
	if (options->by_labels) {
		buf_putc(out, '\n');
		by_labels_write(&data, options, out);
	}
	buf_putc(out, '\n');
	hotspots_write(&data, options, out);
	analysis_data_release(&data);
}
