#include "ingest/formats.h"

#include "base/buf.h"
#include "base/log.h"
#include "ingest/comms.h"
#include "ingest/stacks.h"
#include "perfdata/reader.h"
#include "symbols/symbolizer.h"

#include <stdlib.h>
#include <string.h>

/* Notes about modules that are shown in full; a capture of another machine has a hundred. */
#define NOTES_SHOWN 8

/* One file being read. */
struct reading {
	const char *path;
	struct profile *profile;
	struct perfdata_reader *reader;
	struct symbolizer *symbolizer;
	struct comms comms;
	struct stacks stacks;
	size_t column;
	struct run run;
	size_t event;           /* whose samples are taken: the first that has any */
	uint64_t other_samples; /* of other events */
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t period_sum;
	bool period_varies;
};

static void
take_map(struct reading *reading, const struct record *record)
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
	};

	/* Guests have their own memory, of which nothing is known here. */
	if (mode != PERF_RECORD_MISC_KERNEL && mode != PERF_RECORD_MISC_USER)
		return;
	if (!to.build_id) {
		const char *path = to.kernel ? "[kernel.kallsyms]" : map->path;

		to.build_id_len = perfdata_build_id(reading->reader, path, &to.build_id);
	}
	symbolizer_map(reading->symbolizer, &to);
}

static void
take_sample(struct reading *reading, const struct record *record)
{
	struct run *run = &reading->run;

	if (record->event != reading->event) {
		reading->other_samples++;
		return;
	}
	struct stack_result stack = stacks_node(&reading->stacks,
		comms_frame(&reading->comms, record->id.tid), record->id.pid, &record->u.sample);

	ctree_add(&reading->profile->tree, reading->column, stack.node, 1);
	run->unknown_frames += stack.unknown_leaf;
	run->broken_stacks += stack.broken;
	if (run->samples++ == 0) {
		run->period = record->u.sample.period;
		reading->first_ns = record->id.time_ns;
	}
	reading->period_varies |= run->period != record->u.sample.period;
	reading->period_sum += record->u.sample.period;
	reading->last_ns = record->id.time_ns;
}

static void
take_record(struct reading *reading, const struct record *record)
{
	const struct record_task *task = &record->u.task;
	const struct record_comm *comm = &record->u.comm;

	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		take_sample(reading, record);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		take_map(reading, record);
		break;
	case PERF_RECORD_COMM:
		comms_set(&reading->comms, comm->tid, comm->name);
		if (comm->is_exec)
			symbolizer_exec(reading->symbolizer, comm->pid);
		break;
	case PERF_RECORD_FORK:
		comms_fork(&reading->comms, task->tid, task->parent_tid);
		symbolizer_fork(reading->symbolizer, task->pid, task->parent_pid);
		break;
	case PERF_RECORD_EXIT:
		if (task->pid == task->tid)
			symbolizer_exit(reading->symbolizer, task->pid);
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

static bool
is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
		       attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

static bool
is_cycles(const struct perfdata_event *event)
{
	/* The upper half of the config says which of several kinds of CPU is meant. */
	return (event->attr.type == PERF_TYPE_HARDWARE &&
		       (uint32_t)event->attr.config == PERF_COUNT_HW_CPU_CYCLES) ||
	       strstr(event->name, "cycles") != NULL;
}

/* Sets an attribute of the profile unless it is known. */
static void
describe(struct profile *profile, str_id *attribute, const char *text)
{
	if (*attribute == 0 && text && *text)
		*attribute = strtab_intern_str(&profile->strings, text);
}

static void
describe_host(struct profile *profile, const struct perfdata_reader *reader)
{
	const char *const parts[] = {perfdata_hostname(reader), perfdata_os_release(reader),
		perfdata_arch(reader), perfdata_cpu_model(reader)};
	struct buf text;

	buf_init(&text);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i] && *parts[i])
			buf_printf(&text, "%s%s", text.len > 0 ? ", " : "", parts[i]);
	describe(profile, &profile->host, buf_text(&text));
	buf_release(&text);
}

static void
describe_profile(struct reading *reading)
{
	const struct perfdata_event *event = perfdata_event(reading->reader, reading->event);
	const struct perf_event_attr *attr = &event->attr;
	struct profile *profile = reading->profile;
	bool clock = is_clock(attr);
	bool chains = (attr->sample_type & PERF_SAMPLE_CALLCHAIN) != 0;
	bool copies = (attr->sample_type & PERF_SAMPLE_STACK_USER) != 0;

	describe(profile, &profile->command, perfdata_command(reading->reader));
	describe(profile, &profile->workload, perfdata_command(reading->reader));
	describe(profile, &profile->event, event->name);
	describe(profile, &profile->metric, clock || is_cycles(event) ? "cpu" : event->name);
	describe(profile, &profile->unit, "samples");
	describe(profile, &profile->callgraph, copies ? "dwarf" : chains ? "fp" : "none");
	describe_host(profile, reading->reader);
	if (clock)
		describe(profile, &profile->cost_unit, "ns");
	if (profile->frequency_hz == 0 && attr->freq)
		profile->frequency_hz = (double)attr->sample_freq;
	else if (profile->frequency_hz == 0 && clock && attr->sample_period > 0)
		profile->frequency_hz = 1e9 / (double)attr->sample_period;
	profile->duration_s += (double)(reading->last_ns - reading->first_ns) / 1e9;
	if (copies)
		log_warn("%s: stacks were recorded as copies of memory (--call-graph dwarf); they "
			 "are read only as far as their frame-pointer chains go: record with "
			 "--call-graph fp",
			reading->path);
}

static void
finish_run(struct reading *reading)
{
	const struct perf_event_attr *attr = &perfdata_event(reading->reader, reading->event)->attr;
	struct run *run = &reading->run;

	if (!attr->freq && !(attr->sample_type & PERF_SAMPLE_PERIOD)) {
		run->period = attr->sample_period;
		reading->period_sum = run->samples * attr->sample_period;
	} else if (reading->period_varies) {
		run->period = 0;
	}
	/* A clock's period is CPU time: what was sampled is what it cost, as far as is known. */
	if (is_clock(attr)) {
		run->cost_total = (double)reading->period_sum;
		run->cpu_ns = reading->period_sum;
	}
	reading->profile->runs[reading->column] = *run;
	if (reading->other_samples > 0)
		log_warn("%s: has %llu samples of other events; only those of %s are read",
			reading->path, (unsigned long long)reading->other_samples,
			perfdata_event(reading->reader, reading->event)->name);
}

static void
show_notes(const struct symbol_cache *cache)
{
	size_t count = symbol_cache_nnotes(cache);

	for (size_t i = 0; i < count && i < NOTES_SHOWN; i++)
		log_warn("%s", symbol_cache_note(cache, i));
	if (count > NOTES_SHOWN)
		log_warn("and %zu more modules without names", count - NOTES_SHOWN);
}

static int
err_no_samples(const struct reading *reading, struct err *err)
{
	const struct perfdata_event *event = perfdata_event(reading->reader, reading->event);

	err_set(err, ERR_INPUT, "%s: holds no samples of %s", reading->path, event->name);
	if (is_clock(&event->attr))
		return err_note(err, "what ran used less CPU time than lies between two samples: a "
				     "longer run or a higher frequency sees more");
	return err_note(err, "nothing ran while it was recorded, or the event does not count on "
			     "that machine (cpu-clock does on every one)");
}

static int
read_records(struct reading *reading, struct err *err)
{
	size_t nevents = perfdata_nevents(reading->reader);
	struct record record;
	int status;

	while (reading->event + 1 < nevents &&
		perfdata_nsamples(reading->reader, reading->event) == 0)
		reading->event++;
	while ((status = perfdata_next(reading->reader, &record, err)) > 0)
		take_record(reading, &record);
	if (status < 0)
		return -1;
	if (reading->run.samples == 0)
		return err_no_samples(reading, err);
	return 0;
}

static int
read_perfdata(struct profile *profile, const struct file_view *view, const char *path,
	const struct ingest_options *options, struct err *err)
{
	struct reading reading = {.path = path, .profile = profile};
	struct symbol_cache *given = options ? options->symbols : NULL;
	struct symbol_cache *own = NULL;
	int result = -1;

	reading.reader = perfdata_open(view, path, err);
	if (!reading.reader)
		return -1;
	if (!given)
		own = symbol_cache_new();
	reading.symbolizer = symbolizer_new(given ? given : own);
	comms_init(&reading.comms, profile);
	stacks_init(&reading.stacks, profile, reading.symbolizer);
	if (perfdata_os_release(reading.reader))
		symbolizer_set_os_release(reading.symbolizer, perfdata_os_release(reading.reader));
	reading.column = profile_add_run(profile);
	if (read_records(&reading, err) == 0) {
		describe_profile(&reading);
		finish_run(&reading);
		if (own)
			show_notes(own);
		result = 0;
	}
	stacks_release(&reading.stacks);
	comms_release(&reading.comms);
	symbolizer_free(reading.symbolizer);
	symbol_cache_free(own);
	perfdata_close(reading.reader);
	return result;
}

const struct input_format ingest_perfdata = {
	.name = "perf.data",
	.summary = "samples as the kernel delivers them: from profile_run capture or perf record",
	.detect = perfdata_detect,
	.read = read_perfdata,
};
