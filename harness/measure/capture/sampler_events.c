/* The events of a sampler: choosing their attributes, and opening them with their ring buffers. */
#include "base/mem.h"
#include "capture/capture_internal.h"
#include "machine/machine.h"
#include "perf_event/events.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * Whether the wake-ups of all processes are recorded: the kernel does not report to the process
 * that is woken those by another process, or by a timer while nothing runs. Wake-ups with stacks
 * are of the program only, which is what releases its locks.
 */
static bool
sampler_wakes_everywhere(const struct capture_event *event)
{
	return event->wake_config != 0 && !event->locks;
}

static void
add_further(struct sampler *sampler, const char *name, uint32_t type, uint64_t config)
{
	sampler->further[sampler->nfurther++] =
		(struct further_event){.name = name, .type = type, .config = config};
}

/* Its begins and ends: of all processes, as an inherited uprobe makes fork(2) fail with EFAULT. */
static void
add_operation(struct sampler *sampler, const struct operation *operation)
{
	const char *const names[] = {operation->begin_event, operation->end_event};

	for (size_t i = 0; i < 2; i++)
		sampler->further[sampler->nfurther++] = (struct further_event){
			.name = names[i],
			.type = operation_event_type(),
			.everywhere = true,
			.operation = operation,
			.ends = i == 1,
		};
}

/* The begins of phases, by probes: of all processes for the same reason. */
static void
add_phases(struct sampler *sampler, const struct capture_phases *phases)
{
	for (size_t i = 0; i < phases->nprobes; i++)
		sampler->further[sampler->nfurther++] = (struct further_event){
			.name = phases->probes[i].begin_event,
			.type = operation_event_type(),
			.everywhere = true,
			.operation = &phases->probes[i],
		};
}

static void
add_further_events(struct sampler *sampler, const struct capture_request *request)
{
	const struct capture_event *event = &request->event;

	if (request->operation)
		add_operation(sampler, request->operation);
	if (request->phases)
		add_phases(sampler, request->phases);
	if (event->end_config)
		add_further(
			sampler, "raw_syscalls:sys_exit", PERF_TYPE_TRACEPOINT, event->end_config);
	if (event->timed && event->is_clock)
		add_further(sampler, "context-switches", PERF_TYPE_SOFTWARE,
			PERF_COUNT_SW_CONTEXT_SWITCHES);
	if (!event->wake_config)
		return;
	add_further(sampler, "sched:sched_waking", PERF_TYPE_TRACEPOINT, event->wake_config);
	sampler->further[sampler->nfurther - 1].everywhere = sampler_wakes_everywhere(event);
	sampler->further[sampler->nfurther - 1].stacks = event->locks;
}

/* The kernel's own limit of frames, stated: a reader of the file is to know which stacks are cut.
 */
static uint16_t
stack_limit(void)
{
	const long limit = event_sysctl("perf_event_max_stack", 0);

	return limit > 0 && limit <= UINT16_MAX ? (uint16_t)limit : 0;
}

/* Makes the sampler's attributes, and its further events. */
static int
sampler_attr_make(struct sampler *sampler, const struct capture_request *request, struct err *err)
{
	struct perf_event_attr *attr = &sampler->attr;

	event_attr(attr, &request->event, request->period, request->frequency_hz,
		request->callchain && request->event.callchain);
	if (request->stack_bytes > 0 && !event_attr_add_stack(attr, request->stack_bytes))
		return err_set(err, ERR_MEASURE,
			"stacks cannot be copied on this kind of processor: use frame pointers "
			"(`callgraph: fp`)");
	if (attr->sample_type & PERF_SAMPLE_CALLCHAIN)
		attr->sample_max_stack = stack_limit();
	attr->enable_on_exec =
		request->attach_pid <= 0 && !request->all_of && !command_begins_later(request);
	if (request->all_of) {
		attr->inherit = 0;
		/* A clock of a CPU ticks while nothing runs there. */
		attr->exclude_idle = 1;
	}
	/* It does not share its counter with struct event_counters. */
	attr->pinned = attr->type != PERF_TYPE_SOFTWARE;
	attr->exclude_callchain_user = request->kernel_chain_only;
	attr->watermark = 1;
	attr->read_format |= SAMPLER_FORMAT_LOST;
	/*
	 * Asked for of every process, Linux (6.18 and before) marks the mappings of all other
	 * profilers as having a build-id, too: perf record then aborts.
	 */
	attr->build_id = !request->all_of;
	attr->ksymbol = 1;
	attr->context_switch = request->event.timed;
	if (request->event.locks) {
		attr->mmap_data = 1;
		/* As wake-ups have it: what drains the buffers knows one form of stacks. */
		attr->sample_type |= PERF_SAMPLE_RAW;
	}
	add_further_events(sampler, request);
	return 0;
}

/* Removes one feature that an older kernel may not know; false if none is left to remove. */
static bool
sampler_attr_drop_feature(struct perf_event_attr *attr)
{
	if (attr->read_format & SAMPLER_FORMAT_LOST)
		attr->read_format &= ~(uint64_t)SAMPLER_FORMAT_LOST; /* 6.0 */
	else if (attr->build_id)
		attr->build_id = 0; /* 5.12 */
	else if (attr->ksymbol)
		attr->ksymbol = 0; /* 5.1 */
	else
		return false;
	return true;
}

static void
drop_stacks(struct perf_event_attr *attr)
{
	attr->sample_type &= ~(uint64_t)(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
					 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	attr->sample_type |= attr->type == PERF_TYPE_TRACEPOINT ? PERF_SAMPLE_RAW : 0U;
	attr->sample_regs_user = 0;
	attr->sample_stack_user = 0;
	attr->exclude_callchain_user = 0;
}

/*
 * The fields of /sys/bus/event_source/devices/uprobe/format. The stack pointer tells a begin inside
 * an operation from the next one.
 */
static void
set_probe(struct perf_event_attr *attr, const struct operation_probe *probe)
{
	attr->config = probe->semaphore << 32 | (probe->at_return ? 1 : 0);
	attr->uprobe_path = (uint64_t)(uintptr_t)probe->path;
	attr->probe_offset = probe->offset;
	event_attr_add_stack_pointer(attr);
}

/* The attributes for a role: they differ in what is delivered, not in the format of records. */
static struct perf_event_attr
sampler_attr_for(const struct sampler *sampler, unsigned role)
{
	struct perf_event_attr attr = sampler->attr;

	if (role == ROLE_TELLS) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_DUMMY;
		attr.freq = 0;
		attr.sample_period = 1;
		attr.context_switch = 0;
	} else if (role != ROLE_WHOLE) {
		attr.mmap = attr.mmap2 = attr.mmap_data = attr.comm = attr.comm_exec = attr.task =
			0;
		attr.build_id = attr.ksymbol = 0;
	}
	if (role < ROLE_FURTHER)
		return attr;
	attr.type = sampler->further[role - ROLE_FURTHER].type;
	attr.config = sampler->further[role - ROLE_FURTHER].config;
	attr.freq = 0;
	attr.sample_period = 1;
	attr.context_switch = 0;
	if (attr.type == PERF_TYPE_TRACEPOINT)
		attr.sample_type |= PERF_SAMPLE_RAW;
	if (attr.type != PERF_TYPE_SOFTWARE && !sampler->further[role - ROLE_FURTHER].stacks)
		drop_stacks(&attr);
	if (sampler->further[role - ROLE_FURTHER].operation)
		set_probe(&attr, sampler->further[role - ROLE_FURTHER].probe);
	if (sampler->further[role - ROLE_FURTHER].everywhere && attr.inherit) {
		attr.inherit = 0;
		/* No exec enables it. */
		attr.disabled = !attr.enable_on_exec;
		attr.enable_on_exec = 0;
	}
	return attr;
}

struct perf_event_attr
sampler_attr_phase(const struct sampler *sampler)
{
	struct perf_event_attr attr = sampler->attr;

	drop_stacks(&attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_BPF_OUTPUT; /* perf shows the raw data of these as text */
	attr.config1 = attr.config2 = 0;
	attr.freq = 0;
	attr.sample_period = 1;
	attr.sample_type |= PERF_SAMPLE_RAW;
	attr.context_switch = attr.mmap_data = 0;
	return attr;
}

/*
 * The attributes of further event number `i` as they are written to the file. perf refuses a file
 * with a tracepoint whose format is not in it, even where only other events are of interest; it
 * wants no format for events that a program defines. The numbers of uprobes are those of this
 * machine and boot.
 */
static struct perf_event_attr
sampler_attr_written(const struct sampler *sampler, size_t i)
{
	struct perf_event_attr attr = sampler_attr_for(sampler, ROLE_FURTHER + (unsigned)i);

	if (attr.type != PERF_TYPE_SOFTWARE && attr.type != sampler->attr.type) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_BPF_OUTPUT;
		attr.config1 = attr.config2 = 0;
	}
	return attr;
}

/* By default one may lock 516 KiB a CPU: this and the page ahead of it. */
#define RING_BYTES ((size_t)512 * 1024)
#define RING_BYTES_MIN ((size_t)16 * 1024)
#define RING_BYTES_MAX ((size_t)32 * 1024 * 1024)
/* For all buffers, however many CPUs there are. */
#define RINGS_BYTES_MAX ((size_t)512 * 1024 * 1024)
/* A buffer with stack copies holds those of this time: we may have to wait for a CPU. */
#define RING_SECONDS 0.25
/* A program that switches more often does little else. */
#define SWITCHES_HZ 1e5
/* The size of a sample without its stack copy: registers, a call chain. */
#define SAMPLE_BYTES 1024

static void
choose_cpus(struct sampler *sampler, const struct capture_request *request)
{
	cpu_set_t cpus;

	/* Another process may run on any CPU, and wake-ups come from any. */
	if (request->all_of || request->attach_pid > 0 || sampler_wakes_everywhere(&request->event))
		cpus_all(&cpus);
	else if (request->pin)
		cpus = *request->pin;
	else if (sched_getaffinity(0, sizeof(cpus), &cpus) < 0)
		cpus_all(&cpus);
	sampler->cpus = mem_zalloc((size_t)CPU_COUNT(&cpus), sizeof(*sampler->cpus));
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET((size_t)cpu, &cpus))
			sampler->cpus[sampler->ncpus++] = cpu;
}

static int
open_one(struct sampler *sampler, unsigned role, pid_t task, int cpu)
{
	for (;;) {
		struct perf_event_attr attr = sampler_attr_for(sampler, role);
		int fd = event_open(&attr, task, cpu);

		if (fd >= 0 || errno != EINVAL || !sampler_attr_drop_feature(&sampler->attr))
			return fd;
	}
}

/* As event_refused(): sampling all processes needs more rights than sampling one's own. */
static int
refused_everywhere(const char *name, int errnum, struct err *err)
{
	if (errnum != EACCES && errnum != EPERM)
		return event_refused(name, errnum, err);
	err_set_errno(err, ERR_MEASURE, errnum,
		"the kernel refuses to sample event '%s' in all processes", name);
	return err_note(err,
		"that is for root, for a program with CAP_PERFMON (`setcap cap_perfmon+ep "
		"profile_run`; in a container `--cap-add PERFMON`), or for all where "
		"kernel.perf_event_paranoid is 0 or below; here it is %ld",
		event_sysctl("perf_event_paranoid", -1));
}

static int
refused(const struct sampler *sampler, unsigned role, const char *event, struct err *err)
{
	const struct operation_probe *probe =
		role < ROLE_FURTHER ? NULL : sampler->further[role - ROLE_FURTHER].probe;

	if (probe)
		return operation_refused(probe, errno, err);
	return sampler->everywhere ? refused_everywhere(event, errno, err)
				   : event_refused(event, errno, err);
}

static int
add_fd(struct sampler *sampler, unsigned role, int fd)
{
	uint64_t id;

	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) < 0) {
		close(fd);
		return -1;
	}
	sampler->fds =
		mem_grow(sampler->fds, &sampler->fds_capacity, sampler->nfds + 1, sizeof(int));
	sampler->fds[sampler->nfds++] = fd;
	if (role >= ROLE_FURTHER) {
		struct further_event *further = &sampler->further[role - ROLE_FURTHER];

		further->ids = mem_grow(
			further->ids, &further->ids_capacity, further->count + 1, sizeof(uint64_t));
		further->fds = mem_grow(
			further->fds, &further->fds_capacity, further->count + 1, sizeof(int));
		further->fds[further->count] = fd;
		further->ids[further->count++] = id;
	} else {
		sampler->ids = mem_grow(
			sampler->ids, &sampler->ids_capacity, sampler->nids + 1, sizeof(uint64_t));
		sampler->ids[sampler->nids++] = id;
	}
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

/*
 * One task (-1: all) on one CPU; the first event of each CPU owns the buffer, the others write into
 * it. 1 if there is no such CPU.
 */
static int
open_event(struct sampler *sampler, const struct capture_request *request, unsigned role,
	pid_t task, size_t cpu, struct err *err)
{
	const char *event = request->event.name;
	bool owner = sampler->nfds < sampler->ncpus;
	int fd = open_one(sampler, role, task, sampler->cpus[cpu]);

	if (fd < 0) {
		/* A CPU that is offline, or a thread that has ended meanwhile. */
		if ((errno == ENODEV || errno == ENXIO) && sampler->ncpus > 1 && owner)
			return 1;
		if (errno == ESRCH && !owner)
			return 0;
		return refused(sampler, role, event, err);
	}
	if (add_fd(sampler, role, fd) < 0)
		return refused(sampler, role, event, err);
	if (owner)
		return map_ring(sampler, cpu, event, err);
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, sampler->fds[cpu]) < 0)
		return refused(sampler, role, event, err);
	return 0;
}

int
sampler_events_add(
	struct sampler *sampler, const struct capture_request *request, pid_t task, struct err *err)
{
	for (size_t cpu = 0; cpu < sampler->ncpus; cpu++) {
		int fd = open_one(sampler, ROLE_WHOLE, task, sampler->cpus[cpu]);

		if (fd < 0 || add_fd(sampler, ROLE_WHOLE, fd) < 0)
			return refused(sampler, ROLE_WHOLE, request->event.name, err);
	}
	return 0;
}

int
sampler_events_join(struct sampler *sampler, const struct capture_request *request, struct err *err)
{
	for (size_t cpu = 0; cpu < sampler->ncpus; cpu++)
		if (ioctl(sampler->fds[sampler->ncpus + cpu], PERF_EVENT_IOC_SET_OUTPUT,
			    sampler->fds[cpu]) < 0)
			return refused(sampler, ROLE_WHOLE, request->event.name, err);
	return 0;
}

void
sampler_drop_added(struct sampler *sampler)
{
	while (sampler->nfds > sampler->ncpus)
		close(sampler->fds[--sampler->nfds]);
	sampler->nids = sampler->nfds;
}

/* The same; of an operation, at each of its probes. */
static int
open_role(struct sampler *sampler, const struct capture_request *request, unsigned role, pid_t task,
	size_t cpu, struct err *err)
{
	struct further_event *further =
		role < ROLE_FURTHER ? NULL : &sampler->further[role - ROLE_FURTHER];
	int status = 0;

	if (!further || !further->operation)
		return open_event(sampler, request, role, task, cpu, err);
	for (size_t i = 0; i < further->operation->count && status == 0; i++) {
		further->probe = &further->operation->probes[i];
		if (further->probe->ends == further->ends)
			status = open_event(sampler, request, role, task, cpu, err);
	}
	return status;
}

static int
open_task(struct sampler *sampler, const struct capture_request *request, unsigned role, pid_t task,
	struct err *err)
{
	for (size_t cpu = 0; cpu < sampler->ncpus;) {
		int status = open_role(sampler, request, role, task, cpu, err);

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

/*
 * Maps and names are reported from all CPUs, as a sampled process may have started on any of them;
 * only the chosen CPUs are sampled.
 */
static int
open_everywhere(struct sampler *sampler, const struct capture_request *request, struct err *err)
{
	int sampled = 0;

	if (open_task(sampler, request, ROLE_TELLS, -1, err) < 0)
		return -1;
	for (size_t cpu = 0; cpu < sampler->ncpus; cpu++) {
		if (!CPU_ISSET((size_t)sampler->cpus[cpu], request->all_of))
			continue;
		sampled++;
		if (open_event(sampler, request, ROLE_SAMPLES, -1, cpu, err) < 0)
			return -1;
		for (size_t i = 0; i < sampler->nfurther; i++)
			if (open_role(sampler, request, ROLE_FURTHER + i, -1, cpu, err) < 0)
				return -1;
	}
	if (sampled == CPU_COUNT(request->all_of))
		return 0;
	return err_set(err, ERR_MEASURE,
		"%d of the %d CPUs that are to be sampled are not there, or offline",
		CPU_COUNT(request->all_of) - sampled, CPU_COUNT(request->all_of));
}

static int
open_all(struct sampler *sampler, const struct capture_request *request, const pid_t *tasks,
	size_t ntasks, struct err *err)
{
	int status = 0;

	if (sampler->everywhere)
		return open_everywhere(sampler, request, err);
	for (size_t i = 0; i < ntasks && status == 0; i++) {
		status = open_task(sampler, request, ROLE_WHOLE, tasks[i], err);
		for (size_t at = 0; status == 0 && at < sampler->nfurther; at++)
			if (!sampler->further[at].everywhere)
				status = open_task(
					sampler, request, ROLE_FURTHER + at, tasks[i], err);
	}
	for (size_t at = 0; status == 0 && at < sampler->nfurther; at++)
		if (sampler->further[at].everywhere)
			status = open_task(sampler, request, ROLE_FURTHER + at, -1, err);
	return status;
}

/* The wanted size of each buffer. */
static size_t
wanted_bytes(const struct sampler *sampler, const struct capture_request *request)
{
	double hz = request->period > 0 ? request->event.rate_hz / (double)request->period
					: request->frequency_hz;
	if (request->event.timed)
		hz += SWITCHES_HZ;
	double wanted = hz * RING_SECONDS * ((double)request->stack_bytes + SAMPLE_BYTES);
	size_t bytes = RING_BYTES;

	if (request->stack_bytes == 0 && !request->event.counts_all && !request->event.timed)
		return bytes;
	while ((double)bytes < wanted && bytes < RING_BYTES_MAX)
		bytes *= 2;
	while (bytes > RING_BYTES && bytes * sampler->ncpus > RINGS_BYTES_MAX)
		bytes /= 2;
	return bytes;
}

void
sampler_close_fds(struct sampler *sampler)
{
	for (size_t cpu = 0; cpu < sampler->ncpus; cpu++)
		ring_unmap(&sampler->rings[cpu]);
	for (size_t i = 0; i < sampler->nfds; i++)
		close(sampler->fds[i]);
	sampler->nfds = 0;
	sampler->nids = 0;
	for (size_t i = 0; i < sampler->nfurther; i++)
		sampler->further[i].count = 0;
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

int
sampler_events_open(struct sampler *sampler, const struct capture_request *request,
	const pid_t *tasks, size_t ntasks, struct err *err)
{
	choose_cpus(sampler, request);
	sampler->rings = mem_zalloc(sampler->ncpus, sizeof(*sampler->rings));
	if (sampler_attr_make(sampler, request, err) < 0)
		return -1;
	size_t roles = (sampler->everywhere ? 2 : 1) + sampler->nfurther;

	roles += request->operation ? request->operation->count : 0;
	raise_descriptor_limit((sampler->everywhere ? 1 : ntasks) * roles * sampler->ncpus);
	/* With buffers as large as we may lock. The kernel wakes us when a quarter of one is full.
	 */
	for (sampler->ring_bytes = wanted_bytes(sampler, request);; sampler->ring_bytes /= 2) {
		sampler->attr.wakeup_watermark = (uint32_t)(sampler->ring_bytes / 4);
		sampler->no_room = false;
		if (open_all(sampler, request, tasks, ntasks, err) == 0)
			break;
		if (!sampler->no_room || sampler->ring_bytes <= RING_BYTES_MIN)
			return -1;
		sampler_close_fds(sampler);
	}
	for (size_t i = 0; i < sampler->nfurther; i++)
		sampler->further[i].attr = sampler_attr_written(sampler, i);
	/* An error of an attempt with larger buffers no longer counts. */
	*err = (struct err){.kind = ERR_NONE};
	return 0;
}
