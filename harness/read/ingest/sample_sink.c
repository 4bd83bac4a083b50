#include "ingest/sample_sink.h"

#include "base/mem.h"
#include "ingest/code_maps.h"
#include "ingest/function_lines.h"
#include "ingest/perfdata_internal.h"
#include "ingest/stack_survey.h"
#include "ingest/stacks.h"
#include "ingest/syscalls.h"

#include <string.h>

/* The frame of time on the CPU of which no sample tells more. */
#define FRAME_UNSAMPLED "(not sampled)"

uint64_t
sink_since_start(const struct sample_sink *sink, uint64_t time_ns)
{
	return time_ns > sink->times->start_ns ? time_ns - sink->times->start_ns : 0;
}

/* Notes when the sample was taken that is put now, and of which time it is. */
static void
begin_moment(struct sample_sink *sink, const struct record *record, struct timeline_entry wait)
{
	const struct record_id *id = &record->id;
	uint64_t begin_ns = id->time_ns;
	uint64_t end_ns = begin_ns;

	if (!sink->times)
		return;
	if (sink->timed) {
		begin_ns = timed_entry_begin(id->time_ns, wait);
		end_ns = begin_ns + wait.ns;
	} else if (sink->clock && record->u.sample.period < begin_ns) {
		begin_ns -= record->u.sample.period;
	}
	sink->moment = (struct timed_sample){
		.begin_ns = sink_since_start(sink, begin_ns),
		.end_ns = sink_since_start(sink, end_ns),
		.thread = sample_times_thread(sink->times, id->pid, id->tid),
		.cpu = id->cpu,
	};
}

static void
add_time(struct sample_sink *sink, node_id node, double weight, bool waits)
{
	sink->moment.node = node;
	sink->moment.weight = weight;
	sink->moment.waits = waits;
	sample_times_add(sink->times, &sink->moment);
}

/* `waits`: of a thread that did not run. */
static void
add_weight(struct sample_sink *sink, node_id node, double weight, bool waits)
{
	ctree_add(&sink->profile->tree, sink->column, node, weight);
	if (sink->times && weight > 0)
		add_time(sink, node, weight, waits);
	if (sink->lines.weights)
		function_lines_add(&sink->lines, &sink->stacks, node, weight);
}

/* Adds a sample of perf. */
static void
add_sample(struct sample_sink *sink, uint64_t period, node_id node)
{
	double scale;
	const double weight = sample_weights_take(&sink->weights, period, &scale);

	if (scale != 1) {
		ctree_scale(&sink->profile->tree, sink->column, scale);
		if (sink->times)
			sample_times_scale(sink->times, scale);
		if (sink->lines.weights)
			line_weights_scale(sink->lines.weights, scale);
	}
	add_weight(sink, node, weight, false);
}

/* Adds a wait for a lock, or what ended one; of others nothing. */
static bool
add_lock(struct sample_sink *sink, uint64_t ns, node_id node, struct timeline_entry wait)
{
	struct stacks *stacks = &sink->stacks;
	const bool waits = wait.kind == WAIT_FOR_EVENT && stacks_reason(stacks) == WAIT_LOCK;
	const bool releases = wait.kind == WAIT_NONE && stacks_release_lock(stacks);
	const uint64_t weight = sink->numbers ? 1 : ns;

	if (ns == 0 || (!waits && !releases))
		return false;
	if (waits)
		node = stacks_wait(stacks, node,
			wait.lock != 0 && stacks_wait_at_futex(stacks) ? wait.lock : WAIT_LOCK);
	add_weight(sink, node, (double)weight, waits);
	sink->counted.samples++;
	sink->locks_weight += weight;
	return true;
}

static void
add_wait(struct sample_sink *sink, uint64_t ns, node_id node, struct timeline_entry wait)
{
	struct stacks *stacks = &sink->stacks;

	if (ns > 0)
		add_weight(sink,
			stacks_wait(stacks, node,
				wait.kind == WAIT_FOR_CPU ? WAIT_RUN_QUEUE : stacks_reason(stacks)),
			(double)ns, true);
	if (wait.queued_ns == 0)
		return;
	sink->moment.begin_ns = sink->moment.end_ns;
	sink->moment.end_ns += wait.queued_ns;
	add_weight(sink, stacks_wait(stacks, node, WAIT_RUN_QUEUE), (double)wait.queued_ns, true);
}

static void
count(struct sample_sink *sink, const struct record_sample *sample, struct stack_result result,
	enum stack_shape shape, struct timeline_entry wait)
{
	const uint64_t weight = sample->period;
	const uint64_t number = sink->by_period && !sink->timed ? weight : 1;

	if (sink->locks && !add_lock(sink, weight, result.node, wait))
		return;
	if (!sink->by_period)
		add_sample(sink, weight, result.node);
	else if (!sink->locks && wait.kind == WAIT_NONE)
		add_weight(sink, result.node, (double)weight, false);
	else if (!sink->locks)
		add_wait(sink, weight, result.node, wait);
	sink->counted.unknown_frames += result.unknown_leaf ? number : 0;
	sink->counted.broken_stacks += result.broken ? number : 0;
	sink->counted.truncated_stacks += shape == STACK_TRUNCATED ? number : 0;
}

static enum stack_shape
shape_of(const struct unwind_sample *unwound)
{
	switch (unwound->end) {
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

/* Pushes the unwound frames, each with the range of its map. */
static void
push_unwound(struct sample_sink *sink, const struct unwind_sample *unwound,
	const struct code_space *space)
{
	for (size_t i = 0; i < unwound->nframes; i++) {
		const struct unwind_frame *frame = &unwound->frames[i];
		unsigned flags = frame->exact ? STACK_EXACT : 0;

		if (!space || !frame->map) {
			stacks_push(&sink->stacks, frame->address, flags);
		} else {
			const struct symbol_range range = code_space_range(space, frame->map);

			stacks_push_in(&sink->stacks, &range, frame->address, flags);
		}
	}
}

/* Pushes these parts of a chain. A system call stands in place of the kernel's. */
static enum stack_shape
push_chain(struct sample_sink *sink, const struct record_sample *sample, unsigned parts)
{
	enum syscall_table table;
	uint64_t number;

	if (sink->syscall_arch && syscalls_number(sample, sink->syscall_arch, &table, &number)) {
		stacks_push_syscall(&sink->stacks, table, number);
		parts = (parts & ~(unsigned)CHAIN_KERNEL) | CHAIN_ENTERED;
	}
	return call_chain_push(&sink->stacks, sample, parts);
}

static void
add_unwound(struct sample_sink *sink, const struct sink_sample *known,
	const struct unwind_sample *unwound, enum stack_shape shape)
{
	const struct record_sample *sample = &known->record.u.sample;

	begin_moment(sink, &known->record, known->wait);
	stacks_begin(&sink->stacks, known->space ? &known->space->maps : NULL);
	push_chain(sink, sample, CHAIN_KERNEL);
	push_unwound(sink, unwound, known->space);
	if (unwound->nframes == 0 && sink->stacks.depth == 0)
		stacks_push(&sink->stacks, sample->ip, STACK_EXACT);
	count(sink, sample, stacks_end(&sink->stacks, known->root, shape), shape, known->wait);
	if (sink->survey && unwound->nframes > 0)
		stack_survey_add(sink->survey, sample, unwound);
}

int
sink_put_unwound(struct sample_sink *sink, const struct sink_sample *known,
	const struct unwind_sample *unwound, struct err *err)
{
	const struct record_sample *sample = &known->record.u.sample;
	enum stack_shape shape = shape_of(unwound);

	if (known->root != CTREE_ROOT)
		add_unwound(sink, known, unwound, shape);
	if (!sink->condenser)
		return 0;
	call_chain_make(&sink->chain, sample, unwound, shape);
	return perfdata_condenser_put(
		sink->condenser, &known->record, sink->chain.words, sink->chain.count, err);
}

void
sink_put_chain(struct sample_sink *sink, const struct record *record, node_id root,
	struct timeline_entry wait, bool cut)
{
	begin_moment(sink, record, wait);
	stacks_begin(&sink->stacks, symbolizer_maps(sink->stacks.symbolizer, record->id.pid));

	enum stack_shape shape = push_chain(sink, &record->u.sample, CHAIN_KERNEL | CHAIN_USER);

	if (cut && shape == STACK_WHOLE)
		shape = STACK_TRUNCATED;
	count(sink, &record->u.sample, stacks_end(&sink->stacks, root, shape), shape, wait);
}

void
sink_put_wait(struct sample_sink *sink, const struct record *record, node_id root,
	struct timeline_entry wait)
{
	const struct record_sample bare = {.period = wait.ns};

	begin_moment(sink, record, wait);
	stacks_begin(&sink->stacks, NULL);
	struct stack_result result = stacks_end(&sink->stacks, root, STACK_WHOLE);

	if (wait.kind == WAIT_UNSAMPLED) {
		result.node = ctree_child(&sink->profile->tree, result.node,
			profile_frame(sink->profile, FRAME_UNSAMPLED, strlen(FRAME_UNSAMPLED),
				FRAME_USER));
		wait.kind = WAIT_NONE;
	}
	count(sink, &bare, result, STACK_WHOLE, wait);
}
