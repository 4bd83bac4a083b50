#include "ingest/samples.h"

#include "base/mem.h"
#include "ingest/stack_survey.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define BATCH_ITEMS 1024
/* Frames at the outer end of a stack that belong to the C library: _start and what it calls. */
#define START_FRAMES 3

/* A record that waits: a sample to be unwound, or what must keep its place in a condensed file. */
struct item {
	struct record record;
	frame_id root;
	bool walked; /* it is a sample that is unwound: */
	size_t job;  /* its place among the batch's jobs */
	const struct code_space *space;
};

struct batch {
	struct item items[BATCH_ITEMS];
	size_t nitems;
	struct unwind_job jobs[BATCH_ITEMS];
	size_t njobs;
	uint64_t pids; /* a bit by hash for each process that has a job here */
};

static uint64_t
pid_bit(uint32_t pid)
{
	return UINT64_C(1) << (pid * UINT32_C(2654435761) >> 26);
}

/* The machine of the recording; where it does not say it is taken for ours. */
static const struct unwind_machine *
machine_of(const struct perfdata_reader *reader)
{
	const char *arch = perfdata_arch(reader);
	struct utsname host;

	if (!arch && uname(&host) == 0)
		arch = host.machine;
	return arch ? unwind_machine_find(arch) : NULL;
}

int
samples_init(struct samples *samples, struct symbolizer *symbolizer,
	const struct ingest_options *options, struct err *err)
{
	stacks_init(&samples->stacks, samples->profile, symbolizer);
	samples->stacks.no_marks = options->no_marks;
	samples->survey = options->survey;
	samples->threads = options->threads;
	samples->machine = machine_of(samples->reader);
	code_maps_init(&samples->maps, symbolizer, options->cache, samples->machine);
	samples->filling = mem_zalloc(1, sizeof(*samples->filling));
	samples->walking = mem_zalloc(1, sizeof(*samples->walking));
	if (!options->condensed)
		return 0;
	samples->condenser = perfdata_condenser_open(options->condensed, samples->reader, err);
	return samples->condenser ? 0 : -1;
}

void
samples_release(struct samples *samples)
{
	/* Its threads may still be at work on what is freed next. */
	unwind_pool_free(samples->pool);
	if (samples->condenser)
		perfdata_condenser_abandon(samples->condenser);
	code_maps_release(&samples->maps);
	stacks_release(&samples->stacks);
	free(samples->filling);
	free(samples->walking);
	free(samples->chain);
	*samples = (struct samples){.reader = NULL};
}

static void
count(struct samples *samples, struct stack_result result, enum stack_shape shape)
{
	ctree_add(&samples->profile->tree, samples->column, result.node, 1);
	samples->run->unknown_frames += result.unknown_leaf;
	samples->run->broken_stacks += result.broken;
	samples->run->truncated_stacks += shape == STACK_TRUNCATED;
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
put_word(struct samples *samples, size_t *n, uint64_t word)
{
	if (*n == samples->chain_capacity)
		samples->chain = mem_grow(
			samples->chain, &samples->chain_capacity, *n + 1, sizeof(*samples->chain));
	samples->chain[(*n)++] = word;
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
 * The chain that stands for an unwound stack in a condensed file, in samples->chain: what the
 * kernel has of itself, then the frames, with a marker ahead of each exact one; see shape_of_end()
 * of stacks.c for the end.
 */
static size_t
make_chain(
	struct samples *samples, const struct record_sample *sample, const struct unwind_job *job)
{
	size_t kernel = kernel_words(sample);
	enum stack_shape shape = shape_of(job);
	size_t n = 0;

	for (size_t i = 0; i < kernel; i++)
		put_word(samples, &n, sample->chain[i]);
	for (size_t i = 0; i < job->nframes; i++) {
		if (i == 0 || job->frames[i].exact)
			put_word(samples, &n, PERF_CONTEXT_USER);
		put_word(samples, &n, job->frames[i].address);
	}
	if (shape != STACK_WHOLE)
		put_word(samples, &n, PERF_CONTEXT_USER);
	if (shape == STACK_BROKEN)
		put_word(samples, &n, PERF_CONTEXT_USER);
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
push_walked(struct samples *samples, const struct unwind_job *job, const struct code_space *space)
{
	for (size_t i = 0; i < job->nframes; i++) {
		const struct unwind_frame *frame = &job->frames[i];
		unsigned flags = frame->exact ? STACK_EXACT : 0;

		if (frame->map == UNWIND_NO_MAP)
			stacks_push(&samples->stacks, frame->address, flags);
		else
			stacks_push_in(&samples->stacks, &space->stretches[frame->map],
				frame->address, flags);
	}
}

/* A sample that was walked goes into the tree. */
static int
end_sample(
	struct samples *samples, struct item *item, const struct unwind_job *job, struct err *err)
{
	const struct record_sample *sample = &item->record.u.sample;
	enum stack_shape shape = shape_of(job);

	stacks_begin(&samples->stacks, item->record.id.pid);
	stacks_push_chain(&samples->stacks, sample, true);
	push_walked(samples, job, item->space);
	if (job->nframes == 0 && samples->stacks.depth == 0)
		stacks_push(&samples->stacks, sample->ip, STACK_EXACT);
	count(samples, stacks_end(&samples->stacks, item->root, shape), shape);
	if (samples->survey && job->nframes > 0)
		survey_stack(samples->survey, sample, job);
	if (!samples->condenser)
		return 0;
	size_t n = make_chain(samples, sample, job);

	return perfdata_condenser_put(samples->condenser, &item->record, samples->chain, n, err);
}

static int
end_batch(struct samples *samples, struct batch *batch, struct err *err)
{
	int result = 0;

	for (size_t i = 0; i < batch->nitems && result == 0; i++) {
		struct item *item = &batch->items[i];

		if (item->walked)
			result = end_sample(samples, item, &batch->jobs[item->job], err);
		else
			result = perfdata_condenser_put(
				samples->condenser, &item->record, NULL, 0, err);
	}
	batch->nitems = 0;
	batch->njobs = 0;
	batch->pids = 0;
	return result;
}

/* Ends the batch that is walked, while the threads begin with the one that was filled. */
static int
turn(struct samples *samples, struct err *err)
{
	struct batch *done = samples->walking;

	if (samples->pool)
		unwind_pool_finish(samples->pool);
	samples->walking = samples->filling;
	samples->filling = done;
	if (samples->walking->njobs > 0)
		unwind_pool_start(samples->pool, samples->walking->jobs, samples->walking->njobs);
	return end_batch(samples, done, err);
}

/* Ends both batches: the one that is walked, and the one that is being filled. */
static int
turn_both(struct samples *samples, struct err *err)
{
	int result = turn(samples, err);

	return result < 0 ? result : turn(samples, err);
}

int
samples_settle(struct samples *samples, uint32_t pid, struct err *err)
{
	uint64_t bits = pid ? pid_bit(pid) : UINT64_MAX;

	if (((samples->filling->pids | samples->walking->pids) & bits) == 0)
		return 0;
	return turn_both(samples, err);
}

static int
add_item(struct samples *samples, const struct item *item, struct err *err)
{
	struct batch *batch = samples->filling;

	batch->items[batch->nitems++] = *item;
	return batch->nitems == BATCH_ITEMS ? turn(samples, err) : 0;
}

static bool
can_be_walked(const struct samples *samples, const struct record_sample *sample)
{
	return samples->machine && sample->user_regs &&
	       sample->user_regs_abi == PERF_SAMPLE_REGS_ABI_64 && sample->user_stack;
}

static void
add_job(struct samples *samples, const struct record *record, const struct code_space *space)
{
	const struct record_sample *sample = &record->u.sample;
	const struct perf_event_attr *attr = &perfdata_event(samples->reader, record->event)->attr;
	struct batch *batch = samples->filling;

	if (!samples->pool) {
		samples->pool = unwind_pool_new(samples->machine, samples->threads);
		unwind_pool_check_frame_pointers(samples->pool, samples->survey != NULL);
	}
	batch->pids |= pid_bit(record->id.pid);
	batch->jobs[batch->njobs++] = (struct unwind_job){
		.space = space ? &space->unwind : NULL,
		.regs_mask = attr->sample_regs_user,
		.regs = sample->user_regs,
		.nregs = sample->nuser_regs,
		.stack = sample->user_stack,
		.stack_bytes = sample->user_stack_bytes,
		.stack_wanted = attr->sample_stack_user,
	};
}

int
samples_put(struct samples *samples, const struct record *record, frame_id root, struct err *err)
{
	const struct record_sample *sample = &record->u.sample;

	if (can_be_walked(samples, sample)) {
		struct item item = {.record = *record,
			.root = root,
			.walked = true,
			.job = samples->filling->njobs,
			.space = code_maps_of(&samples->maps, record->id.pid)};

		add_job(samples, record, item.space);
		return add_item(samples, &item, err);
	}
	stacks_begin(&samples->stacks, record->id.pid);

	enum stack_shape shape = stacks_push_chain(&samples->stacks, sample, false);

	count(samples, stacks_end(&samples->stacks, root, shape), shape);
	return samples_pass(samples, record, err);
}

int
samples_pass(struct samples *samples, const struct record *record, struct err *err)
{
	struct item item = {.record = *record};

	return samples->condenser ? add_item(samples, &item, err) : 0;
}

static void
add_module(void *context, const char *path, const struct unwind_table *table)
{
	struct samples *samples = context;
	struct stack_survey *survey = samples->survey;
	struct survey_module module = {.path = NULL};

	unwind_pool_frame_pointers(samples->pool, table, &module.steps, &module.alike);
	if (module.steps == 0)
		return;
	module.path = mem_strdup(path);
	survey->modules = mem_grow(survey->modules, &survey->modules_capacity, survey->nmodules + 1,
		sizeof(*survey->modules));
	survey->modules[survey->nmodules++] = module;
}

static int
compare_modules(const void *a, const void *b)
{
	const struct survey_module *one = a;
	const struct survey_module *other = b;

	if (one->steps != other->steps)
		return one->steps < other->steps ? 1 : -1;
	return strcmp(one->path, other->path);
}

int
samples_finish(struct samples *samples, struct err *err)
{
	struct stack_survey *survey = samples->survey;

	if (turn_both(samples, err) < 0)
		return -1;
	if (survey && samples->pool) {
		code_maps_each(&samples->maps, add_module, samples);
		if (survey->nmodules > 1)
			qsort(survey->modules, survey->nmodules, sizeof(*survey->modules),
				compare_modules);
	}
	if (!samples->condenser)
		return 0;
	struct perfdata_condenser *condenser = samples->condenser;

	samples->condenser = NULL;
	return perfdata_condenser_finish(condenser, err);
}
