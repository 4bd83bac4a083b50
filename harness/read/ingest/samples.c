#include "ingest/samples.h"

#include "base/mem.h"
#include "ingest/code_maps.h"
#include "ingest/function_lines.h"
#include "ingest/ingest_cache.h"
#include "ingest/ingest_internal.h"
#include "ingest/perfdata_internal.h"
#include "ingest/sample_sink.h"
#include "ingest/stack_survey.h"
#include "ingest/stacks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* Records of a full batch: enough to pay for handing it on. */
#define BATCH_RECORDS 128
#define BATCHES 24

_Static_assert(BATCHES *BATCH_RECORDS < PERFDATA_KEPT,
	"records of all batches stay until they are symbolized");

/* A record that waits: a sample to be unwound, or another of the condensed file, in its order. */
struct waiting {
	struct sink_sample sample; /* without a stack to unwind, only its record is set */
	bool has_stack;            /* a stack to unwind */
	size_t number;             /* index of its sample in batch.unwound */
};

struct batch {
	struct waiting records[BATCH_RECORDS];
	size_t nrecords;
	struct unwind_batch unwound;
	size_t nread; /* records that were read while it was filled, whether they wait or not */
};

/* The machine of the recording; ours where the recording does not say. */
static const struct unwind_machine *
machine_of(const struct perfdata_reader *reader)
{
	const char *arch = perfdata_texts(reader)->arch;
	struct utsname host;

	if (!arch && uname(&host) == 0)
		arch = host.machine;
	return arch ? unwind_machine_find(arch) : NULL;
}

int
samples_init(struct samples *samples, struct symbolizer *symbolizer,
	const struct ingest_options *options, struct err *err)
{
	samples->threads = options->threads;
	samples->machine = machine_of(samples->reader);
	samples->maps = (struct code_maps){
		.symbolizer = symbolizer,
		.cache = options->cache,
		.machine = samples->machine,
	};
	/* Their records are written before they are read. */
	samples->batches = mem_resize(NULL, BATCHES * sizeof(*samples->batches));
	for (unsigned i = 0; i < BATCHES; i++) {
		samples->batches[i].nrecords = 0;
		samples->batches[i].nread = 0;
		samples->batches[i].unwound = (struct unwind_batch){0};
	}
	samples->filling = samples->batches;

	struct sample_sink *sink = &samples->sink;

	stacks_init(&sink->stacks, sink->profile, symbolizer);
	sink->stacks.no_marks = options->no_marks;
	sink->stacks.at_lines = options->at_lines;
	sink->survey = options->survey;
	sink->lines.weights = options->lines;
	if (!options->condensed)
		return 0;
	sink->condenser = perfdata_condenser_open(options->condensed, samples->reader, err);
	if (sink->condenser && options->uncompressed)
		perfdata_condenser_expand(sink->condenser);
	return sink->condenser ? 0 : -1;
}

void
samples_release(struct samples *samples)
{
	/* Threads may still be using what is freed below. */
	stages_free(samples->stages);
	for (unsigned i = 0; i < samples->nunwinders; i++)
		ingest_cache_keep_unwinder(samples->maps.cache, samples->unwinders[i]);
	free(samples->unwinders);
	if (samples->sink.condenser)
		perfdata_condenser_abandon(samples->sink.condenser);
	stacks_release(&samples->sink.stacks);
	function_lines_release(&samples->sink.lines);
	call_chain_release(&samples->sink.chain);
	code_maps_release(&samples->maps);
	call_chain_release(&samples->leaf);
	for (unsigned i = 0; samples->batches && i < BATCHES; i++)
		unwind_batch_release(&samples->batches[i].unwound);
	free(samples->batches);
	*samples = (struct samples){.reader = NULL};
}

static void
unwind_batch(void *context, unsigned parcel, unsigned thread)
{
	struct samples *samples = context;

	unwind_batch_run(&samples->batches[parcel].unwound, samples->unwinders[thread]);
}

/* Symbolizes a batch: its samples go into the tree, its records into the condensed file. */
static void
symbolize_batch(struct samples *samples, struct batch *batch)
{
	struct sample_sink *sink = &samples->sink;

	for (size_t i = 0; i < batch->nrecords && samples->symbolized == 0; i++) {
		const struct waiting *waiting = &batch->records[i];

		if (tree_limit_check(sink->profile, sink->limit, sink->path, &samples->err) < 0) {
			samples->symbolized = -1;
			break;
		}
		samples->symbolized =
			waiting->has_stack
				? sink_put_unwound(sink, &waiting->sample,
					  &batch->unwound.samples[waiting->number], &samples->err)
				: perfdata_condenser_put(sink->condenser, &waiting->sample.record,
					  NULL, 0, &samples->err);
	}
	batch->nrecords = 0;
	batch->nread = 0;
	unwind_batch_clear(&batch->unwound);
}

static void
symbolize_parcel(void *context, unsigned parcel, unsigned thread)
{
	struct samples *samples = context;

	(void)thread;
	symbolize_batch(samples, &samples->batches[parcel]);
}

static int
result(const struct samples *samples, struct err *err)
{
	if (samples->symbolized < 0)
		*err = samples->err;
	return samples->symbolized;
}

int
samples_wait(struct samples *samples, struct err *err)
{
	if (samples->stages)
		stages_hold(samples->stages);
	return result(samples, err);
}

/* Hands the batch on, and begins another one. */
static void
hand_on(struct samples *samples)
{
	if (samples->stages)
		samples->filling = &samples->batches[stages_pass(samples->stages)];
	else
		symbolize_batch(samples, samples->filling);
}

int
samples_flush(struct samples *samples, struct err *err)
{
	if (samples->filling->nrecords > 0)
		hand_on(samples);
	if (samples->stages)
		stages_wait(samples->stages);
	return result(samples, err);
}

/* Counts a record that was read, whether it waits or not, as the reader counts all. */
static int
end_record(struct samples *samples, struct err *err)
{
	if (++samples->filling->nread < BATCH_RECORDS)
		return 0;
	hand_on(samples);
	return samples->stages ? 0 : result(samples, err);
}

static int
add_record(struct samples *samples, const struct waiting *waiting, struct err *err)
{
	struct batch *batch = samples->filling;

	batch->records[batch->nrecords++] = *waiting;
	return end_record(samples, err);
}

/*
 * Also where nothing of the stack could be copied, as in a page that is being replaced after
 * fork().
 */
static bool
can_be_unwound(const struct samples *samples, const struct record *record)
{
	const struct record_sample *sample = &record->u.sample;

	return samples->machine && sample->user_regs &&
	       sample->user_regs_abi == PERF_SAMPLE_REGS_ABI_64 &&
	       perfdata_event(samples->reader, record->event)->attr.sample_type &
		       PERF_SAMPLE_STACK_USER;
}

static void
start_stages(struct samples *samples)
{
	const struct stages_options options = {
		.nthreads = samples->threads,
		.nparcels = BATCHES,
		.first = unwind_batch,
		.second = symbolize_parcel,
		.context = samples,
	};

	samples->stages = stages_new(&options);
	samples->nunwinders = stages_nthreads(samples->stages);
	samples->unwinders = mem_zalloc(samples->nunwinders, sizeof(struct unwinder *));
	for (unsigned i = 0; i < samples->nunwinders; i++) {
		samples->unwinders[i] =
			ingest_cache_unwinder(samples->maps.cache, samples->machine);
		unwinder_check_frame_pointers(samples->unwinders[i], samples->sink.survey != NULL);
	}
}

static void
add_to_batch(struct samples *samples, const struct record *record, const struct code_space *space)
{
	const struct record_sample *sample = &record->u.sample;
	const struct perf_event_attr *attr = &perfdata_event(samples->reader, record->event)->attr;

	if (!samples->stages)
		start_stages(samples);
	struct unwind_sample *unwound = unwind_batch_add(&samples->filling->unwound);

	unwound->space = space ? &space->unwind : NULL;
	unwound->regs_mask = attr->sample_regs_user;
	unwound->regs = sample->user_regs;
	unwound->nregs = sample->nuser_regs;
	unwound->stack = sample->user_stack;
	unwound->stack_bytes = sample->user_stack_bytes;
	unwound->stack_wanted =
		sample->user_stack_cut ? sample->user_stack_bytes : attr->sample_stack_user;
	if (samples->operations)
		unwound->nreturns = slow_operations_returns(
			samples->operations, record->id.tid, unwound->returns, UNWIND_RETURNS_MAX);
	/* The program goes on behind the instruction that made the call. */
	unwound->pc_back = samples->sink.syscall_arch ? 1 : 0;
}

/* Makes samples->leaf the sample's chain plus a left-out caller; false where none is left out. */
static bool
complete_chain(struct samples *samples, const struct record *record)
{
	const struct perf_event_attr *attr = &perfdata_event(samples->reader, record->event)->attr;

	if (!samples->machine || !samples->machine->has_link_register ||
		!record->u.sample.user_regs)
		return false;
	const struct code_space *space = code_maps_of(&samples->maps, record->id.pid);

	return call_chain_complete(&samples->leaf, samples->machine, space ? &space->unwind : NULL,
		attr->sample_regs_user, &record->u.sample);
}

/* Puts a sample whose stack, as far as known, is in its call chain. */
static int
put_chain(struct samples *samples, const struct record *record, node_id root,
	struct timeline_entry wait, struct err *err)
{
	struct sample_sink *sink = &samples->sink;
	struct record whole = *record;

	if (samples_wait(samples, err) < 0 ||
		tree_limit_check(sink->profile, sink->limit, sink->path, err) < 0)
		return -1;
	const bool cut = frame_limit_cuts(&samples->frames, record);

	if (!complete_chain(samples, record)) {
		sink_put_chain(sink, record, root, wait, cut);
		return samples_forward(samples, record, err);
	}
	whole.u.sample.chain = samples->leaf.words;
	whole.u.sample.nchain = samples->leaf.count;
	sink_put_chain(sink, &whole, root, wait, cut);
	if (!sink->condenser)
		return end_record(samples, err);
	/* That file has no registers: it gets the completed chain, at once as that is reused. */
	if (samples_flush(samples, err) < 0)
		return -1;
	return perfdata_condenser_put(
		sink->condenser, record, samples->leaf.words, samples->leaf.count, err);
}

/* A sample whose stack is unwound; root CTREE_ROOT: for the condensed file only. */
static int
put_stack(struct samples *samples, const struct record *record, node_id root,
	struct timeline_entry wait, struct err *err)
{
	struct waiting waiting = {.sample = {.record = *record, .root = root, .wait = wait}};

	waiting.has_stack = true;
	waiting.number = samples->filling->unwound.count;
	waiting.sample.space = code_maps_made(&samples->maps, record->id.pid);
	if (!waiting.sample.space) {
		if (!code_maps_are_loaded(&samples->maps, record->id.pid) &&
			samples_wait(samples, err) < 0)
			return -1;
		waiting.sample.space = code_maps_of(&samples->maps, record->id.pid);
	}
	add_to_batch(samples, record, waiting.sample.space);
	return add_record(samples, &waiting, err);
}

int
samples_put(struct samples *samples, const struct record *record, node_id root,
	struct timeline_entry wait, struct err *err)
{
	return can_be_unwound(samples, record) ? put_stack(samples, record, root, wait, err)
					       : put_chain(samples, record, root, wait, err);
}

int
samples_put_wait(struct samples *samples, const struct record *record, node_id root,
	struct timeline_entry wait, struct err *err)
{
	if (samples_wait(samples, err) < 0)
		return -1;
	sink_put_wait(&samples->sink, record, root, wait);
	return samples_forward(samples, record, err);
}

void
samples_put_phase(struct samples *samples, uint64_t time_ns, const char *name)
{
	struct sample_sink *sink = &samples->sink;

	if (sink->times)
		sample_times_begin_phase(sink->times, sink_since_start(sink, time_ns),
			name ? name : "", name ? strlen(name) : 0);
}

int
samples_forward(struct samples *samples, const struct record *record, struct err *err)
{
	const struct timeline_entry no_wait = {.kind = WAIT_NONE};
	struct waiting waiting = {.sample.record = *record};

	if (!samples->sink.condenser)
		return end_record(samples, err);
	/* The condensed file has the stacks of samples that are not selected, too. */
	if (record->type == PERF_RECORD_SAMPLE && can_be_unwound(samples, record))
		return put_stack(samples, record, CTREE_ROOT, no_wait, err);
	return add_record(samples, &waiting, err);
}

static void
survey_module(void *context, const char *path, const struct unwind_table *table)
{
	struct samples *samples = context;
	uint64_t steps = 0;
	uint64_t alike = 0;

	for (unsigned i = 0; i < samples->nunwinders; i++) {
		uint64_t steps_of;
		uint64_t alike_of;

		unwinder_frame_pointers(samples->unwinders[i], table, &steps_of, &alike_of);
		steps += steps_of;
		alike += alike_of;
	}
	if (steps > 0)
		stack_survey_add_module(samples->sink.survey, path, steps, alike);
}

int
samples_finish(struct samples *samples, struct err *err)
{
	struct sample_sink *sink = &samples->sink;
	struct perfdata_condenser *condenser = sink->condenser;

	if (samples_flush(samples, err) < 0)
		return -1;
	if (sink->survey && samples->stages)
		code_maps_each(&samples->maps, survey_module, samples);
	sink->run->unknown_frames += sink->counted.unknown_frames;
	sink->run->broken_stacks += sink->counted.broken_stacks;
	sink->run->truncated_stacks += sink->counted.truncated_stacks;
	sink->condenser = NULL;
	return condenser ? perfdata_condenser_finish(condenser, err) : 0;
}
