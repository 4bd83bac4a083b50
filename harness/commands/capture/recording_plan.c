#include "base/err.h"
#include "capture/backend.h"
#include "capture/record.h"
#include "capture/recording.h"
#include "machine/machine.h"
#include "measurement/stack_plan.h"
#include "profile/metric.h"
#include "profile/profile.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * Above this many samples per second the largest stack copies cost too much: copies have this size.
 */
#define FULL_COPIES_HZ 1000
#define STACK_BYTES_FAST 16384

/* Plans how stacks are taken: in the most complete way, since there is only one run. */
static void
plan_stacks(struct recording *recording)
{
	const struct record_options *options = recording->options;
	const struct capture_policy *policy =
		recording->is_workload ? &recording->workload.capture : &options->config->capture;
	const char *callgraph = options->callgraph ? options->callgraph : policy->callgraph;
	uint32_t bytes = options->stack_bytes ? options->stack_bytes : policy->stack_bytes;

	stack_plan_init(&recording->stacks, callgraph, bytes, NULL);
	if (event_is_traced(&recording->event))
		stack_plan_settle(&recording->stacks);
	uint32_t *copied = &recording->stacks.stack_bytes;

	if (bytes > 0)
		*copied = *copied < bytes ? *copied : bytes;
	else if (recording->stacks.to_be_tried && options->frequency_hz > FULL_COPIES_HZ)
		*copied = STACK_BYTES_FAST;
}

static int
find_cpus(struct recording *recording, struct err *err)
{
	const char *list = recording->options->all_of;

	if (!list || cpu_list_parse_all(list, &recording->all_of) == 0)
		return 0;
	return err_set(err, ERR_USAGE,
		"'--cpus %s': expected \"all\" or a list of CPUs such as \"0,2-3\"", list);
}

bool
recording_condenses(const struct recording *recording)
{
	return recording->stacks.stack_bytes > 0 && !recording->options->keep_raw &&
	       !recording->event.own_stacks;
}

/*
 * Refuses to select threads for a metric that is no time: only the whole program's cost is known.
 */
static int
check_thread(const struct recording *recording, struct err *err)
{
	const struct metric *metric = metric_find(recording->metric);

	if (!recording->options->thread || (metric && metric->timed))
		return 0;
	return err_set(err, ERR_USAGE,
		"'--thread' is for the metrics offcpu, wall and locks; of another, 'analyze --comm "
		"NAME' reads the samples of one thread");
}

/* The program whose marks are looked for. */
static struct operation_program
marked_program(const struct recording *recording)
{
	return (struct operation_program){
		.argv = recording->is_workload ? recording->workload.run : recording->argv,
		.env = recording->is_workload ? recording->workload.env : NULL,
		.cwd = recording->is_workload ? recording->workload.cwd : NULL,
		.pid = recording->options->attach_pid,
	};
}

/* Finds the phases of a metric of samples or times. What is counted has none. */
static int
find_phases(struct recording *recording, struct err *err)
{
	const struct record_options *options = recording->options;
	const struct operation_program program = marked_program(recording);
	const char *phases = options->phases          ? options->phases
			     : recording->is_workload ? recording->workload.capture.phases
						      : "none";

	if (strcmp(phases, "none") == 0)
		return 0;
	if (recording->event.counts_all || recording->event.own_format) {
		if (!options->phases)
			return 0;
		return err_set(err, ERR_USAGE,
			"'--phases' is for the metrics cpu, wall, offcpu and locks, not '%s'",
			recording->metric);
	}
	if (!recording->argv && strcmp(phases, "pipe") == 0)
		return err_set(err, ERR_USAGE,
			"'--phases pipe' needs a command, which receives the path of the pipe");
	recording->has_phases = true;
	return capture_phases_find(&recording->phases, phases, "phases", &program, err);
}

/* Finds the operation, for a metric of times on and off the CPU: these tell how long it took. */
static int
find_operation(struct recording *recording, struct err *err)
{
	const struct metric *metric = metric_find(recording->metric);
	const struct operation_program program = marked_program(recording);

	if (!metric || !metric->timed)
		return err_set(err, ERR_USAGE,
			"'--operation' is for the metrics wall, offcpu and locks, not '%s'",
			recording->metric);
	if (operation_find(&recording->operation, recording->options->operation, &program, err) ==
		0)
		return 0;
	return program.argv == recording->shell_argv
		       ? err_note(err,
				 "a shell starts '%s': with '-- COMMAND' its own functions "
				 "are marked",
				 recording->options->workload)
		       : -1;
}

static int
find_backend(struct recording *recording, struct err *err)
{
	recording->metric = recording->options->metric;
	if (!recording->metric && recording->options->operation)
		recording->metric = "wall";
	if (!recording->metric)
		recording->metric =
			recording->is_workload ? recording->workload.capture.metric : "cpu";
	recording->backend = capture_backend_for(recording->metric);
	if (recording->backend && check_thread(recording, err) < 0)
		return -1;
	if (recording->backend && recording->options->skip_s > 0 &&
		metric_find(recording->metric)->counted)
		return err_set(err, ERR_USAGE,
			"'--skip' needs a metric that is sampled; '%s' is counted from the "
			"program's start",
			recording->metric);
	if (recording->backend)
		return recording->options->operation ? find_operation(recording, err) : 0;
	return err_set(
		err, ERR_USAGE, "no capture backend measures the metric '%s'", recording->metric);
}

int
recording_plan(struct recording *recording, struct err *err)
{
	const struct record_options *options = recording->options;

	if (find_backend(recording, err) < 0 ||
		recording->backend->choose(
			recording->metric, options->event, &recording->event, err) < 0 ||
		cpu_plan_make(options->pin, &recording->cpus, err) < 0 ||
		find_cpus(recording, err) < 0 || find_phases(recording, err) < 0)
		return -1;
	plan_stacks(recording);
	return 0;
}
