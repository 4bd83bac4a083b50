#include "capture/sampler.h"

#include "base/mem.h"
#include "capture/events.h"
#include "capture/synth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Since Linux 6.0; older headers do not know it. */
#define FORMAT_LOST (1U << 4)
/* What one may lock by default is 516 KiB a CPU: this and the page ahead of it. */
#define RING_BYTES ((size_t)512 * 1024)
#define RING_BYTES_MIN ((size_t)16 * 1024)
/* perf's mark of a point where all buffers have been drained once (util/event.h). */
#define RECORD_FINISHED_ROUND 68

static void
choose_cpus(struct sampler *sampler, const struct capture_request *request)
{
	cpu_set_t cpus;

	if (request->pin) {
		cpus = *request->pin;
	} else if (request->attach_pid > 0 || sched_getaffinity(0, sizeof(cpus), &cpus) < 0) {
		/* Where another process may run is its own affair. */
		long online = sysconf(_SC_NPROCESSORS_CONF);

		CPU_ZERO(&cpus);
		for (long cpu = 0; cpu < online && cpu < CPU_SETSIZE; cpu++)
			CPU_SET((size_t)cpu, &cpus);
	}
	sampler->cpus = mem_zalloc((size_t)CPU_COUNT(&cpus), sizeof(*sampler->cpus));
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET((size_t)cpu, &cpus))
			sampler->cpus[sampler->ncpus++] = cpu;
}

static void
make_attr(struct sampler *sampler, const struct capture_request *request)
{
	struct perf_event_attr *attr = &sampler->attr;

	event_attr(attr, &request->event, request->period, request->frequency_hz,
		request->callchain && request->event.callchain);
	attr->enable_on_exec = request->attach_pid <= 0;
	attr->watermark = 1;
	attr->read_format |= FORMAT_LOST;
}

/* Opens one event, without what this kernel does not know. */
static int
open_one(struct sampler *sampler, pid_t task, int cpu)
{
	int fd = event_open(&sampler->attr, task, cpu);

	if (fd < 0 && errno == EINVAL && (sampler->attr.read_format & FORMAT_LOST)) {
		sampler->attr.read_format &= ~(uint64_t)FORMAT_LOST;
		fd = event_open(&sampler->attr, task, cpu);
		if (fd < 0)
			sampler->attr.read_format |= FORMAT_LOST;
	}
	return fd;
}

static int
add_fd(struct sampler *sampler, int fd)
{
	uint64_t id;

	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) < 0) {
		close(fd);
		return -1;
	}
	sampler->fds =
		mem_grow(sampler->fds, &sampler->fds_capacity, sampler->nfds + 1, sizeof(int));
	sampler->ids =
		mem_grow(sampler->ids, &sampler->ids_capacity, sampler->nfds + 1, sizeof(uint64_t));
	sampler->fds[sampler->nfds] = fd;
	sampler->ids[sampler->nfds++] = id;
	return 0;
}

static int
map_ring(struct sampler *sampler, size_t cpu, const char *event, struct err *err)
{
	if (ring_map(&sampler->rings[cpu], sampler->fds[cpu], sampler->ring_bytes) == 0)
		return 0;
	sampler->no_room = errno == EPERM || errno == ENOMEM;
	err_set_errno(
		err, ERR_MEASURE, errno, "cannot map a buffer for the samples of '%s'", event);
	return err_note(err,
		"kernel.perf_event_mlock_kb is %ld and other profilers share it: raise it, or "
		"`ulimit -l`",
		event_sysctl("perf_event_mlock_kb", -1));
}

/* One task on one CPU; the first task's events own the buffers, the others write into them. */
static int
open_event(struct sampler *sampler, const char *event, pid_t task, size_t cpu, struct err *err)
{
	bool owner = sampler->nfds < sampler->ncpus;
	int fd = open_one(sampler, task, sampler->cpus[cpu]);

	if (fd < 0) {
		/* A CPU that is offline, or a thread that has ended meanwhile. */
		if ((errno == ENODEV || errno == ENXIO) && sampler->ncpus > 1 && owner)
			return 1;
		if (errno == ESRCH && !owner)
			return 0;
		return event_refused(event, errno, err);
	}
	if (add_fd(sampler, fd) < 0)
		return event_refused(event, errno, err);
	if (owner)
		return map_ring(sampler, cpu, event, err);
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, sampler->fds[cpu]) < 0)
		return event_refused(event, errno, err);
	return 0;
}

static int
open_task(struct sampler *sampler, const char *event, pid_t task, struct err *err)
{
	for (size_t cpu = 0; cpu < sampler->ncpus;) {
		int status = open_event(sampler, event, task, cpu, err);

		if (status < 0)
			return -1;
		if (status == 0) {
			cpu++;
			continue;
		}
		sampler->ncpus--;
		memmove(sampler->cpus + cpu, sampler->cpus + cpu + 1,
			(sampler->ncpus - cpu) * sizeof(*sampler->cpus));
	}
	return 0;
}

static void
close_events(struct sampler *sampler)
{
	for (size_t cpu = 0; cpu < sampler->ncpus; cpu++)
		ring_unmap(&sampler->rings[cpu]);
	for (size_t i = 0; i < sampler->nfds; i++)
		close(sampler->fds[i]);
	sampler->nfds = 0;
}

/* With buffers as large as we may lock. The kernel wakes us when a quarter of one is full. */
static int
open_tasks(struct sampler *sampler, const char *event, const pid_t *tasks, size_t ntasks,
	struct err *err)
{
	for (sampler->ring_bytes = RING_BYTES;; sampler->ring_bytes /= 2) {
		int status = 0;

		sampler->attr.wakeup_watermark = (uint32_t)(sampler->ring_bytes / 4);
		sampler->no_room = false;
		for (size_t i = 0; i < ntasks && status == 0; i++)
			status = open_task(sampler, event, tasks[i], err);
		if (status == 0 || !sampler->no_room || sampler->ring_bytes <= RING_BYTES_MIN)
			return status;
		close_events(sampler);
	}
}

/* A descriptor for each thread and CPU may be more than the soft limit has. */
static void
raise_descriptor_limit(size_t wanted)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= wanted + 64)
		return;
	limit.rlim_cur = limit.rlim_max < wanted + 64 ? limit.rlim_max : wanted + 64;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int
sink(void *context, const void *records, size_t bytes, struct err *err)
{
	struct sampler *sampler = context;

	return perfdata_writer_put(&sampler->writer, records, bytes, err);
}

static int
start_file(struct sampler *sampler, const struct capture_request *request, struct err *err)
{
	struct buf records;

	if (perfdata_writer_open(&sampler->writer, request->perfdata_path, &sampler->attr,
		    sampler->ids, sampler->nfds, err) < 0)
		return -1;
	sampler->writing = true;
	buf_init(&records);
	if (request->event.kernel)
		synth_kernel(&records, sampler->ids[0]);
	if (request->attach_pid > 0)
		synth_process(&records, request->attach_pid, sampler->ids[0]);

	int status = perfdata_writer_put(&sampler->writer, buf_text(&records), records.len, err);

	buf_release(&records);
	return status;
}

int
sampler_open(struct sampler *sampler, const struct capture_request *request, const pid_t *tasks,
	size_t ntasks, struct err *err)
{
	*sampler = (struct sampler){.writing = false};
	choose_cpus(sampler, request);
	sampler->rings = mem_zalloc(sampler->ncpus, sizeof(*sampler->rings));
	make_attr(sampler, request);
	if (ntasks > 1)
		raise_descriptor_limit(ntasks * sampler->ncpus);
	if (open_tasks(sampler, request->event.name, tasks, ntasks, err) < 0 ||
		start_file(sampler, request, err) < 0) {
		sampler_close(sampler);
		return -1;
	}
	/* What an attempt with larger buffers met is no error any more. */
	*err = (struct err){.kind = ERR_NONE};
	return 0;
}

void
sampler_enable(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->nfds; i++)
		ioctl(sampler->fds[i], PERF_EVENT_IOC_ENABLE, 0);
}

void
sampler_disable(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->nfds; i++)
		ioctl(sampler->fds[i], PERF_EVENT_IOC_DISABLE, 0);
}

int
sampler_drain(void *context, struct err *err)
{
	struct sampler *sampler = context;
	long drained = 0;

	for (size_t cpu = 0; cpu < sampler->ncpus; cpu++) {
		long bytes = ring_drain(&sampler->rings[cpu], &sampler->counts, sink, sampler, err);

		if (bytes < 0)
			return -1;
		drained += bytes;
	}
	/* Lets a reader put the records in order round by round instead of all at once. */
	struct perf_event_header round = {
		.type = RECORD_FINISHED_ROUND,
		.size = sizeof(round),
	};

	return drained > 0 ? sink(sampler, &round, sizeof(round), err) : 0;
}

/* What read(2) gives for our read_format; the last is there only where FORMAT_LOST is known. */
struct read_value {
	uint64_t count;
	uint64_t id;
	uint64_t lost;
};

double
sampler_units(const struct sampler *sampler)
{
	struct read_value value;
	double units = 0;

	for (size_t i = 0; i < sampler->nfds; i++)
		if (read(sampler->fds[i], &value, sizeof(value)) > 0)
			units += (double)value.count;
	return units;
}

static uint64_t
read_lost(const struct sampler *sampler)
{
	uint64_t lost = 0;

	if (!(sampler->attr.read_format & FORMAT_LOST))
		return 0;
	for (size_t i = 0; i < sampler->nfds; i++) {
		struct read_value value;

		if (read(sampler->fds[i], &value, sizeof(value)) == sizeof(value))
			lost += value.lost;
	}
	return lost;
}

int
sampler_finish(struct sampler *sampler, const struct capture_request *request, struct run *run,
	struct err *err)
{
	struct ring_counts *counts = &sampler->counts;

	if (sampler_drain(sampler, err) < 0)
		return -1;
	/*
	 * Both count the same: a LOST record is only written when there is room again, so that the
	 * last ones are missing from it; the descriptors' own count is not on every kernel.
	 */
	uint64_t lost = read_lost(sampler);

	run->lost = (counts->lost > lost ? counts->lost : lost) + counts->lost_samples;
	run->samples = counts->samples;
	run->throttled = counts->throttled;

	struct perfdata_description description = {
		.command = request->argv,
		.event_name = request->event.name,
		.attr = &sampler->attr,
		.ids = sampler->ids,
		.nids = sampler->nfds,
		.first_sample_ns = counts->first_sample_ns,
		.last_sample_ns = counts->last_sample_ns,
	};

	sampler->writing = false;
	return perfdata_writer_finish(&sampler->writer, &description, err);
}

void
sampler_close(struct sampler *sampler)
{
	close_events(sampler);
	if (sampler->writing)
		perfdata_writer_abandon(&sampler->writer);
	free(sampler->rings);
	free(sampler->cpus);
	free(sampler->fds);
	free(sampler->ids);
	*sampler = (struct sampler){.writing = false};
}
