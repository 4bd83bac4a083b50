#include "pipeline/measure.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "capture/process.h"
#include "ingest/ingest.h"
#include "pipeline/periods.h"
#include "profile/quality.h"
#include "symbols/symbolizer.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Build, setup and teardown may take long, but not for ever. */
#define SHELL_TIMEOUT_S 3600.0

struct session {
	struct measurement *measurements;
	size_t n;
	const struct measure_options *options;
	struct symbol_cache *symbols;
	struct timespec runs_started;
	unsigned runs_done;
};

static double
seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) * 1e-9;
}

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

/* The file an argument names: as it stands, or (the program itself) along PATH. NULL if none. */
static char *
find_file(const struct workload *workload, const char *argument, bool is_program)
{
	if (strchr(argument, '/') || !is_program) {
		char *path = workload->cwd && argument[0] != '/'
				     ? file_join(workload->cwd, argument)
				     : mem_strdup(argument);

		if (file_exists(path) && !file_is_dir(path))
			return path;
		free(path);
		return NULL;
	}
	const char *dirs = getenv("PATH");

	while (dirs && *dirs) {
		size_t len = strcspn(dirs, ":");
		char *path = mem_printf("%.*s/%s", (int)len, dirs, argument);

		if (access(path, X_OK) == 0)
			return path;
		free(path);
		dirs += len + (dirs[len] == ':');
	}
	return NULL;
}

/*
 * One hash for all files that the command names: the program and, for `python3 bench.py`, the
 * script. Told by `changed_program`.
 */
static int
hash_program(struct measurement *m, struct err *err)
{
	const struct workload *w = m->workload;
	struct buf hashes = {0};
	int result = 0;

	for (size_t i = 0; w->run[i] && result == 0; i++) {
		char text[HASH_TEXT_SIZE];
		char *path = find_file(w, w->run[i], i == 0);

		if (path) {
			result = hash_file(path, text, err);
			if (result == 0)
				buf_printf(&hashes, "%s\n", text);
		}
		free(path);
	}
	hash_text(buf_text(&hashes), hashes.len, m->program_hash);
	buf_release(&hashes);
	return result;
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
	struct timespec start;
	int result = 0;

	clock_gettime(CLOCK_MONOTONIC, &start);
	m->backend = capture_backend_for(w->capture.metric);
	if (!m->backend)
		return err_set(err, ERR_MEASURE, "no capture backend takes the metric '%s'",
			w->capture.metric);
	char *scratch = file_join(session->options->scratch_dir, w->name);

	result = file_make_dirs(scratch, err);
	free(scratch);
	if (result < 0 || m->backend->choose(w->capture.event, &m->event, err) < 0 ||
		cpu_plan_make(w->capture.pin, &m->cpus, err) < 0)
		return -1;
	if (w->build) {
		char *what = mem_printf("build of %s", w->name);

		log_progress("%s: building", w->name);
		result = process_run_shell(what, w->build, NULL, NULL, SHELL_TIMEOUT_S, err);
		free(what);
	}
	if (result == 0 && w->setup) {
		char *what = mem_printf("setup of %s", w->name);

		result = process_run_shell(what, w->setup, w->env, w->cwd, SHELL_TIMEOUT_S, err);
		free(what);
	}
	m->build_s = seconds_since(&start);
	if (result == 0)
		result = hash_program(m, err);
	describe(m);
	return result;
}

static struct capture_request
make_request(const struct measurement *m)
{
	const struct workload *w = m->workload;

	return (struct capture_request){
		.argv = w->run,
		.env = w->env,
		.cwd = w->cwd,
		.stdin_path = w->stdin_path,
		.event = m->event,
		.frequency_hz = w->capture.frequency_hz,
		.callchain = strcmp(w->capture.callgraph, "none") != 0,
		.pin = m->cpus.pinned ? &m->cpus.program : NULL,
		.reader_cpu = m->cpus.reader,
		.timeout_s = w->capture.timeout_s,
	};
}

static int
warm_up(struct measurement *m, struct err *err)
{
	struct capture_request request = make_request(m);
	struct capture_result result;
	struct timespec start;

	clock_gettime(CLOCK_MONOTONIC, &start);
	for (unsigned i = 0; i < m->workload->capture.warmup; i++) {
		log_progress("%s: warm-up %u of %u", m->workload->name, i + 1,
			m->workload->capture.warmup);
		if (m->backend->run(&request, &result, err) < 0)
			return err_note(err, "while warming up");
	}
	m->measure_s += seconds_since(&start);
	return 0;
}

/* What the capture counted, with what reading it found out. */
static void
merge_run(struct run *column, const struct run *captured)
{
	struct run read_back = *column;

	*column = *captured;
	column->samples = read_back.samples;
	column->broken_stacks = read_back.broken_stacks;
	column->unknown_frames = read_back.unknown_frames;
	column->measured = true;
}

/*
 * Folds one capture into a column of its own profile, and appends that to the workload's unless
 * it is too poor to be judged by.
 */
static int
fold(struct session *session, struct measurement *m, const char *path,
	const struct capture_result *captured, struct err *err)
{
	struct ingest_options options = {.symbols = session->symbols};
	struct timespec start;
	struct profile one;
	char weakness[QUALITY_TEXT_MAX];

	clock_gettime(CLOCK_MONOTONIC, &start);
	profile_init(&one);
	int result = ingest_file(&one, path, &options, err);

	if (result == 0) {
		merge_run(&one.runs[0], &captured->run);
		one.duration_s = (double)captured->run.wall_ns * 1e-9;
		if (quality_of_run(&one.runs[0], weakness)) {
			m->poor_runs++;
			log_info("%s: a run is taken again: %s", m->workload->name, weakness);
		}
		if (!quality_of_run(&one.runs[0], weakness) ||
			m->attempts >= m->workload->capture.max_runs)
			profile_append(&m->profile, &one);
	}
	profile_release(&one);
	m->process_s += seconds_since(&start);
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
	double per_run =
		session->runs_done ? seconds_since(&session->runs_started) / session->runs_done : 0;
	unsigned seconds = (unsigned)(per_run * left + 0.5);

	if (session->runs_done >= session->n)
		log_progress("%s: run %zu of %u, %u:%02u left", m->workload->name,
			m->profile.nruns + 1, m->workload->capture.runs, seconds / 60,
			seconds % 60);
	else
		log_progress("%s: run %zu of %u", m->workload->name, m->profile.nruns + 1,
			m->workload->capture.runs);
}

static int
take_run(struct session *session, struct measurement *m, double period_factor, struct err *err)
{
	struct capture_request request = make_request(m);
	struct capture_result captured;
	struct timespec start;
	char *path = mem_printf("%s/%s/run-%02u.perf.data", session->options->scratch_dir,
		m->workload->name, m->attempts + 1);

	show_progress(session, m);
	request.perfdata_path = path;
	request.period =
		(uint64_t)(m->event.rate_hz / m->workload->capture.frequency_hz * period_factor);
	clock_gettime(CLOCK_MONOTONIC, &start);
	int result = m->backend->run(&request, &captured, err);

	m->measure_s += seconds_since(&start);
	m->attempts++;
	session->runs_done++;
	if (result == 0)
		result = fold(session, m, path, &captured, err);
	else
		err_note(err, "while taking run %u", m->attempts);
	if (!session->options->keep_perfdata)
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
	clock_gettime(CLOCK_MONOTONIC, &session->runs_started);
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

/* Teardown runs whatever came before it; its failure is told, and changes nothing measured. */
static void
tear_down(const struct measurement *m)
{
	struct err ignored = {0};
	const struct workload *w = m->workload;

	if (w->teardown && process_run_shell("teardown", w->teardown, w->env, w->cwd,
				   SHELL_TIMEOUT_S, &ignored) < 0)
		log_warn("%s: %s", w->name, ignored.text);
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
	session.symbols = symbol_cache_new();
	for (size_t i = 0; i < session.n && result == 0; i++) {
		struct measurement *m = &measurements[i];

		if (prepare(&session, m, err) < 0 || warm_up(m, err) < 0)
			result = set_aside(m, err);
	}
	if (result == 0)
		result = take_rounds(&session, err);
	log_progress_end();
	for (size_t i = 0; i < session.n; i++) {
		tear_down(&measurements[i]);
		profile_sort(&measurements[i].profile);
	}
	symbol_cache_free(session.symbols);
	return result;
}

void
measurement_release(struct measurement *measurement)
{
	profile_release(&measurement->profile);
	free(measurement->error);
}
