/*
 * One run of one build of a workload: to warm up, or one that counts. In this order: the operations
 * that its driver reports, whether the run is steady, the request of a run, warming up, and the
 * runs that count.
 */
#include "measurement/measurement.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "capture/backend.h"
#include "code/chosen_functions.h"
#include "compare/phases.h"
#include "format/figures.h"
#include "ingest/stack_survey.h"
#include "measurement/watch_sides.h"
#include "profile/counters.h"
#include "profile/files.h"
#include "profile/latency.h"
#include "profile/metric.h"
#include "profile/quality.h"
#include "profile/sample_times.h"
#include "profile/weights.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/*
 * The operations of a run: how many there were and how long they took, as its driver reports (the
 * key `latency` of a workload), around one run of one execution.
 */
struct operations {
	const struct workload *workload; /* borrowed */
	int fd;                          /* takes the standard output; -1: not wanted */
	struct timespec start;           /* of the run, by the clock of files */
};

/* Prepares the request. Nothing where the workload has no `latency`. */
static int
operations_begin(struct operations *operations, const struct workload *workload,
	struct capture_request *request, struct err *err)
{
	*operations = (struct operations){.workload = workload, .fd = -1};
	if (!workload->latency)
		return 0;
	/* The coarse clock is the one that files get their times from. */
	clock_gettime(CLOCK_REALTIME_COARSE, &operations->start);
	if (workload->latency->file)
		return 0;
	operations->fd = memfd_create("output", MFD_CLOEXEC);
	if (operations->fd < 0)
		return err_set_errno(
			err, ERR_SYSTEM, errno, "a file in memory for what the driver prints");
	request->stdout_fd = operations->fd;
	return 0;
}

static bool
is_earlier(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

/* One that is left from an earlier run must not be taken for this one's. */
static int
check_written(const struct operations *operations, const char *path, struct err *err)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return err_set_errno(
			err, ERR_MEASURE, errno, "the latencies are to be in '%s'", path);
	if (is_earlier(&status.st_mtim, &operations->start))
		return err_set(err, ERR_MEASURE,
			"'%s' was not written by this run: its latencies are older", path);
	return 0;
}

static int
read_from(const char *path, const struct latency_source *source, struct latency *latency,
	struct err *err)
{
	struct buf text = {0};
	int status = file_read(path, &text, LATENCY_TEXT_MAX, err);

	if (status == 0)
		status = latency_read(source, buf_text(&text), text.len, latency, err);
	buf_release(&text);
	return status;
}

static int
read_file(const struct operations *operations, struct latency *latency, struct err *err)
{
	const struct workload *workload = operations->workload;
	const struct latency_source *source = workload->latency;
	char *path = workload->cwd && source->file[0] != '/'
			     ? file_join(workload->cwd, source->file)
			     : mem_strdup(source->file);
	int status = check_written(operations, path, err);

	if (status == 0 && read_from(path, source, latency, err) < 0)
		status = err_note(err, "while reading '%s'", path);
	free(path);
	return status;
}

static int
read_output(const struct operations *operations, struct latency *latency, struct err *err)
{
	const struct workload *workload = operations->workload;
	const char *program = workload->service ? workload->service->driver[0] : workload->run[0];
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", operations->fd);
	if (read_from(path, workload->latency, latency, err) == 0)
		return 0;
	return err_note(err, "while reading the output of '%s'", program);
}

/*
 * Reads what a successful run reported into its counters. Of a run that counted rather than sampled
 * only the number of operations: counting slows them down.
 */
static int
operations_take(const struct operations *operations, const struct capture_request *request,
	struct run *run, struct err *err)
{
	const struct workload *workload = operations->workload;
	struct latency latency;

	if (!workload->latency)
		return 0;
	int status = operations->fd >= 0 ? read_output(operations, &latency, err)
					 : read_file(operations, &latency, err);

	if (status < 0)
		return -1;
	latency_put(&latency, request->event.counts_all, run);
	return 0;
}

static void
operations_end(struct operations *operations)
{
	if (operations->fd >= 0)
		close(operations->fd);
	operations->fd = -1;
}

/*
 * The steadiness of a run: the same work from its beginning to its end. A start-up that is a large
 * part of a run hides what is to be judged.
 */

#define STARTUP_TOLD 0.05
#define END_TOLD 0.10
#define NS_PER_MS 1e6

/* "450ms": a little more than it takes, with two digits. */
static void
put_skip(double ns, struct buf *out)
{
	const double ms = ns / NS_PER_MS;
	const double digit = fmax(1, pow(10, floor(log10(ms)) - 1));

	buf_printf(out, "%.0fms", ceil(ms / digit) * digit);
}

static void
put_share(const struct profile *profile, double share, frame_id function, double of_it,
	struct buf *out)
{
	format_percent(out, share);
	buf_printf(out, " of the %s, ", weights_noun(profile));
	format_percent(out, of_it);
	buf_puts(out, " of that in ");
	profile_put_frame(profile, function, out);
}

/*
 * From the samples of one run, of which `skipped_s` of the beginning were not measured: appends a
 * sentence that says what is not steady, and by which setting it can be left out; nothing where the
 * start-up has less than 5 % of the weight, and other work at the end less than 10 %.
 */
static void
steadiness_put(const struct profile *profile, const struct sample_times *times, double skipped_s,
	struct buf *out)
{
	struct phases phases;

	phases_find(&phases, profile, times);
	if (phases.startup > 0 && phases_startup_share(&phases) >= STARTUP_TOLD) {
		const struct phase *first = &phases.items[0];
		const double ns = (double)phases_startup_ns(&phases);

		buf_puts(out, "the first ");
		format_duration(out, ns / 1e9);
		buf_puts(out, " of a run are start-up (");
		put_share(profile, phases_startup_share(&phases), first->function,
			first->function_share, out);
		buf_puts(out, "); `capture: {skip: ");
		put_skip(skipped_s * 1e9 + ns, out);
		buf_puts(out, "}` leaves it out");
	}
	if (phases.ends_otherwise) {
		const struct phase *last = &phases.items[phases.count - 1];
		const double share = phases.weight > 0 ? last->weight / phases.weight : 0;

		if (share >= END_TOLD) {
			buf_puts(out, out->len > 0 ? "; " : "");
			buf_puts(out, "from ");
			format_duration(out, (double)last->begin_ns / 1e9);
			buf_puts(out, " on a run does other work (");
			put_share(profile, share, last->function, last->function_share, out);
			buf_puts(out,
				"): it is not steady; measure the parts as their own workloads");
		}
	}
	phases_release(&phases);
}

/*
 * The request of a run.
 */

/* Samples per second of the run that only tries how to capture stacks. */
#define TRIAL_HZ 999

void
measure_fill_request(const struct workload *workload, struct capture_request *request)
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

void
measure_select(const char *thread, const char *metric, struct ingest_options *options)
{
	const struct metric *of = metric_find(metric);

	if (!of || !of->timed || strcmp(thread, "all") == 0)
		return;
	if (strcmp(thread, "main") == 0)
		options->first_threads = true;
	else if (strcmp(thread, "auto") == 0)
		options->first_threads = of->first_thread;
	else
		options->comm = thread;
}

uint64_t
measure_period(double rate_hz, double frequency_hz)
{
	return (uint64_t)fmax(1, rate_hz / frequency_hz);
}

void
measure_merge(struct run *column, const struct run *captured)
{
	struct run read_back = *column;

	*column = *captured;
	column->samples = read_back.samples;
	column->broken_stacks = read_back.broken_stacks;
	column->truncated_stacks = read_back.truncated_stacks;
	column->unknown_frames = read_back.unknown_frames;
	column->measured = true;
	/* That of waits is known by the records only. */
	if (!(captured->cost_total > 0))
		column->cost_total = read_back.cost_total;
}

static struct capture_request
make_request(const struct measurement *m, enum measure_side side)
{
	struct capture_request request = {
		.event = m->event,
		.frequency_hz = m->workload->capture.frequency_hz,
		.pin = m->cpus.pinned ? &m->cpus.program : NULL,
		.reader_cpu = m->cpus.reader,
		.share_stacks = true,
		.executions = m->repeat.executions,
	};

	measure_fill_request(&m->sides[side].workload, &request);
	if (measurement_has_phases(m))
		request.phases = &m->sides[side].phases;
	stack_plan_fill(&m->stacks, &request);
	return request;
}

/* Chooses how stacks are captured by a run that was captured with both ways of finding them. */
static void
decide_stacks(struct measure_shared *shared, struct measurement *m, const char *path)
{
	struct stack_survey survey = {0};
	struct ingest_options options = {.cache = shared->cache, .survey = &survey};
	struct profile profile;
	struct err unread = {0};

	profile_init(&profile);
	/* A program without a sample is an error only in the runs that count. */
	if (ingest_file(&profile, path, &options, &unread) < 0)
		log_debug("%s: %s", m->workload->name, unread.text);
	stack_plan_decide(&m->stacks, &survey);
	log_debug("%s: call stacks by %s: %s", m->workload->name,
		m->stacks.stack_bytes > 0 ? "unwinding" : "frame pointers", m->stacks.why);
	profile_release(&profile);
	stack_survey_release(&survey);
}

static int
run_once(const struct measurement *m, enum measure_side side, struct capture_request *request,
	struct capture_result *result, struct err *err)
{
	struct operations operations;

	if (operations_begin(&operations, &m->sides[side].workload, request, err) < 0)
		return -1;
	int status = m->backend->run(request, result, err);

	if (status == 0)
		status = operations_take(&operations, request, &result->run, err);
	operations_end(&operations);
	return status;
}

/*
 * Warming up.
 */

/* The time of a warm-up run of each side, in seconds. */
struct warm_up {
	double cpu_s[MEASURE_SIDES];
	double wall_s[MEASURE_SIDES];
};

/*
 * The longer of the times of both sides, but no more than ten times the shorter: a run of the
 * slower build is to take about a second, and one of the faster is to have samples.
 */
static double
longer(const struct measurement *m, const double times[MEASURE_SIDES])
{
	if (m->nsides == 1)
		return times[MEASURE_CANDIDATE];
	return fmin(fmax(times[0], times[1]), 10 * fmin(times[0], times[1]));
}

/*
 * A run that does not count: it decides how many executions make a run, if that is automatic, and
 * how stacks are best captured, if it had about as many executions as that.
 */
static int
warm_up_once(struct measure_shared *shared, struct measurement *m, enum measure_side side,
	struct warm_up *times, struct err *err)
{
	struct capture_request request = make_request(m, side);
	struct capture_result result = {.kept = false};
	bool tries_stacks = side == MEASURE_CANDIDATE && m->stacks.to_be_tried;
	char *path = mem_printf(
		"%s/%s/trial.perf.data", shared->options->scratch_dir, m->workload->name);

	if (tries_stacks) {
		request.perfdata_path = path;
		request.frequency_hz = fmin(request.frequency_hz, TRIAL_HZ);
		request.period = measure_period(m->event.rate_hz, request.frequency_hz);
	}
	int status = run_once(m, side, &request, &result, err);

	times->cpu_s[side] = (double)result.run.cpu_ns * 1e-9;
	times->wall_s[side] = (double)result.run.wall_ns * 1e-9;
	/* It goes last. */
	if (status == 0 && side == MEASURE_CANDIDATE)
		repeat_plan_decide(&m->repeat, longer(m, times->cpu_s), longer(m, times->wall_s));
	if (status == 0 && tries_stacks && 2 * request.executions >= m->repeat.executions)
		decide_stacks(shared, m, path);
	unlink(path);
	free(path);
	return status;
}

/* Both sides have equally many executions per run. */
static int
warm_up_sides(
	struct measure_shared *shared, struct measurement *m, unsigned number, struct err *err)
{
	const double start = clock_seconds();
	const unsigned executions = m->repeat.executions;
	struct warm_up times;
	char where[32];

	for (size_t side = m->nsides; side-- > 0;) {
		if (warm_up_once(shared, m, (enum measure_side)side, &times, err) == 0)
			continue;
		if (side != MEASURE_BASE)
			return err_note(err, "during warm-up");
		snprintf(where, sizeof(where), "warm-up run %u", number);
		if (base_set_aside(m, where, err) < 0)
			return -1;
	}
	m->warm_up_s = (clock_seconds() - start) / executions * m->repeat.executions;
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
	for (unsigned taken = 0; taken < wanted || m->stacks.to_be_tried || m->repeat.to_be_tried;
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

/*
 * The runs that count.
 */

char *
measurement_capture_path(const struct measurement *m, const char *scratch_dir,
	enum measure_side side, unsigned attempt)
{
	return mem_printf("%s/%s/%s-%02u.perf.data", scratch_dir, m->workload->name,
		side == MEASURE_BASE ? "base" : "run", m->attempts_before + attempt);
}

/* Whether a capture is looked at for being steady: the candidate's first that has one execution. */
static bool
looks_at_steadiness(const struct measurement *m, enum measure_side side)
{
	return side == MEASURE_CANDIDATE && !m->steadiness_told && m->repeat.executions == 1 &&
	       !m->event.counts_all && !m->event.own_format && !m->workload->service;
}

static void
tell_steadiness(struct measurement *m, struct profile *one, struct sample_times *times)
{
	struct buf text = {0};

	m->steadiness_told = true;
	/* Where its beginning was skipped, no event began with its exec. */
	times->was_running = false;
	steadiness_put(one, times, m->workload->capture.skip_s, &text);
	if (text.len > 0) {
		one->unsteady = strtab_intern(&one->strings, text.data, text.len);
		log_warn("%s: %s", m->workload->name, buf_text(&text));
	}
	buf_release(&text);
}

/* Finds once which files of a counted run choose their code by the CPU. */
static void
find_cpu_choice(
	struct measurement *m, enum measure_side side, const char *path, struct profile *one)
{
	struct buf text = {0};

	if (side != MEASURE_CANDIDATE || m->steadiness_told || !m->event.presented[0])
		return;
	m->steadiness_told = true;
	cpu_choice_find(path, &text);
	one->cpu_choice = strtab_intern(&one->strings, text.data, text.len);
	buf_clear(&text);
	quality_put_cpu_choice(one, &text);
	if (text.len > 0)
		log_info("%s: %s", m->workload->name, buf_text(&text));
	buf_release(&text);
}

static void
sum_by_file(struct profile *one)
{
	char *root = realpath(".", NULL);
	struct profile sums;

	chosen_functions_find(one);
	by_file_sum(&sums, one, root);
	profile_release(one);
	*one = sums;
	free(root);
}

/* Folds one capture into its own profile. */
static int
fold(struct measure_shared *shared, struct measurement *m, enum measure_side side, const char *path,
	const struct capture_result *captured, struct profile *one, struct err *err)
{
	struct ingest_options options = {
		.cache = shared->cache,
		.may_be_empty = true,
		/* The period is the same for all samples of a run; counts have none. */
		.weight = m->event.own_format ? SAMPLE_WEIGHS_AUTO : SAMPLE_WEIGHS_ONE,
		.condensed = shared->options->keep == MEASURE_KEEP_CONDENSED && !m->event.own_format
				     ? path
				     : NULL,
	};
	const struct capture_policy *policy = &m->workload->capture;
	const bool looks = looks_at_steadiness(m, side);
	double start = clock_seconds();
	struct sample_times times;

	sample_times_init(&times);
	options.times = looks ? &times : NULL;
	measure_select(policy->thread, policy->metric, &options);
	if (measurement_has_phases(m))
		measure_set_labels(&options);
	if (m->by_file)
		options.no_marks = options.short_names = true;
	int result = ingest_file(one, path, &options, err);

	if (result == 0 && looks)
		tell_steadiness(m, one, &times);
	if (result == 0)
		find_cpu_choice(m, side, path, one);
	sample_times_release(&times);

	if (result == 0) {
		measure_merge(&one->runs[0], &captured->run);
		counter_set_per_op(&one->runs[0], m->workload->capture.metric);
		one->duration_s = (double)captured->run.wall_ns * 1e-9;
	}
	if (result == 0 && m->by_file)
		sum_by_file(one);
	m->process_s += clock_seconds() - start;
	return result;
}

int
measurement_capture(struct measure_shared *shared, struct measurement *m, enum measure_side side,
	double period_factor, struct profile *one, struct err *err)
{
	const struct measure_options *options = shared->options;
	struct capture_request request = make_request(m, side);
	struct capture_result captured = {.kept = false};
	char *path = measurement_capture_path(m, options->scratch_dir, side, m->attempts);

	profile_init(one);
	request.perfdata_path = path;
	request.mapped = watch_sides_mapped(m, side);
	request.share_stacks = options->keep != MEASURE_KEEP_RAW;
	request.period =
		measure_period(m->event.rate_hz * period_factor, m->workload->capture.frequency_hz);
	double start = clock_seconds();
	int result = run_once(m, side, &request, &captured, err);

	while (result < 0 && event_is_traced(&m->event) && captured.run.lost > 0 &&
		stack_plan_halve(&m->stacks)) {
		log_info("%s: lost some of the records: copying %u bytes of each stack",
			m->workload->name, (unsigned)m->stacks.stack_bytes);
		*err = (struct err){.kind = ERR_NONE};
		stack_plan_fill(&m->stacks, &request);
		result = run_once(m, side, &request, &captured, err);
	}
	m->measure_s += clock_seconds() - start;
	if (result == 0)
		result = fold(shared, m, side, path, &captured, one, err);
	else if (side != MEASURE_BASE)
		err_note(err, "during run %u", m->attempts);
	if (result == 0 && side == MEASURE_BASE)
		build_side_name_sources(m->base, one);
	if (options->keep == MEASURE_KEEP_NOTHING)
		unlink(path);
	free(path);
	return result;
}

void
measurement_drop_captures(const struct measurement *m, const char *scratch_dir)
{
	for (unsigned attempt = 1; attempt <= m->attempts; attempt++) {
		for (size_t side = 0; side < m->nsides; side++) {
			char *path = measurement_capture_path(
				m, scratch_dir, (enum measure_side)side, attempt);

			unlink(path);
			held_files_remove_copies(path);
			free(path);
		}
	}
}
