#include "gate/gate_plan.h"

#include "base/mem.h"
#include "builds/identity.h"
#include "format/figures.h"
#include "gate/count_time.h"
#include "gate/counted_instructions.h"
#include "gate/gate_planner.h"
#include "gate/plan_base.h"
#include "gate/stored_counts.h"
#include "measurement/measurement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char no_baseline[] = "there is no baseline of this class of machines";

/*
 * The wall seconds of the planned runs of `sides` builds, by the runs of a baseline; NAN: not
 * known.
 */
static double
estimate_runs(const struct profile *before, const struct measurement *m, unsigned sides)
{
	const unsigned warm_ups = m->event.counts_all ? 0 : m->workload->capture.warmup;
	double wall_ns = 0;

	for (size_t i = 0; i < before->nruns; i++)
		wall_ns += (double)before->runs[i].wall_ns;
	return before->nruns > 0 && wall_ns > 0
		       ? wall_ns / (double)before->nruns * 1e-9 * sides *
				 (m->runs.wanted[COMPARISON_SCREEN] + warm_ups)
		       : NAN;
}

/* Whether the policy has limits, which judge even a workload that is compared with nothing. */
static bool
has_limits(const struct gate_policy *policy)
{
	bool has = false;

	for (size_t i = 0; i < policy->nrules; i++) {
		const struct gate_rule_spec *rule = &policy->rules[i];

		has = has || (!isnan(rule->max_share) && strcmp(rule->pattern, "[unknown]") != 0) ||
		      rule->max_cost > 0 || (rule->kind == RULE_CALL && rule->max_cost >= 0);
	}
	for (size_t i = 0; i < policy->ncounters; i++)
		has = has || !isnan(policy->counters[i].max);
	return has;
}

/* Why a baseline of this class of machines cannot fail anything; NULL: it can. */
static const char *
why_weak(const struct gate_workload *w, const struct gate_policy *policy)
{
	const struct measurement *m = w->measurement;
	const struct baseline_info *info = &w->baseline.info;

	if (policy->changed_workload == POLICY_WARN && info->workload_hash[0] &&
		strcmp(info->workload_hash, m->workload->hash) != 0)
		return "the workload has changed since its baseline was recorded";
	if (strcmp(info->event, m->event.name) != 0)
		return "the baseline was sampled with another event";
	return NULL;
}

static void
drop_baseline(struct gate_workload *w)
{
	if (w->has_baseline)
		baseline_release(&w->baseline);
	w->has_baseline = false;
}

/*
 * Describes the baseline: "baseline of 2026-11-20, commit 2eac919b967b".
 */
static const char *
describe_stored(struct gate_planner *planner, const struct gate_workload *w)
{
	const struct baseline_info *info = &w->baseline.info;
	struct buf created = {0};

	format_time(&created, info->created);
	const char *text = arena_printf(&planner->arena, "baseline of %.10s%s%.12s",
		buf_text(&created), info->commit[0] ? ", commit " : "", info->commit);

	buf_release(&created);
	return text;
}

static void
plan_stored(struct gate_planner *planner, struct gate_workload *w)
{
	const struct measurement *m = w->measurement;
	const struct baseline_info *info = &w->baseline.info;

	w->plan.kind = m->event.counts_all ? PLAN_COUNTS : PLAN_STORED;
	w->plan.reason = describe_stored(planner, w);
	w->plan.commit = info->commit;
	w->plan.machine_class = info->machine_class;
	w->plan.seconds = estimate_runs(&w->baseline.profile, m, 1);
	w->base_refused = plan_base_refuse(planner, info, m->workload);
	if (!w->base_refused)
		memcpy(w->base_commit, info->commit, sizeof(w->base_commit));
}

static bool
is_unchanged_head(struct gate_planner *planner)
{
	if (!planner->head_is_known) {
		planner->head_is_known = true;
		planner->head_is_unchanged = identity_is_checked_out(planner->head);
	}
	return planner->head_is_unchanged;
}

/* The plan to measure nothing, since the program is the baseline's. */
static void
plan_same(struct gate_workload *w, const char *reason)
{
	w->plan.kind = PLAN_SAME;
	w->plan.reason = reason;
	w->plan.count_seconds = 0;
	w->plan.count_limit_s = 0;
	w->measurement->same_program = true;
	w->measurement->left_out = true;
}

/*
 * The plan to compare with a build of another commit. `why` says why no baseline can be used.
 * False: no commit can be built.
 */
static bool
plan_rebuilt(struct gate_planner *planner, struct gate_workload *w, const char *why,
	struct plan_base *base)
{
	plan_base_find(planner, w, why, base);
	if (base->commit[0] == '\0')
		return false;
	if (!planner->measure_anyway && strcmp(base->commit, planner->head) == 0 &&
		is_unchanged_head(planner)) {
		plan_same(w, "HEAD is the commit of the baseline, and no file is changed");
		w->plan.machine_class = base->machine_class;
		return true;
	}
	memcpy(w->base_commit, base->commit, sizeof(w->base_commit));
	w->plan.kind = PLAN_REBUILT;
	w->plan.reason = base->text;
	w->plan.commit = w->base_commit;
	w->plan.machine_class = base->machine_class;
	w->plan.seconds = base->has_baseline
				  ? estimate_runs(&base->baseline.profile, w->measurement, 2)
				  : NAN;
	return true;
}

static void
plan_no_baseline(struct gate_planner *planner, struct gate_workload *w,
	const struct gate_policy *policy, const struct plan_base *base)
{
	const char *name = w->measurement->workload->name;

	w->plan.reason = base->text;
	w->plan.machine_class = base->machine_class;
	if (has_limits(policy)) {
		w->plan.kind = PLAN_LIMITS;
		return;
	}
	w->plan.kind = PLAN_NOT_JUDGED;
	const size_t first = base->judges_changes;

	w->plan.remedies[first] = w->judgement.input.update_command;
	w->plan.remedies[1 - first] =
		base->remedy ? base->remedy : gate_command(planner, name, "--measure-anyway");
	w->not_judged = arena_printf(&planner->arena, "Not judged: %s. Run '%s' or '%s'.",
		base->text, w->plan.remedies[0], w->plan.remedies[1]);
}

/*
 * The plan to judge by the counts that are stored beside a baseline of whatever class: from now on
 * the metric of the workload is instructions. `why` says why nothing better is possible. False:
 * there are no such counts.
 */
static bool
plan_counts(struct gate_planner *planner, struct gate_workload *w, const char *why)
{
	struct measurement *m = w->measurement;
	const double seconds = count_time_estimate(planner->stored, m->workload);
	struct counted_workload *counted = mem_zalloc(1, sizeof(*counted));
	struct err ignored = {0};

	if (!count_instead_may(m->workload) ||
		counted_workload_init(counted, planner->session, m->workload, &ignored) < 0) {
		free(counted);
		return false;
	}
	if (!stored_counts_find(planner->stored, counted, &w->baseline)) {
		counted_workload_release(counted);
		free(counted);
		return false;
	}
	w->counted_as = counted;
	w->has_baseline = true;
	m->workload = &counted->workload;
	m->backend = counted->measurement.backend;
	m->event = counted->measurement.event;
	m->cpus = counted->measurement.cpus;
	m->by_file = true;
	/* Counts repeat: a second run is taken only to confirm that one has grown. */
	m->runs = (struct run_plan){.wanted = {1}, .most = m->workload->capture.max_runs};
	plan_stored(planner, w);
	if (seconds > 0)
		w->plan.seconds = seconds;
	w->plan.reason = arena_printf(&planner->arena,
		"%s; its instructions are compared with the %s", why, w->plan.reason);
	return true;
}

/*
 * Plans a workload without a usable baseline of this class. `why` says why its baseline is of no
 * use; NULL: there is none.
 */
static void
plan_fallback(struct gate_planner *planner, struct gate_workload *w,
	const struct gate_policy *policy, const char *why)
{
	const struct workload *workload = w->measurement->workload;
	const enum gate_fallback fallback = workload->overlays.stored.fallback;
	struct plan_base base;
	bool planned = false;

	drop_baseline(w);
	plan_base_init(&base);
	if (fallback == FALLBACK_COUNTS_REBUILD)
		planned = plan_counts(planner, w, why ? why : no_baseline);
	if (!planned && fallback_rebuilds(fallback))
		planned = plan_rebuilt(planner, w, why, &base);
	else if (!planned)
		base.text = why ? why
				: arena_printf(&planner->arena,
					  "%s, and 'gate.stored.fallback' rules out to build one",
					  no_baseline);
	if (!planned && fallback_counts(fallback) && fallback != FALLBACK_COUNTS_REBUILD)
		planned = plan_counts(planner, w, base.text);
	if (planned && w->plan.kind == PLAN_COUNTS)
		w->plan.remedies[0] = base.remedy;
	if (!planned)
		plan_no_baseline(planner, w, policy, &base);
	plan_base_release(&base);
}

/*
 * The seconds that counting takes: of both builds, or of the candidate where stored counts judge.
 */
static double
estimate_counting(const struct gate_planner *planner, const struct gate_workload *w)
{
	const struct workload *workload = w->measurement->workload;

	switch (w->plan.kind) {
	case PLAN_COUNTS:
		return w->plan.seconds;
	case PLAN_STORED:
	case PLAN_REBUILT:
	case PLAN_PAIRED:
		break;
	case PLAN_NONE:
	case PLAN_SAME:
	case PLAN_LIMITS:
	case PLAN_NOT_JUDGED:
	case PLAN_UNREACHED:
	case PLAN_KINDS:
		return 0;
	}
	if (!count_beside_may(workload))
		return 0;
	const double seconds = MEASURE_SIDES * count_time_estimate(planner->stored, workload);

	return seconds > 0 ? seconds : 0;
}

static const char *
update_command(struct gate_planner *planner, const struct workload *workload)
{
	struct buf text = {0};

	config_put_update(planner->session->config, "", workload, &text);
	const char *command = arena_strdup(&planner->arena, buf_text(&text));

	buf_release(&text);
	return command;
}

/*
 * Reads the workload's baseline from another class of machines, if there is none of this one: the
 * first by name that was taken with the same event.
 */
static int
read_from_other_class(struct gate_workload *w, const struct baseline_list *list, struct err *err)
{
	const struct measurement *m = w->measurement;

	for (size_t e = 0; e < list->nentries && !w->has_baseline; e++) {
		const struct baseline_entry *entry = &list->entries[e];

		if (strcmp(entry->workload, m->workload->stored_name) != 0 ||
			strcmp(entry->metric, m->workload->capture.metric) != 0)
			continue;
		if (baseline_read(&w->baseline, entry->folder, &w->has_baseline, err) < 0)
			return -1;
		if (w->has_baseline && strcmp(w->baseline.info.event, m->event.name) != 0) {
			baseline_release(&w->baseline);
			w->has_baseline = false;
		}
	}
	w->judgement.input.baseline_is_of_other_machine = w->has_baseline;
	return 0;
}

/*
 * Reads the stored baseline of this class of machines or, with `any_class`, else one of another
 * class.
 */
static int
find_baseline(struct gate_workload *w, const struct session *session,
	const struct baseline_list *list, bool any_class, struct err *err)
{
	char *folder = session_baseline_folder(session, w->measurement);
	int result = baseline_read(&w->baseline, folder, &w->has_baseline, err);

	free(folder);
	if (result == 0 && !w->has_baseline && any_class)
		result = read_from_other_class(w, list, err);
	return result;
}

static int
make_plan(struct gate_planner *planner, struct gate_workload *w, struct err *err)
{
	struct measurement *m = w->measurement;
	const struct gate_policy policy = gate_policy_resolve(&m->workload->gate,
		&m->workload->overlays, GATE_STORED, m->event.counts_all, planner->branch);

	w->plan.seconds = NAN;
	/* With --plan nothing is built. */
	if (m->workload->suite && !m->workload->unit) {
		w->plan.kind = planner->base ? PLAN_PAIRED : PLAN_NONE;
		w->plan.reason =
			"suite: benchmarks are listed after the build, and planned one by one";
		return 0;
	}
	if (planner->base) {
		w->plan.kind = PLAN_PAIRED;
		w->plan.reason =
			arena_printf(&planner->arena, "interleaved with %s", planner->base->name);
		w->plan.commit = planner->base->commit;
		return 0;
	}
	w->judgement.input.update_command = update_command(planner, m->workload);
	if (find_baseline(w, planner->session, planner->stored, policy.other_machine == POLICY_PASS,
		    err) < 0)
		return err_note(err, "to record it again: '%s'", w->judgement.input.update_command);
	const char *why = w->has_baseline ? why_weak(w, &policy) : NULL;

	if (w->has_baseline && !why)
		plan_stored(planner, w);
	else
		plan_fallback(planner, w, &policy, why);
	if (w->plan.kind == PLAN_NOT_JUDGED)
		m->left_out = !planner->measure_anyway;
	if (w->plan.kind == PLAN_NOT_JUDGED || w->plan.kind == PLAN_LIMITS)
		w->plan.seconds = NAN;
	/* With --measure-anyway it gets one run, for its picture. */
	if (w->plan.kind == PLAN_NOT_JUDGED)
		m->runs = (struct run_plan){.wanted = {1}, .most = 1};
	return 0;
}

int
gate_plan_make(struct gate_planner *planner, struct gate_workload *w, struct err *err)
{
	w->count_factor = count_time_factor_of(planner->stored, w->measurement->workload);
	const int result = make_plan(planner, w, err);

	w->plan.count_seconds = result == 0 ? estimate_counting(planner, w) : 0;
	w->plan.count_limit_s = w->plan.count_seconds > 0 ? counted_instructions_limit_s(
								    w->measurement->workload, NULL)
							  : 0;
	return result;
}

bool
gate_plan_may_be_same(const struct gate_planner *planner, const struct gate_workload *w)
{
	return !planner->measure_anyway && w->has_baseline &&
	       (w->plan.kind == PLAN_STORED || w->plan.kind == PLAN_COUNTS) &&
	       w->baseline.info.commit[0] && strcmp(w->baseline.info.working_tree, "clean") == 0 &&
	       strcmp(w->baseline.info.workload_hash, w->measurement->workload->hash) == 0;
}

void
gate_plan_find_same(struct gate_planner *planner, struct gate_workload *w)
{
	struct measurement *m = w->measurement;
	const struct baseline_info *info = &w->baseline.info;

	if (m->error || !gate_plan_may_be_same(planner, w) ||
		!identity_is_unchanged(m->workload, &w->baseline.profile, info->commit,
			info->data_digest, &m->sides[MEASURE_CANDIDATE].profile))
		return;
	plan_same(w, arena_printf(&planner->arena, "all files that run are those of the %s",
			     describe_stored(planner, w)));
}
