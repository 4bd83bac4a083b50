/*
 * The call tree in a profile of V8: reads its nodes, joins them by their ids, and enters them into
 * the profile's tree.
 */
#include "base/mem.h"
#include "ingest/cpuprofile_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The node of the time in which nothing ran. */
#define IDLE "(idle)"

int
cpuprofile_refuse_element(const struct cpuprofile_reading *reading, const char *list, size_t number,
	const char *what, struct err *err)
{
	if (json_pull_failed(&reading->json))
		return -1;
	return err_set(err, ERR_INPUT, "%s: %s[%zu]: %s", reading->path, list, number, what);
}

/* The function of a node: in its "callFrame", or in itself. */
struct place {
	str_id name;
	str_id url;
	double line; /* from 0; -1: none */
};

static str_id
read_name(struct cpuprofile_reading *reading)
{
	struct json_text text;

	return json_pull_text(&reading->json, &text)
		       ? strtab_intern(&reading->profile->strings, text.at, text.len)
		       : 0;
}

#define PLACE_KEYS "functionName", "url", "lineNumber"
#define PLACE_NKEYS 3

static void
read_place_field(struct cpuprofile_reading *reading, int key, struct place *place)
{
	if (key == 0)
		place->name = read_name(reading);
	else if (key == 1)
		place->url = read_name(reading);
	else
		json_pull_number(&reading->json, &place->line);
}

static struct place
read_call(struct cpuprofile_reading *reading)
{
	static const char *const keys[] = {PLACE_KEYS, NULL};
	struct json_fields fields = JSON_FIELDS(keys);
	struct place place = {.line = -1};

	if (json_pull_object(&reading->json))
		for (int key; (key = json_pull_field(&reading->json, &fields)) >= 0;)
			read_place_field(reading, key, &place);
	return place;
}

/* A function without a name is distinguished from those of other files. */
static void
set_place(struct profile *profile, struct v8_node *node, const struct place *place)
{
	const char *url = strtab_str(&profile->strings, place->url);
	const char *slash = strrchr(url, '/');

	node->name = place->name;
	node->url = place->url;
	node->idle =
		place->url == 0 && strcmp(strtab_str(&profile->strings, place->name), IDLE) == 0;
	if (place->url != 0 && place->line >= 0 && place->line < UINT32_MAX)
		node->line = (uint32_t)place->line + 1;
	if (node->name != 0)
		return;
	char *unnamed = mem_printf("(anonymous%s%s)", *url ? " " : "", slash ? slash + 1 : url);

	node->name = strtab_intern_str(&profile->strings, unnamed);
	free(unnamed);
}

static double
read_weight(struct json_pull *json)
{
	double weight;

	return json_pull_number(json, &weight) && weight >= 0 && isfinite(weight) ? weight : -1;
}

static void
read_child_ids(struct cpuprofile_reading *reading)
{
	struct json_pull *json = &reading->json;

	if (!json_pull_list(json))
		return;
	while (json_pull_item(json)) {
		reading->children = mem_grow(reading->children, &reading->children_capacity,
			reading->nchildren + 1, sizeof(*reading->children));
		reading->children[reading->nchildren++] = cpuprofile_read_id(json);
	}
}

static int read_nodes(
	struct cpuprofile_reading *reading, uint32_t parent, bool nested, struct err *err);

enum node_key {
	NODE_CALL = PLACE_NKEYS,
	NODE_ID,
	NODE_PARENT,
	NODE_HITS,
	NODE_BYTES,
	NODE_CHILDREN,
};

/* The members of a node beside its place and its children. */
static void
read_node_field(struct cpuprofile_reading *reading, enum node_key key, struct v8_node *node)
{
	struct json_pull *json = &reading->json;

	if (key == NODE_ID) {
		node->id = cpuprofile_read_id(json);
	} else if (key == NODE_PARENT) {
		node->parent_id = cpuprofile_read_id(json);
	} else if (key == NODE_HITS) {
		node->hits = read_weight(json);
	} else {
		node->bytes = read_weight(json);
		node->has_bytes = true;
	}
}

/* The node whose object was entered; with `nested` its children are nodes, else their ids. */
static int
read_node(struct cpuprofile_reading *reading, uint32_t parent, bool nested, struct err *err)
{
	static const char *const keys[] = {
		PLACE_KEYS, "callFrame", "id", "parent", "hitCount", "selfSize", "children", NULL};
	struct json_fields fields = JSON_FIELDS(keys);
	struct place place = {.line = -1};
	struct place call = {.line = -1};
	const size_t number = reading->nnodes++;
	struct v8_node node = {
		.parent = parent, .tree = CTREE_NONE, .id = number, .parent_id = V8_ID_NONE};

	reading->nodes = mem_grow(
		reading->nodes, &reading->capacity, reading->nnodes, sizeof(*reading->nodes));
	for (int key; (key = json_pull_field(&reading->json, &fields)) >= 0;) {
		if (key < PLACE_NKEYS)
			read_place_field(reading, key, &place);
		else if (key == NODE_CALL)
			call = read_call(reading);
		else if (key != NODE_CHILDREN)
			read_node_field(reading, (enum node_key)key, &node);
		else if (!nested)
			read_child_ids(reading);
		else if (json_pull_list(&reading->json) &&
			 read_nodes(reading, (uint32_t)number, true, err) < 0)
			return -1;
	}
	node.children_end = reading->nchildren;
	set_place(reading->profile, &node, json_fields_has(&fields, NODE_CALL) ? &call : &place);
	reading->nodes[number] = node;
	return 0;
}

/* Reads the nodes of the list that was entered; nodes may hold lists of nodes (`nested`). */
static int
read_nodes(struct cpuprofile_reading *reading, uint32_t parent, bool nested, struct err *err)
{
	while (json_pull_item(&reading->json)) {
		if (reading->nnodes == V8_NODE_NONE || !json_pull_object(&reading->json))
			return cpuprofile_refuse_element(
				reading, "nodes", reading->nnodes, "this is no node", err);
		if (read_node(reading, parent, nested, err) < 0)
			return -1;
	}
	return 0;
}

/* A table where V8 has counted the ids from 1, as it does. */
static void
make_id_table(struct cpuprofile_reading *reading)
{
	const uint64_t most = 2 * (uint64_t)reading->nnodes + 1024;
	uint64_t largest = 0;

	for (size_t i = 0; i < reading->nnodes; i++)
		largest = reading->nodes[i].id > largest ? reading->nodes[i].id : largest;
	if (largest >= most)
		return;
	reading->nby_id = (size_t)largest + 1;
	reading->by_id = mem_zalloc(reading->nby_id, sizeof(*reading->by_id));
	memset(reading->by_id, 0xff, reading->nby_id * sizeof(*reading->by_id));
}

/* The nodes by their ids, which must be their own. */
static int
number_nodes(struct cpuprofile_reading *reading, struct err *err)
{
	make_id_table(reading);
	for (size_t i = 0; i < reading->nnodes; i++) {
		const uint64_t id = reading->nodes[i].id;

		if (id == V8_ID_BAD)
			return cpuprofile_refuse_element(
				reading, "nodes", i, "its id is no whole number", err);
		if (cpuprofile_find_node(reading, id) != V8_NODE_NONE)
			return cpuprofile_refuse_element(
				reading, "nodes", i, "its id is another node's, too", err);
		if (reading->by_id)
			reading->by_id[id] = (uint32_t)i;
		else
			key_map_add(&reading->ids, id);
	}
	return 0;
}

static int
set_parent(struct cpuprofile_reading *reading, uint32_t child, uint32_t parent, struct err *err)
{
	struct v8_node *node = &reading->nodes[child];

	if (node->parent != V8_NODE_NONE && node->parent != parent)
		return cpuprofile_refuse_element(
			reading, "nodes", child, "it is a child of two nodes", err);
	node->parent = parent;
	return 0;
}

/* Nodes of a list know their children, or their parent, by id. */
static int
link_nodes(struct cpuprofile_reading *reading, struct err *err)
{
	size_t child = 0;

	for (uint32_t i = 0; i < reading->nnodes; i++) {
		const struct v8_node node = reading->nodes[i];
		const uint32_t parent = cpuprofile_find_node(reading, node.parent_id);

		if (node.parent_id != V8_ID_NONE && parent == V8_NODE_NONE)
			return cpuprofile_refuse_element(
				reading, "nodes", i, "its parent is no node", err);
		if (node.parent_id != V8_ID_NONE && set_parent(reading, i, parent, err) < 0)
			return -1;
		for (; child < node.children_end; child++) {
			const uint32_t number =
				cpuprofile_find_node(reading, reading->children[child]);

			if (number == V8_NODE_NONE)
				return cpuprofile_refuse_element(
					reading, "nodes", i, "one of its children is no node", err);
			if (set_parent(reading, number, i, err) < 0)
				return -1;
		}
	}
	return 0;
}

int
cpuprofile_read_nodes(struct cpuprofile_reading *reading, struct err *err)
{
	return read_nodes(reading, V8_NODE_NONE, false, err) < 0 ||
			       json_pull_failed(&reading->json) || number_nodes(reading, err) < 0
		       ? -1
		       : link_nodes(reading, err);
}

int
cpuprofile_read_head(struct cpuprofile_reading *reading, struct err *err)
{
	return read_node(reading, V8_NODE_NONE, true, err) < 0 || json_pull_failed(&reading->json)
		       ? -1
		       : number_nodes(reading, err);
}

static frame_id
frame_of_node(struct profile *profile, const struct v8_node *node)
{
	const char *name = strtab_str(&profile->strings, node->name);
	const frame_id id =
		profile_frame(profile, name, strtab_len(&profile->strings, node->name), FRAME_USER);
	struct frame *frame = &profile->frames.frames[id];

	if (frame->file == 0)
		frame->file = node->url;
	if (frame->line == 0)
		frame->line = node->line;
	return id;
}

int
cpuprofile_enter_nodes(struct cpuprofile_reading *reading, struct err *err)
{
	struct ctree *tree = &reading->profile->tree;
	uint32_t *path = mem_zalloc(reading->nnodes + 1, sizeof(*path));
	int result = 0;

	for (uint32_t i = 0; result == 0 && i < reading->nnodes; i++) {
		uint32_t at = i;
		size_t depth = 0;

		while (at != V8_NODE_NONE && reading->nodes[at].tree == CTREE_NONE &&
			depth <= reading->nnodes) {
			path[depth++] = at;
			at = depth <= reading->nnodes ? reading->nodes[at].parent : V8_NODE_NONE;
		}
		if (depth > reading->nnodes)
			result = cpuprofile_refuse_element(
				reading, "nodes", i, "it is below itself", err);
		while (result == 0 && depth > 0) {
			struct v8_node *node = &reading->nodes[path[--depth]];
			const node_id parent = node->parent == V8_NODE_NONE
						       ? CTREE_ROOT
						       : reading->nodes[node->parent].tree;

			node->tree =
				ctree_child(tree, parent, frame_of_node(reading->profile, node));
		}
	}
	free(path);
	return result;
}
