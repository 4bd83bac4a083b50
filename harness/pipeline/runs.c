#include "pipeline/runs.h"

void
runs_fill_request(const struct workload *workload, struct capture_request *request)
{
	request->argv = workload->run;
	request->env = workload->env;
	request->cwd = workload->cwd;
	request->stdin_path = workload->stdin_path;
	request->timeout_s = workload->capture.timeout_s;
}

void
runs_merge(struct run *column, const struct run *captured)
{
	struct run read_back = *column;

	*column = *captured;
	column->samples = read_back.samples;
	column->broken_stacks = read_back.broken_stacks;
	column->truncated_stacks = read_back.truncated_stacks;
	column->unknown_frames = read_back.unknown_frames;
	column->measured = true;
}
