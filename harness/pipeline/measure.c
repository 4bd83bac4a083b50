#include "pipeline/measure.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "ingest/ingest.h"
#include "pipeline/periods.h"
#include "pipeline/runs.h"
#include "profile/quality.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Samples a second of the run that only looks at stacks. */
#define TRIAL_HZ 999

struct session {
	struct measurement *measurements;
	size_t n;
	const struct measure_options *options;
	struct ingest_cache *cache;
	double runs_started;
	unsigned runs_done;
};

/*
 * Keeps a failure with its workload, so that the others go on; an interruption is everybody's.
 */
static int
set_aside(struct measurement *m, struct err *err)
{
	if (err->kind == ERR_INTERRUPTED)
		return -1;
	m->error = mem_strdup(err->text);
	log_warn("%s: %s", m->workload->name, err->text);
	*err = (struct err){0};
	return 0;
}

static void
describe(struct measurement *m)
{
	struct profile *profile = &m->profile;
	struct buf command = {0};

	for (size_t i = 0; m->workload->run[i]; i++)
		buf_printf(&command, "%s%s", i > 0 ? " " : "", m->workload->run[i]);
	profile->workload = strtab_intern_str(&profile->strings, m->workload->name);
	profile->command = strtab_intern(&profile->strings, buf_text(&command), command.len);
	profile->metric = strtab_intern_str(&profile->strings, m->workload->capture.metric);
	profile->event = strtab_intern_str(&profile->strings, m->event.name);
	profile->unit = strtab_intern_str(&profile->strings, "samples");
	profile->cost_unit = strtab_intern_str(&profile->strings, "ns");
	profile->frequency_hz = m->workload->capture.frequency_hz;
	profile->started = (int64_t)time(NULL);
	buf_release(&command);
}

static int
prepare(struct session *session, struct measurement *m, struct err *err)
{
	const struct workload *w = m->workload;
	double start = clock_seconds();

	m->backend = capture_backend_for(w->capture.metric);
	if (!m->backend)
		return err_set(err, ERR_MEASURE, "no capture backend takes the metric '%s'",
			w->capture.metric);
	char *scratch = file_join(session->options->scratch_dir, w->name);
	int result = file_make_dirs(scratch, err);

	free(scratch);
	if (result < 0 || m->backend->choose(w->capture.event, &m->event, err) < 0 ||
		cpu_plan_make(w->capture.pin, &m->cpus, err) < 0 || runs_build(w, err) < 0 ||
		runs_set_up(w, err) < 0)
		return -1;
	m->build_s = clock_seconds() - start;
	if (session->options->callgraph_of)
		m->callgraph_before = session->options->callgraph_of(session->options->context, m);
	stack_plan_init(
		&m->stacks, w->capture.callgraph, w->capture.stack_bytes, m->callgraph_before);
	describe(m);
	return runs_hash_program(w, m->program_hash, err);
}

static struct capture_request
make_request(const struct measurement *m)
{
	struct capture_request request = {
		.event = m->event,
		.frequency_hz = m->workload->capture.frequency_hz,
		.pin = m->cpus.pinned ? &m->cpus.program : NULL,
		.reader_cpu = m->cpus.reader,
		.share_stacks = true,
	};

	runs_fill_request(m->workload, &request);
	stack_plan_fill(&m->stacks, &request);
	return request;
}

/* One run with frame pointers and stack copies both, to see which of them is wanted. */
static int
try_stacks(struct session *session, struct measurement *m, struct err *err)
{
	struct capture_request request = make_request(m);
	struct capture_result result;
	struct stack_survey survey = {0};
	struct ingest_options options = {.cache = session->cache, .survey = &survey};
	struct profile profile;
	char *path = mem_printf(
		"%s/%s/trial.perf.data", session->options->scratch_dir, m->workload->name);

	request.perfdata_path = path;
	if (request.frequency_hz > TRIAL_HZ)
		request.frequency_hz = TRIAL_HZ;
	request.period = (uint64_t)(m->event.rate_hz / request.frequency_hz);
	profile_init(&profile);
	int status = m->backend->run(&request, &result, err);

	if (status == 0) {
		struct err unread = {0};

		/* A program without a sample is for the runs that count to complain of. */
		if (ingest_file(&profile, path, &options, &unread) < 0)
			log_debug("%s: %s", m->workload->name, unread.text);
		stack_plan_settle(&m->stacks, &survey);
		log_info("%s: call stacks by %s: %s", m->workload->name,
			m->stacks.stack_bytes > 0 ? "unwinding" : "frame pointers", m->stacks.why);
	}
	unlink(path);
	free(path);
	profile_release(&profile);
	stack_survey_release(&survey);
	return status;
}

static int
warm_up(struct session *session, struct measurement *m, struct err *err)
{
	const unsigned wanted = m->workload->capture.warmup;
	struct capture_result result;
	double start = clock_seconds();

	for (unsigned i = 0; i < wanted || m->stacks.to_be_tried; i++) {
		struct capture_request request = make_request(m);

		log_progress(
			"%s: warm-up %u of %u", m->workload->name, i + 1, wanted > 0 ? wanted : 1);
		int status = m->stacks.to_be_tried ? try_stacks(session, m, err)
						   : m->backend->run(&request, &result, err);

		if (status < 0)
			return err_note(err, "while warming up");
	}
	if (m->stacks.why && m->profile.callgraph_why == 0)
		m->profile.callgraph_why = strtab_intern_str(&m->profile.strings, m->stacks.why);
	m->profile.stack_bytes = m->stacks.stack_bytes;
	m->measure_s += clock_seconds() - start;
	return 0;
}

/*
 * Whether a run is too poor to be kept and can be taken again. Where good runs can no longer be
 * enough, poor ones are kept, for the verdict to say so.
 */
static bool
is_to_be_repeated(struct measurement *m, const struct run *run)
{
	const struct capture_policy *capture = &m->workload->capture;
	char weakness[QUALITY_TEXT_MAX];

	if (!quality_of_run(run, weakness))
		return false;
	bool again = capture->max_runs - m->attempts >= capture->runs - m->profile.nruns;

	m->poor_runs++;
	log_info("%s: a poor run%s: %s", m->workload->name, again ? ", to be taken again" : "",
		weakness);
	return again;
}

/* Folds one capture into a profile of its own, and appends that to the workload's. */
static int
fold(struct session *session, struct measurement *m, const char *path,
	const struct capture_result *captured, struct err *err)
{
	const struct measure_options *wanted = session->options;
	struct ingest_options options = {
		.cache = session->cache,
		.condensed = wanted->keep == MEASURE_KEEP_CONDENSED ? path : NULL,
	};
	struct profile one;
	double start = clock_seconds();

	profile_init(&one);
	int result = ingest_file(&one, path, &options, err);

	if (result == 0) {
		runs_merge(&one.runs[0], &captured->run);
		one.duration_s = (double)captured->run.wall_ns * 1e-9;
		if (!is_to_be_repeated(m, &one.runs[0]))
			profile_append(&m->profile, &one);
	}
	profile_release(&one);
	m->process_s += clock_seconds() - start;
	return result;
}

static void
show_progress(const struct session *session, const struct measurement *m)
{
	unsigned left = 0;

	for (size_t i = 0; i < session->n; i++) {
		const struct measurement *each = &session->measurements[i];
		unsigned wanted = each->workload->capture.runs;

		if (!each->error && each->profile.nruns < wanted)
			left += wanted - (unsigned)each->profile.nruns;
	}
	double per_run = session->runs_done
				 ? (clock_seconds() - session->runs_started) / session->runs_done
				 : 0;
	unsigned seconds = (unsigned)(per_run * left + 0.5);
	struct buf line = {0};

	buf_printf(&line, "%s: run %zu of %u", m->workload->name, m->profile.nruns + 1,
		m->workload->capture.runs);
	if (m->attempts > m->profile.nruns)
		buf_printf(&line, " (attempt %u)", m->attempts + 1);
	/* One round tells how long a run takes. */
	if (session->runs_done >= session->n)
		buf_printf(&line, ", %u:%02u left", seconds / 60, seconds % 60);
	log_progress("%s", buf_text(&line));
	buf_release(&line);
}

static char *
capture_path(const struct measurement *m, const char *scratch_dir, unsigned attempt)
{
	return mem_printf("%s/%s/run-%02u.perf.data", scratch_dir, m->workload->name, attempt);
}

static int
take_run(struct session *session, struct measurement *m, double period_factor, struct err *err)
{
	struct capture_request request = make_request(m);
	struct capture_result captured;
	char *path = capture_path(m, session->options->scratch_dir, m->attempts + 1);

	show_progress(session, m);
	request.perfdata_path = path;
	request.share_stacks = session->options->keep != MEASURE_KEEP_RAW;
	request.period =
		(uint64_t)(m->event.rate_hz / m->workload->capture.frequency_hz * period_factor);
	double start = clock_seconds();

	int result = m->backend->run(&request, &captured, err);

	m->measure_s += clock_seconds() - start;
	m->attempts++;
	session->runs_done++;
	if (result == 0)
		result = fold(session, m, path, &captured, err);
	else
		err_note(err, "while taking run %u", m->attempts);
	if (session->options->keep == MEASURE_KEEP_NOTHING)
		unlink(path);
	free(path);
	return result;
}

/* Whether this workload wants another run in this round. */
static bool
wants_run(const struct measurement *m)
{
	const struct capture_policy *capture = &m->workload->capture;

	return !m->error && m->profile.nruns < capture->runs && m->attempts < capture->max_runs;
}

static int
take_rounds(struct session *session, struct err *err)
{
	struct periods *periods = mem_zalloc(session->n, sizeof(*periods));
	bool more = true;
	int result = 0;

	for (size_t i = 0; i < session->n; i++)
		periods_init(&periods[i], session->measurements[i].workload->capture.runs);
	session->runs_started = clock_seconds();
	while (more && result == 0) {
		more = false;
		for (size_t i = 0; i < session->n && result == 0; i++) {
			struct measurement *m = &session->measurements[i];

			if (!wants_run(m))
				continue;
			more = true;
			if (take_run(session, m, periods_next(&periods[i]), err) < 0)
				result = set_aside(m, err);
		}
	}
	for (size_t i = 0; i < session->n; i++)
		periods_release(&periods[i]);
	free(periods);
	return result;
}

int
measure_workloads(struct measurement *measurements, const struct workload_list *list,
	const struct measure_options *options, struct err *err)
{
	struct session session = {
		.measurements = measurements, .n = list->nworkloads, .options = options};
	int result = 0;

	for (size_t i = 0; i < list->nworkloads; i++) {
		measurements[i] = (struct measurement){.workload = &list->workloads[i]};
		profile_init(&measurements[i].profile);
	}
	session.cache = ingest_cache_new();
	for (size_t i = 0; i < session.n && result == 0; i++) {
		struct measurement *m = &measurements[i];

		if (prepare(&session, m, err) < 0 || warm_up(&session, m, err) < 0)
			result = set_aside(m, err);
	}
	if (result == 0)
		result = take_rounds(&session, err);
	log_progress_end();
	for (size_t i = 0; i < session.n; i++) {
		runs_tear_down(measurements[i].workload);
		profile_sort(&measurements[i].profile);
	}
	ingest_cache_warn(session.cache);
	ingest_cache_free(session.cache);
	return result;
}

void
measurement_drop_captures(const struct measurement *measurement, const char *scratch_dir)
{
	for (unsigned attempt = 1; attempt <= measurement->attempts; attempt++) {
		char *path = capture_path(measurement, scratch_dir, attempt);

		unlink(path);
		free(path);
	}
}

void
measurement_release(struct measurement *measurement)
{
	profile_release(&measurement->profile);
	free(measurement->error);
	free(measurement->callgraph_before);
	stack_plan_release(&measurement->stacks);
}
