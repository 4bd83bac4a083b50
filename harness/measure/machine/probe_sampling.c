/*
 * The parts of `doctor` on sampling: which events deliver samples, with call chains, stack copies
 * and the kernel's part, and the limits on buffers and rates.
 */
#include "machine/probe.h"

#include "perf_event/events.h"
#include "perf_event/ring.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The defaults of a gate. */
#define GATE_HZ 4999
#define RING_BYTES ((size_t)512 * 1024)
#define RINGS_MAX 64

/* The meaning of an error of perf_event_open(2). */
static const char *
refusal(int errnum)
{
	switch (errnum) {
	case EACCES:
	case EPERM:
		return "not permitted to this user";
	case ENOSYS:
		return "no such system call here";
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return "not offered by this CPU, virtual machine or kernel";
	case EINVAL:
		return "not accepted by this kernel";
	case EBUSY:
		return "the counters are in use";
	case EMFILE:
	case ENFILE:
		return "too many open files";
	default:
		return strerror(errnum);
	}
}

/* The samples that came, or why none could. */
static void
say_trial(const struct trial *trial, struct probe_result *result)
{
	if (trial->errnum != 0)
		SAY(result->found, "cannot be opened: %s", refusal(trial->errnum));
	else if (trial->units_hz <= 0)
		SAY(result->found, "opened for a trial: it counts nothing");
	else
		SAY(result->found, "%llu of %.0f samples arrived in a trial",
			(unsigned long long)trial->samples, trial->expected);
}

/* The remedy where there is no such system call; `otherwise` where there is. */
static const char *
remedy_missing(int errnum, const char *otherwise)
{
	return errnum == ENOSYS ? "blocked by a sandbox, not by a kernel setting (gVisor, an "
				  "old seccomp profile), or a kernel without CONFIG_PERF_EVENTS: "
				  "allow perf_event_open(2), or run outside the sandbox"
				: otherwise;
}

/* A remedy of any length. */
struct remedy_text {
	char text[EVENT_ADVICE_SIZE];
};

/* The same where the call may be refused to this user, too. */
static struct remedy_text
remedy_refused(int errnum, const char *otherwise)
{
	struct remedy_text remedy = {{0}};

	if (errnum == EACCES || errnum == EPERM)
		event_advise(remedy.text);
	else
		SAY(remedy.text, "%s", remedy_missing(errnum, otherwise));
	return remedy;
}

static void
probe_counter(const struct trial *trial, const char *use, struct probe_result *result)
{
	bool good = trial_delivers(trial);
	bool refused = trial->errnum == EACCES || trial->errnum == EPERM || trial->errnum == ENOSYS;

	say_trial(trial, result);
	probe_conclude(result, good ? PROBE_OK : PROBE_MISSING,
		good ? use
		: refused
			? "hardware counters cannot be used"
			: "no hardware counters; sampling by CPU clock (a timer), slightly less precise",
		remedy_refused(trial->errnum,
			"use a machine with counters: bare metal, a large cloud instance, or KVM with a vPMU")
			.text);
}

static void
probe_cycles(const struct probe_context *context, struct probe_result *result)
{
	probe_counter(&context->trials[TRIAL_CYCLES], "used by `event: auto`", result);
}

static void
probe_instructions(const struct probe_context *context, struct probe_result *result)
{
	probe_counter(
		&context->trials[TRIAL_INSTRUCTIONS], "available as `event: instructions`", result);
}

/* `instead`: the trial of the event used without it. */
static void
probe_clock(const struct trial *trial, const struct trial *instead, struct probe_result *result)
{
	bool good = trial_delivers(trial);
	bool others = trial_delivers(instead);

	say_trial(trial, result);
	probe_conclude(result,
		good     ? PROBE_OK
		: others ? PROBE_MISSING
			 : PROBE_FATAL,
		good     ? "CPU time can be sampled by a timer"
		: others ? "another event is used"
			 : "nothing can be captured here",
		remedy_refused(
			trial->errnum, "check whether this sandbox allows perf_event_open(2)")
			.text);
}

static void
probe_cpu_clock(const struct probe_context *context, struct probe_result *result)
{
	probe_clock(&context->trials[TRIAL_CPU_CLOCK], &context->trials[TRIAL_CYCLES], result);
}

static void
probe_task_clock(const struct probe_context *context, struct probe_result *result)
{
	probe_clock(&context->trials[TRIAL_TASK_CLOCK], &context->trials[TRIAL_CPU_CLOCK], result);
}

const struct trial *
probe_best_trial(const struct probe_context *context)
{
	if (trial_delivers(&context->trials[TRIAL_CYCLES]))
		return &context->trials[TRIAL_CYCLES];
	return &context->trials[TRIAL_CPU_CLOCK];
}

static void
probe_callchains(const struct probe_context *context, struct probe_result *result)
{
	const struct trial *trial = probe_best_trial(context);
	bool good = trial_delivers(trial) && trial->callchain;

	if (trial->errnum != 0)
		say_trial(trial, result);
	else
		SAY(result->found, "%s",
			good ? "samples of a trial include their callers"
			     : "no sample of a trial includes a caller");
	probe_conclude(result, good ? PROBE_OK : PROBE_LIMITED,
		good ? "frame-pointer stacks work for programs built with -fno-omit-frame-pointer"
		     : "functions have a self cost, but callers are unknown",
		remedy_refused(trial->errnum,
			"build profile_run itself with -fno-omit-frame-pointer and try again")
			.text);
}

static void
probe_stack_copies(const struct probe_context *context, struct probe_result *result)
{
	bool cycles = trial_delivers(&context->trials[TRIAL_CYCLES]);
	const struct stack_trial *stacks = &context->stacks;
	bool good = stacks->copies > 0 && stacks->copies >= stacks->samples / 2;

	if (stacks->errnum != 0)
		SAY(result->found, "cannot be opened: %s", refusal(stacks->errnum));
	else
		SAY(result->found,
			"%llu of %llu samples of a trial (%s) include registers and a stack",
			(unsigned long long)stacks->copies, (unsigned long long)stacks->samples,
			cycles ? "cycles" : "cpu-clock");
	probe_conclude(result, good ? PROBE_OK : PROBE_LIMITED,
		good ? "programs without frame pointers have complete stacks (`callgraph: dwarf`)"
		     : "stacks are complete only in code built with frame pointers",
		remedy_refused(stacks->errnum, "build with -fno-omit-frame-pointer").text);
}

/* A setting of the kernel as it is shown; "not readable" without /proc. */
struct sysctl_text {
	char text[24];
};

static struct sysctl_text
sysctl_text(const char *name)
{
	struct sysctl_text shown = {"not readable"};
	long value = event_sysctl(name, LONG_MIN);

	if (value != LONG_MIN)
		snprintf(shown.text, sizeof(shown.text), "%ld", value);
	return shown;
}

static void
probe_paranoid(const struct probe_context *context, struct probe_result *result)
{
	const struct trial *trial = probe_best_trial(context);
	bool good = trial->errnum == 0 && trial->kernel;

	SAY(result->found, "perf_event_paranoid is %s, effective user %d: kernel code %s",
		sysctl_text("perf_event_paranoid").text, (int)geteuid(),
		good ? "may be sampled" : "cannot be sampled");
	probe_conclude(result, good ? PROBE_OK : PROBE_LIMITED,
		good ? "time in the kernel is attributed to kernel functions"
		     : "time in the kernel counts as CPU time, but belongs to no function",
		trial->errnum != 0
			? remedy_refused(trial->errnum, "").text
			: "`sysctl kernel.perf_event_paranoid=1` as root, or `setcap "
			  "cap_perfmon+ep profile_run`; in a container `--cap-add PERFMON`");
}

static void
probe_kernel_names(const struct probe_context *context, struct probe_result *result)
{
	char line[512];
	bool readable = false;
	FILE *file = fopen("/proc/kallsyms", "re");

	(void)context;
	for (int i = 0; file && !readable && i < 1000 && fgets(line, sizeof(line), file); i++)
		readable = strtoull(line, NULL, 16) != 0;
	if (file)
		fclose(file);
	SAY(result->found, "/proc/kallsyms %s",
		!file      ? "cannot be read"
		: readable ? "shows addresses"
			   : "hides the addresses");
	probe_conclude(result, readable ? PROBE_OK : PROBE_LIMITED,
		readable ? "kernel functions have names" : "kernel functions are [unknown]",
		"`sysctl kernel.kptr_restrict=0`, or run as root with 1");
}

/* As many buffers of the usual size as there are CPUs, at the same time. */
static void
probe_buffers(const struct probe_context *context, struct probe_result *result)
{
	long wanted = sysconf(_SC_NPROCESSORS_ONLN);
	struct capture_event event = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
	};
	struct perf_event_attr attr;
	struct ring rings[RINGS_MAX];
	int fds[RINGS_MAX];
	int got = 0;
	int opened = 0;
	int errnum = 0;
	long configured = sysconf(_SC_NPROCESSORS_CONF);

	(void)context;
	if (wanted > RINGS_MAX)
		wanted = RINGS_MAX;
	event_attr(&attr, &event, 1000000, 0, false);
	for (int cpu = 0; cpu < configured && opened < wanted && got == opened; cpu++) {
		fds[opened] = event_open(&attr, 0, cpu);
		if (fds[opened] < 0) {
			errnum = errno;
			continue; /* offline */
		}
		if (ring_map(&rings[got], fds[opened++], RING_BYTES) == 0)
			got++;
	}
	for (int i = 0; i < got; i++)
		ring_unmap(&rings[i]);
	for (int i = 0; i < opened; i++)
		close(fds[i]);
	SAY(result->found, "%d of %ld buffers of 512 KiB mapped; perf_event_mlock_kb is %s", got,
		wanted, sysctl_text("perf_event_mlock_kb").text);
	probe_conclude(result, got == wanted ? PROBE_OK : PROBE_LIMITED,
		got == wanted ? "large enough: no samples are lost"
			      : "smaller buffers are used: samples may be lost at high rates",
		remedy_refused(opened == 0 ? errnum : 0,
			"`sysctl kernel.perf_event_mlock_kb=2064`, or a higher `ulimit -l`")
			.text);
}

static void
probe_rate(const struct probe_context *context, struct probe_result *result)
{
	struct capture_event event = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
	};
	struct perf_event_attr attr;
	struct sysctl_text rate = sysctl_text("perf_event_max_sample_rate");

	(void)context;
	event_attr(&attr, &event, 0, GATE_HZ, false);
	int fd = event_open(&attr, 0, -1);
	int errnum = errno;

	if (fd >= 0) {
		close(fd);
		SAY(result->found, "opened at %d Hz; perf_event_max_sample_rate is %s", GATE_HZ,
			rate.text);
	} else {
		SAY(result->found,
			"cannot be opened at %d Hz: %s; perf_event_max_sample_rate is %s", GATE_HZ,
			refusal(errnum), rate.text);
	}
	probe_conclude(result, fd >= 0 ? PROBE_OK : PROBE_LIMITED,
		fd >= 0 ? "a gate's rate is allowed"
			: "captures at that rate are refused or throttled",
		remedy_refused(errnum, "`sysctl kernel.perf_cpu_time_max_percent=0 "
				       "kernel.perf_event_max_sample_rate=100000`, or a lower "
				       "frequency")
			.text);
}

static void
probe_watchdog(const struct probe_context *context, struct probe_result *result)
{
	long watchdog = event_sysctl("nmi_watchdog", 0);
	bool taken = watchdog != 0 && trial_delivers(&context->trials[TRIAL_CYCLES]);

	SAY(result->found, "nmi_watchdog is %ld", watchdog);
	probe_conclude(result, taken ? PROBE_LIMITED : PROBE_OK,
		taken ? "it occupies one hardware counter" : "it does not occupy a counter",
		"`sysctl kernel.nmi_watchdog=0` while measuring");
}

const struct probe_part probe_sampling_parts[] = {
	{"event cycles", probe_cycles},
	{"event instructions", probe_instructions},
	{"event cpu-clock", probe_cpu_clock},
	{"event task-clock", probe_task_clock},
	{"call chains", probe_callchains},
	{"stack copies", probe_stack_copies},
	{"kernel samples", probe_paranoid},
	{"kernel names", probe_kernel_names},
	{"buffer memory", probe_buffers},
	{"sampling rate", probe_rate},
	{"NMI watchdog", probe_watchdog},
	{NULL, NULL},
};
