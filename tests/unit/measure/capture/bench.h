/*
 * One run under capture in its own folder.
 */
#ifndef UNIT_CAPTURE_BENCH_H
#define UNIT_CAPTURE_BENCH_H

#include "capture/backend.h"

#include "scratch.h"
#include "unit.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct bench {
	struct scratch scratch;
	struct capture_request request;
	struct capture_result result;
	const char *argv[4];
	char perfdata[128];
	struct err err;
};

/* False, and the case skipped, where the kernel refuses. */
static inline bool
bench_init(struct bench *bench, const char *script)
{
	memset(bench, 0, sizeof(*bench));
	if (capture_backend_for("cpu")->choose("cpu", "auto", &bench->request.event, &bench->err) <
		0) {
		unit_skip("perf_event_open is refused here");
		return false;
	}
	scratch_init(&bench->scratch);
	bench->argv[0] = "/bin/sh";
	bench->argv[1] = "-c";
	bench->argv[2] = script;
	bench->request.argv = bench->argv;
	bench->request.cwd = bench->scratch.dir;
	bench->request.frequency_hz = 999;
	bench->request.callchain = true;
	bench->request.reader_cpu = -1;
	bench->request.timeout_s = 60;
	snprintf(bench->perfdata, sizeof(bench->perfdata), "%s/perf.data", bench->scratch.dir);
	bench->request.perfdata_path = bench->perfdata;
	return true;
}

static inline int
bench_run(struct bench *bench)
{
	return capture_backend_for("cpu")->run(&bench->request, &bench->result, &bench->err);
}

/*
 * Runs, three times at most, until nothing is lost and as many samples have come as the clock says,
 * within `tolerance` of them: while a hypervisor has the CPU none do, and the clock goes on.
 */
static inline int
bench_run_whole(struct bench *bench, double tolerance)
{
	const struct run *run = &bench->result.run;
	int result = -1;

	for (int i = 0; i < 3; i++) {
		result = bench_run(bench);
		if (result < 0 ||
			(run->lost == 0 && fabs((double)run->samples - run->expected_samples) <=
						   3 + run->expected_samples * tolerance))
			break;
	}
	return result;
}

static inline void
bench_release(struct bench *bench)
{
	scratch_release(&bench->scratch);
}

#endif
