/*
 * Writes a profile in the format of speedscope.
 */
#include "output/exported.h"

#include "base/mem.h"
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
	exported_put_field(out, "name", buf_text(&name), name.len);
	if (frame->file) {
		buf_putc(out, ',');
		exported_put_field(out, "file", strtab_str(&profile->strings, frame->file),
			strtab_len(&profile->strings, frame->file));
	}
	if (frame->line > 0)
		buf_printf(out, ",\"line\":%u", (unsigned)frame->line);
	buf_putc(out, '}');
	buf_release(&name);
}

struct writer {
	const struct profile *profile;
	const struct sample_times *times;
	struct buf *out;
	frame_id *path; /* of a stack, leaf first */
	size_t path_capacity;
};

/* Frames count from 0 there. */
static void
put_stack(struct writer *writer, node_id node)
{
	const struct ctree *tree = &writer->profile->tree;
	size_t depth = 0;

	for (node_id at = node; at != CTREE_ROOT && depth < DEPTH_MAX;
		at = tree->nodes[at].parent) {
		writer->path = mem_grow(
			writer->path, &writer->path_capacity, depth + 1, sizeof(*writer->path));
		writer->path[depth++] = tree->nodes[at].frame;
	}
	buf_putc(writer->out, '[');
	while (depth-- > 0) {
		buf_put_number(writer->out, writer->path[depth] - 1);
		if (depth > 0)
			buf_putc(writer->out, ',');
	}
	buf_putc(writer->out, ']');
}

/* Appends the stacks; their weights go to `weights`, and the sum of these is returned. */
static double
put_stacks(struct writer *writer, struct buf *weights)
{
	const struct ctree *tree = &writer->profile->tree;
	double *sums = mem_zalloc(tree->nnodes, sizeof(*sums));
	double total = 0;

	ctree_sum(tree, 0, tree->ncolumns, sums);
	for (size_t node = 1; node < tree->nnodes && exported_fits(writer->out); node++) {
		if (!(sums[node] > 0))
			continue;
		buf_puts(writer->out, total > 0 ? ",\n" : "\n");
		put_stack(writer, (node_id)node);
		buf_printf(weights, "%s%.15g", total > 0 ? "," : "", sums[node]);
		total += sums[node];
	}
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
put_thread_stacks(struct writer *writer, size_t thread, struct buf *weights)
{
	const struct sample_times *times = writer->times;
	node_id last = CTREE_NONE;
	double weight = 0;
	double total = 0;

	for (const struct timed_sample *sample = sample_times_first(times, thread);
		sample && exported_fits(writer->out); sample = sample_times_after(times, sample)) {
		if (sample->node != last) {
			if (last != CTREE_NONE)
				buf_printf(weights, "%.15g,", weight);
			buf_puts(writer->out, last != CTREE_NONE ? ",\n" : "\n");
			put_stack(writer, sample->node);
			last = sample->node;
			weight = 0;
		}
		weight += sample->weight;
		total += sample->weight;
	}
	if (last != CTREE_NONE)
		buf_printf(weights, "%.15g", weight);
	return total;
}

/* Appends the profile of a thread; SIZE_MAX: of all, without times. */
static void
put_profile(struct writer *writer, size_t thread, const char *name)
{
	struct buf *out = writer->out;
	struct buf weights = {0};

	buf_puts(out, "{\"type\":\"sampled\",");
	exported_put_field(out, "name", name, strlen(name));
	buf_printf(out, ",\"unit\":\"%s\",\n\"samples\":[", unit_of(writer->profile));
	const double total = thread == SIZE_MAX ? put_stacks(writer, &weights)
						: put_thread_stacks(writer, thread, &weights);

	buf_puts(out, "],\n\"weights\":[");
	buf_put(out, buf_text(&weights), weights.len);
	buf_printf(out, "],\n\"startValue\":0,\"endValue\":%.15g}", total);
	buf_release(&weights);
}

/* For weights that the format has no unit for: read by this program only. */
static void
put_weights(const struct profile *profile, struct buf *out)
{
	const struct {
		const char *key;
		str_id text;
	} fields[] = {{"unit", profile->unit}, {"metric", profile->metric},
		{"event", profile->event}, {"weight", profile->weight}};
	const char *comma = "";

	if (weights_are_samples(profile))
		return;
	buf_puts(out, "\"weights\":{");
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const char *text = strtab_str(&profile->strings, fields[i].text);

		if (!*text)
			continue;
		buf_puts(out, comma);
		exported_put_field(out, fields[i].key, text, strlen(text));
		comma = ",";
	}
	if (weights_are_periods(profile))
		buf_printf(out, ",\"samples\":%.17g,\"effective_samples\":%.17g",
			weights_samples_sum(profile), weights_effective_sum(profile));
	buf_puts(out, "},\n");
}

bool
speedscope_put(const struct profile *profile, const struct sample_times *times, struct buf *out)
{
	const str_id title = profile->workload ? profile->workload : profile->command;
	struct writer writer = {.profile = profile, .times = times, .out = out};

	buf_puts(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		      "\"exporter\":\"profile_run " PROFILE_RUN_VERSION "\",\n");
	put_weights(profile, out);
	buf_puts(out, "\"shared\":{\"frames\":[");
	for (frame_id id = 1; id < profile->frames.nframes; id++)
		put_frame(profile, id, out);
	buf_puts(out, "]},\n\"profiles\":[");
	if (times->nsamples == 0)
		put_profile(&writer, SIZE_MAX, strtab_str(&profile->strings, title));
	for (size_t i = 0; i < sample_times_nthreads(times); i++) {
		const struct timed_thread *thread = &times->threads[i];
		char *name = mem_printf(
			"%s %u", strtab_str(&times->names, thread->name), (unsigned)thread->tid);

		buf_puts(out, i > 0 ? ",\n" : "");
		put_profile(&writer, i, name);
		free(name);
	}
	buf_puts(out, "]}\n");
	free(writer.path);
	return exported_fits(out);
}
