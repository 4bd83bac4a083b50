#include "gate/gate_workload.h"

#include "base/log.h"
#include "builds/identity.h"
#include "builds/program.h"
#include "gate/code_changes.h"
#include "gate/count_scope.h"
#include "gate/counted_instructions.h"
#include "gate/inlined_calls.h"
#include "gate/module_pairs.h"
#include "gate/source_changes.h"
#include "measurement/measurement.h"

#include <stdlib.h>
#include <string.h>

/* If a larger part of the instructions is not compared, the report says so. */
#define MOST_LEFT_OUT 0.5

static void
drop_evidence(struct gate_workload *w)
{
	free(w->code.by_frame);
	free(w->code.source);
	free(w->code.definition);
	w->code = (struct code_states){0};
	instruction_counts_release(&w->counts);
}

static void
drop_kept(struct gate_workload *w)
{
	for (size_t side = 0; side < MEASURE_SIDES && w->has_kept; side++)
		profile_release(&w->kept[side]);
	w->has_kept = false;
}

void
gate_workload_release(struct gate_workload *w)
{
	judgement_release(&w->judgement);
	drop_evidence(w);
	module_pairs_free(w->pairs);
	source_changes_free(w->source);
	counted_instructions_free(w->instructions);
	free(w->stale_files);
	if (w->has_baseline)
		baseline_release(&w->baseline);
	free(w->orphans);
	drop_kept(w);
	if (w->has_stored_counts)
		baseline_release(&w->stored_counts);
	if (w->counted_as)
		counted_workload_release(w->counted_as);
	free(w->counted_as);
}

/* Makes the build of the base the side before. */
static void
describe_base(struct gate_workload *w)
{
	const struct measured_side *side = &w->measurement->sides[MEASURE_BASE];

	memcpy(w->info.program_hash, side->program_hash, sizeof(w->info.program_hash));
	memcpy(w->info.commit, w->measurement->base->commit, sizeof(w->info.commit));
	w->judgement.input.before = &side->profile;
	w->judgement.input.before_info = &w->info;
}

/* Whether input data differ from the commit of the side before, if that is known; checked once. */
static bool
data_differs(struct gate_workload *w)
{
	const struct baseline_info *info = w->judgement.input.before_info;
	char *path = NULL;

	if (w->data == DATA_UNKNOWN)
		w->data = info && info->commit[0] &&
					  identity_find_changed_data(info->commit, &path) > 0
				  ? DATA_DIFFERS
				  : DATA_SAME;
	free(path);
	return w->data == DATA_DIFFERS;
}

/* The changed files that the build did not compile, so that the same program ran; checked once. */
static const char *
stale_files(struct gate_workload *w, const char *commit)
{
	const struct measurement *m = w->measurement;

	if (!w->stale_checked && commit && commit[0]) {
		w->stale_files = stale_build_files(m->workload, commit);
		w->stale_checked = true;
		if (w->stale_files)
			log_warn("%s: build did not change the program although these files "
				 "changed: %s",
				m->workload->name, w->stale_files);
	}
	return w->stale_files;
}

/* Describes what decided the findings that the first stage flagged. */
static const char *
describe_flagged(struct gate_workload *w)
{
	struct measurement *m = w->measurement;

	if (w->first_stage && m->same_program)
		return arena_printf(&m->arena,
			"%s; its commit %.12s, built here, is the same program", w->flagged,
			w->base_commit);
	if (w->first_stage)
		return arena_printf(&m->arena,
			"%s; decided by %u pairs with its commit %.12s, built here", w->flagged,
			m->runs.taken[COMPARISON_SCREEN] + m->runs.taken[COMPARISON_CONFIRM],
			w->base_commit);
	if (!w->base_refused)
		return arena_printf(&m->arena, "%s; %s", w->flagged,
			"decided by instructions, compared with those stored beside the baseline, "
			"in less time than pairs take");
	return arena_printf(&m->arena, "%s; pairs could not decide it: %s; %s", w->flagged,
		w->base_refused,
		w->instructions ? "instructions are compared with those stored beside the baseline"
		: w->has_stored_counts
			? "its instructions, which are stored, were not counted here"
			: arena_printf(&m->arena,
				  "nor instructions: none that compare are stored with it ('%s' counts "
				  "them where valgrind is installed)",
				  w->judgement.input.update_command));
}

/* Limits both sides to the code whose counts are comparable between machines, and notes that. */
static void
keep_comparable(struct gate_workload *w)
{
	struct gate_input *input = &w->judgement.input;
	struct arena *arena = &w->measurement->arena;
	struct buf note = {0};

	input->base_note = arena_printf(arena,
		"%s. Instructions are judged, not time: cache misses, waiting and the kernel's work "
		"do not show",
		w->plan.reason);
	if (!input->candidate || !input->before)
		return;
	const double left_out = count_scope_select(input->before, input->candidate,
		&w->kept[MEASURE_BASE], &w->kept[MEASURE_CANDIDATE], &note);

	w->has_kept = true;
	input->before = &w->kept[MEASURE_BASE];
	input->candidate = &w->kept[MEASURE_CANDIDATE];
	if (note.len > 0)
		input->base_note = arena_printf(arena, "%s. %s", input->base_note, buf_text(&note));
	buf_release(&note);
	if (left_out > MOST_LEFT_OUT && !input->base_problem) {
		input->base_subject = "stored counts";
		input->base_problem =
			"Most instructions are in files that are not judged: that nothing else grew "
			"says little.";
	}
}

/* Sets the input of judging that follows from the plan. */
static void
describe_plan(struct gate_workload *w)
{
	struct gate_input *input = &w->judgement.input;

	input->not_judged = w->not_judged;
	/*
	 * A policy that fails without a baseline of this machine class fails without judging, too.
	 */
	if (w->not_judged && w->plan.machine_class && w->policy.other_machine == POLICY_FAIL)
		w->policy.missing_baseline = POLICY_FAIL;
	input->base_note =
		w->plan.kind == PLAN_REBUILT || w->plan.kind == PLAN_SAME ? w->plan.reason : NULL;
	if (w->flagged)
		input->base_note = describe_flagged(w);
}

void
gate_workload_set_input(struct gate_workload *w, const struct session *session, const char *branch)
{
	const struct measurement *m = w->measurement;
	const struct build_side *base = m->base;
	enum gate_mode mode = base ? GATE_PAIRED : GATE_STORED;
	const struct measured_side *candidate = &m->sides[MEASURE_CANDIDATE];
	struct gate_input *input = &w->judgement.input;

	judgement_release(&w->judgement);
	drop_evidence(w);
	drop_kept(w);
	input->code = NULL;
	input->instructions = NULL;
	w->info = session_info(session, m);
	w->policy = gate_policy_resolve(
		&m->workload->gate, &m->workload->overlays, mode, m->event.counts_all, branch);
	input->workload = m->workload;
	input->policy = &w->policy;
	input->mode = mode;
	input->now = session->started;
	input->candidate = candidate->profile.nruns > 0 ? &candidate->profile : NULL;
	if (base && !m->same_program && m->nsides > 1)
		describe_base(w);
	else if (w->has_baseline && !m->same_program) {
		input->before = &w->baseline.profile;
		input->before_info = &w->baseline.info;
	}
	input->stored_counts = w->has_stored_counts;
	input->against = base ? base->name : NULL;
	input->may_confirm = !m->base_problem && !w->not_judged;
	input->base_subject = m->base_subject;
	input->base_problem = m->base_problem;
	input->base_is_new = m->base_is_new;
	input->base_is_candidate = w->base_is_candidate;
	input->screen = w->first_stage ? w->screen : (struct screen){0};
	input->error = m->error;
	describe_plan(w);
	if (w->plan.kind == PLAN_COUNTS && w->counted_as)
		keep_comparable(w);
	input->skipped = m->skipped;
	input->changed_keys = m->workload->changed;
	input->machine_class = w->info.machine_class;
	input->program_hash = candidate->program_hash;
	input->not_measured = m->same_program;
	input->unreached = m->unreached;
	input->stale_files = m->stale_files;
	input->changed_input = m->changed_input;
	input->files_note = m->files_note;
	input->orphans = w->orphans;
	if (m->same_program)
		input->program = m->unreached ? PROGRAM_DIFFERS : PROGRAM_SAME;
	else if (input->before)
		input->program = same_program(input->before, &candidate->profile);
	if (w->plan.kind == PLAN_SAME)
		input->stale_files = stale_files(w, w->plan.commit);
	else if (input->program == PROGRAM_SAME && !m->same_program)
		input->stale_files = stale_files(w, input->before_info->commit);
	/* The same program may have read other data, which its command does not name. */
	if (input->program == PROGRAM_SAME && !m->same_program && data_differs(w))
		input->program = PROGRAM_UNKNOWN;
}

/* The program files of the two builds, or of the candidate and the stored baseline; read once. */
static struct module_pairs *
open_pairs(struct gate_workload *w, const struct session *session)
{
	struct measurement *m = w->measurement;

	if (m->base)
		return module_pairs_new(m, m->base);
	if (w->plan.kind != PLAN_STORED || w->counted_as || !w->has_baseline || w->code_missing)
		return NULL;
	char *folder = session_baseline_folder(session, m);
	struct module_pairs *pairs = module_pairs_stored(m, &w->baseline, folder);

	free(folder);
	w->code_missing = !pairs;
	return pairs;
}

/* Whether all files that runs may read are known to be as in the commit of the side before. */
static bool
data_is_known(const struct gate_workload *w)
{
	const struct baseline_info *info = w->judgement.input.before_info;
	char *path = NULL;
	const bool known =
		info && info->commit[0] && identity_find_changed_data(info->commit, &path) == 0;

	free(path);
	return known;
}

/* Finds the functions whose source changed since the commit of the side before. */
static void
read_source_changes(struct gate_workload *w, const struct session *session)
{
	const struct measurement *m = w->measurement;
	const struct baseline_info *info = w->judgement.input.before_info;
	const char *commit = m->base && m->base->commit[0] ? m->base->commit
			     : info                        ? info->commit
							   : "";

	if (strcmp(w->source_base, commit) != 0) {
		source_changes_free(w->source);
		w->source = source_changes_new(commit, session->commit);
		memcpy(w->source_base, commit, strlen(commit) + 1);
	}
	if (!w->source)
		return;
	struct inlined_calls calls;

	source_changes_find(w->source, &m->sides[MEASURE_CANDIDATE].profile,
		&w->judgement.comparison, &w->code);
	inlined_calls_read(&calls, w->pairs, &w->judgement.comparison, &w->code);
	source_changes_find_inlined(w->source, &calls, &w->judgement.comparison, &w->code);
	inlined_calls_release(&calls);
}

void
gate_workload_read_code(struct gate_workload *w, const struct session *session)
{
	/* The pairs that the first stage has opened are of other sides. */
	if (w->pairs && w->pairs->base != w->measurement->base) {
		module_pairs_free(w->pairs);
		w->pairs = NULL;
	}
	if (!w->pairs)
		w->pairs = open_pairs(w, session);
	if (!w->pairs)
		return;
	code_changes_read(w->pairs, &w->judgement.comparison, &w->code);
	read_source_changes(w, session);
	if (!w->measurement->base && !data_is_known(w))
		w->code.by_frame[0] = CODE_CHANGED;
	w->judgement.input.code = &w->code;
}

double
gate_workload_count_seconds(const struct gate_workload *w)
{
	const unsigned executions = w->measurement->repeat.executions;

	return w->count_factor * measurement_run_seconds(w->measurement) /
	       (executions > 0 ? executions : 1);
}

void
gate_workload_use_counts(struct gate_workload *w)
{
	if (!w->instructions)
		return;
	counted_instructions_by_frame(w->instructions, &w->judgement.comparison, &w->counts);
	w->judgement.input.instructions = &w->counts;
}
