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
#include "base/key_map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "ingest/describe.h"
#include "ingest/ingest.h"
#include "ingest/json_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
/* Beyond it a double is no number of its own. */
#define WHOLE_MAX 9007199254740992.0
/* The node of the time in which nothing ran. */
#define IDLE "(idle)"

struct v8_node {
	const cJSON *json;
	uint32_t parent; /* NONE: a root */
	node_id tree;    /* CTREE_NONE: not entered yet */
	bool idle;
};

struct reading {
	struct profile *profile;
	const char *path;
	size_t column;
	double scale;
	struct v8_node *nodes;
	size_t nnodes;
	size_t capacity;
	struct key_map ids; /* of the file -> number of the node */
};

static bool
detect_cpuprofile(const char *bytes, size_t len)
{
	return json_file_begins(bytes, len) && memmem(bytes, len, "\"functionName\"", 14) &&
	       !memmem(bytes, len, "\"traceEvents\"", 13) &&
	       (memmem(bytes, len, "\"nodes\"", 7) || memmem(bytes, len, "\"head\"", 6));
}

static int
refuse_cpuprofile(const struct reading *reading, const char *list, size_t number, const char *what,
	struct err *err)
{
	return err_set(err, ERR_INPUT, "%s: %s[%zu]: %s", reading->path, list, number, what);
}

static const cJSON *
member(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* Adds a node, whose id must be its own. */
static int
add_node(struct reading *reading, const cJSON *json, uint32_t parent, struct err *err)
{
	const size_t number = reading->nnodes;
	size_t id = number;

	if (number == NONE || !cJSON_IsObject(json))
		return refuse_cpuprofile(reading, "nodes", number, "this is no node", err);
	if (member(json, "id") && !json_file_whole(member(json, "id"), WHOLE_MAX, &id))
		return refuse_cpuprofile(
			reading, "nodes", number, "its id is no whole number", err);
	if (key_map_add(&reading->ids, id) != number)
		return refuse_cpuprofile(
			reading, "nodes", number, "its id is another node's, too", err);
	reading->nodes =
		mem_grow(reading->nodes, &reading->capacity, number + 1, sizeof(*reading->nodes));
	reading->nodes[reading->nnodes++] =
		(struct v8_node){.json = json, .parent = parent, .tree = CTREE_NONE};
	return 0;
}

/* The number of the node with this id; NONE if there is none. */
static uint32_t
find_node(const struct reading *reading, const cJSON *id)
{
	size_t number;

	return json_file_whole(id, WHOLE_MAX, &number) ? key_map_find(&reading->ids, number) : NONE;
}

static int
set_parent(struct reading *reading, uint32_t child, uint32_t parent, struct err *err)
{
	struct v8_node *node = &reading->nodes[child];

	if (node->parent != NONE && node->parent != parent)
		return refuse_cpuprofile(
			reading, "nodes", child, "it is a child of two nodes", err);
	node->parent = parent;
	return 0;
}

/* A list of nodes, which know their children, or their parent, by id. */
static int
read_list(struct reading *reading, const cJSON *list, struct err *err)
{
	for (const cJSON *json = list->child; json; json = json->next)
		if (add_node(reading, json, NONE, err) < 0)
			return -1;
	for (uint32_t i = 0; i < reading->nnodes; i++) {
		const cJSON *json = reading->nodes[i].json;
		const cJSON *parent = member(json, "parent");

		if (parent && find_node(reading, parent) == NONE)
			return refuse_cpuprofile(reading, "nodes", i, "its parent is no node", err);
		if (parent && set_parent(reading, i, find_node(reading, parent), err) < 0)
			return -1;
		for (const cJSON *id = json_file_first(member(json, "children")); id;
			id = id->next) {
			const uint32_t child = find_node(reading, id);

			if (child == NONE)
				return refuse_cpuprofile(
					reading, "nodes", i, "one of its children is no node", err);
			if (set_parent(reading, child, i, err) < 0)
				return -1;
		}
	}
	return 0;
}

/* Nodes within nodes. */
static int
read_nested(struct reading *reading, const cJSON *head, struct err *err)
{
	if (add_node(reading, head, NONE, err) < 0)
		return -1;
	for (uint32_t i = 0; i < reading->nnodes; i++) {
		const cJSON *children = member(reading->nodes[i].json, "children");

		for (const cJSON *json = json_file_first(children); json; json = json->next)
			if (add_node(reading, json, i, err) < 0)
				return -1;
	}
	return 0;
}

/* A function without a name is distinguished from those of other files. */
static frame_id
frame_of(struct reading *reading, struct v8_node *node)
{
	struct profile *profile = reading->profile;
	const cJSON *call = member(node->json, "callFrame");
	const cJSON *place = call ? call : node->json;
	const char *name = json_file_text(place, "functionName");
	const char *url = json_file_text(place, "url");
	const char *slash = strrchr(url, '/');
	const cJSON *line = member(place, "lineNumber");
	char *unnamed =
		*name ? NULL
		      : mem_printf("(anonymous%s%s)", *url ? " " : "", slash ? slash + 1 : url);

	if (unnamed)
		name = unnamed;
	node->idle = strcmp(name, IDLE) == 0 && !*url;
	const frame_id id = profile_frame(profile, name, strlen(name), FRAME_USER);
	struct frame *frame = &profile->frames.frames[id];

	describe_set(profile, &frame->file, url);
	/* Lines count from 0 there; -1 is none. */
	if (frame->line == 0 && *url && cJSON_IsNumber(line) && line->valuedouble >= 0 &&
		line->valuedouble < UINT32_MAX)
		frame->line = (uint32_t)line->valuedouble + 1;
	free(unnamed);
	return id;
}

/* Enters the nodes into the tree, each after its parent. */
static int
enter_nodes(struct reading *reading, struct err *err)
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
			result = refuse_cpuprofile(reading, "nodes", i, "it is below itself", err);
		while (result == 0 && depth > 0) {
			struct v8_node *node = &reading->nodes[path[--depth]];
			const node_id parent = node->parent == NONE
						       ? CTREE_ROOT
						       : reading->nodes[node->parent].tree;

			node->tree = ctree_child(tree, parent, frame_of(reading, node));
		}
	}
	free(path);
	return result;
}

static void
add_weight(struct reading *reading, uint32_t node, double weight)
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

/* Each has the time until the next one; V8 does not write all of them in their order. */
static void
add_samples(struct reading *reading, struct sample *samples, size_t count, double end)
{
	qsort(samples, count, sizeof(*samples), compare_samples);
	for (size_t i = 0; i < count; i++)
		add_weight(reading, samples[i].node,
			(i + 1 < count ? samples[i + 1].at : end) - samples[i].at);
}

/* Reads `samples`, whose times are in the list `key`: since the one before, or all of one clock. */
static int
read_samples(struct reading *reading, const cJSON *root, const char *key, bool deltas,
	struct sample *samples, struct err *err)
{
	const cJSON *time = json_file_first(member(root, key));
	const cJSON *start = member(root, "startTime");
	const cJSON *end = member(root, "endTime");
	const bool spans = deltas && cJSON_IsNumber(start) && cJSON_IsNumber(end);
	size_t count = 0;
	double now = 0;

	for (const cJSON *id = json_file_first(member(root, "samples")); id; id = id->next) {
		const uint32_t node = find_node(reading, id);

		if (node == NONE)
			return refuse_cpuprofile(
				reading, "samples", count, "there is no node of this id", err);
		if (!cJSON_IsNumber(time) || !isfinite(time->valuedouble))
			return refuse_cpuprofile(
				reading, key, count, "expected the time of this sample", err);
		now = deltas ? now + time->valuedouble : time->valuedouble;
		samples[count] = (struct sample){now, node, (uint32_t)count};
		count++;
		time = time->next;
	}
	if (time)
		return refuse_cpuprofile(
			reading, key, count, "there is no sample of this time", err);
	if (spans && end->valuedouble < start->valuedouble)
		return err_set(err, ERR_INPUT, "%s: endTime is before startTime", reading->path);
	add_samples(reading, samples, count, spans ? end->valuedouble - start->valuedouble : now);
	return 0;
}

static int
read_times(struct reading *reading, const cJSON *root, struct err *err)
{
	const bool deltas = cJSON_IsArray(member(root, "timeDeltas"));
	const size_t count = (size_t)cJSON_GetArraySize(member(root, "samples"));
	struct sample *samples = mem_zalloc(count + 1, sizeof(*samples));
	struct profile *profile = reading->profile;

	reading->scale = describe_unit(profile, "us", strlen("us"));
	int result = read_samples(
		reading, root, deltas ? "timeDeltas" : "timestamps", deltas, samples, err);

	free(samples);
	return result;
}

/* The weights that the nodes have themselves. */
static int
read_own_weights(struct reading *reading, const char *key, struct err *err)
{
	reading->scale = 1;
	for (uint32_t i = 0; i < reading->nnodes; i++) {
		const cJSON *weight = member(reading->nodes[i].json, key);

		if (!weight)
			continue;
		if (!cJSON_IsNumber(weight) || !(weight->valuedouble >= 0) ||
			!isfinite(weight->valuedouble))
			return err_set(err, ERR_INPUT,
				"%s: nodes[%u]: its %s is no number of 0 or more", reading->path,
				(unsigned)i, key);
		add_weight(reading, i, weight->valuedouble);
	}
	return 0;
}

static int
read_weights(struct reading *reading, const cJSON *root, struct err *err)
{
	struct profile *profile = reading->profile;
	const bool has_times = cJSON_IsArray(member(root, "timeDeltas")) ||
			       cJSON_IsArray(member(root, "timestamps"));

	if (reading->nnodes > 0 && member(reading->nodes[0].json, "selfSize")) {
		describe_set(profile, &profile->unit, "bytes");
		return read_own_weights(reading, "selfSize", err);
	}
	describe_set(profile, &profile->metric, "cpu");
	if (cJSON_IsArray(member(root, "samples")) && has_times)
		return read_times(reading, root, err);
	return read_own_weights(reading, "hitCount", err);
}

static int
read_root(struct reading *reading, const cJSON *root, struct err *err)
{
	const cJSON *list = member(root, "nodes");
	const cJSON *head = member(root, "head");

	reading->column = profile_add_run(reading->profile);
	if (!cJSON_IsArray(list) && !cJSON_IsObject(head))
		return err_set(
			err, ERR_INPUT, "%s: has no list \"nodes\" and no \"head\"", reading->path);
	if ((cJSON_IsArray(list) ? read_list(reading, list, err)
				 : read_nested(reading, head, err)) < 0 ||
		enter_nodes(reading, err) < 0 || read_weights(reading, root, err) < 0)
		return -1;
	return 0;
}

static int
read_cpuprofile(struct profile *profile, const struct file_view *view, const char *path,
	const struct ingest_options *options, struct err *err)
{
	struct reading reading = {.profile = profile, .path = path};
	cJSON *root = json_file_parse(view, path, err);

	(void)options;
	if (!root)
		return -1;
	int result = read_root(&reading, root, err);

	if (result == 0)
		describe_set(profile, &profile->event, "v8");
	key_map_release(&reading.ids);
	free(reading.nodes);
	cJSON_Delete(root);
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
