/*
 * The backend of waiting: every context switch of the program with its time and stack, by
 * perf_event_open(2). The metric offcpu is the time off the CPU, wall besides that the time on it,
 * by samples of a clock; locks is the part of offcpu that was waited for locks, and by whom they
 * were released.
 *
 * Where the kernel's code may not be sampled there are no samples of switches, but still a record
 * of each: times by thread, and whether it could have run. Where tracepoints are there, each
 * wake-up is recorded, too: from there on a thread waits for a CPU.
 */
#include "capture/capture_internal.h"
#include "perf_event/events.h"
#include "perf_event/trial.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define EVENT_NAME "context-switches"
#define WAKE_EVENT "sched:sched_waking"
/* Its file is read as this view of its context switches (ingest/event_choice.c). */
#define LOCKS_NAME "locks:wait"
/* Waits that are made to see whether each is recorded. */
#define TRIAL_WAITS 4
#define TRIAL_WAIT_NS 500000
/* On a busy virtual machine a wait may be over before the thread has left its CPU. */
#define TRIALS 3
/* Between wake-ups: the other thread waits again. */
#define TRIAL_REST_NS 200000
/* The inode of the first namespace of processes (include/linux/proc_ns.h, PROC_PID_INIT_INO). */
#define FIRST_PID_NAMESPACE 0xEFFFFFFC

static void
wait_shortly(void *context)
{
	(void)context;
	for (int i = 0; i < TRIAL_WAITS; i++)
		nanosleep(&(struct timespec){.tv_nsec = TRIAL_WAIT_NS}, NULL);
}

/* Waits under the event; -1 unless each is recorded. */
static int
try_switches(struct capture_event *event, struct err *err)
{
	struct perf_event_attr attr;
	struct ring_counts counts;

	event_attr(&attr, event, 1, 0, true);
	attr.context_switch = 1;
	for (int i = 0; i < TRIALS; i++) {
		if (trial_record(event->name, &attr, wait_shortly, NULL, &counts, err) < 0)
			return -1;
		event->callchain = counts.samples > 0;
		if (counts.switches >= UINT64_C(2) * TRIAL_WAITS &&
			(!event->kernel || counts.samples >= TRIAL_WAITS))
			return 0;
	}
	return err_set(err, ERR_MEASURE,
		"%d waits were recorded as %" PRIu64 " context switches with %" PRIu64 " stacks",
		TRIAL_WAITS, counts.switches, counts.samples);
}

static void *
answer(void *context)
{
	const int *end = context;
	char byte;

	while (read(*end, &byte, 1) == 1 && write(*end, &byte, 1) == 1) {
	}
	return NULL;
}

/* Wakes the thread that answers at the other end; it has had the time to wait again. */
static void
wake(void *context)
{
	const int *end = context;
	char byte = 0;

	for (int i = 0; i < TRIAL_WAITS; i++) {
		if (write(*end, &byte, 1) != 1 || read(*end, &byte, 1) != 1)
			return;
		nanosleep(&(struct timespec){.tv_nsec = TRIAL_REST_NS}, NULL);
	}
}

static bool
delivers_wakes(const struct capture_event *event, int end)
{
	struct capture_event wakes = *event;
	struct perf_event_attr attr;
	struct ring_counts counts;
	struct err refused = {.kind = ERR_NONE};

	wakes.type = PERF_TYPE_TRACEPOINT;
	wakes.config = event->wake_config;
	event_attr(&attr, &wakes, 1, 0, false);
	return trial_record(WAKE_EVENT, &attr, wake, &end, &counts, &refused) == 0 &&
	       counts.samples > 0;
}

static bool
try_wakes(const struct capture_event *event)
{
	pthread_t other;
	int ends[2];
	bool good = false;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return false;
	if (pthread_create(&other, NULL, answer, &ends[1]) == 0) {
		good = delivers_wakes(event, ends[0]);
		shutdown(ends[0], SHUT_RDWR);
		pthread_join(other, NULL);
	}
	close(ends[0]);
	close(ends[1]);
	return good;
}

/* Tracepoints number threads as the first namespace of processes does, samples as ours does. */
static bool
numbers_agree(void)
{
	struct stat status;

	return stat("/proc/self/ns/pid", &status) == 0 && status.st_ino == FIRST_PID_NAMESPACE;
}

/* Adds wake-ups, where they are delivered. */
static void
choose_wakes(struct capture_event *event)
{
	struct err refused = {.kind = ERR_NONE};

	event->wake_config = numbers_agree() ? tracepoint_id("sched/sched_waking", &refused) : 0;
	if (event->wake_config != 0 && try_wakes(event))
		snprintf(event->reason, sizeof(event->reason),
			"the kernel records every context switch with its stack, and every "
			"wake-up");
	else
		event->wake_config = 0;
}

static int
choose_switches(struct capture_event *event, struct err *err)
{
	*event = (struct capture_event){
		.name = EVENT_NAME,
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
		.rate_hz = 1,
		.kernel = true,
		.timed = true,
		.reason = "the kernel records every context switch with its stack, but no "
			  "wake-ups: these need root and tracefs",
	};
	if (try_switches(event, err) == 0) {
		choose_wakes(event);
		return 0;
	}
	*err = (struct err){.kind = ERR_NONE};
	event->kernel = false;
	snprintf(event->reason, sizeof(event->reason),
		"the kernel records every context switch; stacks need kernel.perf_event_paranoid "
		"at 1 or below, or CAP_PERFMON");
	return try_switches(event, err);
}

static int
choose_offcpu(const char *wanted, struct capture_event *event, struct err *err)
{
	if (strcmp(wanted, "auto") != 0 && strcmp(wanted, EVENT_NAME) != 0)
		return err_set(err, ERR_USAGE,
			"the metric 'offcpu' has no event '%s': expected auto or " EVENT_NAME,
			wanted);
	if (choose_switches(event, err) < 0)
		return -1;
	if (strcmp(wanted, EVENT_NAME) == 0)
		event->wake_config = 0;
	return 0;
}

/* Time on the CPU has to be a time: no counter will do. */
static int
choose_wall(const char *wanted, struct capture_event *event, struct err *err)
{
	struct capture_event switches;
	const char *clock = strcmp(wanted, "auto") == 0 ? "cpu-clock" : wanted;

	if (strcmp(clock, "cpu-clock") != 0 && strcmp(clock, "task-clock") != 0)
		return err_set(err, ERR_USAGE,
			"the metric 'wall' has no event '%s': expected auto, cpu-clock or "
			"task-clock",
			wanted);
	if (choose_switches(&switches, err) < 0 || trial_choose_event(clock, event, err) < 0)
		return -1;
	event->timed = true;
	event->kernel = event->kernel && switches.kernel;
	event->wake_config = event->kernel ? switches.wake_config : 0;
	memcpy(event->reason, switches.reason, sizeof(event->reason));
	return 0;
}

/* The kernel's part of a stack tells what is waited for. */
static int
choose_locks(const char *wanted, struct capture_event *event, struct err *err)
{
	if (strcmp(wanted, "auto") != 0 && strcmp(wanted, LOCKS_NAME) != 0)
		return err_set(err, ERR_USAGE,
			"the metric 'locks' has no event '%s': expected auto or " LOCKS_NAME,
			wanted);
	if (choose_switches(event, err) < 0)
		return -1;
	if (!event->kernel)
		return err_set(err, ERR_MEASURE,
			"the metric 'locks' needs the stacks of context switches, for which "
			"kernel.perf_event_paranoid is to be at 1 or below, or CAP_PERFMON");
	event->locks = true;
	snprintf(event->name, sizeof(event->name), LOCKS_NAME);
	return 0;
}

static int
choose_by_metric(
	const char *metric, const char *wanted, struct capture_event *event, struct err *err)
{
	if (strcmp(metric, "locks") == 0)
		return choose_locks(wanted, event, err);
	return strcmp(metric, "wall") == 0 ? choose_wall(wanted, event, err)
					   : choose_offcpu(wanted, event, err);
}

static int
run_waits(const struct capture_request *given, struct capture_result *result, struct err *err)
{
	struct capture_request request = *given;

	if (!event_is_sampled(&request.event)) {
		request.period = 1;
		request.frequency_hz = 0;
	}
	int status = capture_perf.run(&request, result, err);

	/* What the run cost is known only once the capture is read. */
	result->run.cost_total = 0;
	/* For some threads, or waits, fewer are read; a loss of any is an error below. */
	result->run.expected_samples = 0;
	if (status < 0 || !request.perfdata_path)
		return status;
	/* One lost record can be the end of any wait. */
	return tally_refuse_losses(&request, &result->run, "records of context switches",
		"copy less (`stack: 1KiB`), or record without copies "
		"(`callgraph: fp`)",
		err);
}

static const char *const metrics_taken[] = {"offcpu", "wall", "locks", NULL};

const struct capture_backend capture_waits = {
	.name = "waits",
	.summary =
		"times every wait of every thread by context switches, and the time between them",
	.metrics = metrics_taken,
	.choose = choose_by_metric,
	.run = run_waits,
};

void
waits_probe(const struct probe_context *context, struct probe_result *result)
{
	struct capture_event event;
	struct err err = {.kind = ERR_NONE};
	static const char remedy[] =
		"set kernel.perf_event_paranoid to 1 or below, run as root, or "
		"with CAP_PERFMON";
	bool good = choose_switches(&event, &err) == 0;

	(void)context;
	SAY(result->found, "%s", good ? event.reason : "context switches are not recorded here");
	if (!good)
		probe_conclude(result, PROBE_MISSING,
			"`metric: offcpu`, `wall` and `locks` are not available", remedy);
	else if (!event.kernel)
		probe_conclude(result, PROBE_LIMITED,
			"`metric: offcpu` and `wall` have times by thread, without stacks and "
			"reasons, and `locks` is not available",
			remedy);
	else if (event.wake_config == 0)
		probe_conclude(result, PROBE_OK,
			"`metric: offcpu`, `wall` and `locks` work: every wait is timed, until the "
			"thread has a CPU again",
			"");
	else
		probe_conclude(result, PROBE_OK,
			"`metric: offcpu`, `wall` and `locks` work: every wait is timed, apart from "
			"what follows in the run queue",
			"");
}
