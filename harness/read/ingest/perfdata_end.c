#include "base/buf.h"
#include "base/log.h"
#include "ingest/describe.h"
#include "ingest/event_choice.h"
#include "ingest/ingest_cache.h"
#include "ingest/perfdata_internal.h"

/* Recommended copies of stacks are no longer than this: a record has no room for more. */
#define STACK_USER_MOST 65000

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

/* Which files could not be read, and why: what follows from that is no property of the program. */
static void
describe_missing(struct perfdata_reading *reading)
{
	struct buf missing = {0};

	symbol_cache_put_missing(reading->options->cache->symbols, &missing);
	describe_set(reading->profile, &reading->profile->missing, buf_text(&missing));
	buf_release(&missing);
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

/* How stacks are recorded whole that this capture cut. */
static void
put_whole_stacks(const struct perf_event_attr *attr, struct buf *out)
{
	if (attr->sample_stack_user == 0)
		buf_puts(out,
			"the kernel ends a chain at its limit of frames "
			"(sysctl kernel.perf_event_max_stack=1024 raises it; perf record "
			"--call-graph dwarf,65528 and profile_run capture --call-graph dwarf do "
			"without)");
	else if (attr->sample_stack_user < STACK_USER_MOST)
		buf_printf(out,
			"the %u KiB of stack in each sample are too few (perf record --call-graph "
			"dwarf,65528; profile_run capture --stack-size 64KiB)",
			(attr->sample_stack_user + 1023) / 1024);
	else
		buf_printf(out,
			"the %u KiB of stack in each sample are too few (a sample cannot hold "
			"more: the program's frame pointers can give the rest, perf record "
			"--call-graph fp)",
			(attr->sample_stack_user + 1023) / 1024);
}

static void
warn_of_truncated(const struct perfdata_reading *reading)
{
	const struct run *run = &reading->run;
	const struct perf_event_attr *attr = &perfdata_event(reading->reader, reading->event)->attr;

	if ((double)run->truncated_stacks <= TRUNCATED_TOLD * (double)run->samples)
		return;
	struct buf reason = {0};

	put_whole_stacks(attr, &reason);
	log_warn("%s: %llu of %llu stacks are truncated: %s", reading->path,
		(unsigned long long)run->truncated_stacks, (unsigned long long)run->samples,
		buf_text(&reason));
	buf_release(&reason);
}

/* The samples of a group that is read together have the values of its other members. */
static void
warn_of_group(const struct perfdata_reading *reading)
{
	const struct perfdata_reader *reader = reading->reader;
	const struct perfdata_event *event = perfdata_event(reader, reading->event);
	struct buf others = {0};

	if (reading->options->event || !event_is_group_read(event))
		return;
	for (size_t i = 0; i < perfdata_nevents(reader); i++) {
		const struct perfdata_event *other = perfdata_event(reader, i);

		if (i != reading->event && other->nsamples == 0 && event_is_group_read(other))
			buf_printf(&others, "%s%s", others.len > 0 ? ", " : "", other->name);
	}
	if (others.len > 0 && event_group_is_usable(event))
		log_warn("%s: the samples of %s are read, which is read together with others "
			 "('{a,b}:S'); --event takes these: %s",
			reading->path, event->name, buf_text(&others));
	else if (others.len > 0)
		log_warn("%s: of a group of events that is read together ('{a,b}:S') only the "
			 "samples of '%s' are read; record the others without :S",
			reading->path, event->name);
	buf_release(&others);
}

static void
warn_of_gaps(const struct perfdata_reading *reading)
{
	if (perfdata_truncated(reading->reader))
		log_warn(
			"%s: ends in the middle of a record: the recording is truncated; its whole records are read",
			reading->path);
	warn_of_truncated(reading);
	warn_of_group(reading);
	if (reading->other_samples > 0 && !reading->options->event &&
		!reading->samples.sink.by_period)
		event_totals_warn(reading->choice.totals, reading->choice.count, reading->path);
	if (reading->timings.timeline && reading->run.lost > 0)
		log_warn("%s: %llu records were lost: waits at these moments are left out",
			reading->path, (unsigned long long)reading->run.lost);
}

void
perfdata_end(struct perfdata_reading *reading)
{
	describe_profile(reading);
	describe_missing(reading);
	finish_times(reading);
	finish_run(reading);
	warn_of_gaps(reading);
}
