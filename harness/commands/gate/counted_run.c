#include "gate/counted_run.h"

#include "base/err.h"
#include "code/chosen_functions.h"
#include "measurement/measurement.h"
#include "measurement/run_capture.h"
#include "measurement/suite_run.h"
#include "profile/counters.h"
#include "profile/metric.h"

#include <stdbool.h>
#include <unistd.h>

/* How the capture of a counted run is read. */
static struct ingest_options
counted_run_ingest(void)
{
	return (struct ingest_options){.no_marks = true, .short_names = true};
}

/*
 * Makes the counts those of one iteration of a benchmark, as they are of one execution elsewhere:
 * runs may have different numbers of iterations.
 */
static void
count_one_iteration(struct profile *counted)
{
	struct run *run = &counted->runs[0];

	if (!executions_are_iterations(counted))
		return;
	ctree_scale(&counted->tree, 0, 1 / executions_of_run(run));
	run->executions = 1;
	counter_set(run, COUNTER_OPERATIONS, 1);
	run->samples = (uint64_t)run->cost_total;
}

int
counted_run(const struct measurement *m, enum measure_side side, const char *path, double limit_s,
	struct profile *counted, struct err *err)
{
	const struct capture_backend *backend = capture_backend_for(METRIC_INSTRUCTIONS);
	const struct ingest_options options = counted_run_ingest();
	struct capture_request request = {
		.pin = m->cpus.pinned ? &m->cpus.program : NULL,
		.reader_cpu = m->cpus.reader,
		.perfdata_path = path,
	};
	struct capture_result result;
	struct suite_output output;

	if (!backend)
		return err_set(err, ERR_MEASURE, "no capture backend counts instructions");
	if (backend->choose(METRIC_INSTRUCTIONS, "callgrind", &request.event, err) < 0)
		return -1;
	run_capture_fill_request(&m->sides[side].workload, &request);
	if (limit_s > 0)
		request.timeout_s = limit_s / CAPTURE_COUNTED_TIMEOUT;
	if (suite_output_begin(&output, &m->sides[side].workload, &request, err) < 0)
		return -1;
	int ran = run_capture_take(backend, &request, &result, err);

	if (ran == 0)
		ran = suite_output_take(&output, &result.run, err);
	suite_output_end(&output);
	if (ran < 0)
		return -1;
	profile_init(counted);
	int status = ingest_file(counted, path, &options, err);

	unlink(path);
	if (status == 0) {
		run_capture_merge_counts(&counted->runs[0], &result.run);
		suite_cut(m->workload, counted);
		count_one_iteration(counted);
		chosen_functions_find(counted);
	} else {
		profile_release(counted);
	}
	return status;
}
