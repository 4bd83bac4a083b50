/*
 * The syscalls backend: every system call of the program, with its stack. The kernel's tracepoint
 * raw_syscalls:sys_enter delivers a sample for each; without the rights for that, call_tracer.c
 * makes such samples.
 */
#include "capture/capture_internal.h"
#include "perf_event/events.h"
#include "profile/counters.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EVENT_NAME "raw_syscalls:sys_enter"
/* A file of the same event, and its ends, that is read as this view (ingest/event_choice.c). */
#define IO_NAME "io:bytes"
/* Calls that are made to see whether each is delivered. */
#define TRIAL_CALLS 16
#define TRIAL_TIMEOUT_S 10
/* More calls a second than any program makes: buffers are as large as may be. */
#define CALLS_HZ 4e6

static void
make_calls(void *context)
{
	(void)context;
	for (int i = 0; i < TRIAL_CALLS; i++)
		syscall(SYS_getppid);
}

/* Makes calls under the event; -1 unless each is delivered. */
static int
try_tracepoint(const struct capture_event *event, struct err *err)
{
	struct perf_event_attr attr;
	struct ring_counts counts;

	event_attr(&attr, event, 1, 0, false);
	if (trial_record(event->name, &attr, make_calls, NULL, &counts, err) < 0)
		return -1;
	/* The one that disables the event is a call, too. */
	if (counts.samples == TRIAL_CALLS + 1)
		return 0;
	return err_set(err, ERR_MEASURE,
		"the tracepoint '%s' delivers %" PRIu64 " of %d system calls", event->name,
		counts.samples, TRIAL_CALLS + 1);
}

/* The tracer counts the same as the tracepoint, so that both have its name. */
static const struct capture_event every_call = {
	.name = EVENT_NAME,
	.type = PERF_TYPE_TRACEPOINT,
	.rate_hz = CALLS_HZ,
	.kernel = true,
	.callchain = true,
	.counts_all = true,
};

static int
choose_tracepoint(struct capture_event *event, struct err *err)
{
	*event = every_call;
	snprintf(event->reason, sizeof(event->reason),
		"the kernel's tracepoint delivers every call");
	event->config = tracepoint_id("raw_syscalls/sys_enter", err);
	if (event->config == 0 || try_tracepoint(event, err) < 0) {
		err_note(err, "tracepoints need root, or CAP_PERFMON with a tracefs that may be "
			      "read");
		return -1;
	}
	return 0;
}

/* Adds the ends of the calls, each of which is a sample, too. */
static int
choose_ends(struct capture_event *event, struct err *err)
{
	event->end_config = tracepoint_id("raw_syscalls/sys_exit", err);
	snprintf(event->reason, sizeof(event->reason),
		"the kernel's tracepoints deliver every call and its end");
	return event->end_config == 0 ? -1 : 0;
}

static int
choose_timed(struct capture_event *event, struct err *err)
{
	if (choose_tracepoint(event, err) < 0)
		return err_note(err, "without it calls have no times; their number is also "
				     "counted by a seccomp filter (`event: auto`)");
	return choose_ends(event, err);
}

static bool
is_traced(const struct capture_event *event)
{
	return event->config == 0;
}

static int
choose_tracer(struct capture_event *event, struct err *err)
{
	static const char *const nothing[] = {"true", NULL};
	const struct capture_request request = {.argv = nothing,
		.event = every_call,
		.reader_cpu = -1,
		.timeout_s = TRIAL_TIMEOUT_S};
	struct capture_result result;

	*event = every_call;
	snprintf(event->reason, sizeof(event->reason),
		"a seccomp filter stops the program at every call");
	if (call_tracer_run(&request, &result, err) < 0)
		return err_note(err, "while counting the system calls of 'true'");
	if (result.run.samples > 0)
		return 0;
	return err_set(err, ERR_MEASURE, "a seccomp filter stopped 'true' at no system call");
}

/* The tracepoint, or where that is refused the tracer. */
static int
choose_any(struct capture_event *event, struct err *err)
{
	struct err refused = {.kind = ERR_NONE};

	if (choose_tracepoint(event, &refused) == 0)
		return 0;
	return choose_tracer(event, err);
}

/* The bytes that calls read and wrote are known by their ends, too. */
static int
choose_io(const char *wanted, struct capture_event *event, struct err *err)
{
	if (strcmp(wanted, "auto") != 0 && strcmp(wanted, IO_NAME) != 0)
		return err_set(err, ERR_USAGE,
			"the metric 'io' has no event '%s': expected auto or " IO_NAME, wanted);
	if (choose_tracepoint(event, err) < 0 || choose_ends(event, err) < 0)
		return err_note(err, "the metric 'io' counts by tracepoints only");
	snprintf(event->name, sizeof(event->name), IO_NAME);
	return 0;
}

static int
choose_syscalls(
	const char *metric, const char *wanted, struct capture_event *event, struct err *err)
{
	if (strcmp(metric, "io") == 0)
		return choose_io(wanted, event, err);
	if (strcmp(wanted, "auto") == 0)
		return choose_any(event, err);
	if (strcmp(wanted, "raw_syscalls") == 0)
		return choose_tracepoint(event, err);
	if (strcmp(wanted, "seccomp") == 0)
		return choose_tracer(event, err);
	if (strcmp(wanted, "syscalls:time") == 0)
		return choose_timed(event, err);
	return err_set(err, ERR_USAGE,
		"the metric 'syscalls' has no event '%s': expected auto, raw_syscalls, seccomp or "
		"syscalls:time",
		wanted);
}

static int
run_syscalls(const struct capture_request *given, struct capture_result *result, struct err *err)
{
	struct capture_request request = *given;

	if (request.all_of)
		return err_set(err, ERR_USAGE,
			"system calls are counted for a command or a process, not for all: our own "
			"would be among them");
	const bool traced = is_traced(&request.event) && request.perfdata_path;

	request.period = 1;
	request.frequency_hz = 0;
	int status = traced ? call_tracer_run(&request, result, err)
			    : capture_perf.run(&request, result, err);

	result->run.cost_total = (double)result->run.samples;
	/* The bytes are known only once the capture is read. */
	if (strcmp(request.event.name, IO_NAME) == 0)
		result->run.cost_total = result->run.expected_samples = 0;
	if (!request.perfdata_path || (status < 0 && !result->kept))
		return status;
	counter_set(&result->run, COUNTER_SYSCALLS, (double)result->run.samples);
	if (status < 0 || traced)
		return status;
	return tally_refuse_losses(&request, &result->run, "of the system calls",
		"copy less (`stack: 2KiB`), or count without stacks "
		"(`callgraph: none`)",
		err);
}

static const char *const call_metrics[] = {"syscalls", "io", NULL};

const struct capture_backend capture_syscalls = {
	.name = "syscalls",
	.summary = "counts every system call through the kernel's tracepoints, or a seccomp filter",
	.metrics = call_metrics,
	.choose = choose_syscalls,
	.run = run_syscalls,
};

void
syscalls_probe(const struct probe_context *context, struct probe_result *result)
{
	struct capture_event event;
	struct err err = {.kind = ERR_NONE};
	static const char remedy[] =
		"run as root, or with CAP_PERFMON and a tracefs that may be read";
	bool good = choose_any(&event, &err) == 0;

	(void)context;
	SAY(result->found, "%s",
		good ? event.reason : "neither tracepoints nor a seccomp filter work here");
	if (!good)
		probe_conclude(
			result, PROBE_MISSING, "`metric: syscalls` is not available", remedy);
	else if (is_traced(&event))
		probe_conclude(result, PROBE_LIMITED,
			"`metric: syscalls` works: the number of calls is exact; a call takes some "
			"10 us longer, without tracepoints; `metric: io` is not available",
			remedy);
	else
		probe_conclude(result, PROBE_OK,
			"`metric: syscalls` and `metric: io` work: numbers and bytes are exact",
			"");
}
