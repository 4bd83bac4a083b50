#include "ingest/sample_sink.h"

#include "ingest/stack_survey.h"

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
	call_chain_release(&sink->chain);
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
	call_chain_push(&sink->stacks, sample, true);
	push_walked(sink, job, walked->space);
	if (job->nframes == 0 && sink->stacks.depth == 0)
		stacks_push(&sink->stacks, sample->ip, STACK_EXACT);
	count(sink, stacks_end(&sink->stacks, root, shape), shape);
	if (sink->survey && job->nframes > 0)
		stack_survey_add(sink->survey, sample, job);
	if (!sink->condenser)
		return 0;
	call_chain_make(&sink->chain, sample, job, shape);
	return perfdata_condenser_put(
		sink->condenser, record, sink->chain.words, sink->chain.count, err);
}

void
sample_sink_chain(struct sample_sink *sink, const struct record *record, frame_id root)
{
	stacks_begin(&sink->stacks, symbolizer_maps(sink->stacks.symbolizer, record->id.pid));

	enum stack_shape shape = call_chain_push(&sink->stacks, &record->u.sample, false);

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
