#include "analysis/by_labels.h"

#include "analysis/sentences.h"
#include "base/escape.h"
#include "base/mem.h"
#include "format/figures.h"
#include "format/table.h"
#include "profile/weights.h"

#include <stdlib.h>
#include <string.h>

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
add_functions(const struct analysis_data *data, node_id top, struct analysis_edges *edges)
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

	add_functions(data, group->node, &edges);
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

void
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
