#include "profile/files.h"

#include "base/file.h"
#include "base/mem.h"
#include "profile/canonical.h"

#include <stdlib.h>
#include <string.h>

bool
profile_files_next(const char **lines, struct profile_file *file)
{
	const char *end;

	for (; (end = strchr(*lines, '\n')); *lines = end + 1) {
		const char *line = *lines;
		size_t hash_len = strcspn(line, " ");

		/* "HASH  NAME" */
		if (line + hash_len + 2 >= end)
			continue;
		*file = (struct profile_file){
			.hash = line,
			.hash_len = hash_len,
			.name = line + hash_len + 2,
			.name_len = (size_t)(end - line) - hash_len - 2,
			.sampled = line[hash_len + 1] == '*',
		};
		*lines = end + 1;
		return true;
	}
	return false;
}

bool
profile_files_find(const char *lines, const struct profile_file *wanted, struct profile_file *found)
{
	while (profile_files_next(&lines, found)) {
		if (found->name_len == wanted->name_len &&
			memcmp(found->name, wanted->name, wanted->name_len) == 0)
			return true;
	}
	return false;
}

bool
profile_file_is_known(const struct profile_file *file)
{
	return file->hash_len != strlen(PROFILE_FILE_UNKNOWN) ||
	       memcmp(file->hash, PROFILE_FILE_UNKNOWN, file->hash_len) != 0;
}

bool
profile_file_is_same(const struct profile_file *a, const struct profile_file *b)
{
	return profile_file_is_known(a) && a->hash_len == b->hash_len &&
	       memcmp(a->hash, b->hash, a->hash_len) == 0;
}

bool
profile_file_is_built_again(
	const char *code_before, const char *code_after, const struct profile_file *wanted)
{
	struct profile_file one;
	struct profile_file other;

	return profile_files_find(code_before, wanted, &one) &&
	       profile_files_find(code_after, wanted, &other) && profile_file_is_same(&one, &other);
}

static frame_id
file_frame(struct profile *into, const char *path, const char *root)
{
	const char *below = file_path_below(path, root);
	/* callgrind has question marks for a file that it does not know. */
	const char *name = path[0] == '\0' || path[0] == '?' ? BY_FILE_UNKNOWN
			   : below                           ? below
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
