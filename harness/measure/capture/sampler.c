/* Sampling a run into a perf.data file, from the opening of its events to the end of the file. */
#include "capture/capture_internal.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/random.h"
#include "perfdata/writer.h"
#include "process/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Step of spent_part from one execution to the next: the golden section, whose multiples fill a
 * period evenly.
 */
#define SPENT_PART_STEP 0.6180339887498949

/*
 * Running processes whose mappings are read when sampling begins; those of others are known once
 * they map something more.
 */
#define PROCESSES_MAX 4096

/* The event id of phases that the program marks. The kernel counts its ids from 1. */
#define PHASE_ID (UINT64_C(1) << 62)

/* perf's mark of a point where all buffers have been drained once (util/event.h). */
#define RECORD_FINISHED_ROUND 68

static int
sink(void *context, const struct iovec *pieces, size_t npieces, struct err *err)
{
	struct sampler *sampler = context;

	return perfdata_writer_put_pieces(&sampler->writer, pieces, npieces, err);
}

/* Writes records of our own, and releases them. */
static int
put_records(struct sampler *sampler, struct buf *records, struct err *err)
{
	int status = perfdata_writer_put(&sampler->writer, buf_text(records), records->len, err);

	buf_release(records);
	return status;
}

static int
start_file(struct sampler *sampler, const struct capture_request *request, struct err *err)
{
	struct buf records = {0};

	sampler->events[0] = (struct written_event){
		.name = request->event.name,
		.attr = &sampler->attr,
		.ids = sampler->ids,
		.nids = sampler->nids,
	};
	for (size_t i = 0; i < sampler->nfurther; i++) {
		const struct further_event *further = &sampler->further[i];

		sampler->events[1 + i] = (struct written_event){
			.name = further->name,
			.attr = &further->attr,
			.ids = further->ids,
			.nids = further->count,
		};
	}
	size_t nevents = 1 + sampler->nfurther;

	if (sampler->pipe) {
		sampler->pipe_attr = sampler_attr_phase(sampler);
		sampler->pipe_id = PHASE_ID;
		sampler->events[nevents++] = (struct written_event){
			.name = PHASE_EVENT,
			.attr = &sampler->pipe_attr,
			.ids = &sampler->pipe_id,
			.nids = 1,
		};
	}
	if (perfdata_writer_open(
		    &sampler->writer, request->perfdata_path, sampler->events, nevents, err) < 0)
		return -1;
	sampler->writing = true;
	if (request->event.kernel)
		synth_kernel(&records, sampler->ids[0]);
	return put_records(sampler, &records, err);
}

int
sampler_open(struct sampler *sampler, const struct capture_request *request,
	struct phase_pipe *pipe, const pid_t *tasks, size_t ntasks, struct err *err)
{
	struct random random = {clock_ns()};

	*sampler = (struct sampler){
		.everywhere = request->all_of != NULL,
		.pipe = pipe,
		.spent_part = random_unit(&random),
	};
	if (request->share_stacks && request->stack_bytes > 0)
		sampler->share = share_new();
	if (sampler_events_open(sampler, request, tasks, ntasks, err) < 0 ||
		start_file(sampler, request, err) < 0) {
		sampler_close(sampler);
		return -1;
	}
	sampler->held = held_files_new(&sampler->attr);
	return 0;
}

static void
enable_fds(const struct sampler *sampler, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		ioctl(sampler->fds[i], PERF_EVENT_IOC_ENABLE, 0);
}

/* The records of all processes that descend from this one. */
static void
put_started(struct buf *records, uint64_t id, bool data)
{
	pid_t pids[PROCESSES_MAX];
	size_t n = tree_list(pids, PROCESSES_MAX);

	for (size_t i = 0; i < n; i++)
		synth_process(records, pids[i], id, data);
}

/* Writes the maps and names from before sampling. */
static int
put_present(struct sampler *sampler, const struct capture_request *request, struct err *err)
{
	struct buf records = {0};

	if (sampler->everywhere)
		synth_all_processes(&records, sampler->ids[0]);
	else if (command_begins_later(request))
		put_started(&records, sampler->ids[0], request->event.locks);
	else
		synth_process(&records, request->attach_pid, sampler->ids[0], request->event.locks);
	held_files_take(sampler->held, buf_text(&records), records.len);
	return put_records(sampler, &records, err);
}

int
sampler_enable(struct sampler *sampler, const struct capture_request *request, struct err *err)
{
	/*
	 * The owners of the buffers report new mappings from now on, so that none is missed between
	 * reading /proc and the first sample; those of a program that runs already also report its
	 * new processes.
	 */
	const size_t first =
		sampler->everywhere || command_begins_later(request) ? sampler->ncpus : 0;

	enable_fds(sampler, 0, first);
	if (put_present(sampler, request, err) < 0)
		return -1;
	enable_fds(sampler, first, sampler->nfds);
	return 0;
}

void
sampler_disable(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->nfds; i++)
		ioctl(sampler->fds[i], PERF_EVENT_IOC_DISABLE, 0);
	sampler->end_ns = clock_ns();
	/* Some of the processes may still run. */
	sampler_look(sampler);
}

/* The result of read(2) for our read_format; `lost` only where the kernel knows FORMAT_LOST. */
struct read_value {
	uint64_t count;
	uint64_t id;
	uint64_t lost;
};

/* The sums over the events from `first` on. */
static struct read_value
read_events(const struct sampler *sampler, size_t first)
{
	struct read_value sum = {.count = 0};

	for (size_t i = first; i < sampler->nfds; i++) {
		struct read_value value = {.count = 0};

		if (read(sampler->fds[i], &value, sizeof(value)) <= 0)
			continue;
		sum.count += value.count;
		sum.lost += value.lost;
	}
	return sum;
}

/*
 * How many ends of calls, wake-ups and marks of operations there were, each a separate sample
 * unless it is lost.
 */
static uint64_t
count_further(const struct sampler *sampler)
{
	uint64_t count = 0;

	for (size_t i = 0; i < sampler->nfurther; i++) {
		const struct further_event *further = &sampler->further[i];

		for (size_t at = 0; further->type != PERF_TYPE_SOFTWARE && at < further->count;
			at++) {
			struct read_value value = {.count = 0};

			if (read(further->fds[at], &value, sizeof(value)) > 0)
				count += value.count;
		}
	}
	return count;
}

double
sampler_units(const struct sampler *sampler)
{
	return (double)(sampler->dropped_units + read_events(sampler, 0).count -
			count_further(sampler));
}

static void
put_phase(void *context, const struct phase_begin *phase)
{
	struct buf *records = context;

	synth_phase(
		records, phase->name, phase->len, &(struct synth_moment){phase->time_ns, PHASE_ID});
}

/*
 * Writes the phases that have begun: ahead of the samples of the same round, so that all samples
 * from before a phase are in its round or an earlier one.
 */
static int
drain_phases(struct sampler *sampler, long *drained, struct err *err)
{
	struct buf records = {0};

	phase_pipe_take(sampler->pipe, put_phase, &records);
	*drained += (long)records.len;
	return put_records(sampler, &records, err);
}

unsigned
sampler_look(void *context)
{
	struct sampler *sampler = context;

	for (size_t cpu = 0; cpu < sampler->ncpus; cpu++)
		held_files_look(sampler->held, &sampler->rings[cpu], cpu);
	return held_files_pause_ms(sampler->held);
}

int
sampler_drain(void *context, struct err *err)
{
	struct sampler *sampler = context;
	struct ring_drain drain = {
		.counts = &sampler->counts,
		.attr = &sampler->attr,
		.sink = sink,
		.context = sampler,
		.share = sampler->share,
	};
	long drained = 0;

	if (sampler->pipe && drain_phases(sampler, &drained, err) < 0)
		return -1;
	for (size_t cpu = 0; cpu < sampler->ncpus; cpu++) {
		held_files_look(sampler->held, &sampler->rings[cpu], cpu);
		drain.position = sampler->writer.header.data.size;

		long bytes = ring_drain(&sampler->rings[cpu], &drain, err);

		if (bytes < 0)
			return -1;
		drained += bytes;
	}
	/* Lets a reader sort the records round by round instead of all at once. */
	struct perf_event_header round = {
		.type = RECORD_FINISHED_ROUND,
		.size = sizeof(round),
	};

	return drained > 0 ? perfdata_writer_put(&sampler->writer, &round, sizeof(round), err) : 0;
}

/* The nominal time between samples; 0 where a sample is taken each time that the event happens. */
static double
period_ns(const struct capture_request *request)
{
	if (request->event.type == PERF_TYPE_SOFTWARE && !request->event.is_clock)
		return 0;
	return request->period > 0 ? (double)request->period / request->event.rate_hz * 1e9
				   : 1e9 / request->frequency_hz;
}

/*
 * Lets the child spend a part of the first period of the events just added, which deliver nothing
 * yet. Time spent beyond the end of the period counts for the next one, so that each part is still
 * as likely as any other.
 */
static int
spend_part_of_period(struct sampler *sampler, const struct capture_request *request,
	struct child *child, const struct child_spec *spec, struct err *err)
{
	double ns = sampler->spent_part * period_ns(request);

	sampler->spent_part = fmod(sampler->spent_part + SPENT_PART_STEP, 1);
	enable_fds(sampler, sampler->ncpus, sampler->nfds);
	int status = child_spin(child, spec, (uint64_t)ns, err);

	for (size_t i = sampler->ncpus; i < sampler->nfds; i++) {
		ioctl(sampler->fds[i], PERF_EVENT_IOC_DISABLE, 0);
		ioctl(sampler->fds[i], PERF_EVENT_IOC_RESET, 0);
	}
	return status;
}

/* Ends the phase of the execution before: the next one begins in no phase. */
static int
end_phase(struct sampler *sampler, struct err *err)
{
	struct buf records = {0};

	phase_pipe_clear(sampler->pipe);
	put_phase(&records, &(struct phase_begin){.time_ns = clock_ns(), .name = ""});
	return put_records(sampler, &records, err);
}

int
sampler_follow(struct sampler *sampler, const struct capture_request *request, struct child *child,
	const struct child_spec *spec, struct err *err)
{
	struct read_value dropped = read_events(sampler, sampler->ncpus);

	if (sampler->pipe && end_phase(sampler, err) < 0)
		return -1;
	sampler->dropped_units += dropped.count;
	sampler->dropped_lost += dropped.lost;
	sampler_drop_added(sampler);
	sampler->watched = sampler->ncpus;
	if (sampler_events_add(sampler, request, child->pid, err) < 0 ||
		(period_ns(request) > 0 &&
			spend_part_of_period(sampler, request, child, spec, err) < 0))
		return -1;
	return sampler_events_join(sampler, request, err);
}

/* Marks the end of sampling, until which threads that still wait have waited. */
static int
put_end(struct sampler *sampler, struct err *err)
{
	struct buf records = {0};

	synth_end(&records, &(struct synth_moment){sampler->end_ns, sampler->ids[0]});
	return put_records(sampler, &records, err);
}

int
sampler_finish(struct sampler *sampler, const struct capture_request *request, struct run *run,
	struct err *err)
{
	struct ring_counts *counts = &sampler->counts;

	if (sampler_drain(sampler, err) < 0 || (request->event.timed && put_end(sampler, err) < 0))
		return -1;
	held_files_keep(sampler->held, request->perfdata_path);
	if (request->mapped)
		held_files_put(sampler->held, request->mapped);
	/*
	 * Both count the same: a LOST record is only written when there is room again, so that the
	 * last ones are missing from it; the descriptors' own count is not on every kernel.
	 */
	uint64_t lost = sampler->dropped_lost + read_events(sampler, 0).lost;

	run->lost = (counts->lost > lost ? counts->lost : lost) + counts->lost_samples;
	const uint64_t further = count_further(sampler);

	run->samples = counts->samples > further ? counts->samples - further : 0;
	run->throttled = counts->throttled;

	struct perfdata_description description = {
		.command = request->argv,
		.first_sample_ns = counts->first_sample_ns,
		.last_sample_ns = counts->last_sample_ns,
	};

	sampler->writing = false;
	/* The array may have moved when ids were added. */
	sampler->events[0].ids = sampler->ids;
	return perfdata_writer_finish(&sampler->writer, &description, err);
}

void
sampler_close(struct sampler *sampler)
{
	sampler_close_fds(sampler);
	if (sampler->writing)
		perfdata_writer_abandon(&sampler->writer);
	share_free(sampler->share);
	held_files_free(sampler->held);
	free(sampler->rings);
	free(sampler->cpus);
	free(sampler->fds);
	free(sampler->ids);
	for (size_t i = 0; i < FURTHER_EVENTS_MAX; i++) {
		free(sampler->further[i].ids);
		free(sampler->further[i].fds);
	}
	*sampler = (struct sampler){.writing = false};
}
