#include "measurement/measurement.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "capture/backend.h"
#include "ingest/stack_survey.h"
#include "measurement/base_failure.h"
#include "measurement/repeat_plan.h"
#include "measurement/run_capture.h"
#include "measurement/suite_run.h"
#include "measurement/watch_sides.h"
#include "profile/counters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Samples per second of the trial run, which only decides how to capture stacks. */
#define TRIAL_HZ 999

/* Decides how stacks are captured, after a trial run that was captured in both ways. */
static void
decide_stacks(struct measure_shared *shared, struct measurement *m, const char *path)
{
	struct stack_survey survey = {0};
	struct ingest_options options = {.cache = shared->cache, .survey = &survey};
	struct profile profile;
	struct err unread = {0};

	profile_init(&profile);
	/* A program without a sample is an error only in the runs that are kept. */
	if (ingest_file(&profile, path, &options, &unread) < 0)
		log_debug("%s: %s", m->workload->name, unread.text);
	stack_plan_decide(&m->stacks, &survey);
	log_debug("%s: call stacks by %s: %s", m->workload->name,
		m->stacks.stack_bytes > 0 ? "unwinding" : "frame pointers", m->stacks.why);
	profile_release(&profile);
	stack_survey_release(&survey);
}

/* The seconds that a warm-up run of each side took. */
struct warm_up_times {
	double cpu_s[MEASURE_SIDES];
	double wall_s[MEASURE_SIDES];
	double iterations[MEASURE_SIDES]; /* of a benchmark of a suite */
	bool no_result[MEASURE_SIDES]; /* the run succeeded, and such a benchmark was not in it */
};

/*
 * The longer of the times of both sides, but no more than ten times the shorter: a run of the
 * slower build is to take about a second, and one of the faster is to have samples.
 */
static double
longer_time(const struct measurement *m, const double times[MEASURE_SIDES])
{
	if (m->nsides == 1)
		return times[MEASURE_CANDIDATE];
	return fmin(fmax(times[0], times[1]), 10 * fmin(times[0], times[1]));
}

/*
 * Takes one run that is not kept. It decides how many executions make a run, if that is automatic,
 * and, if it had about as many executions as a run has, how stacks are best captured.
 */
static int
warm_up_once(struct measure_shared *shared, struct measurement *m, enum measure_side side,
	struct warm_up_times *times, struct err *err)
{
	struct capture_request request = measurement_request(m, side);
	struct capture_result result = {.kept = false};
	bool tries_stacks = side == MEASURE_CANDIDATE && m->stacks.to_be_tried;
	char *path = mem_printf(
		"%s/%s/trial.perf.data", shared->options->scratch_dir, m->workload->folder);

	if (tries_stacks) {
		request.perfdata_path = path;
		request.frequency_hz = fmin(request.frequency_hz, TRIAL_HZ);
		request.period = run_capture_period(m->event.rate_hz, request.frequency_hz);
	}
	int status = measurement_execute(m, side, &request, &result, err);

	times->cpu_s[side] = (double)result.run.cpu_ns * 1e-9;
	times->wall_s[side] = (double)result.run.wall_ns * 1e-9;
	times->no_result[side] = status < 0 && result.run.measured && result.run.executions == 0;
	times->iterations[side] = executions_of_run(&result.run) / m->repeat.executions;
	/* The candidate warms up last. */
	if (status == 0 && side == MEASURE_CANDIDATE)
		repeat_plan_decide(
			&m->repeat, longer_time(m, times->cpu_s), longer_time(m, times->wall_s));
	if (status == 0 && tries_stacks && 2 * request.executions >= m->repeat.executions)
		decide_stacks(shared, m, path);
	unlink(path);
	free(path);
	return status;
}

/* Warms up each side once. Both sides have equally many executions in a run. */
static int
warm_up_sides(
	struct measure_shared *shared, struct measurement *m, unsigned number, struct err *err)
{
	const double start = clock_seconds();
	const unsigned executions = m->repeat.executions;
	struct warm_up_times times;
	char where[32];

	for (size_t side = m->nsides; side-- > 0;) {
		if (warm_up_once(shared, m, (enum measure_side)side, &times, err) == 0)
			continue;
		if (side != MEASURE_BASE)
			return err_note(err, "during warm-up");
		if (times.no_result[side]) {
			base_lacks_benchmark(m);
			*err = (struct err){0};
			continue;
		}
		snprintf(where, sizeof(where), "warm-up run %u", number);
		if (base_set_aside(m, where, err) < 0)
			return -1;
	}
	m->warm_up_s = (clock_seconds() - start) / executions * m->repeat.executions;
	suite_fix_iterations(m, times.iterations);
	return 0;
}

int
measurement_warm_up(struct measure_shared *shared, struct measurement *m, struct err *err)
{
	const unsigned watched = watch_sides_wanted(m) ? 1 : 0;
	const unsigned asked = m->event.counts_all ? 0 : m->workload->capture.warmup;
	const unsigned wanted = asked > watched ? asked - watched : 0;
	double start = clock_seconds();

	if (m->same_program && !m->picture_only)
		return 0;
	/* The number of iterations is found in a run by itself. */
	const bool fixes = m->workload->unit && m->workload->unit->amount_after;

	for (unsigned taken = 0; taken < wanted || m->stacks.to_be_tried || m->repeat.to_be_tried ||
				 (fixes && m->iterations == 0);
		taken++) {
		log_progress("%s: warm-up %u of %u", m->workload->name, taken + 1,
			wanted > taken ? wanted : taken + 1);
		if (warm_up_sides(shared, m, taken + 1, err) < 0)
			return -1;
	}
	if (m->repeat.executions > 1)
		log_info("%s: %u executions make a run", m->workload->name, m->repeat.executions);
	for (size_t side = 0; side < m->nsides; side++) {
		struct profile *profile = &m->sides[side].profile;

		if (m->stacks.why && profile->callgraph_why == 0)
			profile->callgraph_why =
				strtab_intern_str(&profile->strings, m->stacks.why);
		profile->stack_bytes = m->stacks.stack_bytes;
	}
	m->measure_s += clock_seconds() - start;
	return 0;
}
