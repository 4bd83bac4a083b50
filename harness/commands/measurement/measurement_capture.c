/* One run of one build of a workload: captured, and read into its own profile. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "capture/backend.h"
#include "code/chosen_functions.h"
#include "compare/phases.h"
#include "format/figures.h"
#include "measurement/cpu_choice.h"
#include "measurement/measurement.h"
#include "measurement/program_size.h"
#include "measurement/run_capture.h"
#include "measurement/suite_run.h"
#include "measurement/watch_sides.h"
#include "profile/counters.h"
#include "profile/cpu_variant.h"
#include "profile/files.h"
#include "profile/latency.h"
#include "profile/metric.h"
#include "profile/profile.h"
#include "profile/sample_times.h"
#include "profile/weights.h"
#include "spec/workload.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/*
 * The latencies of operations and their number, as the driver reports them in a file or on standard
 * output (the key `latency` of a workload). Around one run of one execution.
 */

struct driver_latency {
	const struct workload *workload; /* borrowed */
	int fd;                          /* takes the standard output; -1: not wanted */
	struct timespec start;           /* of the run, by the clock of files */
};

/* Before the run: prepares its request. Does nothing where the workload has no `latency`. */
static int
driver_latency_begin(struct driver_latency *driver, const struct workload *workload,
	struct capture_request *request, struct err *err)
{
	*driver = (struct driver_latency){.workload = workload, .fd = -1};
	if (!workload->latency)
		return 0;
	/* Files get their times from the coarse clock. */
	clock_gettime(CLOCK_REALTIME_COARSE, &driver->start);
	if (workload->latency->file)
		return 0;
	driver->fd = memfd_create("output", MFD_CLOEXEC);
	if (driver->fd < 0)
		return err_set_errno(
			err, ERR_SYSTEM, errno, "a file in memory for what the driver prints");
	request->stdout_fd = driver->fd;
	return 0;
}

static bool
is_earlier(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

/* Checks that this run wrote the file, which may be left from an earlier run. */
static int
check_written(const struct driver_latency *driver, const char *path, struct err *err)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return err_set_errno(
			err, ERR_MEASURE, errno, "the latencies are to be in '%s'", path);
	if (is_earlier(&status.st_mtim, &driver->start))
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
read_file(const struct driver_latency *driver, struct latency *latency, struct err *err)
{
	const struct workload *workload = driver->workload;
	const struct latency_source *source = workload->latency;
	char *path = workload->cwd && source->file[0] != '/'
			     ? file_join(workload->cwd, source->file)
			     : mem_strdup(source->file);
	int status = check_written(driver, path, err);

	if (status == 0 && read_from(path, source, latency, err) < 0)
		status = err_note(err, "while reading '%s'", path);
	free(path);
	return status;
}

static int
read_output(const struct driver_latency *driver, struct latency *latency, struct err *err)
{
	const struct workload *workload = driver->workload;
	const char *program = workload->service ? workload->service->driver[0] : workload->run[0];
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", driver->fd);
	if (read_from(path, workload->latency, latency, err) == 0)
		return 0;
	return err_note(err, "while reading the output of '%s'", program);
}

/*
 * After a successful run: reads what it reported into its counters. Of a run that counted rather
 * than sampled only the number of operations is taken: counting slows them down.
 */
static int
driver_latency_take(const struct driver_latency *driver, const struct capture_request *request,
	struct run *run, struct err *err)
{
	const struct workload *workload = driver->workload;
	struct latency latency;

	if (!workload->latency)
		return 0;
	int status = driver->fd >= 0 ? read_output(driver, &latency, err)
				     : read_file(driver, &latency, err);

	if (status < 0)
		return -1;
	latency_put(&latency, request->event.counts_all, run);
	return 0;
}

static void
driver_latency_end(struct driver_latency *driver)
{
	if (driver->fd >= 0)
		close(driver->fd);
	driver->fd = -1;
}

/* The smallest shares of a run that are reported as a start-up, and as other work at its end. */
#define STARTUP_TOLD 0.05
#define END_TOLD 0.10
#define NS_PER_MS 1e6

struct capture_request
measurement_request(const struct measurement *m, enum measure_side side)
{
	struct capture_request request = {
		.event = m->event,
		.frequency_hz = m->workload->capture.frequency_hz,
		.pin = m->cpus.pinned ? &m->cpus.program : NULL,
		.reader_cpu = m->cpus.reader,
		.share_stacks = true,
		.executions = m->repeat.executions,
	};

	run_capture_fill_request(&m->sides[side].workload, &request);
	if (measurement_has_phases(m))
		request.phases = &m->sides[side].phases;
	stack_plan_fill(&m->stacks, &request);
	return request;
}

int
measurement_execute(const struct measurement *m, enum measure_side side,
	struct capture_request *request, struct capture_result *result, struct err *err)
{
	struct driver_latency latency;
	struct suite_output output;

	if (driver_latency_begin(&latency, &m->sides[side].workload, request, err) < 0 ||
		suite_output_begin(&output, &m->sides[side].workload, request, err) < 0)
		return -1;
	int status = run_capture_take(m->backend, request, result, err);

	if (status == 0)
		status = driver_latency_take(&latency, request, &result->run, err);
	if (status == 0)
		status = suite_output_take(&output, &result->run, err);
	driver_latency_end(&latency);
	suite_output_end(&output);
	return status;
}

/* Whether a run is checked for steadiness: the candidate's first run that has one execution. */
static bool
checks_steadiness(const struct measurement *m, enum measure_side side)
{
	return side == MEASURE_CANDIDATE && !m->steadiness_checked && m->repeat.executions == 1 &&
	       !m->event.counts_all && !m->event.own_format && !m->workload->service &&
	       !m->workload->unit;
}

/* Appends "450ms": the time rounded up to two digits. */
static void
put_skip(double ns, struct buf *out)
{
	const double ms = ns / NS_PER_MS;
	const double digit = fmax(1, pow(10, floor(log10(ms)) - 1));

	buf_printf(out, "%.0fms", ceil(ms / digit) * digit);
}

/* Appends "12 % of the samples, 83 % of that in load": a phase and its largest function. */
static void
put_phase(const struct profile *profile, double share, frame_id function, double function_share,
	struct buf *out)
{
	format_percent(out, share);
	buf_printf(out, " of the %s, ", weights_noun(profile));
	format_percent(out, function_share);
	buf_puts(out, " of that in ");
	profile_put_frame(profile, function, out);
}

/*
 * From the samples of one run, whose first `skipped_s` seconds were not measured: appends a
 * sentence that says in which phase the run does other work than in the rest, and by which setting
 * that phase can be left out. A large start-up hides the changes that are to be judged.
 */
static void
put_unsteadiness(const struct profile *profile, const struct sample_times *times, double skipped_s,
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
		put_phase(profile, phases_startup_share(&phases), first->function,
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
			put_phase(profile, share, last->function, last->function_share, out);
			buf_puts(out,
				"): it is not steady; measure the parts as their own workloads");
		}
	}
	phases_release(&phases);
}

/* Warns of a run that is not steady. */
static void
warn_of_unsteadiness(struct measurement *m, struct profile *one, struct sample_times *times)
{
	struct buf text = {0};

	m->steadiness_checked = true;
	/* Where the beginning of the run was skipped, no event began with the program's exec. */
	times->was_running = false;
	put_unsteadiness(one, times, m->workload->capture.skip_s, &text);
	if (text.len > 0) {
		one->unsteady = strtab_intern(&one->strings, text.data, text.len);
		log_warn("%s: %s", m->workload->name, buf_text(&text));
	}
	buf_release(&text);
}

/* Finds, in the first counted run, the files that choose their code by the CPU. */
static void
find_cpu_choice(
	struct measurement *m, enum measure_side side, const char *path, struct profile *one)
{
	struct buf text = {0};

	if (side != MEASURE_CANDIDATE || m->steadiness_checked || !m->event.presented[0])
		return;
	m->steadiness_checked = true;
	cpu_choice_find(path, &text);
	one->cpu_choice = strtab_intern(&one->strings, text.data, text.len);
	buf_clear(&text);
	cpu_variant_put_choosers(one, &text);
	if (text.len > 0)
		log_info("%s: %s", m->workload->name, buf_text(&text));
	buf_release(&text);
}

/* Sums a profile by file and function, as stored counts are. */
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

/* Reads a capture into its own profile. */
static int
read_capture_of_run(struct measure_shared *shared, struct measurement *m, enum measure_side side,
	const char *path, const struct capture_result *captured, struct profile *one,
	struct err *err)
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
	const bool checks = checks_steadiness(m, side);
	double start = clock_seconds();
	struct sample_times times;

	sample_times_init(&times);
	options.times = checks ? &times : NULL;
	run_capture_select_threads(policy->thread, policy->metric, &options);
	if (measurement_has_phases(m))
		run_capture_label_phases(&options);
	if (m->by_file)
		options.no_marks = options.short_names = true;
	int result = ingest_file(one, path, &options, err);

	if (result == 0 && checks)
		warn_of_unsteadiness(m, one, &times);
	if (result == 0)
		find_cpu_choice(m, side, path, one);
	sample_times_release(&times);

	if (result == 0) {
		run_capture_merge_counts(&one->runs[0], &captured->run);
		suite_cut(m->workload, one);
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
	if (program_size_wanted(m))
		return program_size_read(m, side, one, err);

	const struct measure_options *options = shared->options;
	struct capture_request request = measurement_request(m, side);
	struct capture_result captured = {.kept = false};
	char *path = measurement_capture_path(m, options->scratch_dir, side, m->attempts);

	profile_init(one);
	request.perfdata_path = path;
	request.mapped = watch_sides_mapped(m, side);
	request.share_stacks = options->keep != MEASURE_KEEP_RAW;
	request.period = run_capture_period(
		m->event.rate_hz * period_factor, m->workload->capture.frequency_hz);
	double start = clock_seconds();
	int result = measurement_execute(m, side, &request, &captured, err);

	while (result < 0 && event_is_traced(&m->event) && captured.run.lost > 0 &&
		stack_plan_halve(&m->stacks)) {
		log_info("%s: lost some of the records: copying %u bytes of each stack",
			m->workload->name, (unsigned)m->stacks.stack_bytes);
		*err = (struct err){.kind = ERR_NONE};
		stack_plan_fill(&m->stacks, &request);
		result = measurement_execute(m, side, &request, &captured, err);
	}
	m->measure_s += clock_seconds() - start;
	if (result == 0)
		result = read_capture_of_run(shared, m, side, path, &captured, one, err);
	else if (side != MEASURE_BASE)
		err_note(err, "during run %u", m->attempts);
	if (result == 0 && side == MEASURE_BASE)
		build_side_name_sources(m->base, one);
	if (options->keep == MEASURE_KEEP_NOTHING)
		unlink(path);
	free(path);
	return result;
}
