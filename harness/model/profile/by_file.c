#include "profile/by_file.h"

#include "base/file.h"
#include "base/mem.h"
#include "profile/canonical.h"

#include <stdlib.h>
#include <string.h>

static frame_id
file_frame(struct profile *into, const char *path, const char *root)
{
	const size_t len = root ? strlen(root) : 0;
	const bool below = len > 0 && strncmp(path, root, len) == 0 && path[len] == '/';
	/* callgrind has question marks for a file that it does not know. */
	const char *name = path[0] == '\0' || path[0] == '?' ? BY_FILE_UNKNOWN
			   : below                           ? path + len + 1
							     : file_basename(path);

	return profile_frame(into, name, strlen(name), FRAME_USER);
}

/* The node of a function below its file. */
static node_id
find_node(struct profile *into, const struct profile *from, frame_id function, const char *root)
{
	const struct frame *frame = &from->frames.frames[function];
	const char *path = strtab_str(&from->strings, frame->module);
	const node_id file = ctree_child(&into->tree, CTREE_ROOT, file_frame(into, path, root));
	const frame_id own = profile_frame(into, strtab_str(&from->strings, frame->name),
		strtab_len(&from->strings, frame->name), frame->kind);

	profile_place_frame(into, own, from, frame, false);
	return ctree_child(&into->tree, file, own);
}

void
by_file_sum(struct profile *into, const struct profile *from, const char *root)
{
	struct profile canonical;

	profile_init(&canonical);
	canonical_join(&canonical, from, NULL);
	const struct ctree *tree = &canonical.tree;
	node_id *nodes = mem_zalloc(tree->nnodes, sizeof(*nodes));

	profile_init(into);
	for (node_id id = 1; id < tree->nnodes; id++) {
		bool has_weight = false;

		for (size_t run = 0; run < canonical.nruns; run++)
			has_weight = has_weight || ctree_weight(tree, run, id) > 0;
		if (has_weight)
			nodes[id] = find_node(into, &canonical, tree->nodes[id].frame, root);
	}
	profile_append_runs(into, &canonical, nodes);
	profile_describe(into, &canonical);
	free(nodes);
	profile_release(&canonical);
	profile_sort(into);
}

/* The file that a node of a profile by file is in. */
static frame_id
file_of(const struct profile *profile, node_id id)
{
	const struct ctree_node *nodes = profile->tree.nodes;

	while (nodes[id].parent != CTREE_ROOT)
		id = nodes[id].parent;
	return nodes[id].frame;
}

double *
by_file_weights(const struct profile *profile)
{
	double *weights = mem_zalloc(profile->frames.nframes, sizeof(*weights));

	for (node_id id = 1; id < profile->tree.nnodes; id++)
		for (size_t run = 0; run < profile->nruns; run++)
			weights[file_of(profile, id)] += ctree_weight(&profile->tree, run, id);
	return weights;
}

void
by_file_select(struct profile *into, const struct profile *from, const bool *keep)
{
	profile_init(into);
	profile_append(into, from);
	for (size_t run = 0; run < into->nruns; run++) {
		const double all = profile_column_total(into, run);

		/* The nodes and frames of a copy are those of the original. */
		for (node_id id = 1; id < into->tree.nnodes; id++)
			if (!keep[file_of(from, id)] && ctree_weight(&into->tree, run, id) > 0)
				ctree_set(&into->tree, run, id, 0);
		if (all > 0)
			into->runs[run].cost_total *= profile_column_total(into, run) / all;
	}
	profile_sort(into);
}
