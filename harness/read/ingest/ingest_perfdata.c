/*
 * The reader of perf.data files: takes the records in order of time, hands each to the part that
 * keeps it (perfdata_internal.h, samples.h), and describes the profile at the end.
 */
#include "base/buf.h"
#include "base/log.h"
#include "base/map.h"
#include "ingest/code_maps.h"
#include "ingest/data_maps.h"
#include "ingest/ingest.h"
#include "ingest/ingest_cache.h"
#include "ingest/ingest_internal.h"
#include "ingest/labels.h"
#include "ingest/perfdata_internal.h"
#include "ingest/samples.h"
#include "ingest/selection.h"
#include "ingest/short_tasks.h"
#include "ingest/stacks.h"
#include "ingest/syscalls.h"
#include "perfdata/reader.h"
#include "symbols/symbolizer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct perfdata_reading {
	struct samples samples;
	const char *path;
	const struct ingest_options *options; /* its cache is set */
	struct profile *profile;
	struct perfdata_reader *reader;
	struct symbolizer *symbolizer;
	struct comms comms;
	struct phase_marks phases;
	struct label_roots roots;
	size_t column;
	struct run run;
	struct operation_tally operations; /* where only slow operations are read */
	struct event_choice choice;        /* of the events whose samples are taken */
	size_t event;                      /* choice.event, or the one that the timings name */
	struct group_reads group;          /* events that have no samples of their own */
	struct timings timings;
	struct data_maps data_maps; /* memory that locks lie in */
	struct short_tasks short_tasks;
	struct key_map children; /* processes that were forked while it was recorded */
	struct time_range range; /* samples in it are taken */
	bool has_start;          /* a record with a time was read */
	bool has_times;          /* weights are those of the timings */
	uint64_t other_samples;  /* samples of other events */
	uint64_t left_out;       /* samples of threads and processes that are not selected */
	uint64_t first_ns;       /* the earliest time of the samples taken */
	uint64_t last_ns;        /* ... and the latest */
	uint64_t period_sum;
};

/* Whether the memory of locks is looked up. */
static bool
finds_locks(const struct perfdata_reading *reading)
{
	return timings_are_of_locks(&reading->timings) && !reading->timings.events.of_wakers;
}

static void
take_map(struct perfdata_reading *reading, const struct record *record)
{
	const struct record_mmap *map = &record->u.mmap;
	unsigned mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	struct symbol_map to = {
		.pid = map->pid,
		.start = map->start,
		.size = map->size,
		.file_offset = map->file_offset,
		.path = map->path,
		.build_id = map->build_id,
		.build_id_len = map->build_id_len,
		.inode = map->inode,
		.kernel = mode == PERF_RECORD_MISC_KERNEL,
		/* MMAP2 records have the access rights, MMAP records only a bit for data. */
		.data = map->prot ? !(map->prot & PROT_EXEC)
				  : (record->misc & PERF_RECORD_MISC_MMAP_DATA) != 0,
	};

	/* Guests have their own memory, of which nothing is known here. */
	if (mode != PERF_RECORD_MISC_KERNEL && mode != PERF_RECORD_MISC_USER)
		return;
	if (finds_locks(reading) && !to.kernel) {
		data_maps_add(&reading->data_maps, map);
		if (to.data)
			return;
	}
	if (!to.build_id) {
		/* "[kernel.kallsyms]_text"; modules have their own. */
		bool is_kernel = to.kernel && strncmp(map->path, "[kernel.", 8) == 0;
		const char *path = is_kernel ? "[kernel.kallsyms]" : map->path;

		to.build_id_len = perfdata_build_id(reading->reader, path, &to.build_id);
	}
	symbolizer_map(reading->symbolizer, &to);
}

static bool
is_selected(struct perfdata_reading *reading, const struct record *record)
{
	const struct ingest_options *options = reading->options;
	const char *name = options->comm ? comms_name(&reading->comms, record->id.tid) : "";

	if (options->first_threads &&
		(record->id.tid != record->id.pid ||
			key_map_find(&reading->children, record->id.pid) != KEY_MAP_NONE))
		return false;
	return selection_takes(options, record->id.pid, record->id.tid, name, strlen(name)) &&
	       (!options->only_value ||
		       label_roots_are(&reading->roots, options->only.kind, options->only_value,
			       record->id.pid, record->id.tid));
}

/* Takes a record of this weight into account. */
static void
count_sample(struct perfdata_reading *reading, const struct record *record, uint64_t period)
{
	struct run *run = &reading->run;

	if (run->samples++ == 0) {
		run->period = period;
		reading->first_ns = reading->last_ns = record->id.time_ns;
	}
	/* A damaged file's rounds can be out of order. */
	if (record->id.time_ns < reading->first_ns)
		reading->first_ns = record->id.time_ns;
	if (record->id.time_ns > reading->last_ns)
		reading->last_ns = record->id.time_ns;
	reading->period_sum += period;
}

/* The node that its stack stands below; CTREE_ROOT on error. */
static node_id
root_of(struct perfdata_reading *reading, const struct record *record, struct err *err)
{
	node_id root = label_roots_made(&reading->roots, record->id.pid, record->id.tid);

	if (root != CTREE_ROOT || samples_wait(&reading->samples, err) < 0)
		return root;
	return label_roots_make(&reading->roots, record->id.pid, record->id.tid);
}

static int
take_sample(struct perfdata_reading *reading, const struct record *record, struct err *err)
{
	const struct timeline_entry no_wait = {.kind = WAIT_NONE};
	bool other = !event_choice_has(&reading->choice, record->event);
	struct record member;

	if (group_reads_are_any(&reading->group)) {
		member = *record;
		member.u.sample.period = group_reads_take(&reading->group, &record->u.sample);
		other = member.u.sample.period == 0;
		record = &member;
	}

	if (other || !time_range_has(&reading->range, record->id.time_ns) ||
		!is_selected(reading, record)) {
		reading->other_samples += other && !timings_need(&reading->timings, record->event);
		reading->left_out += !other;
		return samples_forward(&reading->samples, record, err);
	}
	count_sample(reading, record, record->u.sample.period);

	node_id root = root_of(reading, record, err);

	return root != CTREE_ROOT ? samples_put(&reading->samples, record, root, no_wait, err) : -1;
}

/*
 * Cuts the time that a record stands for to the part in the selected range. Returns the time of a
 * record that stands for that part.
 */
static uint64_t
place_entry(const struct perfdata_reading *reading, const struct record *record,
	struct timeline_entry *entry)
{
	const struct time_range *range = &reading->range;
	uint64_t time_ns = record->id.time_ns;

	if (timings_are_times(&reading->timings)) {
		/* The record of a call is at its start. */
		if (reading->timings.calls)
			time_ns += entry->ns;
		const uint64_t begin = time_range_clip(range, time_ns, entry);

		return timed_entry_begin(time_ns, *entry) == time_ns ? begin : begin + entry->ns;
	}
	if (!time_range_has(range, time_ns))
		entry->ns = entry->queued_ns = 0;
	return time_ns;
}

/* Takes a record of a timeline: a sample, or a switch without one. */
static int
take_timed(struct perfdata_reading *reading, const struct record *record,
	struct timeline_entry entry, struct err *err)
{
	struct record timed = *record;

	timed.id.time_ns = place_entry(reading, record, &entry);
	const uint64_t ns = entry.ns + entry.queued_ns;
	const bool on_cpu = entry.kind == WAIT_NONE || entry.kind == WAIT_UNSAMPLED;

	if (ns == 0 || !is_selected(reading, record)) {
		reading->left_out += ns > 0;
		return samples_forward(&reading->samples, record, err);
	}
	count_sample(reading, record, ns);
	operation_tally_add_time(&reading->operations, on_cpu ? entry.ns : ns, on_cpu);

	node_id root = root_of(reading, record, err);

	if (root == CTREE_ROOT)
		return -1;
	if (record->type != PERF_RECORD_SAMPLE || entry.kind == WAIT_UNSAMPLED)
		return samples_put_wait(&reading->samples, &timed, root, entry, err);
	timed.u.sample.period = entry.ns;
	if (finds_locks(reading))
		entry.lock = data_maps_lock_of(&reading->data_maps, reading->samples.machine,
			&perfdata_event(reading->reader, record->event)->attr, record);
	return samples_put(&reading->samples, &timed, root, entry, err);
}

/* Whether the record changes names of the kernel, which are the same for all samples. */
static bool
is_of_kernel(const struct record *record)
{
	bool maps = record->type == PERF_RECORD_MMAP || record->type == PERF_RECORD_MMAP2;
	unsigned mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return record->type == PERF_RECORD_KSYMBOL || (maps && mode == PERF_RECORD_MISC_KERNEL);
}

static void
take_change(struct perfdata_reading *reading, const struct record *record)
{
	const struct record_task *task = &record->u.task;
	const struct record_comm *comm = &record->u.comm;
	const struct record_ksymbol *ksymbol = &record->u.ksymbol;

	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		take_map(reading, record);
		break;
	case PERF_RECORD_COMM:
		comms_set(&reading->comms, comm->tid, comm->name);
		if (comm->is_exec) {
			symbolizer_exec(reading->symbolizer, comm->pid);
			if (finds_locks(reading))
				data_maps_exec(&reading->data_maps, comm->pid);
		}
		break;
	case PERF_RECORD_FORK:
		comms_fork(&reading->comms, task->tid, task->parent_tid);
		symbolizer_fork(reading->symbolizer, task->pid, task->parent_pid);
		if (finds_locks(reading))
			data_maps_fork(&reading->data_maps, task->pid, task->parent_pid);
		if (reading->options->first_threads && task->pid != task->parent_pid)
			key_map_add(&reading->children, task->pid);
		break;
	case PERF_RECORD_KSYMBOL:
		symbolizer_kernel_symbol(reading->symbolizer, ksymbol->address, ksymbol->size,
			ksymbol->name, ksymbol->gone);
		stacks_forget(&reading->samples.sink.stacks);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		reading->run.lost += record->u.lost;
		break;
	case PERF_RECORD_THROTTLE:
		reading->run.throttled++;
		break;
	default: /* UNTHROTTLE, READ */
		break;
	}
}

/* Counts an operation that ends with the record. */
static void
take_operation(struct perfdata_reading *reading, const struct record *record)
{
	struct operation_mark mark;

	if (slow_operations_take(reading->timings.operations, record, &mark) &&
		mark.kind == OPERATION_ENDS && is_selected(reading, record))
		operation_tally_add(&reading->operations, mark);
}

/* The capture's time begins with the first record that has one. */
static void
start_range(struct perfdata_reading *reading, uint64_t start_ns)
{
	reading->has_start = true;
	reading->range = time_range_at(reading->options, start_ns);
	if (reading->samples.sink.times)
		reading->samples.sink.times->start_ns = start_ns;
}

static int
take_record(struct perfdata_reading *reading, const struct record *record, struct err *err)
{
	struct timeline_entry entry;

	short_tasks_take(&reading->short_tasks, record);
	if (!reading->has_start && record->id.time_ns > 0)
		start_range(reading, record->id.time_ns);
	if (phase_marks_take(&reading->phases, &reading->comms, record)) {
		samples_put_phase(
			&reading->samples, record->id.time_ns, phase_marks_name(&reading->phases));
		return samples_forward(&reading->samples, record, err);
	}
	if (reading->timings.operations)
		take_operation(reading, record);
	if (timings_take(&reading->timings, record, &entry))
		return take_timed(reading, record, entry, err);
	if (record->type == PERF_RECORD_SAMPLE)
		return take_sample(reading, record, err);
	if (is_of_kernel(record) && samples_flush(&reading->samples, err) < 0)
		return -1;
	take_change(reading, record);
	return samples_forward(&reading->samples, record, err);
}

static int
read_records(struct perfdata_reading *reading, struct err *err)
{
	struct record record;
	int status;

	while ((status = perfdata_next(reading->reader, &record, err)) > 0)
		if (take_record(reading, &record, err) < 0)
			return -1;
	if (status < 0 || samples_finish(&reading->samples, err) < 0)
		return -1;
	/* Which waits are for locks was found out by their names. */
	if (reading->samples.sink.locks) {
		reading->run.samples = reading->samples.sink.counted.samples;
		reading->period_sum = reading->samples.sink.locks_weight;
	}
	if (reading->timings.only_operations && reading->left_out == 0)
		return operation_tally_check(&reading->operations, reading->timings.operations,
			reading->path, reading->options->may_be_empty, err);
	if (reading->run.samples > 0 || (reading->options->may_be_empty && reading->timings.view))
		return 0;
	if (reading->left_out > 0) {
		err_set(err, ERR_INPUT,
			"%s: none of its %llu samples are of the selected process, thread, phase or time",
			reading->path, (unsigned long long)reading->left_out);
		if (reading->options->only_value && reading->options->only.kind == LABEL_PHASE)
			phase_marks_note(&reading->phases, err);
		return -1;
	}
	return reading->has_times
		       ? perfdata_refuse_without_times(reading->path, reading->timings.view, err)
		       : perfdata_refuse_without_samples(
				 reading->reader, reading->path, reading->event, err);
}

static void
describe_profile(struct perfdata_reading *reading)
{
	const struct perfdata_event *event = perfdata_event(reading->reader, reading->event);
	const struct perf_event_attr *attr = &event->attr;

	if (!reading->samples.sink.by_period)
		sample_weights_describe(&reading->samples.sink.weights, event->name,
			reading->profile, &reading->run);
	timings_describe(&reading->timings, reading->profile);
	if (reading->timings.only_operations)
		operation_tally_describe(
			&reading->operations, reading->timings.operations, reading->profile);
	if (reading->options->operation_times && reading->operations.count > 0)
		buf_put(reading->options->operation_times, reading->operations.times,
			reading->operations.count * sizeof(*reading->operations.times));
	describe_capture(reading->profile, reading->reader, reading->event, reading->first_ns);
	/* The times of counted samples are only their order. */
	if (!reading->samples.sink.by_period || reading->has_times)
		reading->profile->duration_s +=
			(double)(reading->last_ns - reading->first_ns) / 1e9;
	if ((attr->sample_type & PERF_SAMPLE_STACK_USER) && !reading->samples.machine)
		log_warn("%s: stacks were recorded as copies of memory, which can be unwound for "
			 "x86_64 and aarch64 only: only their frame-pointer chains are read",
			reading->path);
}

static void
finish_times(struct perfdata_reading *reading)
{
	struct sample_times *times = reading->samples.sink.times;

	if (!times)
		return;
	for (size_t i = 0; i < sample_times_nthreads(times); i++)
		sample_times_set_name(times, i, comms_name(&reading->comms, times->threads[i].tid));
	sample_times_finish(times);
}

static void
finish_run(struct perfdata_reading *reading)
{
	const struct perf_event_attr *attr = &perfdata_event(reading->reader, reading->event)->attr;
	struct run *run = &reading->run;

	run->delivered = true;
	if (reading->has_times) {
		run->period = 0;
		if (!timings_are_times(&reading->timings))
			run->samples = reading->period_sum;
		run->cost_total = (double)reading->period_sum;
		reading->profile->runs[reading->column] = *run;
		return;
	}
	if (reading->samples.sink.weights.varies)
		run->period = 0;
	if (reading->samples.sink.syscall_arch)
		run->cost_total = (double)run->samples;
	if (reading->samples.sink.by_period) {
		run->samples = reading->period_sum;
		run->period = 1;
		run->cost_total = (double)reading->period_sum;
	}
	/* A clock's period is CPU time: the sampled time is the best known cost. */
	if (describe_is_clock(attr)) {
		run->cost_total = (double)reading->period_sum;
		run->cpu_ns = reading->period_sum;
	}
	reading->profile->runs[reading->column] = *run;
}

static void
warn_of_gaps(const struct perfdata_reading *reading)
{
	const struct perfdata_event *event = perfdata_event(reading->reader, reading->event);

	if (perfdata_truncated(reading->reader))
		log_warn(
			"%s: ends in the middle of a record: the recording is truncated; its whole records are read",
			reading->path);
	perfdata_warn_of_truncated(&reading->run, &event->attr, reading->path);
	if (!reading->options->event)
		perfdata_warn_of_group(reading->reader, reading->event, reading->path);
	if (reading->other_samples > 0 && !reading->options->event &&
		!reading->samples.sink.by_period)
		event_totals_warn(reading->choice.totals, reading->choice.count, reading->path);
	if (reading->timings.timeline && reading->run.lost > 0)
		log_warn("%s: %llu records were lost: waits at these moments are left out",
			reading->path, (unsigned long long)reading->run.lost);
}

/* After the last record: describes the profile and its run, and warns of what is missing. */
static void
end_reading(struct perfdata_reading *reading)
{
	describe_profile(reading);
	if (reading->left_out == 0 && !reading->has_times)
		short_tasks_describe(&reading->short_tasks, reading->profile);
	perfdata_describe_missing(reading->options->cache->symbols, reading->profile);
	finish_times(reading);
	finish_run(reading);
	warn_of_gaps(reading);
}

/* Whether the samples' times are those of what they stand for, not just their order. */
static bool
samples_have_moments(const struct perfdata_reading *reading)
{
	const struct perfdata_event *event = perfdata_event(reading->reader, reading->event);

	return (event->attr.sample_type & PERF_SAMPLE_TIME) && !reading->timings.stated &&
	       !describe_counted(event);
}

static int
begin(struct perfdata_reading *reading, const struct file_view *view, struct err *err)
{
	const char *release = perfdata_texts(reading->reader)->os_release;
	const char *arch = perfdata_texts(reading->reader)->arch;

	if (phase_marks_check(&reading->phases, reading->options, reading->path, err) < 0 ||
		event_choose(&reading->choice, reading->reader, reading->path,
			reading->options->event, err) < 0)
		return -1;
	reading->event = reading->choice.event;
	if (timings_find(&reading->timings, reading->reader, view, reading->path, reading->options,
		    &reading->event, err) < 0)
		return -1;
	if (reading->event != reading->choice.event)
		event_choice_set(&reading->choice, reading->event);
	reading->has_times = timings_are_known(&reading->timings);
	reading->range = time_range_at(reading->options, 0);
	const bool has_moments = samples_have_moments(reading);

	if (!has_moments && (reading->options->from_ns > 0 || reading->options->to_ns > 0))
		return err_set(err, ERR_INPUT,
			"%s: its samples have no times that a part could be read by",
			reading->path);
	group_reads_init(&reading->group, reading->reader, &reading->choice);
	symbolizer_set_inlining(reading->symbolizer, !reading->options->no_inline);
	if (release)
		symbolizer_set_os_release(reading->symbolizer, release);
	const struct view *wanted = reading->timings.view;
	const struct perfdata_event *event = perfdata_event(reading->reader, reading->event);

	short_tasks_init(&reading->short_tasks, &event->attr);
	reading->column = profile_add_run(reading->profile);
	reading->samples = (struct samples){
		.reader = reading->reader,
		.operations = reading->timings.operations,
		.sink.profile = reading->profile,
		.sink.path = reading->path,
		.sink.limit = tree_limit(reading->profile, view->len),
		.sink.column = reading->column,
		.sink.timed = timings_are_times(&reading->timings),
		.sink.times = has_moments ? reading->options->times : NULL,
		.sink.clock = describe_is_clock(&event->attr),
		.sink.by_period = reading->has_times || describe_counted(event) != NULL,
		.sink.run = &reading->run,
		.sink.locks = timings_are_of_locks(&reading->timings),
		.sink.numbers = wanted && wanted->kind == VIEW_LOCK_NUMBER,
	};
	frame_limit_init(&reading->samples.frames, reading->reader, view, reading->path);
	if (reading->samples.sink.times)
		reading->samples.sink.times->was_running =
			!perfdata_begins_with_exec(reading->reader);
	if (syscalls_are_counted(event))
		reading->samples.sink.syscall_arch = arch ? arch : "";
	sample_weights_init(&reading->samples.sink.weights,
		syscalls_are_counted(event) ? SAMPLE_WEIGHS_ONE : reading->options->weight,
		describe_is_clock(&event->attr));
	return samples_init(&reading->samples, reading->symbolizer, reading->options, err);
}

static int
read_perfdata(struct profile *profile, const struct file_view *view, const char *path,
	const struct ingest_options *given, struct err *err)
{
	struct ingest_options options = *given;
	struct perfdata_reading reading = {.path = path, .profile = profile, .options = &options};
	struct ingest_cache *own = NULL;
	int result = -1;

	reading.reader = perfdata_open(view, path, err);
	if (!reading.reader)
		return -1;
	if (!options.cache)
		options.cache = own = ingest_cache_new();
	reading.symbolizer = symbolizer_new(options.cache->symbols);
	symbolizer_set_capture(reading.symbolizer, strcmp(path, "-") == 0 ? NULL : path);
	comms_init(&reading.comms);
	phase_marks_init(&reading.phases, reading.reader);
	reading.roots = (struct label_roots){
		.profile = profile,
		.by = labels_or_thread(&options.by),
		.comms = &reading.comms,
		.phases = &reading.phases,
	};
	if (begin(&reading, view, err) == 0 && read_records(&reading, err) == 0) {
		end_reading(&reading);
		if (own)
			ingest_cache_warn(own);
		result = 0;
	}
	samples_release(&reading.samples);
	label_roots_release(&reading.roots);
	phase_marks_release(&reading.phases);
	comms_release(&reading.comms);
	timings_release(&reading.timings);
	operation_tally_release(&reading.operations);
	data_maps_release(&reading.data_maps);
	key_map_release(&reading.children);
	short_tasks_release(&reading.short_tasks);
	group_reads_release(&reading.group);
	event_choice_release(&reading.choice);
	symbolizer_free(reading.symbolizer);
	ingest_cache_free(own);
	perfdata_close(reading.reader);
	return result;
}

const struct input_format ingest_perfdata = {
	.name = "perf.data",
	.summary = "samples as the kernel delivers them: from profile_run capture or perf record",
	.lines = true,
	.periods = true,
	.by_thread = true,
	.labels = LABELS_OF_THREADS | LABEL_BIT(LABEL_PHASE),
	.selects = LABELS_OF_THREADS | LABEL_BIT(LABEL_PHASE),
	.detect = perfdata_detect,
	.read = read_perfdata,
	.if_weightless =
		"the periods of its samples are 0: '--weight samples' counts each sample as 1",
};
