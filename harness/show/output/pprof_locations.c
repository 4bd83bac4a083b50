#include "output/pprof_locations.h"

#include "base/file.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define COMM_MAX 15

/* An inlined frame without a caller is a separate place. */
static bool
is_inlined(const struct profile *profile, node_id node)
{
	const struct ctree_node *at = &profile->tree.nodes[node];

	return profile->frames.frames[at->frame].kind == FRAME_INLINED && at->parent != CTREE_ROOT;
}

static uint32_t
mapping_of(struct pprof_locations *locations, frame_id id)
{
	const struct frame *frame = &locations->profile->frames.frames[id];

	if (frame->module == 0)
		return 0;
	return key_map_add(&locations->mappings, key_of_pair(frame->module, frame->build_id)) + 1;
}

/* The names that stacks begin with: of threads or processes. */
static void
take_roots(const struct profile *profile, struct strtab *roots)
{
	strtab_init(roots);
	for (node_id node = 1; node < profile->tree.nnodes; node++)
		if (profile->tree.nodes[node].parent == CTREE_ROOT)
			strtab_intern_str(roots,
				profile_frame_name(profile, profile->tree.nodes[node].frame));
}

/* The kernel keeps the beginning of a name. */
static bool
is_root(const struct strtab *roots, const char *name)
{
	return strtab_find(roots, name, strlen(name)) != 0 ||
	       strtab_find(roots, name, strnlen(name, COMM_MAX)) != 0;
}

/* The first mapping is taken to be the program's: a file with the name of a root, or any file. */
static void
add_program(struct pprof_locations *locations)
{
	const struct profile *profile = locations->profile;
	struct strtab roots;
	frame_id program = 0;

	take_roots(profile, &roots);
	for (frame_id id = 1; id < profile->frames.nframes; id++) {
		const char *path = strtab_str(&profile->strings, profile->frames.frames[id].module);

		if (*path == '\0' || *path == '[')
			continue;
		if (program == 0)
			program = id;
		if (is_root(&roots, file_basename(path))) {
			program = id;
			break;
		}
	}
	strtab_release(&roots);
	if (program != 0)
		mapping_of(locations, program);
}

void
pprof_locations_init(struct pprof_locations *locations, const struct profile *profile)
{
	const struct ctree *tree = &profile->tree;

	*locations = (struct pprof_locations){
		.profile = profile, .of_node = mem_zalloc(tree->nnodes, sizeof(uint32_t))};
	for (node_id node = 1; node < tree->nnodes; node++) {
		const struct ctree_node *at = &tree->nodes[node];
		const uint32_t outer =
			is_inlined(profile, node) ? locations->of_node[at->parent] : 0;

		locations->of_node[node] =
			key_map_add(&locations->keys, key_of_pair(outer, at->frame)) + 1;
	}
	add_program(locations);
	locations->used = mem_zalloc(locations->keys.count + 1, sizeof(*locations->used));
	locations->mapping_of =
		mem_zalloc(locations->keys.count + 1, sizeof(*locations->mapping_of));
	for (uint32_t i = 0; i < locations->keys.count; i++) {
		const uint32_t outer = pprof_locations_outer(locations, i + 1);

		locations->mapping_of[i] =
			outer > 0 ? locations->mapping_of[outer - 1]
				  : mapping_of(locations, pprof_locations_frame(locations, i + 1));
	}
}

void
pprof_locations_release(struct pprof_locations *locations)
{
	free(locations->of_node);
	free(locations->used);
	free(locations->mapping_of);
	key_map_release(&locations->keys);
	key_map_release(&locations->mappings);
}

uint32_t
pprof_locations_next(struct pprof_locations *locations, node_id *node)
{
	const struct ctree_node *nodes = locations->profile->tree.nodes;
	const uint32_t location = locations->of_node[*node];

	while (is_inlined(locations->profile, *node))
		*node = nodes[*node].parent;
	*node = nodes[*node].parent;
	locations->used[location - 1] = true;
	return location;
}

uint32_t
pprof_locations_outer(const struct pprof_locations *locations, uint32_t location)
{
	return (uint32_t)(locations->keys.keys[location - 1] >> 32);
}

frame_id
pprof_locations_frame(const struct pprof_locations *locations, uint32_t location)
{
	return (frame_id)locations->keys.keys[location - 1];
}
