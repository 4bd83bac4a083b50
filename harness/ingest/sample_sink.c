#include "ingest/sample_sink.h"

#include "base/mem.h"
#include "ingest/stack_survey.h"

#include <stdlib.h>

/* Frames at the outer end of a stack that belong to the C library: _start and what it calls. */
#define START_FRAMES 3

int
sample_sink_init(struct sample_sink *sink, const struct perfdata_reader *reader,
	struct symbolizer *symbolizer, const struct ingest_options *options, struct err *err)
{
	stacks_init(&sink->stacks, sink->profile, symbolizer);
	sink->stacks.no_marks = options->no_marks;
	sink->survey = options->survey;
	if (!options->condensed)
		return 0;
	sink->condenser = perfdata_condenser_open(options->condensed, reader, err);
	if (sink->condenser && options->uncompressed)
		perfdata_condenser_expand(sink->condenser);
	return sink->condenser ? 0 : -1;
}

void
sample_sink_release(struct sample_sink *sink)
{
	if (sink->condenser)
		perfdata_condenser_abandon(sink->condenser);
	stacks_release(&sink->stacks);
	free(sink->chain);
	*sink = (struct sample_sink){.profile = NULL};
}

static void
count(struct sample_sink *sink, struct stack_result result, enum stack_shape shape)
{
	ctree_add(&sink->profile->tree, sink->column, result.node, 1);
	sink->counted.unknown_frames += result.unknown_leaf;
	sink->counted.broken_stacks += result.broken;
	sink->counted.truncated_stacks += shape == STACK_TRUNCATED;
}

static enum stack_shape
shape_of(const struct unwind_job *job)
{
	switch (job->end) {
	case UNWIND_ROOT:
		return STACK_WHOLE;
	case UNWIND_TRUNCATED:
		return STACK_TRUNCATED;
	case UNWIND_BROKEN:
	case UNWIND_TOO_DEEP:
		break;
	}
	return STACK_BROKEN;
}

static void
put_word(struct sample_sink *sink, size_t *n, uint64_t word)
{
	if (*n == sink->chain_capacity)
		sink->chain =
			mem_grow(sink->chain, &sink->chain_capacity, *n + 1, sizeof(*sink->chain));
	sink->chain[(*n)++] = word;
}

/* How many words of the sample's chain lie ahead of what is in user space. */
static size_t
kernel_words(const struct record_sample *sample)
{
	size_t n = 0;

	while (n < sample->nchain && sample->chain[n] != PERF_CONTEXT_USER)
		n++;
	return n;
}

/*
 * The chain that stands for an unwound stack in a condensed file, in sink->chain: what the
 * kernel has of itself, then the frames, with a marker ahead of each exact one; see shape_of_end()
 * of stacks.c for the end.
 */
static size_t
make_chain(
	struct sample_sink *sink, const struct record_sample *sample, const struct unwind_job *job)
{
	size_t kernel = kernel_words(sample);
	enum stack_shape shape = shape_of(job);
	size_t n = 0;

	for (size_t i = 0; i < kernel; i++)
		put_word(sink, &n, sample->chain[i]);
	for (size_t i = 0; i < job->nframes; i++) {
		if (i == 0 || job->frames[i].exact)
			put_word(sink, &n, PERF_CONTEXT_USER);
		put_word(sink, &n, job->frames[i].address);
	}
	if (shape != STACK_WHOLE)
		put_word(sink, &n, PERF_CONTEXT_USER);
	if (shape == STACK_BROKEN)
		put_word(sink, &n, PERF_CONTEXT_USER);
	return n;
}

/*
 * Whether the kernel's frame-pointer chain has the same callers. The outermost frames are the C
 * library's, which starts main() and threads and rarely keeps frame pointers: nobody misses them.
 */
static bool
chain_is_alike(const struct record_sample *sample, const struct unwind_job *job)
{
	size_t i = 0;

	for (size_t k = kernel_words(sample) + 1; k < sample->nchain && i < job->nframes; k++, i++)
		if (sample->chain[k] != job->frames[i].address)
			break;
	return i > 0 && i + START_FRAMES >= job->nframes;
}

static void
survey_stack(struct stack_survey *survey, const struct record_sample *sample,
	const struct unwind_job *job)
{
	uint64_t kib = (job->reached_bytes + 1023) / 1024;

	survey->stacks++;
	survey->truncated += job->end == UNWIND_TRUNCATED;
	if (job->end != UNWIND_ROOT)
		return;
	survey->complete++;
	survey->reached[kib < 64 ? kib : 64]++;
	survey->alike += chain_is_alike(sample, job);
}

/* Pushes the frames that were walked, each with the stretch that its map is. */
static void
push_walked(struct sample_sink *sink, const struct unwind_job *job, const struct code_space *space)
{
	for (size_t i = 0; i < job->nframes; i++) {
		const struct unwind_frame *frame = &job->frames[i];
		unsigned flags = frame->exact ? STACK_EXACT : 0;

		if (!space || frame->map == UNWIND_NO_MAP)
			stacks_push(&sink->stacks, frame->address, flags);
		else
			stacks_push_in(&sink->stacks, &space->stretches[frame->map], frame->address,
				flags);
	}
}

int
sample_sink_walked(struct sample_sink *sink, const struct record *record, frame_id root,
	const struct walked_sample *walked, struct err *err)
{
	const struct record_sample *sample = &record->u.sample;
	const struct unwind_job *job = walked->job;
	enum stack_shape shape = shape_of(job);

	stacks_begin(&sink->stacks, walked->space ? &walked->space->maps : NULL);
	stacks_push_chain(&sink->stacks, sample, true);
	push_walked(sink, job, walked->space);
	if (job->nframes == 0 && sink->stacks.depth == 0)
		stacks_push(&sink->stacks, sample->ip, STACK_EXACT);
	count(sink, stacks_end(&sink->stacks, root, shape), shape);
	if (sink->survey && job->nframes > 0)
		survey_stack(sink->survey, sample, job);
	if (!sink->condenser)
		return 0;
	size_t n = make_chain(sink, sample, job);

	return perfdata_condenser_put(sink->condenser, record, sink->chain, n, err);
}

void
sample_sink_chain(struct sample_sink *sink, const struct record *record, frame_id root)
{
	stacks_begin(&sink->stacks, symbolizer_maps(sink->stacks.symbolizer, record->id.pid));

	enum stack_shape shape = stacks_push_chain(&sink->stacks, &record->u.sample, false);

	count(sink, stacks_end(&sink->stacks, root, shape), shape);
}

int
sample_sink_finish(struct sample_sink *sink, struct err *err)
{
	struct perfdata_condenser *condenser = sink->condenser;

	sink->run->unknown_frames += sink->counted.unknown_frames;
	sink->run->broken_stacks += sink->counted.broken_stacks;
	sink->run->truncated_stacks += sink->counted.truncated_stacks;
	if (!condenser)
		return 0;
	sink->condenser = NULL;
	return perfdata_condenser_finish(condenser, err);
}
