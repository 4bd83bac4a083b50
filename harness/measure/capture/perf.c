/*
 * The perf backend: sampling by perf_event_open(2).
 */
#include "base/clock.h"
#include "base/mem.h"
#include "capture/capture_internal.h"
#include "machine/disturb.h"
#include "perf_event/trial.h"
#include "process/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* One run in the making. */
struct perf_run {
	const struct capture_request *request;
	struct command command; /* how long it runs, or is watched; what its end means */
	pid_t *tasks;           /* all threads of the attached process */
	size_t ntasks;
	unsigned executions; /* of the program, so far */
	struct rusage usage; /* of all of them */
	uint64_t launch_ns;  /* of the launchers of all but the first, which start during the run */
	struct sampler sampler; /* if request->perfdata_path */
	struct phase_pipe pipe; /* if `has_pipe` */
	bool has_pipe;
	const char **env; /* with its name */
	int *watched;     /* descriptors to wait for */
	struct event_counters counters;
	struct disturb disturb;
	cpu_set_t old_affinity;
	bool moved; /* we are on the reader's CPU */
	uint64_t start_ns;
	uint64_t harness_start_ns;
	int64_t idle_start_ns;  /* of the CPUs, if request->all_of */
	int64_t clock_start_ns; /* of the attached process */
	int64_t cpu_ns;         /* where the counters do not show it; -1: they do */
};

/* Out of the program's way; the program itself was started before, and stays where it is. */
static void
move_to_reader_cpu(struct perf_run *perf)
{
	cpu_set_t reader;

	if (perf->request->reader_cpu < 0 ||
		sched_getaffinity(0, sizeof(perf->old_affinity), &perf->old_affinity) < 0)
		return;
	CPU_ZERO(&reader);
	CPU_SET((size_t)perf->request->reader_cpu, &reader);
	perf->moved = sched_setaffinity(0, sizeof(reader), &reader) == 0;
}

/* The CPU time of a living process and all threads it ever had; -1 if it is not there. */
static int64_t
process_clock_ns(pid_t pid)
{
	struct timespec time;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) < 0)
		return -1;
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Begins now. As command.ready: of a service, when it takes requests. */
static int
perf_enable(void *context, struct err *err)
{
	struct perf_run *perf = context;

	if (perf->request->perfdata_path && sampler_enable(&perf->sampler, perf->request, err) < 0)
		return -1;
	event_counters_enable(&perf->counters);
	return 0;
}

/* What is compared with its end. */
static void
begin_clocks(struct perf_run *perf)
{
	const struct capture_request *request = perf->request;

	disturb_begin(&perf->disturb, request->all_of ? request->all_of : request->pin, "");
	perf->harness_start_ns = clock_own_cpu_ns();
	perf->start_ns = clock_ns();
}

static int
perf_begin(struct perf_run *perf, const pid_t *tasks, size_t ntasks, struct err *err)
{
	const struct capture_request *request = perf->request;

	if (request->perfdata_path &&
		sampler_open(&perf->sampler, request, perf->has_pipe ? &perf->pipe : NULL, tasks,
			ntasks, err) < 0)
		return -1;
	if (request->all_of)
		event_counters_open_cpus(&perf->counters, request->all_of);
	else
		event_counters_open(&perf->counters, tasks, ntasks, !command_begins_later(request));
	move_to_reader_cpu(perf);
	begin_clocks(perf);
	/* A program's counters are enabled by its exec. */
	if ((request->attach_pid > 0 || request->all_of) && perf_enable(perf, err) < 0)
		return -1;
	if (request->all_of)
		perf->idle_start_ns = busy_idle_ns(request->all_of);
	else if (request->attach_pid > 0)
		perf->clock_start_ns = process_clock_ns(request->attach_pid);
	perf->start_ns = clock_ns();
	return 0;
}

static void
perf_release(struct perf_run *perf)
{
	sampler_close(&perf->sampler);
	event_counters_close(&perf->counters);
	if (perf->moved)
		sched_setaffinity(0, sizeof(perf->old_affinity), &perf->old_affinity);
	free(perf->tasks);
	free(perf->watched);
	free(perf->env);
	if (perf->has_pipe)
		phase_pipe_close(&perf->pipe);
}

/* The CPU time of all processes since the start; -1 if it is not known. */
static int64_t
busy_ns(const struct perf_run *perf)
{
	int64_t idle = busy_idle_ns(perf->request->all_of);
	int64_t all = CPU_COUNT(perf->request->all_of) * (int64_t)(clock_ns() - perf->start_ns);

	if (idle < 0 || perf->idle_start_ns < 0)
		return -1;
	idle -= perf->idle_start_ns;
	/* Both are rounded. */
	return idle < all ? all - idle : 0;
}

/*
 * The CPU time of the attached process. Counters of threads miss some per cent where many short
 * ones come and go; the process's clock misses all of its children.
 */
static int64_t
attached_ns(const struct perf_run *perf)
{
	int64_t clock = process_clock_ns(perf->request->attach_pid);
	int64_t counted = event_counters_read(&perf->counters, EVENT_CPU_NS);

	if (clock < 0 || perf->clock_start_ns < 0)
		return counted;
	clock -= perf->clock_start_ns;
	return clock > counted ? clock : counted;
}

/* Whether another execution comes after this one. */
static bool
follows(const struct perf_run *perf, const struct child *child, enum watch_end end)
{
	return child && child->ended && child->status == 0 && end == WATCH_ENDED &&
	       perf->executions < perf->request->executions;
}

static void
watch_sampler(struct perf_run *perf, struct watch *watch)
{
	const struct sampler *sampler = &perf->sampler;

	perf->watched = mem_resize(perf->watched, (sampler->ncpus + 1) * sizeof(*perf->watched));
	memcpy(perf->watched, sampler->fds + sampler->watched,
		sampler->ncpus * sizeof(*perf->watched));
	perf->watched[sampler->ncpus] = perf->pipe.fd;
	watch->fds = perf->watched;
	watch->nfds = sampler->ncpus + perf->has_pipe;
}

/* `start_ns` is the start of the watched program or period. */
static int
perf_watch(struct perf_run *perf, struct child *child, uint64_t start_ns, enum watch_end *end,
	struct err *err)
{
	struct watch watch = {
		.attached = perf->request->attach_pid,
		.deadline_ns = command_deadline_ns(&perf->command, start_ns),
	};

	if (perf->request->perfdata_path) {
		watch_sampler(perf, &watch);
		watch.drain = sampler_drain;
		watch.look = sampler_look;
		watch.context = &perf->sampler;
		/* With a record of each event the buffers hold those of some tens of ms. */
		watch.ahead = perf->request->event.timed || perf->request->event.counts_all;
	}
	int status = child ? command_watch(&perf->command, child, &watch, end, err)
			   : watch_wait(&watch, end, err);

	if (!follows(perf, child, *end))
		disturb_end(&perf->disturb);
	if (perf->request->perfdata_path)
		sampler_disable(&perf->sampler);
	event_counters_disable(&perf->counters);
	if (perf->request->all_of)
		perf->cpu_ns = busy_ns(perf);
	else if (perf->request->attach_pid > 0)
		perf->cpu_ns = attached_ns(perf);
	return status;
}

static int
perf_finish(struct perf_run *perf, const struct rusage *usage, struct run *run, struct err *err)
{
	struct tally tally = {
		.request = perf->request,
		.counters = &perf->counters,
		.sampler = &perf->sampler,
		.usage = perf->request->all_of ? NULL : usage,
		.cpu_ns = perf->cpu_ns,
		.disturb = &perf->disturb,
		.harness_ns = clock_own_cpu_ns() - perf->harness_start_ns,
		.launch_ns = perf->launch_ns,
		.executions = perf->executions,
	};

	/* The program's own account has all of its time. */
	if (perf->request->skip_s > 0 && event_counters_read(&perf->counters, EVENT_CPU_NS) < 0)
		return err_set(err, ERR_MEASURE,
			"the CPU time after the skipped beginning is not known: the kernel refuses "
			"its counter");
	tally_run(&tally, run);
	if (perf->request->perfdata_path &&
		sampler_finish(&perf->sampler, perf->request, run, err) < 0)
		return -1;
	run->harness_cpu_ns = clock_own_cpu_ns() - perf->harness_start_ns + perf->launch_ns;
	return 0;
}

/* Lets the program's beginning pass, and then measures; `*began` where it has not ended by then. */
static int
perf_skip(struct perf_run *perf, struct child *child, bool *began, enum watch_end *end,
	struct err *err)
{
	struct watch watch = {
		.child = child,
		.deadline_ns = clock_ns() + (uint64_t)(perf->request->skip_s * 1e9),
	};

	if (watch_wait(&watch, end, err) < 0)
		return -1;
	*began = *end == WATCH_TIME_OVER;
	if (!*began)
		return 0;
	*end = WATCH_ENDED;
	begin_clocks(perf);
	return perf_enable(perf, err);
}

/* A program that ended, and well, before measuring began. */
static int
ended_early(const struct perf_run *perf, struct err *err)
{
	return err_set(err, ERR_MEASURE,
		"%s ended within the first %g s, which are skipped: nothing was measured",
		perf->request->argv[0], perf->request->skip_s);
}

/* The events of the first execution begin the capture, those of the others go on with it. */
static int
perf_follow(
	struct perf_run *perf, struct child *child, const struct child_spec *spec, struct err *err)
{
	if (perf->executions++ == 0)
		return perf_begin(perf, &child->pid, 1, err);
	event_counters_follow(&perf->counters, child->pid);
	return perf->request->perfdata_path
		       ? sampler_follow(&perf->sampler, perf->request, child, spec, err)
		       : 0;
}

static void
add_usage(struct rusage *sum, const struct rusage *usage)
{
	timeradd(&sum->ru_utime, &usage->ru_utime, &sum->ru_utime);
	timeradd(&sum->ru_stime, &usage->ru_stime, &sum->ru_stime);
	sum->ru_nvcsw += usage->ru_nvcsw;
	sum->ru_nivcsw += usage->ru_nivcsw;
}

/* -1 with `ended` where the program is what failed. */
static int
run_once(struct perf_run *perf, struct capture_result *result, enum watch_end *end, bool *ended,
	struct err *err)
{
	const struct child_spec spec = command_spec(&perf->command);
	struct child child;
	bool began = true;

	*ended = false;
	if (command_start(&perf->command, &child, &spec, err) < 0)
		return -1;
	int status = perf_follow(perf, &child, &spec, err);

	if (status == 0)
		status = child_go(&child, &spec, err);
	if (status == 0 && perf->request->skip_s > 0)
		status = perf_skip(perf, &child, &began, end, err);
	if (status == 0 && began)
		status = perf_watch(perf, &child, clock_ns(), end, err);
	command_end(&perf->command, &child, *end, perf->start_ns, result);
	add_usage(&perf->usage, &child.usage);
	if (perf->executions > 1)
		perf->launch_ns += child.launch_ns;
	tally_child(&child, perf->executions, &result->run);
	if (status < 0)
		return -1;
	*ended = began;
	if (command_judge(&perf->command, &child, *end, err) < 0)
		return -1;
	return began ? 0 : ended_early(perf, err);
}

static int
run_command(struct perf_run *perf, struct capture_result *result, struct err *err)
{
	const unsigned wanted = perf->request->executions;
	enum watch_end end = WATCH_ENDED;
	bool ended;
	int status;

	do
		status = run_once(perf, result, &end, &ended, err);
	while (status == 0 && perf->executions < wanted);
	if (status == 0)
		return perf_finish(perf, &perf->usage, &result->run, err);
	if (wanted > 1 && err->kind == ERR_MEASURE)
		err_note(err, "in execution %u of %u of the run", perf->executions, wanted);
	struct err later = {.kind = ERR_NONE}; /* the program's failure is the one reported */

	result->kept = ended && command_keeps(&perf->command, end) &&
		       perf_finish(perf, &perf->usage, &result->run, &later) == 0;
	return -1;
}

/* Samples processes that are not ours to end. */
static int
sample_running(
	struct perf_run *perf, const char *what, struct capture_result *result, struct err *err)
{
	enum watch_end end = WATCH_ENDED;

	if (perf_watch(perf, NULL, perf->start_ns, &end, err) < 0)
		return -1;
	result->run.wall_ns = clock_ns() - perf->start_ns;
	result->ended_by_us = end != WATCH_ENDED;
	/* SIGINT ends the sampling; SIGTERM the session. */
	if (end == WATCH_INTERRUPTED && signals_caught() != SIGINT)
		return err_set_interrupted(err, signals_caught());
	if (end == WATCH_TIME_OVER && !command_has_duration(&perf->command))
		return err_set(err, ERR_MEASURE, "%s watched longer than the timeout of %g s", what,
			perf->request->timeout_s);
	return perf_finish(perf, NULL, &result->run, err);
}

static int
run_attached(struct perf_run *perf, struct capture_result *result, struct err *err)
{
	pid_t pid = perf->request->attach_pid;
	char what[64];

	perf->tasks = synth_tasks(pid, &perf->ntasks);
	if (!perf->tasks)
		return err_set(err, ERR_MEASURE, "there is no process %d to attach to", pid);
	if (perf_begin(perf, perf->tasks, perf->ntasks, err) < 0) {
		if (kill(pid, 0) < 0 && errno == EPERM)
			err_note(err, "process %d belongs to somebody else", pid);
		return -1;
	}
	snprintf(what, sizeof(what), "process %d was", pid);
	return sample_running(perf, what, result, err);
}

static int
run_everywhere(struct perf_run *perf, struct capture_result *result, struct err *err)
{
	if (perf_begin(perf, NULL, 0, err) < 0)
		return -1;
	return sample_running(perf, "the machine was", result, err);
}

/* Opens the pipe of the phases, and names it in the environment of `request`; free() that. */
static int
open_pipe(struct perf_run *perf, struct capture_request *request, struct err *err)
{
	size_t count = 0;

	if (!request->phases || !request->phases->pipe || !request->perfdata_path)
		return 0;
	if (phase_pipe_open(&perf->pipe, request->perfdata_path, err) < 0)
		return -1;
	perf->has_pipe = true;
	while (request->env && request->env[count])
		count++;
	perf->env = mem_zalloc(count + 2, sizeof(*perf->env));
	if (count > 0)
		memcpy(perf->env, request->env, count * sizeof(*perf->env));
	perf->env[count] = perf->pipe.variable;
	request->env = perf->env;
	return 0;
}

static int
perf_run(const struct capture_request *given, struct capture_result *result, struct err *err)
{
	struct companions companions;
	struct capture_request own = *given;
	const struct capture_request *request = &own;
	struct perf_run perf = {
		.request = request,
		.command = {.request = request,
			.timeout_factor = 1,
			.context = &perf,
			.ready = perf_enable,
			.companions = &companions},
		.cpu_ns = -1,
	};

	memset(result, 0, sizeof(*result));
	if (signals_check(err) < 0)
		return -1;
	int status = open_pipe(&perf, &own, err);

	if (status < 0)
		return -1;
	if (request->argv)
		status = run_command(&perf, result, err);
	else if (request->attach_pid > 0)
		status = run_attached(&perf, result, err);
	else
		status = run_everywhere(&perf, result, err);
	perf_release(&perf);
	return status;
}

static int
choose_sampling(
	const char *metric, const char *wanted, struct capture_event *event, struct err *err)
{
	(void)metric;
	return trial_choose_event(wanted, event, err);
}

static const char *const perf_metrics[] = {"cpu", NULL};

const struct capture_backend capture_perf = {
	.name = "perf",
	.summary = "samples CPU time or counter events through perf_event_open(2)",
	.metrics = perf_metrics,
	.choose = choose_sampling,
	.run = perf_run,
};
