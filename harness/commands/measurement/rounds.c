#include "measurement/rounds.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "builds/identity.h"
#include "builds/program.h"
#include "code/chosen_functions.h"
#include "format/figures.h"
#include "ingest/ingest_cache.h"
#include "measurement/base_failure.h"
#include "measurement/measurement.h"
#include "measurement/suite_listing.h"
#include "measurement/suite_selection.h"
#include "measurement/watch_sides.h"
#include "profile/disturbance.h"
#include "profile/quality.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* At least so many runs are taken, whatever the deadline: fewer do not show how runs differ. */
#define LEAST_RUNS 3

struct rounds {
	struct measure_shared shared;
	struct measure_options options;
	double budget_end_s;              /* options.deadline_s as it was given */
	struct measurement *measurements; /* borrowed */
	size_t n;
	size_t *order; /* [n] of the measurements in a round */
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

/*
 * Whether a baseline of the workload is stored: it must not vanish from a gate with its programs.
 */
static bool
is_stored(const struct baseline_list *list, const struct workload *workload)
{
	for (size_t i = 0; i < list->nentries; i++) {
		const char *stored = list->entries[i].workload;

		if (strcmp(stored, workload->stored_name) == 0)
			return true;
		/* Benchmarks of a suite that cannot be listed. */
		if (!workload->unit && suite_has_folder(workload, stored))
			return true;
	}
	return false;
}

/*
 * Whether a workload lacks its programs. Then sets its error, and has it skipped if it has no
 * baseline.
 */
static bool
set_aside_without_programs(const struct measure_options *options, struct measurement *m)
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
 * Whether a run is repeated because it is unusable; counts and logs it then. Where there can no
 * longer be enough usable runs, it is kept, so that the verdict reports it.
 */
static bool
repeats_unusable_run(struct measurement *m, const struct profile ones[MEASURE_SIDES])
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

/* Whether a run is repeated because other load took too much of its CPU time; counts and logs it.
 */
static bool
repeats_disturbed_run(const struct rounds *rounds, struct measurement *m,
	const struct profile ones[MEASURE_SIDES])
{
	const double share = rounds->options.repeat_disturbed;
	bool disturbed = false;

	for (size_t side = 0; side < m->nsides; side++)
		disturbed = disturbed || disturbance_count(&ones[side], share) > 0;
	if (!(share > 0) || !disturbed || m->disturbed_runs >= m->workload->capture.runs)
		return false;
	m->disturbed_runs++;
	log_info("%s: disturbed by other load, will be repeated", m->workload->name);
	return true;
}

/* Adds a run, or both runs of a pair, to the profiles of the sides. */
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

static bool
wants_run(const struct measurement *m, unsigned stage)
{
	return !m->error && !m->left_out && (!m->same_program || m->picture_only) &&
	       m->runs.taken[stage] < m->runs.wanted[stage];
}

static void
show_progress(const struct rounds *rounds, const struct measurement *m, unsigned stage)
{
	double left = 0;
	bool all_known = true;
	struct buf line = {0};

	for (size_t i = 0; i < rounds->n; i++) {
		const struct measurement *each = &rounds->measurements[i];

		if (!wants_run(each, stage))
			continue;
		all_known = all_known && measurement_run_seconds(each) > 0;
		left += measurement_run_seconds(each) *
			(each->runs.wanted[stage] - each->runs.taken[stage]);
	}
	buf_printf(&line, "%s: %s%s %u of %u", m->workload->name,
		stage == COMPARISON_CONFIRM ? "confirming " : "", m->nsides > 1 ? "pair" : "run",
		m->runs.taken[stage] + 1, m->runs.wanted[stage]);
	if (m->attempts > m->runs.taken[COMPARISON_SCREEN] + m->runs.taken[COMPARISON_CONFIRM])
		buf_printf(&line, " (attempt %u)", m->attempts + 1);
	if (rounds->options.deadline_s > 0)
		left = fmin(left, fmax(0, rounds->options.deadline_s - clock_seconds()));
	/* After the warm-up or one round, the duration of a run is known for all workloads. */
	if (all_known)
		buf_printf(&line, ", %u:%02u left in total", (unsigned)(left + 0.5) / 60,
			(unsigned)(left + 0.5) % 60);
	log_progress("%s", buf_text(&line));
	buf_release(&line);
}

/* Logs "cjson_parse: 10 pairs, 31 s", once all wanted runs of a stage are taken. */
static void
log_runs(struct measurement *m, unsigned stage)
{
	const unsigned taken = m->runs.taken[COMPARISON_SCREEN] + m->runs.taken[COMPARISON_CONFIRM];
	const unsigned count = taken - m->runs_logged;
	struct buf line = {0};

	if (count == 0)
		return;
	buf_printf(&line, "%s: %u %s%s%s, ", m->workload->name, count,
		stage == COMPARISON_CONFIRM ? "confirming " : "", m->nsides > 1 ? "pair" : "run",
		count > 1 ? "s" : "");
	format_duration(&line, m->runs_s - m->runs_logged_s);
	log_step_end("%s", buf_text(&line));
	m->runs_logged = taken;
	m->runs_logged_s = m->runs_s;
	buf_release(&line);
}

/* After a run of the base failed: its pair does not count. */
static int
set_base_aside(struct measurement *m, struct err *err)
{
	char where[32];

	snprintf(where, sizeof(where), "run %u", m->attempts);
	return base_set_aside(m, where, err);
}

/* Takes one run, or one of each build in random order and with the same sampling period. */
static int
take_run(struct rounds *rounds, struct measurement *m, unsigned stage, struct err *err)
{
	double factor = run_order_next_period(&m->order);
	size_t first = m->nsides > 1 && run_order_draw_base_first(&m->order) ? MEASURE_BASE
									     : MEASURE_CANDIDATE;
	struct profile ones[MEASURE_SIDES];
	double start = clock_seconds();
	size_t side = first;
	int result = 0;

	show_progress(rounds, m, stage);
	m->attempts++;
	for (size_t i = 0; i < MEASURE_SIDES; i++)
		profile_init(&ones[i]);
	const size_t nsides = m->nsides;

	for (size_t k = 0; k < nsides && result == 0; k++) {
		side = (first + k) % nsides;
		result = measurement_capture(
			&rounds->shared, m, (enum measure_side)side, factor, &ones[side], err);
	}
	if (result < 0 && side == MEASURE_BASE)
		result = set_base_aside(m, err);
	else if (result == 0 && (watch_sides_check_runs(&rounds->shared, m, ones, err) < 0 ||
					watch_sides_check_code(m, err) < 0 ||
					watch_sides_check_inputs(m, err) < 0))
		result = err_note(err, "during run %u", m->attempts);
	else if (result == 0 && !repeats_unusable_run(m, ones) &&
		 !repeats_disturbed_run(rounds, m, ones))
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
is_in_time(const struct rounds *rounds, const struct measurement *m, unsigned stage)
{
	double deadline = rounds->options.deadline_s;

	return !(deadline > 0) || m->runs.taken[stage] < LEAST_RUNS ||
	       clock_seconds() + measurement_run_seconds(m) <= deadline;
}

void
rounds_set_deadline(struct rounds *rounds, double deadline_s)
{
	rounds->options.deadline_s = deadline_s;
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
rounds_take(struct rounds *rounds, unsigned stage, struct err *err)
{
	bool more = true;
	int result = 0;

	while (more && result == 0) {
		more = false;
		for (size_t i = 0; i < rounds->n && result == 0; i++) {
			struct measurement *m = &rounds->measurements[rounds->order[i]];

			if (!wants_run(m, stage) || !is_in_time(rounds, m, stage))
				continue;
			more = true;
			if (take_run(rounds, m, stage, err) < 0)
				result = set_aside(m, err);
			if (result == 0 && !wants_run(m, stage))
				log_runs(m, stage);
		}
	}
	for (size_t i = 0; i < rounds->n; i++) {
		log_runs(&rounds->measurements[i], stage);
		identify_sampled(&rounds->measurements[i]);
	}
	log_progress_end();
	return result;
}

/*
 * The measurement of the first workload with the same file as workload `i`; NULL: `i` is the first.
 */
static const struct measurement *
find_builder(const struct measurement *measurements, const struct workload_list *list, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if ((list->workloads[k].measured || list->workloads[k].unit) &&
			strcmp(list->workloads[k].path, list->workloads[i].path) == 0)
			return &measurements[k];
	}
	return NULL;
}

/*
 * Any benchmark of a suite may be the one that builds: others are left out, or their own runs fail.
 * Sets the first that has built this side.
 */
static void
choose_builder(const struct rounds *rounds, size_t i, enum measure_side side)
{
	struct measurement *m = &rounds->measurements[i];

	for (size_t k = 0; k < i && m->workload->unit; k++) {
		const struct measurement *other = &rounds->measurements[k];

		if (!other->sides[side].begun || !other->workload->unit || other->base != m->base ||
			strcmp(other->workload->path, m->workload->path) != 0)
			continue;
		m->builder = other;
		return;
	}
	/* That of an earlier stage stays, as do those of further metrics. */
	if (m->workload->unit && m->builder && !m->builder->sides[side].made)
		m->builder = NULL;
}

static struct rounds *
rounds_new(struct measurement *measurements, const struct workload_list *list,
	const struct measure_options *options)
{
	struct rounds *rounds = mem_zalloc(1, sizeof(*rounds));

	*rounds = (struct rounds){
		.options = *options,
		.budget_end_s = options->deadline_s,
		.measurements = measurements,
		.n = list->nworkloads,
		.order = mem_zalloc(list->nworkloads + 1, sizeof(*rounds->order)),
		.shared = {.options = &rounds->options, .cache = ingest_cache_new()},
	};
	for (size_t i = 0; i < list->nworkloads; i++)
		rounds->order[i] = i;
	for (size_t i = 0; i < list->nworkloads; i++) {
		struct measurement *m = &measurements[i];

		*m = (struct measurement){
			.workload = &list->workloads[i],
			.builder = find_builder(measurements, list, i),
			.runs = {.wanted = {list->workloads[i].capture.runs},
				.most = list->workloads[i].capture.max_runs},
		};
		measurement_set_base(m, options->base);
		for (size_t side = 0; side < MEASURE_SIDES; side++)
			profile_init(&m->sides[side].profile);
		run_order_init(&m->order, m->workload->capture.runs);
	}
	return rounds;
}

/* Puts the deadlines off by the time that builds took: the budget is for measuring. */
static void
put_off_deadline(struct rounds *rounds, double seconds)
{
	if (rounds->options.deadline_s > 0)
		rounds->options.deadline_s += seconds;
	if (rounds->budget_end_s > 0)
		rounds->budget_end_s += seconds;
}

/* Another benchmark of the same suite that is captured as this one; NULL: none has been chosen. */
static const struct measurement *
find_captured_alike(const struct rounds *rounds, size_t i)
{
	const struct workload *workload = rounds->measurements[i].workload;
	const struct capture_policy *capture = &workload->capture;

	for (size_t k = i; k-- > 0 && workload->unit;) {
		const struct measurement *other = &rounds->measurements[k];
		const struct capture_policy *of_other = &other->workload->capture;

		if (other->backend && !other->error && other->workload->unit &&
			strcmp(other->workload->path, workload->path) == 0 &&
			strcmp(of_other->metric, capture->metric) == 0 &&
			strcmp(of_other->event, capture->event) == 0 &&
			strcmp(of_other->pin, capture->pin) == 0)
			return other;
	}
	return NULL;
}

struct rounds *
rounds_open(struct measurement *measurements, const struct workload_list *list,
	const struct measure_options *options, struct err *err)
{
	struct rounds *rounds = rounds_new(measurements, list, options);
	int result = 0;

	for (size_t i = 0; i < rounds->n && result == 0; i++) {
		struct measurement *m = &measurements[i];

		m->left_out = options->leave_out && options->leave_out[i];
		if (m->workload->unlisted && !m->left_out) {
			m->error = mem_strdup(m->workload->unlisted);
			log_error("%s: %s", m->workload->name, m->error);
		} else if (!m->left_out && !set_aside_without_programs(options, m) &&
			   measurement_choose(m, find_captured_alike(rounds, i), err) < 0)
			result = set_aside(m, err);
	}
	if (result == 0)
		return rounds;
	rounds_end(rounds);
	return NULL;
}

/* Whether something is still to be done for a workload before its runs. */
static bool
is_wanted(const struct measurement *m)
{
	return !m->error && !m->left_out;
}

/* Puts the deadlines off by the builds of a workload since its building_s was `before_s`. */
static void
allow_for_builds(struct rounds *rounds, const struct measurement *m, double before_s)
{
	put_off_deadline(rounds, m->building_s - before_s);
}

int
rounds_build(struct rounds *rounds, struct err *err)
{
	int result = 0;

	for (size_t i = 0; i < rounds->n && result == 0; i++) {
		struct measurement *m = &rounds->measurements[i];

		if (!is_wanted(m))
			continue;
		choose_builder(rounds, i, MEASURE_CANDIDATE);
		const int built = measurement_build(&rounds->shared, m, err);

		allow_for_builds(rounds, m, 0);
		if (built < 0)
			result = set_aside(m, err);
	}
	log_progress_end();
	return result;
}

/* Moves the measurements ahead that are affected most by the change; others stay in their order. */
static void
order_by_change(struct rounds *rounds)
{
	for (size_t i = 1; i < rounds->n; i++) {
		const size_t moved = rounds->order[i];
		size_t at = i;

		for (; at > 0 && rounds->measurements[rounds->order[at - 1]].reached <
					 rounds->measurements[moved].reached;
			at--)
			rounds->order[at] = rounds->order[at - 1];
		rounds->order[at] = moved;
	}
}

int
rounds_prepare(struct rounds *rounds, struct err *err)
{
	int result = 0;

	for (size_t i = 0; i < rounds->n && result == 0; i++) {
		struct measurement *m = &rounds->measurements[i];
		const double before_s = m->building_s;

		if (!is_wanted(m))
			continue;
		if (m->nsides > 1)
			choose_builder(rounds, i, MEASURE_BASE);
		const int prepared = measurement_prepare(&rounds->shared, m, err);

		allow_for_builds(rounds, m, before_s);
		if (prepared < 0 || measurement_warm_up(&rounds->shared, m, err) < 0)
			result = set_aside(m, err);
	}
	log_progress_end();
	order_by_change(rounds);
	/* The build of one workload may have touched the program of another. */
	for (size_t i = 0; i < rounds->n; i++) {
		struct measurement *m = &rounds->measurements[i];

		for (size_t side = 0; side < m->nsides; side++)
			m->sides[side].profile.started = (int64_t)time(NULL);
	}
	return result;
}

struct rounds *
rounds_begin(struct measurement *measurements, const struct workload_list *list,
	const struct measure_options *options, struct err *err)
{
	struct rounds *rounds = rounds_open(measurements, list, options, err);

	if (!rounds || (rounds_build(rounds, err) == 0 && rounds_prepare(rounds, err) == 0))
		return rounds;
	rounds_end(rounds);
	return NULL;
}

void
rounds_end(struct rounds *rounds)
{
	if (!rounds)
		return;
	for (size_t i = 0; i < rounds->n; i++) {
		struct measurement *m = &rounds->measurements[i];

		for (size_t side = 0; side < MEASURE_SIDES; side++) {
			if (m->sides[side].begun)
				program_tear_down(&m->sides[side].workload, rounds->budget_end_s);
			profile_sort(&m->sides[side].profile);
		}
	}
	ingest_cache_warn(rounds->shared.cache);
	ingest_cache_free(rounds->shared.cache);
	suite_selection_free(rounds->shared.selection);
	free(rounds->shared.builds.times);
	free(rounds->order);
	free(rounds);
}

int
rounds_measure(struct measurement *measurements, const struct workload_list *list,
	const struct measure_options *options, struct err *err)
{
	struct rounds *rounds = rounds_begin(measurements, list, options, err);
	int result = rounds ? rounds_take(rounds, COMPARISON_SCREEN, err) : -1;

	rounds_end(rounds);
	return result;
}
