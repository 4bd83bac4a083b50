/*
 * The session of measuring: builds, then rounds of runs until all that are wanted are taken. The
 * sampling periods of runs, the order of the builds in a pair and the number of executions in a run
 * come first.
 */
#include "measurement/measure.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "builds/identity.h"
#include "builds/program.h"
#include "code/chosen_functions.h"
#include "format/figures.h"
#include "measurement/watch_sides.h"
#include "profile/quality.h"
#include "spec/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/*
 * The sampling period of each run, and the order of the builds in a pair.
 */

#define PERIOD_SPREAD 0.1

static void
refill(struct periods *periods)
{
	for (size_t i = 0; i < periods->nruns; i++) {
		double place = ((double)i + random_unit(&periods->random)) / (double)periods->nruns;

		periods->factors[i] = 1 - PERIOD_SPREAD + 2 * PERIOD_SPREAD * place;
	}
	for (size_t left = periods->nruns; left > 1; left--) {
		size_t i = random_next(&periods->random) % left;
		double kept = periods->factors[left - 1];

		periods->factors[left - 1] = periods->factors[i];
		periods->factors[i] = kept;
	}
	periods->next = 0;
}

void
periods_init(struct periods *periods, size_t nruns)
{
	*periods = (struct periods){.nruns = nruns > 0 ? nruns : 1};
	if (getrandom(&periods->random, sizeof(periods->random), 0) < 0)
		periods->random.state = (uintptr_t)periods;
	periods->factors = mem_zalloc(periods->nruns, sizeof(*periods->factors));
	refill(periods);
}

void
periods_release(struct periods *periods)
{
	free(periods->factors);
	*periods = (struct periods){0};
}

double
periods_next(struct periods *periods)
{
	if (periods->next == periods->nruns)
		refill(periods);
	return periods->factors[periods->next++];
}

/* The order of the builds in a pair, at random: the first one. */
static enum measure_side
draw_pair_order(struct random *random)
{
	return random_next(random) >> 63 ? MEASURE_BASE : MEASURE_CANDIDATE;
}

/*
 * The number of executions that make a run.
 */

#define RUN_CPU_S 1.0
#define RUN_WALL_S 3.0

void
repeat_plan_init(struct repeat_plan *plan, unsigned wanted, unsigned before)
{
	*plan = (struct repeat_plan){
		.executions = wanted > 0 ? wanted : 1,
		.automatic = wanted == 0,
		.to_be_tried = wanted == 0,
		.before = before,
	};
}

void
repeat_plan_decide(struct repeat_plan *plan, double cpu_s, double wall_s)
{
	unsigned tried = plan->executions;

	if (!plan->automatic)
		return;
	/* Rounded down: a command that takes longer than half of it is executed once. */
	double runs = fmin(RUN_CPU_S / cpu_s, RUN_WALL_S / wall_s);
	double found = fmin(fmax(floor(runs * tried), 1), REPEAT_MAX);
	bool as_before = plan->before >= found / 2 && plan->before <= found * 2;

	plan->executions = as_before ? plan->before : (unsigned)found;
	/* The first execution is the slowest, as it reads from the disk. */
	plan->to_be_tried = plan->executions > 2 * tried;
}

/*
 * The session.
 */

/* At least so many are taken even without time: fewer do not show how runs differ. */
#define LEAST_RUNS 3

struct measure_session {
	struct measure_shared shared;
	struct measure_options options;
	double budget_end_s;              /* options.deadline_s as it was given */
	struct measurement *measurements; /* borrowed */
	size_t n;
};

/* Keeps a failure with its workload, so that the others go on; an interruption ends all. */
static int
set_aside(struct measurement *m, struct err *err)
{
	if (err->kind == ERR_INTERRUPTED)
		return -1;
	m->error = mem_strdup(err->text);
	log_error("%s: %s", m->workload->name, err->text);
	*err = (struct err){0};
	return 0;
}

/* A workload that was measured before must not vanish from a gate with its programs. */
static bool
is_stored(const struct baseline_list *list, const struct workload *workload)
{
	for (size_t i = 0; i < list->nentries; i++) {
		if (strcmp(list->entries[i].workload, workload->file_name) == 0)
			return true;
	}
	return false;
}

/* Sets aside a workload without its programs, which is an error or skips it. */
static bool
lacks_programs(const struct measure_options *options, struct measurement *m)
{
	struct buf reason = {0};
	const bool lacks = options->skip_unless && program_lacks(m->workload, &reason);

	if (lacks) {
		struct err failure = {0};

		m->skipped = !is_stored(options->skip_unless, m->workload);
		err_set(&failure, ERR_MEASURE, "%s", buf_text(&reason));
		if (!m->skipped)
			err_note(&failure,
				"it is not skipped, because a baseline of it is stored, here or for another "
				"class of machines");
		m->error = mem_strdup(failure.text);
		log_warn("%s: %s%s", m->workload->name, m->skipped ? "skipped: " : "", m->error);
	}
	buf_release(&reason);
	return lacks;
}

/*
 * Whether a run is too poor to be kept and can be taken again. Where there can no longer be enough
 * good runs, poor ones are kept, so that the verdict reports them.
 */
static bool
is_to_be_repeated(struct measurement *m, const struct profile ones[MEASURE_SIDES])
{
	const struct capture_policy *capture = &m->workload->capture;
	unsigned spare = capture->max_runs - capture->runs;
	char weakness[QUALITY_TEXT_MAX];
	bool poor = false;

	for (size_t side = 0; side < m->nsides && !poor; side++)
		poor = quality_of_run(&ones[side].runs[0], weakness);
	if (!poor)
		return false;
	bool again = m->poor_runs < spare;

	m->poor_runs++;
	log_info("%s: unusable run%s: %s", m->workload->name, again ? ", will be repeated" : "",
		weakness);
	return again;
}

/* Whether a run is repeated because other load took too much of its CPU time. */
static bool
is_too_disturbed(const struct measure_session *session, struct measurement *m,
	const struct profile ones[MEASURE_SIDES])
{
	const double share = session->options.repeat_disturbed;
	bool disturbed = false;

	for (size_t side = 0; side < m->nsides; side++)
		disturbed = disturbed || disturbance_count(&ones[side], share) > 0;
	if (!(share > 0) || !disturbed || m->disturbed_runs >= m->workload->capture.runs)
		return false;
	m->disturbed_runs++;
	log_info("%s: disturbed by other load, will be repeated", m->workload->name);
	return true;
}

/* Puts a run, or both of a pair, where they belong. */
static void
keep_runs(struct measurement *m, struct profile ones[MEASURE_SIDES], unsigned stage)
{
	unsigned pair = m->runs.taken[COMPARISON_SCREEN] + m->runs.taken[COMPARISON_CONFIRM] + 1;

	for (size_t side = 0; side < m->nsides; side++) {
		struct profile *profile = &m->sides[side].profile;
		size_t column = profile_append(profile, &ones[side]);

		profile->runs[column].stage = stage;
		profile->runs[column].pair = m->nsides > 1 ? pair : 0;
	}
	m->runs.taken[stage]++;
}

double
measure_run_seconds(const struct measurement *m)
{
	return m->nruns > 0 ? m->runs_s / m->nruns : m->warm_up_s;
}

static bool
wants_run(const struct measurement *m, unsigned stage)
{
	return !m->error && !m->left_out && (!m->same_program || m->picture_only) &&
	       m->runs.taken[stage] < m->runs.wanted[stage];
}

static void
show_progress(const struct measure_session *session, const struct measurement *m, unsigned stage)
{
	double left = 0;
	bool all_known = true;
	struct buf line = {0};

	for (size_t i = 0; i < session->n; i++) {
		const struct measurement *each = &session->measurements[i];

		if (!wants_run(each, stage))
			continue;
		all_known = all_known && measure_run_seconds(each) > 0;
		left += measure_run_seconds(each) *
			(each->runs.wanted[stage] - each->runs.taken[stage]);
	}
	buf_printf(&line, "%s: %s%s %u of %u", m->workload->name,
		stage == COMPARISON_CONFIRM ? "confirming " : "", m->nsides > 1 ? "pair" : "run",
		m->runs.taken[stage] + 1, m->runs.wanted[stage]);
	if (m->attempts > m->runs.taken[COMPARISON_SCREEN] + m->runs.taken[COMPARISON_CONFIRM])
		buf_printf(&line, " (attempt %u)", m->attempts + 1);
	if (session->options.deadline_s > 0)
		left = fmin(left, fmax(0, session->options.deadline_s - clock_seconds()));
	/* The warm-up, or one round, tells how long a run takes. */
	if (all_known)
		buf_printf(&line, ", %u:%02u left in total", (unsigned)(left + 0.5) / 60,
			(unsigned)(left + 0.5) % 60);
	log_progress("%s", buf_text(&line));
	buf_release(&line);
}

/* "cjson_parse: 10 pairs, 31 s", once they are all taken. */
static void
tell_runs(struct measurement *m, unsigned stage)
{
	const unsigned taken = m->runs.taken[COMPARISON_SCREEN] + m->runs.taken[COMPARISON_CONFIRM];
	const unsigned count = taken - m->runs_told;
	struct buf line = {0};

	if (count == 0)
		return;
	buf_printf(&line, "%s: %u %s%s%s, ", m->workload->name, count,
		stage == COMPARISON_CONFIRM ? "confirming " : "", m->nsides > 1 ? "pair" : "run",
		count > 1 ? "s" : "");
	format_duration(&line, m->runs_s - m->runs_told_s);
	log_step_end("%s", buf_text(&line));
	m->runs_told = taken;
	m->runs_told_s = m->runs_s;
	buf_release(&line);
}

/* The pair does not count. */
static int
set_base_aside(struct measurement *m, struct err *err)
{
	char where[32];

	snprintf(where, sizeof(where), "run %u", m->attempts);
	return base_set_aside(m, where, err);
}

/* One run, or one of each build in random order, with one sampling period. */
static int
take_run(struct measure_session *session, struct measurement *m, unsigned stage, struct err *err)
{
	double factor = periods_next(&m->periods);
	size_t first = m->nsides > 1 ? draw_pair_order(&m->periods.random) : MEASURE_CANDIDATE;
	struct profile ones[MEASURE_SIDES];
	double start = clock_seconds();
	size_t side = first;
	int result = 0;

	show_progress(session, m, stage);
	m->attempts++;
	for (size_t i = 0; i < MEASURE_SIDES; i++)
		profile_init(&ones[i]);
	const size_t nsides = m->nsides;

	for (size_t k = 0; k < nsides && result == 0; k++) {
		side = (first + k) % nsides;
		result = measurement_capture(
			&session->shared, m, (enum measure_side)side, factor, &ones[side], err);
	}
	if (result < 0 && side == MEASURE_BASE)
		result = set_base_aside(m, err);
	else if (result == 0 && (watch_sides_check_runs(&session->shared, m, ones, err) < 0 ||
					watch_sides_check_code(m, err) < 0 ||
					watch_sides_check_inputs(m, err) < 0))
		result = err_note(err, "during run %u", m->attempts);
	else if (result == 0 && !is_to_be_repeated(m, ones) && !is_too_disturbed(session, m, ones))
		keep_runs(m, ones, stage);
	if (result == 0)
		watch_sides_take_installed(m, &ones[MEASURE_CANDIDATE]);
	for (size_t i = 0; i < MEASURE_SIDES; i++)
		profile_release(&ones[i]);
	m->runs_s += clock_seconds() - start;
	m->nruns++;
	return result;
}

/* Whether the next run would end before the deadline; the first few are taken in any case. */
static bool
is_in_time(const struct measure_session *session, const struct measurement *m, unsigned stage)
{
	double deadline = session->options.deadline_s;

	return !(deadline > 0) || m->runs.taken[stage] < LEAST_RUNS ||
	       clock_seconds() + measure_run_seconds(m) <= deadline;
}

void
measure_set_deadline(struct measure_session *session, double deadline_s)
{
	session->options.deadline_s = deadline_s;
}

static void
identify_sampled(struct measurement *m)
{
	for (size_t side = 0; side < m->nsides; side++) {
		struct profile *profile = &m->sides[side].profile;

		identity_add_sampled(side == MEASURE_BASE ? m->base : NULL, profile);
		if (!m->by_file)
			chosen_functions_find(profile);
	}
}

int
measure_more(struct measure_session *session, unsigned stage, struct err *err)
{
	bool more = true;
	int result = 0;

	while (more && result == 0) {
		more = false;
		for (size_t i = 0; i < session->n && result == 0; i++) {
			struct measurement *m = &session->measurements[i];

			if (!wants_run(m, stage) || !is_in_time(session, m, stage))
				continue;
			more = true;
			if (take_run(session, m, stage, err) < 0)
				result = set_aside(m, err);
			if (result == 0 && !wants_run(m, stage))
				tell_runs(m, stage);
		}
	}
	for (size_t i = 0; i < session->n; i++) {
		tell_runs(&session->measurements[i], stage);
		identify_sampled(&session->measurements[i]);
	}
	log_progress_end();
	return result;
}

/* The first of `list` that is of the same file as entry `i`; NULL: that is it. */
static const struct measurement *
find_first(const struct measurement *measurements, const struct workload_list *list, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (list->workloads[k].measured &&
			strcmp(list->workloads[k].path, list->workloads[i].path) == 0)
			return &measurements[k];
	}
	return NULL;
}

static struct measure_session *
session_new(struct measurement *measurements, const struct workload_list *list,
	const struct measure_options *options)
{
	struct measure_session *session = mem_zalloc(1, sizeof(*session));

	*session = (struct measure_session){
		.options = *options,
		.budget_end_s = options->deadline_s,
		.measurements = measurements,
		.n = list->nworkloads,
		.shared = {.options = &session->options, .cache = ingest_cache_new()},
	};
	for (size_t i = 0; i < list->nworkloads; i++) {
		struct measurement *m = &measurements[i];

		*m = (struct measurement){
			.workload = &list->workloads[i],
			.first = find_first(measurements, list, i),
			.runs = {.wanted = {list->workloads[i].capture.runs},
				.most = list->workloads[i].capture.max_runs},
		};
		measurement_set_base(m, options->base);
		for (size_t side = 0; side < MEASURE_SIDES; side++)
			profile_init(&m->sides[side].profile);
		periods_init(&m->periods, m->workload->capture.runs);
	}
	return session;
}

/* The budget is for measuring. */
static void
put_off_deadline(struct measure_session *session, double seconds)
{
	if (session->options.deadline_s > 0)
		session->options.deadline_s += seconds;
	if (session->budget_end_s > 0)
		session->budget_end_s += seconds;
}

struct measure_session *
measure_open(struct measurement *measurements, const struct workload_list *list,
	const struct measure_options *options, struct err *err)
{
	struct measure_session *session = session_new(measurements, list, options);
	int result = 0;

	for (size_t i = 0; i < session->n && result == 0; i++) {
		struct measurement *m = &measurements[i];

		m->left_out = options->leave_out && options->leave_out[i];
		if (!m->left_out && !lacks_programs(options, m) && measurement_choose(m, err) < 0)
			result = set_aside(m, err);
	}
	if (result == 0)
		return session;
	measure_end(session);
	return NULL;
}

/* Whether something is still to be done for a workload before its runs. */
static bool
is_wanted(const struct measurement *m)
{
	return !m->error && !m->left_out;
}

/* Adds the time of builds since `before_s`, which is not the budget's. */
static void
allow_for_builds(struct measure_session *session, const struct measurement *m, double before_s)
{
	put_off_deadline(session, m->building_s - before_s);
}

int
measure_build(struct measure_session *session, struct err *err)
{
	int result = 0;

	for (size_t i = 0; i < session->n && result == 0; i++) {
		struct measurement *m = &session->measurements[i];

		if (!is_wanted(m))
			continue;
		const int built = measurement_build(&session->shared, m, err);

		allow_for_builds(session, m, 0);
		if (built < 0)
			result = set_aside(m, err);
	}
	log_progress_end();
	return result;
}

int
measure_prepare(struct measure_session *session, struct err *err)
{
	int result = 0;

	for (size_t i = 0; i < session->n && result == 0; i++) {
		struct measurement *m = &session->measurements[i];
		const double before_s = m->building_s;

		if (!is_wanted(m))
			continue;
		const int prepared = measurement_prepare(&session->shared, m, err);

		allow_for_builds(session, m, before_s);
		if (prepared < 0 || measurement_warm_up(&session->shared, m, err) < 0)
			result = set_aside(m, err);
	}
	log_progress_end();
	/* The build of one workload may have touched the program of another. */
	for (size_t i = 0; i < session->n; i++) {
		struct measurement *m = &session->measurements[i];

		for (size_t side = 0; side < m->nsides; side++)
			m->sides[side].profile.started = (int64_t)time(NULL);
	}
	return result;
}

struct measure_session *
measure_begin(struct measurement *measurements, const struct workload_list *list,
	const struct measure_options *options, struct err *err)
{
	struct measure_session *session = measure_open(measurements, list, options, err);

	if (!session || (measure_build(session, err) == 0 && measure_prepare(session, err) == 0))
		return session;
	measure_end(session);
	return NULL;
}

void
measure_end(struct measure_session *session)
{
	if (!session)
		return;
	for (size_t i = 0; i < session->n; i++) {
		struct measurement *m = &session->measurements[i];

		for (size_t side = 0; side < MEASURE_SIDES; side++) {
			if (m->sides[side].begun)
				program_tear_down(&m->sides[side].workload, session->budget_end_s);
			profile_sort(&m->sides[side].profile);
		}
	}
	ingest_cache_warn(session->shared.cache);
	ingest_cache_free(session->shared.cache);
	free(session->shared.builds.times);
	free(session);
}

int
measure_workloads(struct measurement *measurements, const struct workload_list *list,
	const struct measure_options *options, struct err *err)
{
	struct measure_session *session = measure_begin(measurements, list, options, err);
	int result = session ? measure_more(session, COMPARISON_SCREEN, err) : -1;

	measure_end(session);
	return result;
}

void
measurement_release(struct measurement *m)
{
	for (size_t side = 0; side < MEASURE_SIDES; side++) {
		profile_release(&m->sides[side].profile);
		capture_phases_release(&m->sides[side].phases);
		run_files_release(&m->sides[side].files);
		free(m->sides[side].moved.paths);
	}
	file_states_release(&m->candidate_files);
	run_files_release(&m->installed);
	input_states_release(&m->inputs);
	arena_release(&m->arena);
	free(m->error);
	free(m->callgraph_before);
	stack_plan_release(&m->stacks);
	periods_release(&m->periods);
}
