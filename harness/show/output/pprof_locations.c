/*
 * The mappings, locations and functions of a pprof file that is written.
 */
#include "base/file.h"
#include "base/mem.h"
#include "output/pprof_message.h"
#include "profile/pprof_fields.h"

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

/* The location that `location` is inlined in; 0: it is not. */
static uint32_t
outer_of(const struct pprof_locations *locations, uint32_t location)
{
	return (uint32_t)(locations->keys.keys[location - 1] >> 32);
}

/* The innermost function of a location. */
static frame_id
frame_of(const struct pprof_locations *locations, uint32_t location)
{
	return (frame_id)locations->keys.keys[location - 1];
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
		const uint32_t outer = outer_of(locations, i + 1);

		locations->mapping_of[i] =
			outer > 0 ? locations->mapping_of[outer - 1]
				  : mapping_of(locations, frame_of(locations, i + 1));
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

struct places {
	struct pprof_message *message;
	const struct profile *profile;
	const struct pprof_locations *locations;
	frame_id *first; /* by frame: the first one of its function */
	bool *used;      /* functions of locations: by first frame, then those alone */
};

static void
put_text(struct places *places, unsigned field, str_id text)
{
	const struct strtab *strings = &places->profile->strings;

	protobuf_put_number(&places->message->part, field,
		pprof_message_text(
			places->message, strtab_str(strings, text), strtab_len(strings, text)));
}

static void
put_mapping(struct places *places, uint32_t mapping)
{
	const uint64_t key = places->locations->mappings.keys[mapping - 1];

	protobuf_put_number(&places->message->part, PPROF_MAPPING_ID, mapping);
	put_text(places, PPROF_MAPPING_FILE, (str_id)(key >> 32));
	put_text(places, PPROF_MAPPING_BUILD_ID, (str_id)key);
	/* All that is known of names is here: readers need not look for the files. */
	protobuf_put_number(&places->message->part, PPROF_MAPPING_HAS_FUNCTIONS, true);
	protobuf_put_number(&places->message->part, PPROF_MAPPING_HAS_FILES, true);
	protobuf_put_number(&places->message->part, PPROF_MAPPING_HAS_INLINED, true);
	protobuf_put_part(&places->message->out, PPROF_MAPPING, &places->message->part);
}

/* By frame: the first one of its function. Frames of one function differ in their lines. */
static frame_id *
first_frames(const struct profile *profile)
{
	const size_t nframes = profile->frames.nframes;
	frame_id *first = mem_zalloc(nframes, sizeof(*first));
	frame_id *of_number = mem_zalloc(nframes, sizeof(*of_number));
	struct key_map functions = {0}; /* (name, kind) */

	for (frame_id id = 0; id < nframes; id++) {
		const struct frame *frame = &profile->frames.frames[id];
		const size_t known = functions.count;
		const uint32_t number =
			key_map_add(&functions, key_of_pair(frame->name, frame->kind));

		if (functions.count > known)
			of_number[number] = id;
		first[id] = of_number[number];
	}
	key_map_release(&functions);
	free(of_number);
	return first;
}

/*
 * The function of a location: its first frame's number. Where it has no line around it that says
 * that it was inlined, its name does, and it is another function.
 */
static uint64_t
function_of(const struct places *places, uint32_t location)
{
	const frame_id frame = frame_of(places->locations, location);
	const struct frame_table *frames = &places->profile->frames;
	const bool alone = frames->frames[frame].kind == FRAME_INLINED &&
			   outer_of(places->locations, location) == 0;

	return (alone ? frames->nframes : 0) + places->first[frame];
}

static uint32_t
line_of(const struct places *places, uint32_t location)
{
	const frame_id frame = frame_of(places->locations, location);

	return places->profile->frames.frames[frame].at_line;
}

/* The innermost function comes first. */
static void
put_location(struct places *places, uint32_t location)
{
	protobuf_put_number(&places->message->part, PPROF_LOCATION_ID, location);
	protobuf_put_number(&places->message->part, PPROF_LOCATION_MAPPING,
		places->locations->mapping_of[location - 1]);
	for (uint32_t at = location; at != 0; at = outer_of(places->locations, at)) {
		const uint64_t function = function_of(places, at);

		places->used[function] = true;
		protobuf_put_number(&places->message->list, PPROF_LINE_FUNCTION, function);
		protobuf_put_number(&places->message->list, PPROF_LINE_NUMBER, line_of(places, at));
		protobuf_put_part(
			&places->message->part, PPROF_LOCATION_LINE, &places->message->list);
	}
	protobuf_put_part(&places->message->out, PPROF_LOCATION, &places->message->part);
}

static void
put_function(struct places *places, uint64_t function)
{
	const struct profile *profile = places->profile;
	const bool alone = function >= profile->frames.nframes;
	const frame_id id = (frame_id)(alone ? function - profile->frames.nframes : function);
	const struct frame *frame = &profile->frames.frames[id];
	struct buf name = {0};

	if (frame->kind == FRAME_INLINED && !alone)
		buf_puts(&name, profile_frame_name(profile, id));
	else
		profile_put_frame(profile, id, &name);
	protobuf_put_number(&places->message->part, PPROF_FUNCTION_ID, function);
	protobuf_put_number(&places->message->part, PPROF_FUNCTION_NAME,
		pprof_message_text(places->message, buf_text(&name), name.len));
	put_text(places, PPROF_FUNCTION_FILE, frame->file);
	protobuf_put_number(&places->message->part, PPROF_FUNCTION_START_LINE, frame->line);
	protobuf_put_part(&places->message->out, PPROF_FUNCTION, &places->message->part);
	buf_release(&name);
}

void
pprof_locations_put(const struct pprof_locations *locations, struct pprof_message *message)
{
	const size_t nframes = locations->profile->frames.nframes;
	struct places places = {
		.message = message,
		.profile = locations->profile,
		.locations = locations,
		.first = first_frames(locations->profile),
		.used = mem_zalloc(2 * nframes, sizeof(*places.used)),
	};

	for (uint32_t i = 1; i <= locations->mappings.count; i++)
		put_mapping(&places, i);
	for (uint32_t i = 1; i <= locations->keys.count; i++)
		if (locations->used[i - 1])
			put_location(&places, i);
	for (size_t i = 1; i < 2 * nframes; i++)
		if (places.used[i])
			put_function(&places, i);
	free(places.used);
	free(places.first);
}
