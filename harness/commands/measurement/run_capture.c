#include "measurement/run_capture.h"

#include "capture/backend.h"
#include "process/priority.h"
#include "profile/metric.h"

#include <math.h>
#include <string.h>

void
run_capture_fill_request(const struct workload *workload, struct capture_request *request)
{
	request->argv = workload->run;
	request->env = workload->env;
	request->cwd = workload->cwd;
	request->stdin_path = workload->stdin_path;
	request->stdout_path = workload->stdout_path;
	request->exit_codes = workload->exit_codes;
	request->timeout_s = workload->capture.timeout_s;
	request->service = workload->service;
	request->skip_s = workload->capture.skip_s;
}

int
run_capture_take(const struct capture_backend *backend, const struct capture_request *request,
	struct capture_result *result, struct err *err)
{
	const bool raised = request->pin && priority_raise();
	const int status = backend->run(request, result, err);

	if (raised)
		priority_restore();
	return status;
}

void
run_capture_select_threads(const char *thread, const char *metric, struct ingest_options *options)
{
	const struct metric *known = metric_find(metric);

	if (!known || !known->timed || strcmp(thread, "all") == 0)
		return;
	if (strcmp(thread, "main") == 0)
		options->first_threads = true;
	else if (strcmp(thread, "auto") == 0)
		options->first_threads = known->first_thread;
	else
		options->comm = thread;
}

uint64_t
run_capture_period(double rate_hz, double frequency_hz)
{
	return (uint64_t)fmax(1, rate_hz / frequency_hz);
}

void
run_capture_merge_counts(struct run *column, const struct run *captured)
{
	struct run read_back = *column;

	*column = *captured;
	column->samples = read_back.samples;
	column->broken_stacks = read_back.broken_stacks;
	column->truncated_stacks = read_back.truncated_stacks;
	column->unknown_frames = read_back.unknown_frames;
	column->measured = true;
	/* The cost of waits is known by the records only. */
	if (!(captured->cost_total > 0))
		column->cost_total = read_back.cost_total;
}

void
run_capture_label_phases(struct ingest_options *options)
{
	options->by = (struct labels){{{LABEL_PHASE, "phase"}, {LABEL_THREAD, "thread"}}, 2};
}
