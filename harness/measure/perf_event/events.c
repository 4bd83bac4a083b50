/*
 * Opening the events of perf_event_open(2), as samplers or as counters, and why the kernel refuses
 * one.
 */
#include "perf_event/events.h"

#include "base/mem.h"
#include "base/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

const struct event_kind event_kinds[] = {
	{"cycles", PERF_COUNT_HW_CPU_CYCLES, PERF_TYPE_HARDWARE, false},
	{"instructions", PERF_COUNT_HW_INSTRUCTIONS, PERF_TYPE_HARDWARE, false},
	{"cache-references", PERF_COUNT_HW_CACHE_REFERENCES, PERF_TYPE_HARDWARE, false},
	{"cache-misses", PERF_COUNT_HW_CACHE_MISSES, PERF_TYPE_HARDWARE, false},
	{"branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_TYPE_HARDWARE, false},
	{"branch-misses", PERF_COUNT_HW_BRANCH_MISSES, PERF_TYPE_HARDWARE, false},
	{"cpu-clock", PERF_COUNT_SW_CPU_CLOCK, PERF_TYPE_SOFTWARE, true},
	{"task-clock", PERF_COUNT_SW_TASK_CLOCK, PERF_TYPE_SOFTWARE, true},
	{"page-faults", PERF_COUNT_SW_PAGE_FAULTS, PERF_TYPE_SOFTWARE, false},
	{NULL, 0, 0, false},
};

const struct event_kind *
event_kind_find(const char *name)
{
	for (const struct event_kind *kind = event_kinds; kind->name; kind++)
		if (strcmp(kind->name, name) == 0)
			return kind;
	return NULL;
}

/*
 * The kernel's chains are those of frame pointers. On Arm they leave out the caller of a leaf that
 * does not store the link register, which is therefore sampled, too.
 */
static void
add_callchain(struct perf_event_attr *attr)
{
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
#if defined(__aarch64__)
	attr->sample_type |= PERF_SAMPLE_REGS_USER;
	attr->sample_regs_user = UINT64_C(1) << 30;
#endif
}

void
event_attr(struct perf_event_attr *attr, const struct capture_event *event, uint64_t period,
	double frequency_hz, bool callchain)
{
	memset(attr, 0, sizeof(*attr));
	attr->type = event->type;
	attr->config = event->config;
	/*
	 * The smallest size with all fields that we set, so that an older perf can read the file.
	 */
	attr->size = PERF_ATTR_SIZE_VER5;
	attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			    PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	if (callchain)
		add_callchain(attr);
	if (period > 0) {
		attr->sample_period = period;
	} else {
		attr->freq = 1;
		attr->sample_freq = (uint64_t)llround(frequency_hz);
	}
	attr->read_format = PERF_FORMAT_ID;
	attr->exclude_kernel = !event->kernel;
	attr->exclude_hv = !event->kernel;
	attr->exclude_callchain_kernel = !event->kernel;
	if (event->type == PERF_TYPE_TRACEPOINT) {
		attr->sample_type |= PERF_SAMPLE_RAW;
		/* The kernel's part of the stack is the same for all samples. */
		attr->exclude_callchain_kernel = 1;
	}
	attr->disabled = 1;
	attr->inherit = 1;
	attr->sample_id_all = 1;
	attr->mmap = 1;
	attr->mmap2 = 1;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
	/* A clock that can be read later, too, to compute the date of the recording. */
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
}

/*
 * All that unwinding a frame may need, as bits of sample_regs_user. On x86-64 that leaves out the
 * segments DS, ES, FS and GS, which the kernel refuses (arch/x86/kernel/perf_regs.c); on Arm these
 * are x0 to x29, lr, sp and pc.
 */
#if defined(__x86_64__)
#define USER_REGISTERS UINT64_C(0xff0fff)
#define STACK_POINTER (UINT64_C(1) << 7)
#elif defined(__aarch64__)
#define USER_REGISTERS ((UINT64_C(1) << 33) - 1)
#define STACK_POINTER (UINT64_C(1) << 31)
#else
#define USER_REGISTERS UINT64_C(0)
#define STACK_POINTER UINT64_C(0)
#endif

bool
event_attr_add_stack(struct perf_event_attr *attr, uint32_t stack_bytes)
{
	if (USER_REGISTERS == 0)
		return false;
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = USER_REGISTERS;
	attr->sample_stack_user = stack_bytes;
	return true;
}

void
event_attr_add_stack_pointer(struct perf_event_attr *attr)
{
	if (STACK_POINTER == 0)
		return;
	attr->sample_type |= PERF_SAMPLE_REGS_USER;
	attr->sample_regs_user = STACK_POINTER;
}

int
event_open(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	long fd;

	/* A signal may come while it waits for a lock of the kernel's. */
	do
		fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	return (int)fd;
}

long
event_sysctl(const char *name, long otherwise)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	double value = sysfs_number("", path);

	return isnan(value) ? otherwise : (long)value;
}

void
event_advise(char advice[EVENT_ADVICE_SIZE])
{
	long paranoid = event_sysctl("perf_event_paranoid", -100);

	if (paranoid == -100)
		snprintf(advice, EVENT_ADVICE_SIZE,
			"this kernel has no perf events, or they are hidden from this "
			"container (no /proc/sys/kernel/perf_event_paranoid)");
	else if (paranoid > 2 && geteuid() != 0)
		snprintf(advice, EVENT_ADVICE_SIZE,
			"kernel.perf_event_paranoid is %ld: run `sysctl kernel.perf_event_paranoid=2` "
			"as root, or give the program CAP_PERFMON "
			"(`setcap cap_perfmon+ep profile_run`)",
			paranoid);
	else
		snprintf(advice, EVENT_ADVICE_SIZE,
			"kernel.perf_event_paranoid is %ld, which would allow it, so a security policy "
			"forbids it: in a container add `--cap-add PERFMON` (and, for Docker before "
			"20.10, `--security-opt seccomp=unconfined`)",
			paranoid);
}

static int
note_permission(struct err *err)
{
	char advice[EVENT_ADVICE_SIZE];

	event_advise(advice);
	return err_note(err, "%s", advice);
}

int
event_find_refusal(void)
{
	const struct capture_event event = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK};
	struct perf_event_attr attr;

	event_attr(&attr, &event, 1000000, 0, false);
	attr.exclude_kernel = 1;
	const int fd = event_open(&attr, 0, -1);
	const int errnum = errno;

	if (fd < 0)
		return errnum;
	close(fd);
	return 0;
}

int
event_refused(const char *name, int errnum, struct err *err)
{
	err_set_errno(err, ERR_MEASURE, errnum, "the kernel refuses to sample event '%s'", name);
	switch (errnum) {
	case EACCES:
	case EPERM:
		return note_permission(err);
	case ENOSYS:
		return err_note(err, "perf_event_open(2) is not there: a kernel without "
				     "CONFIG_PERF_EVENTS, or a sandbox that hides it (gVisor, an "
				     "old Docker seccomp profile)");
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		return err_note(err,
			"this machine (often a virtual one) has no such counter: `event: auto` "
			"takes cpu-clock, which works everywhere");
	case EMFILE:
	case ENFILE:
		return err_note(err, "one descriptor a CPU (and thread) is needed: raise the limit "
				     "with `ulimit -n 65536`");
	case EBUSY:
		return err_note(err,
			"somebody else holds the counters: end other profilers, or "
			"switch the NMI watchdog off (`sysctl kernel.nmi_watchdog=0`)");
	case EINVAL:
		return err_note(err,
			"the frequency may lie above kernel.perf_event_max_sample_rate, which is "
			"%ld",
			event_sysctl("perf_event_max_sample_rate", -1));
	case ESRCH:
		return err_note(err, "the process has ended");
	default:
		return -1;
	}
}

/* The root of a tracefs that is mounted nowhere; -1 and errno. */
static int
open_detached(void)
{
	int filesystem = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	int root = -1;

	if (filesystem < 0)
		return -1;
	if (syscall(SYS_fsconfig, filesystem, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		root = (int)syscall(SYS_fsmount, filesystem, FSMOUNT_CLOEXEC, 0);
	int errnum = errno;

	close(filesystem);
	errno = errnum;
	return root;
}

static uint64_t
read_detached(const char *path)
{
	char text[32] = "";
	int root = open_detached();
	int fd = root < 0 ? -1 : openat(root, path, O_RDONLY | O_CLOEXEC);
	int errnum = errno;

	if (fd >= 0 && read(fd, text, sizeof(text) - 1) < 0)
		errnum = errno;
	if (fd >= 0)
		close(fd);
	if (root >= 0)
		close(root);
	errno = errnum;
	return strtoull(text, NULL, 10);
}

uint64_t
tracepoint_id(const char *name, struct err *err)
{
	static const char *const mounts[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	char path[256];

	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		snprintf(path, sizeof(path), "%s/events/%s/id", mounts[i], name);
		double id = sysfs_number("", path);

		if (id > 0)
			return (uint64_t)id;
	}
	snprintf(path, sizeof(path), "events/%s/id", name);
	uint64_t id = read_detached(path);

	if (id == 0)
		err_set_errno(err, ERR_MEASURE, errno,
			"the tracepoint '%s' is not accessible: tracefs cannot be read", name);
	return id;
}

static const struct {
	uint32_t type;
	uint64_t config;
} events[NEVENT_COUNTERS] = {
	[EVENT_CPU_NS] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	[EVENT_SWITCHES] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	[EVENT_MIGRATIONS] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
	[EVENT_CYCLES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	[EVENT_INSTRUCTIONS] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	[EVENT_BRANCHES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	[EVENT_BRANCH_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	[EVENT_CACHE_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
};

static bool
is_hardware(enum event_counter counter)
{
	return events[counter].type == PERF_TYPE_HARDWARE;
}

static int
open_counter(enum event_counter counter, pid_t task, int cpu, bool at_exec)
{
	struct perf_event_attr attr = {
		.type = events[counter].type,
		.size = PERF_ATTR_SIZE_VER5,
		.config = events[counter].config,
		.inherit = 1,
		.disabled = 1,
		.enable_on_exec = at_exec,
		.exclude_kernel = is_hardware(counter),
		.exclude_hv = is_hardware(counter),
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int fd = event_open(&attr, task, cpu);

	if (fd < 0 && counter == EVENT_CPU_NS) {
		/* A clock counts kernel time all the same; the other two would count nothing. */
		attr.exclude_kernel = 1;
		attr.exclude_hv = 1;
		fd = event_open(&attr, task, cpu);
	}
	return fd;
}

void
event_counters_open(
	struct event_counters *counters, const pid_t *tasks, size_t ntasks, bool at_exec)
{
	counters->nfds = ntasks;
	for (enum event_counter counter = 0; counter < NEVENT_COUNTERS; counter++) {
		counters->fds[counter] = mem_zalloc(ntasks, sizeof(int));
		for (size_t i = 0; i < ntasks; i++)
			/* For many threads the hardware's would take too many descriptors. */
			counters->fds[counter][i] =
				is_hardware(counter) && ntasks > 1
					? -1
					: open_counter(counter, tasks[i], -1, at_exec);
	}
}

void
event_counters_open_cpus(struct event_counters *counters, const cpu_set_t *cpus)
{
	counters->nfds = (size_t)CPU_COUNT(cpus);
	for (enum event_counter counter = 0; counter < NEVENT_COUNTERS; counter++) {
		int *fd = counters->fds[counter] = mem_zalloc(counters->nfds, sizeof(int));

		/* The clock of a CPU counts while nothing runs there. */
		for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (CPU_ISSET((size_t)cpu, cpus))
				*fd++ = counter == EVENT_CPU_NS || is_hardware(counter)
						? -1
						: open_counter(counter, -1, cpu, true);
	}
}

static void
control(const struct event_counters *counters, unsigned long request)
{
	for (enum event_counter counter = 0; counter < NEVENT_COUNTERS; counter++)
		for (size_t i = 0; i < counters->nfds; i++)
			if (counters->fds[counter][i] >= 0)
				ioctl(counters->fds[counter][i], request, 0);
}

void
event_counters_enable(const struct event_counters *counters)
{
	control(counters, PERF_EVENT_IOC_ENABLE);
}

void
event_counters_disable(const struct event_counters *counters)
{
	control(counters, PERF_EVENT_IOC_DISABLE);
}

static struct event_count
sum_of(const struct event_counters *counters, enum event_counter counter)
{
	struct event_count sum = counters->before[counter];

	sum.known = false;
	for (size_t i = 0; i < counters->nfds; i++) {
		uint64_t read_back[3]; /* perf_event_open(2): value, time_enabled, time_running */
		int fd = counters->fds[counter][i];

		if (fd < 0 || read(fd, read_back, sizeof(read_back)) != sizeof(read_back))
			continue;
		sum.known = true;
		sum.value += read_back[0];
		sum.enabled_ns += read_back[1];
		sum.running_ns += read_back[2];
	}
	return sum;
}

void
event_counters_follow(struct event_counters *counters, pid_t task)
{
	for (enum event_counter counter = 0; counter < NEVENT_COUNTERS; counter++) {
		struct event_count sum = sum_of(counters, counter);

		if (sum.known)
			counters->before[counter] = sum;
	}
	event_counters_close(counters);
	event_counters_open(counters, &task, 1, true);
}

int64_t
event_counters_read(const struct event_counters *counters, enum event_counter counter)
{
	struct event_count sum = sum_of(counters, counter);

	return sum.known ? (int64_t)sum.value : -1;
}

double
event_counters_scaled(
	const struct event_counters *counters, enum event_counter counter, double *running)
{
	struct event_count sum = sum_of(counters, counter);

	*running = NAN;
	if (!sum.known || sum.enabled_ns == 0)
		return NAN;
	*running = (double)sum.running_ns / (double)sum.enabled_ns;
	return sum.running_ns > 0 ? (double)sum.value / *running : NAN;
}

void
event_counters_close(struct event_counters *counters)
{
	for (enum event_counter counter = 0; counter < NEVENT_COUNTERS; counter++) {
		for (size_t i = 0; i < counters->nfds; i++)
			if (counters->fds[counter][i] >= 0)
				close(counters->fds[counter][i]);
		free(counters->fds[counter]);
		counters->fds[counter] = NULL;
	}
	counters->nfds = 0;
}
