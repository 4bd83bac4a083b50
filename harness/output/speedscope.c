#include "output/speedscope.h"

#include "base/mem.h"
#include "output/json_text.h"
#include "profile/weights.h"

#include <stdlib.h>
#include <string.h>

/* Depths at which stacks are cut, the outermost frames first: nothing walks deeper ones. */
#define DEPTH_MAX 65536

static void
put_frame(const struct profile *profile, frame_id id, struct buf *out)
{
	const struct frame *frame = &profile->frames.frames[id];
	struct buf name = {0};

	profile_put_frame(profile, id, &name);
	buf_puts(out, id > 1 ? ",\n{" : "\n{");
	json_text_put_field(out, "name", buf_text(&name), name.len);
	if (frame->file) {
		buf_putc(out, ',');
		json_text_put_field(out, "file", strtab_str(&profile->strings, frame->file),
			strtab_len(&profile->strings, frame->file));
	}
	if (frame->line > 0)
		buf_printf(out, ",\"line\":%u", (unsigned)frame->line);
	buf_putc(out, '}');
	buf_release(&name);
}

/* Frames count from 0 there. */
static void
put_stack(const struct ctree *tree, node_id node, frame_id *path, struct buf *out)
{
	size_t depth = 0;

	for (node_id at = node; at != CTREE_ROOT && depth < DEPTH_MAX; at = tree->nodes[at].parent)
		path[depth++] = tree->nodes[at].frame;
	buf_putc(out, '[');
	while (depth-- > 0)
		buf_printf(out, "%u%s", (unsigned)path[depth] - 1, depth > 0 ? "," : "");
	buf_putc(out, ']');
}

/* Appends the stacks; their weights go to `weights`, and the sum of these is returned. */
static double
put_stacks(const struct profile *profile, struct buf *out, struct buf *weights)
{
	const struct ctree *tree = &profile->tree;
	double *sums = mem_zalloc(tree->nnodes, sizeof(*sums));
	frame_id *path = mem_zalloc(DEPTH_MAX, sizeof(*path));
	double total = 0;

	ctree_sum(tree, 0, tree->ncolumns, sums);
	for (size_t node = 1; node < tree->nnodes; node++) {
		if (!(sums[node] > 0))
			continue;
		buf_puts(out, total > 0 ? ",\n" : "\n");
		put_stack(tree, (node_id)node, path, out);
		buf_printf(weights, "%s%.15g", total > 0 ? "," : "", sums[node]);
		total += sums[node];
	}
	free(path);
	free(sums);
	return total;
}

static const char *
unit_of(const struct profile *profile)
{
	if (weights_are_times(profile))
		return "nanoseconds";
	return strcmp(weights_unit(profile), "bytes") == 0 ? "bytes" : "none";
}

/* The same of one thread, in order of time. */
static double
put_thread_stacks(const struct profile *profile, const struct sample_times *times, size_t thread,
	struct buf *out, struct buf *weights)
{
	frame_id *path = mem_zalloc(DEPTH_MAX, sizeof(*path));
	node_id last = CTREE_NONE;
	double weight = 0;
	double total = 0;

	for (size_t i = 0; i < times->nsamples; i++) {
		const struct timed_sample *sample = &times->samples[i];

		if (sample->thread != thread)
			continue;
		if (sample->node != last) {
			if (last != CTREE_NONE)
				buf_printf(weights, "%.15g,", weight);
			buf_puts(out, last != CTREE_NONE ? ",\n" : "\n");
			put_stack(&profile->tree, sample->node, path, out);
			last = sample->node;
			weight = 0;
		}
		weight += sample->weight;
		total += sample->weight;
	}
	if (last != CTREE_NONE)
		buf_printf(weights, "%.15g", weight);
	free(path);
	return total;
}

/* Appends the profile of a thread; SIZE_MAX: of all, without times. */
static void
put_profile(const struct profile *profile, const struct sample_times *times, size_t thread,
	const char *name, struct buf *out)
{
	struct buf weights = {0};

	buf_puts(out, "{\"type\":\"sampled\",");
	json_text_put_field(out, "name", name, strlen(name));
	buf_printf(out, ",\"unit\":\"%s\",\n\"samples\":[", unit_of(profile));
	const double total = thread == SIZE_MAX
				     ? put_stacks(profile, out, &weights)
				     : put_thread_stacks(profile, times, thread, out, &weights);

	buf_puts(out, "],\n\"weights\":[");
	buf_put(out, buf_text(&weights), weights.len);
	buf_printf(out, "],\n\"startValue\":0,\"endValue\":%.15g}", total);
	buf_release(&weights);
}

void
speedscope_put(const struct profile *profile, const struct sample_times *times, struct buf *out)
{
	const str_id title = profile->workload ? profile->workload : profile->command;

	buf_puts(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		      "\"exporter\":\"profile_run " PROFILE_RUN_VERSION "\",\n"
		      "\"shared\":{\"frames\":[");
	for (frame_id id = 1; id < profile->frames.nframes; id++)
		put_frame(profile, id, out);
	buf_puts(out, "]},\n\"profiles\":[");
	if (times->nsamples == 0)
		put_profile(profile, times, SIZE_MAX, strtab_str(&profile->strings, title), out);
	for (size_t i = 0; i < sample_times_nthreads(times); i++) {
		const struct timed_thread *thread = &times->threads[i];
		char *name = mem_printf(
			"%s %u", strtab_str(&times->names, thread->name), (unsigned)thread->tid);

		buf_puts(out, i > 0 ? ",\n" : "");
		put_profile(profile, times, i, name, out);
		free(name);
	}
	buf_puts(out, "]}\n");
}
