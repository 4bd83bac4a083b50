/*
 * Profiles that V8 writes, as JSON: .cpuprofile of `node --cpu-prof`, Chrome's developer tools and
 * Deno, and .heapprofile of `node --heap-prof`. Its nodes are a call tree, as a list ("nodes") or
 * one within another ("head"), and their weights are
 *
 *     samples, timeDeltas    the node of each sample, and the microseconds since the one before
 *     samples, timestamps    the same with times, in old files
 *     selfSize               bytes, in a heap profile
 *     hitCount               numbers of samples, where a file has no times
 *
 * A sample has the time until the next one. Source: the Profiler and HeapProfiler domains of the
 * Chrome DevTools Protocol; CPUProfileDataModel.ts of DevTools for what the times mean.
 */
#include "base/err.h"
#include "base/json_pull.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "ingest/ingest.h"
#include "ingest/ingest_internal.h"
#include "profile/profile.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* No node. */
#define NONE UINT32_MAX

struct v8_node {
	str_id name;
	str_id url;
	uint32_t line;   /* from 1; 0: none */
	uint32_t parent; /* NONE: a root */
	node_id tree;    /* CTREE_NONE: not entered yet */
	bool idle;
	bool has_bytes;
	uint64_t id;
	uint64_t parent_id;  /* NO_ID: none */
	size_t children_end; /* in the list of all nodes' children */
	double hits;         /* -1: no number of 0 or more */
	double bytes;
};

struct cpuprofile_reading {
	struct json_pull json;
	struct profile *profile;
	const char *path;
	size_t column;
	double scale;
	struct v8_node *nodes;
	size_t nnodes;
	size_t capacity;
	uint64_t *children; /* ids, of one node after the other */
	size_t nchildren;
	size_t children_capacity;
	uint32_t *by_id; /* the number of the node with this id; NULL where these are large */
	size_t nby_id;
	struct key_map ids; /* the same then */
	uint32_t *sampled;  /* the node of each sample; NONE: there is none with its id */
	size_t nsampled;
	size_t sampled_capacity;
	double *times; /* of each sample; NAN: no number */
	size_t ntimes;
	size_t times_capacity;
};

/* In the place of an id, which is below JSON_PULL_WHOLE_MAX. */
#define NO_ID UINT64_MAX
#define BAD_ID (UINT64_MAX - 1)
/* The node of the time in which nothing ran. */
#define IDLE "(idle)"

/*
 * An error about an element of a list. Of what is no JSON the reader of JSON has the error; then
 * nothing is set.
 */
static int
refuse_element(const struct cpuprofile_reading *reading, const char *list, size_t number,
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

/* A number as an id; one that no node has where it is none. */
static uint64_t
read_id(struct json_pull *json)
{
	uint64_t id = BAD_ID;

	json_pull_whole(json, JSON_PULL_WHOLE_MAX, &id);
	return id;
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
		reading->children[reading->nchildren++] = read_id(json);
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
		node->id = read_id(json);
	} else if (key == NODE_PARENT) {
		node->parent_id = read_id(json);
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
		.parent = parent, .tree = CTREE_NONE, .id = number, .parent_id = NO_ID};

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
		if (reading->nnodes == NONE || !json_pull_object(&reading->json))
			return refuse_element(
				reading, "nodes", reading->nnodes, "this is no node", err);
		if (read_node(reading, parent, nested, err) < 0)
			return -1;
	}
	return 0;
}

/* The number of the node with this id. */
static uint32_t
find_node(const struct cpuprofile_reading *reading, uint64_t id)
{
	if (!reading->by_id)
		return key_map_find(&reading->ids, id);
	return id < reading->nby_id ? reading->by_id[id] : NONE;
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

		if (id == BAD_ID)
			return refuse_element(
				reading, "nodes", i, "its id is no whole number", err);
		if (find_node(reading, id) != NONE)
			return refuse_element(
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

	if (node->parent != NONE && node->parent != parent)
		return refuse_element(reading, "nodes", child, "it is a child of two nodes", err);
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
		const uint32_t parent = find_node(reading, node.parent_id);

		if (node.parent_id != NO_ID && parent == NONE)
			return refuse_element(reading, "nodes", i, "its parent is no node", err);
		if (node.parent_id != NO_ID && set_parent(reading, i, parent, err) < 0)
			return -1;
		for (; child < node.children_end; child++) {
			const uint32_t number = find_node(reading, reading->children[child]);

			if (number == NONE)
				return refuse_element(
					reading, "nodes", i, "one of its children is no node", err);
			if (set_parent(reading, number, i, err) < 0)
				return -1;
		}
	}
	return 0;
}

/* Reads the nodes of the list that was entered, and joins them. */
static int
read_node_list(struct cpuprofile_reading *reading, struct err *err)
{
	return read_nodes(reading, NONE, false, err) < 0 || json_pull_failed(&reading->json) ||
			       number_nodes(reading, err) < 0
		       ? -1
		       : link_nodes(reading, err);
}

/* The same of nodes within a node, whose object was entered. */
static int
read_head(struct cpuprofile_reading *reading, struct err *err)
{
	return read_node(reading, NONE, true, err) < 0 || json_pull_failed(&reading->json)
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

/* Enters the nodes into the profile's tree, each after its parent. */
static int
enter_nodes(struct cpuprofile_reading *reading, struct err *err)
{
	struct ctree *tree = &reading->profile->tree;
	uint32_t *path = mem_zalloc(reading->nnodes + 1, sizeof(*path));
	int result = 0;

	for (uint32_t i = 0; result == 0 && i < reading->nnodes; i++) {
		uint32_t at = i;
		size_t depth = 0;

		while (at != NONE && reading->nodes[at].tree == CTREE_NONE &&
			depth <= reading->nnodes) {
			path[depth++] = at;
			at = depth <= reading->nnodes ? reading->nodes[at].parent : NONE;
		}
		if (depth > reading->nnodes)
			result = refuse_element(reading, "nodes", i, "it is below itself", err);
		while (result == 0 && depth > 0) {
			struct v8_node *node = &reading->nodes[path[--depth]];
			const node_id parent = node->parent == NONE
						       ? CTREE_ROOT
						       : reading->nodes[node->parent].tree;

			node->tree =
				ctree_child(tree, parent, frame_of_node(reading->profile, node));
		}
	}
	free(path);
	return result;
}

static bool
detect_cpuprofile(const char *bytes, size_t len)
{
	return json_file_begins(bytes, len) && memmem(bytes, len, "\"functionName\"", 14) &&
	       !memmem(bytes, len, "\"traceEvents\"", 13) &&
	       (memmem(bytes, len, "\"nodes\"", 7) || memmem(bytes, len, "\"head\"", 6));
}

static void
add_weight(struct cpuprofile_reading *reading, uint32_t node, double weight)
{
	if (!(weight > 0) || reading->nodes[node].idle)
		return;
	ctree_add(&reading->profile->tree, reading->column, reading->nodes[node].tree,
		weight * reading->scale);
}

/* A sample; its time is since the profile's start, in us. */
struct sample {
	double at;
	uint32_t node;
	uint32_t number;
};

static int
compare_samples(const void *a, const void *b)
{
	const struct sample *x = a;
	const struct sample *y = b;
	const int order = sort_order(x->at, y->at);

	return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

/*
 * Each has the time until the next one. V8 does not write all of them in their order; most files
 * have them in order, and are spared the sorting.
 */
static void
add_sorted(struct cpuprofile_reading *reading, double end)
{
	const size_t count = reading->nsampled;
	struct sample *samples = mem_zalloc(count + 1, sizeof(*samples));

	for (size_t i = 0; i < count; i++)
		samples[i] = (struct sample){reading->times[i], reading->sampled[i], (uint32_t)i};
	qsort(samples, count, sizeof(*samples), compare_samples);
	for (size_t i = 0; i < count; i++)
		add_weight(reading, samples[i].node,
			(i + 1 < count ? samples[i + 1].at : end) - samples[i].at);
	free(samples);
}

static void
add_samples(struct cpuprofile_reading *reading, double end)
{
	const size_t count = reading->nsampled;
	const double *times = reading->times;

	for (size_t i = 1; i < count; i++) {
		if (times[i] < times[i - 1]) {
			add_sorted(reading, end);
			return;
		}
	}
	for (size_t i = 0; i < count; i++)
		add_weight(reading, reading->sampled[i],
			(i + 1 < count ? times[i + 1] : end) - times[i]);
}

/* The members beside the nodes, and their places in `root_keys`. */
enum root_key {
	ROOT_NODES,
	ROOT_HEAD,
	ROOT_SAMPLES,
	ROOT_DELTAS,
	ROOT_STAMPS,
	ROOT_START,
	ROOT_END,
	ROOT_NKEYS,
};

static const char *const root_keys[ROOT_NKEYS + 1] = {
	"nodes", "head", "samples", "timeDeltas", "timestamps", "startTime", "endTime", NULL};

struct root {
	struct json_fields fields;
	bool has[ROOT_NKEYS]; /* as the list or the object that it has to be */
	bool waits[ROOT_NKEYS];
	struct json_place later[ROOT_NKEYS];
	double start; /* NAN: none */
	double end;
};

/* False where it is no list. */
static bool
read_sampled(struct cpuprofile_reading *reading)
{
	struct json_pull *json = &reading->json;

	if (!json_pull_list(json))
		return false;
	for (; json_pull_item(json); reading->nsampled++) {
		reading->sampled = mem_grow(reading->sampled, &reading->sampled_capacity,
			reading->nsampled + 1, sizeof(*reading->sampled));
		reading->sampled[reading->nsampled] = find_node(reading, read_id(json));
	}
	return true;
}

static bool
read_times(struct cpuprofile_reading *reading)
{
	struct json_pull *json = &reading->json;

	if (!json_pull_list(json))
		return false;
	for (; json_pull_item(json); reading->ntimes++) {
		double time;

		if (!json_pull_number(json, &time) || !isfinite(time))
			time = NAN;
		reading->times = mem_grow(reading->times, &reading->times_capacity,
			reading->ntimes + 1, sizeof(*reading->times));
		reading->times[reading->ntimes] = time;
	}
	return true;
}

/* The samples' times are in the list `key`: since the one before, or all of one clock. */
static int
weigh_samples(struct cpuprofile_reading *reading, const struct root *root, enum root_key key,
	struct err *err)
{
	const bool deltas = key == ROOT_DELTAS;
	const bool spans = deltas && !isnan(root->start) && !isnan(root->end);
	double now = 0;

	for (size_t i = 0; i < reading->nsampled; i++) {
		if (reading->sampled[i] == NONE)
			return refuse_element(
				reading, "samples", i, "there is no node of this id", err);
		if (i >= reading->ntimes || isnan(reading->times[i]))
			return refuse_element(reading, root_keys[key], i,
				"expected the time of this sample", err);
		now = deltas ? now + reading->times[i] : reading->times[i];
		reading->times[i] = now;
	}
	if (reading->ntimes > reading->nsampled)
		return refuse_element(reading, root_keys[key], reading->nsampled,
			"there is no sample of this time", err);
	if (spans && root->end < root->start)
		return err_set(err, ERR_INPUT, "%s: endTime is before startTime", reading->path);
	reading->scale = describe_unit(reading->profile, "us", strlen("us"));
	add_samples(reading, spans ? root->end - root->start : now);
	return 0;
}

/* The weights that the nodes have themselves. */
static int
weigh_nodes(struct cpuprofile_reading *reading, bool bytes, struct err *err)
{
	reading->scale = 1;
	for (uint32_t i = 0; i < reading->nnodes; i++) {
		const struct v8_node *node = &reading->nodes[i];
		const double weight = bytes ? node->bytes : node->hits;

		if (weight < 0)
			return err_set(err, ERR_INPUT,
				"%s: nodes[%u]: its %s is no number of 0 or more", reading->path,
				(unsigned)i, bytes ? "selfSize" : "hitCount");
		add_weight(reading, i, weight);
	}
	return 0;
}

static int
weigh(struct cpuprofile_reading *reading, const struct root *root, struct err *err)
{
	struct profile *profile = reading->profile;

	if (reading->nnodes > 0 && reading->nodes[0].has_bytes) {
		describe_set(profile, &profile->unit, "bytes");
		return weigh_nodes(reading, true, err);
	}
	describe_set(profile, &profile->metric, "cpu");
	if (root->has[ROOT_SAMPLES] && root->has[ROOT_DELTAS])
		return weigh_samples(reading, root, ROOT_DELTAS, err);
	if (root->has[ROOT_SAMPLES] && root->has[ROOT_STAMPS])
		return weigh_samples(reading, root, ROOT_STAMPS, err);
	return weigh_nodes(reading, false, err);
}

/*
 * Whether this member can be read now: samples need the ids of the nodes; a head counts where
 * there is no list of nodes, and times of one clock where there are no differences.
 */
static bool
is_ready(const struct root *root, enum root_key key)
{
	if (key == ROOT_SAMPLES)
		return root->has[ROOT_NODES];
	return key != ROOT_HEAD && key != ROOT_STAMPS;
}

static int
read_member(
	struct cpuprofile_reading *reading, struct root *root, enum root_key key, struct err *err)
{
	struct json_pull *json = &reading->json;

	switch (key) {
	case ROOT_NODES:
		root->has[key] = json_pull_list(json);
		return root->has[key] ? read_node_list(reading, err) : 0;
	case ROOT_HEAD:
		root->has[key] = json_pull_object(json);
		return root->has[key] ? read_head(reading, err) : 0;
	case ROOT_SAMPLES:
		root->has[key] = read_sampled(reading);
		break;
	case ROOT_DELTAS:
	case ROOT_STAMPS:
		root->has[key] = read_times(reading);
		break;
	case ROOT_START:
		json_pull_number(json, &root->start);
		break;
	case ROOT_END:
		json_pull_number(json, &root->end);
		break;
	case ROOT_NKEYS:
		break;
	}
	return 0;
}

/* The members that had to wait, in order, without those that do not count. */
static int
read_later(struct cpuprofile_reading *reading, struct root *root, struct err *err)
{
	static const enum root_key keys[] = {ROOT_HEAD, ROOT_SAMPLES, ROOT_STAMPS};
	struct json_pull *json = &reading->json;
	const struct json_place end = json_pull_place(json);

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const enum root_key key = keys[i];
		const bool counts = key == ROOT_HEAD     ? !root->has[ROOT_NODES]
				    : key == ROOT_STAMPS ? !root->has[ROOT_DELTAS]
							 : !root->has[ROOT_SAMPLES];

		if (!counts || !root->waits[key])
			continue;
		json_pull_go(json, root->later[key]);
		if (read_member(reading, root, key, err) < 0)
			return -1;
	}
	json_pull_go(json, end);
	return 0;
}

static int
read_members(struct cpuprofile_reading *reading, struct root *root, struct err *err)
{
	struct json_pull *json = &reading->json;

	if (json_pull_object(json)) {
		for (int key; (key = json_pull_field(json, &root->fields)) >= 0;) {
			if (is_ready(root, (enum root_key)key)) {
				if (read_member(reading, root, (enum root_key)key, err) < 0)
					return -1;
				continue;
			}
			root->later[key] = json_pull_place(json);
			root->waits[key] = true;
			json_pull_skip(json);
		}
	}
	return json_pull_failed(json) ? -1 : read_later(reading, root, err);
}

static int
read_root(struct cpuprofile_reading *reading, struct err *err)
{
	struct root root = {.fields = JSON_FIELDS(root_keys), .start = NAN, .end = NAN};

	reading->column = profile_add_run(reading->profile);
	const int result = read_members(reading, &root, err);

	if (json_pull_end(&reading->json, result, JSON_FILE_MORE, err) < 0)
		return -1;
	if (!root.has[ROOT_NODES] && !root.has[ROOT_HEAD])
		return err_set(
			err, ERR_INPUT, "%s: has no list \"nodes\" and no \"head\"", reading->path);
	return enter_nodes(reading, err) < 0 ? -1 : weigh(reading, &root, err);
}

static int
read_cpuprofile(struct profile *profile, const struct file_view *view, const char *path,
	const struct ingest_options *options, struct err *err)
{
	struct cpuprofile_reading reading = {.profile = profile, .path = path};

	(void)options;
	json_pull_init(&reading.json, path, view);
	int result = read_root(&reading, err);

	if (result == 0)
		describe_set(profile, &profile->event, "v8");
	json_pull_release(&reading.json);
	key_map_release(&reading.ids);
	free(reading.by_id);
	free(reading.nodes);
	free(reading.children);
	free(reading.sampled);
	free(reading.times);
	return result;
}

const struct input_format ingest_cpuprofile = {
	.name = "cpuprofile",
	.summary = "the JSON of V8: .cpuprofile and .heapprofile of Node.js and Chrome",
	.detect = detect_cpuprofile,
	.read = read_cpuprofile,
	.if_weightless =
		"it has neither samples with timeDeltas nor nodes with a hitCount, or those of idle time only: record for longer",
};
