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
#include "base/mem.h"
#include "base/sort.h"
#include "ingest/cpuprofile_internal.h"
#include "ingest/ingest.h"
#include "ingest/ingest_internal.h"
#include "profile/profile.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
		reading->sampled[reading->nsampled] =
			cpuprofile_find_node(reading, cpuprofile_read_id(json));
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
		if (reading->sampled[i] == V8_NODE_NONE)
			return cpuprofile_refuse_element(
				reading, "samples", i, "there is no node of this id", err);
		if (i >= reading->ntimes || isnan(reading->times[i]))
			return cpuprofile_refuse_element(reading, root_keys[key], i,
				"expected the time of this sample", err);
		now = deltas ? now + reading->times[i] : reading->times[i];
		reading->times[i] = now;
	}
	if (reading->ntimes > reading->nsampled)
		return cpuprofile_refuse_element(reading, root_keys[key], reading->nsampled,
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
		return root->has[key] ? cpuprofile_read_nodes(reading, err) : 0;
	case ROOT_HEAD:
		root->has[key] = json_pull_object(json);
		return root->has[key] ? cpuprofile_read_head(reading, err) : 0;
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
	return cpuprofile_enter_nodes(reading, err) < 0 ? -1 : weigh(reading, &root, err);
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
