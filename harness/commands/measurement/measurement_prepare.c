/* The steps before the first run of one workload: its builds, and how it will be captured. */
#include "measurement/measurement.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "builds/identity.h"
#include "builds/inputs.h"
#include "builds/program.h"
#include "builds/used_files.h"
#include "measurement/base_failure.h"
#include "measurement/program_size.h"
#include "measurement/repeat_plan.h"
#include "measurement/session.h"
#include "measurement/suite_listing.h"
#include "measurement/suite_selection.h"
#include "measurement/watch_sides.h"
#include "process/child.h"
#include "process/priority.h"
#include "profile/metric.h"

#include <stdlib.h>
#include <string.h>

/* Finds the phases of each side, once it is built. */
static int
find_phases(struct measurement *m, struct err *err)
{
	for (size_t i = 0; i < m->nsides && measurement_has_phases(m); i++) {
		const struct workload *workload = &m->sides[i].workload;
		const struct operation_program program = {
			.argv = workload->run,
			.cwd = workload->cwd,
		};

		if (capture_phases_find(&m->sides[i].phases, workload->capture.phases, "phases",
			    &program, err) < 0)
			return -1;
	}
	return 0;
}

/* Makes the base's workload: paths into the working tree lead to the base's own tree. */
static int
place_base(struct measurement *m, struct err *err)
{
	struct measured_side *side = &m->sides[MEASURE_BASE];

	return m->nsides > 1 ? build_side_workload(m->base, m->workload, &side->workload,
				       &side->moved, &m->arena, err)
			     : 0;
}

/* Whether the output of a build, in a file, has a warning. */
static bool
has_warning(const char *path)
{
	struct buf text = {0};
	struct err ignored = {0};
	const bool has = file_exists(path) &&
			 file_read(path, &text, CHILD_COPY_MAX, &ignored) == 0 &&
			 strcasestr(buf_text(&text), "warning");

	buf_release(&text);
	return has;
}

/*
 * Builds one side. The output of a build that fails or warns is kept in the report. Its time is not
 * the budget's.
 */
static int
build_one(const struct measure_options *options, struct measurement *m, enum measure_side i,
	struct err *err)
{
	static const char *const names[MEASURE_SIDES] = {
		[MEASURE_CANDIDATE] = "build.txt", [MEASURE_BASE] = "build-base.txt"};
	const struct workload *workload = &m->sides[i].workload;
	const double start = clock_seconds();
	char *path = options->keep == MEASURE_KEEP_NOTHING
			     ? NULL
			     : mem_printf("%s/%s/%s", options->scratch_dir, m->workload->folder,
				       names[i]);
	int result = i == MEASURE_BASE ? build_side_build(m->base, workload, path, err)
				       : program_build(workload, path, err);

	if (path && file_exists(path) && (result < 0 || has_warning(path)))
		m->build_outputs[i] = names[i];
	if (result < 0 && m->build_outputs[i] && err->kind == ERR_MEASURE)
		err_note(err, "all of its output is in the report: %s/%s", m->workload->folder,
			names[i]);
	m->building_s += clock_seconds() - start;
	free(path);
	return result;
}

/* The build that a side runs from; NULL: the working tree. */
static const struct build_side *
build_of(const struct measurement *m, enum measure_side i)
{
	return i == MEASURE_BASE ? m->base : NULL;
}

/* Builds and sets up one side. */
static int
build_and_set_up(
	struct measure_shared *shared, struct measurement *m, enum measure_side i, struct err *err)
{
	const struct measure_options *options = shared->options;
	const struct measured_side *side = &m->sides[i];

	int result = 0;

	if (i == MEASURE_CANDIDATE && m->workload->built_to.tv_sec > 0) {
		build_times_add(&shared->builds, &m->workload->built_from, &m->workload->built_to,
			BUILD_STEP_BUILD);
	} else {
		build_times_begin(&shared->builds, BUILD_STEP_BUILD);
		result = build_one(options, m, i, err);
		build_times_end(&shared->builds);
	}
	if (result < 0 || (i == MEASURE_BASE && watch_sides_check_build(m, err) < 0))
		return -1;
	build_times_begin(&shared->builds, BUILD_STEP_SETUP);
	result = program_set_up(&side->workload, options->deadline_s, err);
	build_times_end(&shared->builds);
	if (result == 0 && i == MEASURE_BASE)
		result = build_side_check_program(m->base, &side->workload, err);
	return result;
}

/* A benchmark of a suite is mostly the program that the builder's files are known of. */
static bool
take_identity(struct measurement *m, enum measure_side i)
{
	const struct measurement *builder = m->builder;
	struct measured_side *side = &m->sides[i];

	if (!m->workload->unit || !builder || !builder->sides[i].made || builder->base != m->base ||
		!identity_take(&side->workload, &builder->sides[i].workload,
			&builder->sides[i].profile, &side->profile))
		return false;
	memcpy(side->program_hash, builder->sides[i].program_hash, sizeof(side->program_hash));
	return true;
}

/* The same, unless that is done already; and finds which files the side's command names. */
static int
build(struct measure_shared *shared, struct measurement *m, enum measure_side i, struct err *err)
{
	struct measured_side *side = &m->sides[i];
	/* A build that is measured against itself, or in another metric, is already made. */
	bool is_made = (i == MEASURE_BASE && m->base->same) ||
		       (m->builder && (m->workload->unit ? m->builder->sides[i].made
							 : m->builder->sides[i].begun &&
								   !m->builder->error));

	side->begun = !is_made;
	if (!is_made && build_and_set_up(shared, m, i, err) < 0)
		return -1;
	if (!(is_made && take_identity(m, i)) &&
		identity_of_command(&side->workload, build_of(m, i), &side->profile,
			side->program_hash, err) < 0)
		return -1;
	side->made = true;
	measurement_describe(m, side);
	return 0;
}

/* Checks that the workload's input files exist, once build and setup have made theirs. */
static int
check_inputs(const struct workload *workload, struct err *err)
{
	struct inputs inputs;

	if (inputs_find(workload, &inputs, err) < 0)
		return -1;
	inputs_release(&inputs);
	return 0;
}

/* Builds the base, unless it does not have the workload. */
static int
build_base(struct measure_shared *shared, struct measurement *m, struct err *err)
{
	const struct workload *there = &m->sides[MEASURE_BASE].workload;
	/* A suite is looked up there for its first benchmark. */
	const bool is_there = m->workload->unit && m->builder && m->builder->base == m->base &&
			      m->builder->sides[MEASURE_BASE].made;

	if (!is_there && base_lacks_workload(m))
		return 0;
	if (inputs_link(m->base, m->workload, there, err) < 0 ||
		build(shared, m, MEASURE_BASE, err) < 0)
		return base_blame(m, err);
	if (m->workload->unit && m->sides[MEASURE_BASE].begun)
		suite_warn_of_removed(m->workload, m->base);
	return base_check_named_inputs(m, err);
}

/* Warns if files changed that the build did not compile, so that the same program runs. */
static void
note_stale(const struct build_side *base, struct measurement *m)
{
	char *files = base->worktree ? stale_build_files(m->workload, base->commit) : NULL;

	if (files) {
		m->stale_files = arena_strdup(&m->arena, files);
		log_warn("%s: build did not change the program although these files changed: %s",
			m->workload->name, files);
	}
	free(files);
}

/*
 * Logs that both sides are the same program, or that only `changed_data` differs, a file that a run
 * may read; NULL: none does.
 */
static void
log_same_program(struct measurement *m, const char *changed_data, const struct build_side *base)
{
	if (m->same_program) {
		log_info("%s: both builds are the same program: nothing to measure",
			m->workload->name);
		note_stale(base, m);
	} else if (changed_data)
		log_info(
			"%s: both builds are the same program, but '%s' differs from %s and a run may "
			"read it: measuring",
			m->workload->name, changed_data, base->name);
}

/*
 * For two programs: checks that the base has the files that the candidate reads, and finds one that
 * differs.
 */
static int
check_data(struct measurement *m, struct err *err)
{
	if (m->same_program || !watch_sides_wanted(m))
		return 0;
	char *changed =
		changed_input_find(m->base, m->workload, &m->sides[MEASURE_CANDIDATE].files);

	m->changed_input = changed ? arena_strdup(&m->arena, changed) : NULL;
	free(changed);
	return base_check_opened_inputs(m, err);
}

/* Finds whether both sides are one program, and checks that each runs its own files. */
static int
check_sides(struct measure_shared *shared, struct measurement *m, struct err *err)
{
	enum identity identity = IDENTITY_OTHER;
	char *changed_data = NULL;

	if (m->nsides == 1)
		return 0;
	if (shared->options->skip_same)
		identity = identity_of_builds(m->workload, m->base, &m->sides[MEASURE_BASE].profile,
			&m->sides[MEASURE_CANDIDATE].profile, &changed_data);
	m->same_program = identity == IDENTITY_SAME;
	int result = watch_side(shared, m, MEASURE_BASE, err);

	if (result == 0 && identity == IDENTITY_BY_RUNS)
		m->same_program = used_files_agree(m->base, m->workload,
			&m->sides[MEASURE_CANDIDATE].files, &m->sides[MEASURE_BASE].files);

	if (result == 0)
		result = watch_sides_check(shared, m, err);
	watch_sides_note(m);
	if (result == 0)
		result = check_data(m, err);
	if (result == 0)
		log_same_program(m, changed_data, m->base);
	m->picture_only = m->same_program && shared->options->picture_of_same;
	if (m->picture_only) {
		m->nsides = 1;
		m->runs = (struct run_plan){.wanted = {1}, .most = 1};
	}
	free(changed_data);
	return result;
}

/* Checks that counted runs execute the code that timed runs execute. */
static int
check_counted(const struct measurement *m, struct err *err)
{
	int result = 0;

	if (m->same_program || !m->event.presented[0] || program_size_wanted(m))
		return 0;
	for (size_t i = m->nsides; i-- > 0 && result == 0;)
		if (i == MEASURE_CANDIDATE || !m->base_problem)
			result = watch_counted_side(m, (enum measure_side)i, err);
	return result;
}

/*
 * Adds a hash of the workload's own GLIBC_TUNABLES to the name of the processor that counted runs
 * are presented: they choose code, too.
 */
static void
add_tunables(const struct workload *workload, struct capture_event *event)
{
	static const char key[] = "GLIBC_TUNABLES=";
	const size_t len = strlen(event->presented);
	char hash[SHA256_TEXT_SIZE];

	for (const char *const *at = workload->env; len > 0 && at && *at; at++) {
		if (strncmp(*at, key, sizeof(key) - 1) != 0)
			continue;
		sha256_text(*at, strlen(*at), hash);
		snprintf(event->presented + len, sizeof(event->presented) - len, "-tunables-%.8s",
			hash);
	}
}

static int
choose_event(struct measurement *m, struct err *err)
{
	const struct capture_policy *capture = &m->workload->capture;

	if (m->backend->choose(capture->metric, capture->event, &m->event, err) < 0)
		return -1;
	add_tunables(m->workload, &m->event);
	return 0;
}

int
measurement_choose(struct measurement *m, const struct measurement *other, struct err *err)
{
	const struct workload *w = m->workload;

	if (program_size_wanted(m))
		return program_size_choose(m, err);
	if (other) {
		m->backend = other->backend;
		m->event = other->event;
		m->cpus = other->cpus;
		return 0;
	}
	m->backend = capture_backend_for(w->capture.metric);
	if (!m->backend)
		return err_set(err, ERR_MEASURE, "no capture backend measures the metric '%s'",
			w->capture.metric);
	if (choose_event(m, err) < 0 || cpu_plan_make(w->capture.pin, &m->cpus, err) < 0)
		return -1;
	if (m->cpus.pinned && priority_may_rise())
		cpu_plan_note(&m->cpus, "ahead of other processes");
	return 0;
}

int
measurement_build(struct measure_shared *shared, struct measurement *m, struct err *err)
{
	const double start = clock_seconds();
	char *scratch = file_join(shared->options->scratch_dir, m->workload->folder);
	int result = file_make_dirs(scratch, err);

	free(scratch);
	m->sides[MEASURE_CANDIDATE].workload = *m->workload;
	if (result < 0 || build(shared, m, MEASURE_CANDIDATE, err) < 0 ||
		check_inputs(m->workload, err) < 0)
		return -1;
	m->build_s = clock_seconds() - start;
	return 0;
}

/* Plans how often runs are executed, and how their stacks are captured. */
static void
plan_captures(const struct measure_options *options, struct measurement *m)
{
	const struct workload *w = m->workload;

	if (options->baselines && !m->base)
		session_look_back(options->baselines, m);
	repeat_plan_init(&m->repeat,
		event_is_traced(&m->event) || w->service || w->latency || w->capture.skip_s > 0 ||
				(w->unit && !w->suite->by_hand &&
					!strstr(w->unit->benchmark, "/iterations:"))
			? 1
			: w->capture.repeat,
		w->unit ? 0 : m->executions_before);
	if (m->event.own_stacks && strcmp(w->capture.callgraph, "none") != 0)
		stack_plan_init(&m->stacks, "fp", 0, NULL);
	else
		stack_plan_init(&m->stacks, w->capture.callgraph, w->capture.stack_bytes,
			m->callgraph_before);
	if (event_is_traced(&m->event))
		stack_plan_settle(&m->stacks);
}

int
measurement_prepare(struct measure_shared *shared, struct measurement *m, struct err *err)
{
	const double start = clock_seconds();

	if (m->nsides > 1)
		input_states_take(&m->inputs, m->workload);
	if (place_base(m, err) < 0 || watch_side(shared, m, MEASURE_CANDIDATE, err) < 0 ||
		(m->nsides > 1 && build_base(shared, m, err) < 0) || find_phases(m, err) < 0)
		return -1;
	m->build_s += clock_seconds() - start;
	if (check_sides(shared, m, err) < 0 || suite_select(&shared->selection, m, err) < 0)
		return -1;
	m->same_program = m->same_program || m->unreached;
	if (watch_sides_check_inputs(m, err) < 0 || check_counted(m, err) < 0)
		return -1;
	plan_captures(shared->options, m);
	return 0;
}
