#include "profile/chart.h"

#include "base/mem.h"

#include <stdlib.h>

/* Depths at which stacks are cut, the outermost frames kept. */
#define DEPTH_MAX 65536

/* Times that are this close to each other are taken for adjacent. */
#define ADJACENT_NS 1000

struct chart_span
chart_clock_next(struct chart_clock *clock, const struct timed_sample *sample)
{
	struct chart_span span = {sample->begin_ns, sample->end_ns};
	uint64_t slack_ns = ADJACENT_NS;

	if (!sample->waits && span.begin_ns == span.end_ns)
		span.begin_ns =
			span.end_ns > clock->interval_ns ? span.end_ns - clock->interval_ns : 0;
	if (!sample->waits)
		slack_ns += clock->interval_ns / 2;
	if (clock->end_ns > 0 && span.begin_ns < clock->end_ns + slack_ns)
		span.begin_ns = clock->end_ns;
	if (span.end_ns <= span.begin_ns)
		return (struct chart_span){clock->end_ns, clock->end_ns};
	clock->end_ns = span.end_ns;
	return span;
}

/* The calls that go on at the end of the last sample. */
struct building {
	struct chart *chart;
	const struct ctree *from;
	node_id *open; /* by depth; the root is open[0] */
	size_t open_capacity;
	size_t depth;
	frame_id *path; /* of the sample, leaf first */
	size_t path_capacity;
	uint64_t interval_ns;
	uint64_t end_ns;
	uint64_t gaps_ns;
};

static size_t
find_path(struct building *building, node_id node)
{
	size_t depth = 0;
	size_t skip = 0;

	for (node_id at = node; at != CTREE_ROOT; at = building->from->nodes[at].parent)
		depth++;
	if (depth > DEPTH_MAX)
		skip = depth - DEPTH_MAX;
	building->open = mem_grow(building->open, &building->open_capacity, depth - skip + 1,
		sizeof(*building->open));
	building->path = mem_grow(
		building->path, &building->path_capacity, depth - skip, sizeof(*building->path));
	depth = 0;
	for (; node != CTREE_ROOT; node = building->from->nodes[node].parent) {
		if (skip > 0)
			skip--;
		else
			building->path[depth++] = building->from->nodes[node].frame;
	}
	return depth;
}

static node_id
begin_call(struct chart *chart, node_id parent, frame_id frame, uint64_t begin_ns)
{
	const node_id node = ctree_append(&chart->profile.tree, parent, frame);

	chart->begins_ns = mem_grow(
		chart->begins_ns, &chart->capacity, (size_t)node + 1, sizeof(*chart->begins_ns));
	chart->begins_ns[node] = begin_ns;
	return node;
}

static void
add_span(struct building *building, const struct timed_sample *sample, struct chart_span span)
{
	struct chart *chart = building->chart;
	struct ctree *tree = &chart->profile.tree;
	const size_t depth = find_path(building, sample->node);
	size_t shared = 0;

	/* A thread goes on running after its last sample, until it waits. */
	if (sample->waits && building->depth > 0 && span.begin_ns > building->end_ns &&
		span.begin_ns - building->end_ns <= building->interval_ns) {
		ctree_add(tree, 0, building->open[building->depth],
			(double)(span.begin_ns - building->end_ns));
	} else if (span.begin_ns > building->end_ns) {
		building->gaps_ns += span.begin_ns - building->end_ns;
		building->depth = 0;
	}
	while (shared < depth && shared < building->depth &&
		tree->nodes[building->open[shared + 1]].frame == building->path[depth - 1 - shared])
		shared++;
	for (; shared < depth; shared++)
		building->open[shared + 1] = begin_call(chart, building->open[shared],
			building->path[depth - 1 - shared], span.begin_ns);
	building->depth = depth;
	building->end_ns = span.end_ns;
	ctree_add(tree, 0, building->open[depth], (double)(span.end_ns - span.begin_ns));
}

void
chart_init(struct chart *chart, const struct profile *profile, const struct sample_times *times,
	size_t thread, uint64_t interval_ns)
{
	struct building building = {
		.chart = chart, .from = &profile->tree, .interval_ns = interval_ns};
	struct chart_clock clock = {.interval_ns = interval_ns};

	*chart = (struct chart){.profile = *profile};
	chart->profile.nruns = 1;
	ctree_init(&chart->profile.tree);
	ctree_add_column(&chart->profile.tree);
	chart->begins_ns = mem_grow(NULL, &chart->capacity, 1, sizeof(*chart->begins_ns));
	for (const struct timed_sample *sample = sample_times_first(times, thread); sample;
		sample = sample_times_after(times, sample)) {
		const struct chart_span span = chart_clock_next(&clock, sample);

		if (chart->nsamples++ == 0)
			building.end_ns = chart->begins_ns[CTREE_ROOT] = span.begin_ns;
		if (span.end_ns > span.begin_ns)
			add_span(&building, sample, span);
	}
	ctree_add(&chart->profile.tree, 0, CTREE_ROOT, (double)building.gaps_ns);
	chart->end_ns = building.end_ns;
	free(building.open);
	free(building.path);
}

void
chart_release(struct chart *chart)
{
	ctree_release(&chart->profile.tree);
	free(chart->begins_ns);
	*chart = (struct chart){.nsamples = 0};
}
