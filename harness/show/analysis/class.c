#include "analysis/class.h"

#include "analysis/sentences.h"
#include "base/file.h"
#include "base/mem.h"
#include "format/name.h"

#include <stdlib.h>
#include <string.h>

double
class_weight(const struct analysis_data *data, const unsigned *classes, unsigned mask)
{
	const struct ctree *tree = &data->profile->tree;
	unsigned *above = mem_zalloc(tree->nnodes, sizeof(*above));
	double weight = 0;

	for (size_t i = 1; i < tree->nnodes; i++) {
		above[i] = above[tree->nodes[i].parent] | classes[tree->nodes[i].frame];
		weight += (above[i] & mask) == mask ? data->self[i] : 0;
	}
	free(above);
	return weight;
}

/* For the kernel and the C library, one above the other, no more are passed over. */
#define HANDS_ON_MAX 256

/* Whether the function only acts for its callers: the kernel's and the C library's do. */
static bool
hands_on(const struct profile *profile, frame_id frame)
{
	const struct frame *f = &profile->frames.frames[frame];
	const char *file = file_basename(strtab_str(&profile->strings, f->module));

	return f->kind == FRAME_KERNEL || strncmp(file, "libc.so", 7) == 0 ||
	       strncmp(file, "libc-", 5) == 0;
}

/* The nearest function above that is the program's, else the nearest of all. */
static node_id
owner_above(const struct analysis_data *data, node_id node)
{
	const struct ctree_node *nodes = data->profile->tree.nodes;
	node_id above = nodes[node].parent;
	node_id at = above;

	for (unsigned i = 0;
		i < HANDS_ON_MAX && at != CTREE_ROOT && nodes[at].parent != CTREE_ROOT &&
		hands_on(data->profile, nodes[at].frame);
		i++)
		at = nodes[at].parent;
	return at != CTREE_ROOT && nodes[at].parent != CTREE_ROOT ? at : above;
}

static void
add_function(const struct analysis_data *data, struct analysis_edges *edges, frame_id frame,
	double weight)
{
	if (!frame_name_is_mark(profile_frame_name(data->profile, frame)))
		analysis_edges_add(data, edges, frame, weight);
}

void
class_group_init(struct class_group *group, const struct analysis_data *data,
	const unsigned *classes, unsigned mask)
{
	const struct ctree *tree = &data->profile->tree;
	node_id *entry = mem_zalloc(tree->nnodes, sizeof(*entry));

	*group = (struct class_group){0};
	for (size_t i = 1; i < tree->nnodes; i++) {
		const struct ctree_node *node = &tree->nodes[i];

		entry[i] = entry[node->parent];
		if (entry[i] == CTREE_ROOT && (classes[node->frame] & mask))
			entry[i] = (node_id)i;
		if (entry[i] == CTREE_ROOT || !(data->self[i] > 0))
			continue;
		group->weight += data->self[i];
		add_function(data, &group->entries, tree->nodes[entry[i]].frame, data->self[i]);
	}
	analysis_edges_end(data, &group->entries);
	for (size_t i = 1; i < tree->nnodes; i++) {
		if (entry[i] == CTREE_ROOT || !(data->self[i] > 0))
			continue;
		node_id above = owner_above(data, entry[i]);

		if (above != CTREE_ROOT && tree->nodes[above].parent != CTREE_ROOT)
			add_function(data, &group->owners, data->code[above], data->self[i]);
	}
	analysis_edges_end(data, &group->owners);
	free(entry);
}

void
class_group_release(struct class_group *group)
{
	free(group->entries.edges);
	free(group->owners.edges);
	*group = (struct class_group){0};
}

void
class_put_syscall(struct buf *out, const struct profile *profile, frame_id frame)
{
	const char *call;
	size_t len = function_class_syscall(profile_frame_name(profile, frame), &call);

	if (len > 0)
		name_fit(out, call, len, 40);
	else
		analysis_put_name(out, profile, frame);
}
