#include "compare/size_growth.h"

#include "base/mem.h"
#include "base/sort.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "profile/frame.h"
#include "profile/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECTIONS_SHOWN 2
#define PARTS_SHOWN 3
#define NAME_COLUMNS 60

/* A section of a file, or a part of one. */
struct part {
	node_id node;
	double growth; /* bytes */
};

struct sizes {
	const struct comparison *comparison;
	double *growth; /* by node, with all below it */
	uint32_t *depth;
};

bool
size_growth_is_known(const struct comparison *comparison)
{
	const struct profile *profile = &comparison->profile;
	const struct metric *metric = metric_find(strtab_str(&profile->strings, profile->metric));

	return metric && metric->of_files;
}

static void
sizes_init(struct sizes *sizes, const struct comparison *comparison)
{
	const struct profile *profile = &comparison->profile;
	const struct ctree *tree = &profile->tree;
	const size_t counts[] = {comparison->nbefore, profile->nruns - comparison->nbefore};
	double *sums = mem_zalloc(tree->nnodes, sizeof(*sums));

	*sizes = (struct sizes){
		.comparison = comparison,
		.growth = mem_zalloc(tree->nnodes, sizeof(*sizes->growth)),
		.depth = mem_zalloc(tree->nnodes, sizeof(*sizes->depth)),
	};
	for (size_t side = 0; side < 2; side++) {
		memset(sums, 0, tree->nnodes * sizeof(*sums));
		ctree_sum(tree, side == 0 ? 0 : counts[0], counts[side], sums);
		for (node_id node = 0; node < tree->nnodes && counts[side] > 0; node++)
			sizes->growth[node] +=
				(side == 0 ? -1 : 1) * sums[node] / (double)counts[side];
	}
	ctree_totals(tree, sizes->growth);
	for (node_id node = 1; node < tree->nnodes; node++)
		sizes->depth[node] = sizes->depth[tree->nodes[node].parent] + 1;
	free(sums);
}

static void
sizes_release(struct sizes *sizes)
{
	free(sizes->growth);
	free(sizes->depth);
}

static const char *
name_of(const struct sizes *sizes, node_id node)
{
	const struct profile *profile = &sizes->comparison->profile;

	return profile_frame_name(profile, profile->tree.nodes[node].frame);
}

static bool
is_template(const struct sizes *sizes, node_id node)
{
	const char *name = name_of(sizes, node);
	const size_t len = strlen(name);
	const size_t end = strlen(FRAME_TEMPLATE_END);

	return sizes->comparison->profile.tree.nodes[node].first_child != CTREE_NONE && len > end &&
	       strcmp(name + len - end, FRAME_TEMPLATE_END) == 0;
}

static int
compare_parts(const void *a, const void *b, void *context)
{
	const struct part *x = a;
	const struct part *y = b;
	const int order = sort_order(y->growth, x->growth);

	return order != 0 ? order : strcmp(name_of(context, x->node), name_of(context, y->node));
}

/* The largest growth first. */
static void
sort_parts(const struct sizes *sizes, struct part *parts, size_t count)
{
	qsort_r(parts, count, sizeof(*parts), compare_parts, (void *)sizes);
}

/* "5,120 B" */
static void
put_bytes(struct buf *out, double bytes)
{
	format_count(out, round(fabs(bytes)));
	buf_puts(out, " B");
}

static void
put_name(const struct sizes *sizes, node_id node, struct buf *out)
{
	const char *name = name_of(sizes, node);

	name_fit(out, name, strlen(name), NAME_COLUMNS);
}

/* "3 instantiations of Sorter<...> (+4,900 B)"; where one of them grew, that one. */
static void
put_part(const struct sizes *sizes, const struct part *part, struct buf *out)
{
	const struct ctree_node *nodes = sizes->comparison->profile.tree.nodes;
	node_id node = part->node;
	size_t grown = 0;

	if (is_template(sizes, node)) {
		node_id only = node;

		for (node_id child = nodes[node].first_child; child != CTREE_NONE;
			child = nodes[child].next_sibling) {
			if (!(sizes->growth[child] > 0))
				continue;
			grown++;
			only = child;
		}
		if (grown == 1)
			node = only;
	}
	if (grown > 1)
		format_plural(out, grown, "instantiation of ", "instantiations of ");
	put_name(sizes, node, out);
	buf_puts(out, " (+");
	put_bytes(out, part->growth);
	buf_putc(out, ')');
}

/* Whether a node is a part of its section: a template, or a symbol that is not in one. */
static bool
is_part(const struct sizes *sizes, node_id node)
{
	const struct ctree_node *nodes = sizes->comparison->profile.tree.nodes;

	return is_template(sizes, node) ||
	       (nodes[node].first_child == CTREE_NONE && !is_template(sizes, nodes[node].parent));
}

static bool
is_within(const struct sizes *sizes, node_id node, node_id section)
{
	while (node > section)
		node = sizes->comparison->profile.tree.nodes[node].parent;
	return node == section;
}

/* "5,120 B more in .text: PART, PART and 7 more" */
static void
put_section(const struct sizes *sizes, const struct part *section, bool named, struct buf *out)
{
	const struct ctree *tree = &sizes->comparison->profile.tree;
	struct part *parts = mem_zalloc(tree->nnodes, sizeof(*parts));
	size_t count = 0;

	for (node_id node = section->node + 1; node < tree->nnodes; node++)
		if (sizes->growth[node] > 0 && is_part(sizes, node) &&
			is_within(sizes, node, section->node))
			parts[count++] = (struct part){node, sizes->growth[node]};
	sort_parts(sizes, parts, count);
	put_bytes(out, section->growth);
	buf_puts(out, " more in ");
	put_name(sizes, section->node, out);
	if (named) {
		buf_puts(out, " of ");
		put_name(sizes, tree->nodes[section->node].parent, out);
	}
	for (size_t i = 0; i < count && i < PARTS_SHOWN; i++) {
		buf_puts(out, i == 0 ? ": " : ", ");
		put_part(sizes, &parts[i], out);
	}
	if (count > PARTS_SHOWN) {
		buf_puts(out, " and ");
		format_count(out, (double)(count - PARTS_SHOWN));
		buf_puts(out, " more");
	}
	free(parts);
}

void
size_growth_put(const struct comparison *comparison, struct buf *out)
{
	const struct ctree *tree = &comparison->profile.tree;
	struct part *sections = mem_zalloc(tree->nnodes, sizeof(*sections));
	struct sizes sizes;
	size_t count = 0;
	size_t nfiles = 0;

	sizes_init(&sizes, comparison);
	for (node_id node = 1; node < tree->nnodes; node++) {
		nfiles += sizes.depth[node] == 1;
		if (sizes.depth[node] == 2 && sizes.growth[node] > 0)
			sections[count++] = (struct part){node, sizes.growth[node]};
	}
	sort_parts(&sizes, sections, count);
	for (size_t i = 0; i < count && i < SECTIONS_SHOWN; i++) {
		put_section(&sizes, &sections[i], nfiles > 1, out);
		buf_putc(out, '\n');
	}
	sizes_release(&sizes);
	free(sections);
}

void
size_growth_put_section(
	const struct comparison *comparison, const frame_id *frames, size_t count, struct buf *out)
{
	for (size_t i = 0; i < count; i++) {
		const char *name = profile_frame_name(&comparison->profile, frames[i]);

		if (name[0] == '.') {
			name_fit(out, name, strlen(name), NAME_COLUMNS);
			return;
		}
	}
}
