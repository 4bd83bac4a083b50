/* The tally of a run: its cost, the samples to expect from it, and what disturbed it. */
#include "base/clock.h"
#include "capture/capture_internal.h"
#include "machine/disturb.h"
#include "process/child.h"
#include "profile/counters.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>

/* Share of the CPU time up to which unsampled kernel time hardly changes the expected samples. */
#define KERNEL_SHARE_LIMIT 0.03

/*
 * An event of the kernel's own that is no clock is sampled each time it happens, whatever the
 * period, when the samples are to tell their period (perf_swevent_event() in kernel/events/core.c).
 */
static uint64_t
true_period(const struct capture_request *request)
{
	if (request->event.type == PERF_TYPE_SOFTWARE && !request->event.is_clock)
		return 1;
	return request->period;
}

/* How many samples the CPU time (or the count of the event) should have given. */
static double
expected_samples(const struct tally *tally, const struct run *run)
{
	const struct capture_request *request = tally->request;
	const struct rusage *usage = tally->usage;

	if (!request->event.is_clock) {
		if (request->period > 0)
			return sampler_units(tally->sampler) / (double)run->period;
		/* The kernel aims at the frequency only as far as the event happens that often. */
		if (request->event.type == PERF_TYPE_SOFTWARE)
			return 0;
		return (double)run->cpu_ns / 1e9 * request->frequency_hz;
	}
	/*
	 * The clock's samples inside the kernel are dropped where sampling it is not allowed. How
	 * much time that was is known in ticks only: too roughly, unless it was little.
	 */
	if (!request->event.kernel && request->all_of)
		return 0;
	if (!request->event.kernel && usage) {
		double user = (double)clock_timeval_ns(&usage->ru_utime);
		double all = user + (double)clock_timeval_ns(&usage->ru_stime);

		if (user < all * (1 - KERNEL_SHARE_LIMIT))
			return 0;
	}
	/* Each switch is one besides those of the clock. */
	double switches = request->event.timed ? (double)run->context_switches : 0;

	return (double)run->cpu_ns / (double)run->period + switches;
}

/* By execution, as all counters. */
static void
tally_hardware(const struct event_counters *counters, struct run *run)
{
	static const struct {
		enum event_counter event;
		enum counter_id counter;
	} events[] = {
		{EVENT_CYCLES, COUNTER_CYCLES},
		{EVENT_INSTRUCTIONS, COUNTER_INSTRUCTIONS},
		{EVENT_BRANCHES, COUNTER_BRANCHES},
		{EVENT_BRANCH_MISSES, COUNTER_BRANCH_MISSES},
		{EVENT_CACHE_MISSES, COUNTER_CACHE_MISSES},
	};
	double least = NAN;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		double running;
		double count = event_counters_scaled(counters, events[i].event, &running);

		counter_set(run, events[i].counter, count / executions_of_run(run));
		least = fmin(least, running);
	}
	counter_set(run, COUNTER_PMU_RUNNING, least);
}

void
tally_child(const struct child *child, unsigned nth, struct run *run)
{
	const struct child_counts counts = child_counts(child);
	const struct child_io *io = counts.io_known ? &counts.io : NULL;
	const struct {
		enum counter_id id;
		double value;
	} values[] = {
		{COUNTER_USER_TIME, (double)counts.user_ns},
		{COUNTER_SYSTEM_TIME, (double)counts.system_ns},
		{COUNTER_MINOR_FAULTS, (double)counts.minor_faults},
		{COUNTER_MAJOR_FAULTS, (double)counts.major_faults},
		{COUNTER_MAX_RSS, counts.max_rss_bytes > 0 ? (double)counts.max_rss_bytes : NAN},
		{COUNTER_READ_BYTES, io ? (double)io->read_bytes : NAN},
		{COUNTER_WRITE_BYTES, io ? (double)io->write_bytes : NAN},
		{COUNTER_READ_CALLS, io ? (double)io->read_calls : NAN},
		{COUNTER_WRITE_CALLS, io ? (double)io->write_calls : NAN},
		{COUNTER_STORAGE_READ_BYTES, io ? (double)io->storage_read_bytes : NAN},
		{COUNTER_STORAGE_WRITE_BYTES, io ? (double)io->storage_write_bytes : NAN},
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		counter_add(run, values[i].id, values[i].value, nth);
}

void
tally_counted(const struct child *child, double cost, uint64_t harness_start_ns, struct run *run)
{
	const struct rusage *usage = &child->usage;

	run->measured = true;
	run->executions = 1;
	run->cost_total = cost;
	run->samples = (uint64_t)cost;
	run->period = 1;
	run->cpu_ns = clock_usage_ns(usage);
	run->context_switches = (uint64_t)(usage->ru_nvcsw + usage->ru_nivcsw);
	run->harness_cpu_ns = clock_own_cpu_ns() - harness_start_ns;
}

void
tally_run(const struct tally *tally, struct run *run)
{
	const struct capture_request *request = tally->request;
	const struct rusage *usage = tally->usage;
	int64_t cpu_ns = tally->cpu_ns >= 0 ? tally->cpu_ns
					    : event_counters_read(tally->counters, EVENT_CPU_NS);
	int64_t switches = event_counters_read(tally->counters, EVENT_SWITCHES);
	int64_t migrations = event_counters_read(tally->counters, EVENT_MIGRATIONS);

	run->measured = true;
	if (cpu_ns >= 0)
		run->cpu_ns = (uint64_t)cpu_ns;
	else if (usage)
		run->cpu_ns = clock_usage_ns(usage);
	if (switches >= 0)
		run->context_switches = (uint64_t)switches;
	else if (usage)
		run->context_switches = (uint64_t)(usage->ru_nvcsw + usage->ru_nivcsw);
	if (migrations >= 0)
		run->migrations = (uint64_t)migrations;
	run->executions = tally->executions;
	run->cost_total = (double)run->cpu_ns / executions_of_run(run);
	tally_hardware(tally->counters, run);
	run->period = request->period > 0 ? true_period(request) : 0;
	if (run->period == 0 && request->frequency_hz > 0)
		run->period = (uint64_t)llround(request->event.rate_hz / request->frequency_hz);
	if (request->perfdata_path && run->period > 0)
		run->expected_samples = expected_samples(tally, run);
	if (!tally->disturb)
		return;
	uint64_t own = usage && request->skip_s <= 0 ? clock_usage_ns(usage) : 0;
	const struct disturb_known known = {
		/* The CPU time of a process before its exec is not the program's, but ours, as that
		   of its launcher is. */
		.program_ns = (own > run->cpu_ns ? own : run->cpu_ns) + tally->launch_ns,
		.harness_ns = tally->harness_ns,
		.harness_cpu = request->reader_cpu,
	};

	disturb_fill(tally->disturb, &known, run);
}

int
tally_refuse_losses(const struct capture_request *request, const struct run *run, const char *what,
	const char *remedy, struct err *err)
{
	if (run->lost == 0)
		return 0;
	err_set(err, ERR_MEASURE,
		"%" PRIu64 " %s were lost: they came faster than they could be written", run->lost,
		what);
	if (request->stack_bytes > 0)
		return err_note(err, "each stack is copied with %u bytes: %s", request->stack_bytes,
			remedy);
	return err_note(err, "leave a CPU to profile_run (`pin`), or run the program for a shorter "
			     "time");
}
