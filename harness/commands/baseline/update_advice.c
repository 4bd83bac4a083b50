#include "baseline/update_advice.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/escape.h"
#include "builds/repository.h"
#include "compare/model.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "gate/judge.h"
#include "measurement/measurement.h"
#include "measurement/session.h"
#include "profile/weights.h"
#include "spec/workload.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The width of a function's name in a line of about 100 columns. */
#define NAME_COLUMNS 32

/* The finding of this rule with the smallest detectable growth; NULL: none was tested. */
static const struct finding *
find_most_sensitive(const struct verdict *verdict, enum finding_rule rule)
{
	const struct finding *best = NULL;

	for (size_t i = 0; i < verdict->nfindings; i++) {
		const struct finding *finding = &verdict->findings[i];

		if (finding->rule == rule && finding->effect.tested &&
			isfinite(finding->effect.detectable) &&
			(!best || finding->effect.detectable < best->effect.detectable))
			best = finding;
	}
	return best;
}

/*
 * The number of functions that were tested; *sensitive: those with a detectable growth at the
 * threshold.
 */
static size_t
count_functions(const struct verdict *verdict, size_t *sensitive)
{
	size_t count = 0;

	*sensitive = 0;
	for (size_t i = 0; i < verdict->nfindings; i++) {
		const struct finding *finding = &verdict->findings[i];

		if (finding->rule != FINDING_FUNCTIONS || !finding->effect.tested)
			continue;
		count++;
		*sensitive += finding->effect.detectable <= finding->asked;
	}
	return count;
}

/* Appends "  detectable here: whole program from +1.2 %, functions from +3.4 % (...)". */
static void
put_power(const struct verdict *verdict, struct buf *out)
{
	const struct finding *total = find_most_sensitive(verdict, FINDING_TOTAL);
	const struct finding *function = find_most_sensitive(verdict, FINDING_FUNCTIONS);
	size_t sensitive;
	const size_t count = count_functions(verdict, &sensitive);

	if (!total && !function)
		return;
	buf_puts(out, "  detectable here: ");
	if (total) {
		buf_puts(out, "whole program from +");
		format_percent(out, total->effect.detectable);
	}
	if (function) {
		buf_printf(out, "%sfunctions from +", total ? ", " : "");
		format_percent(out, function->effect.detectable);
		buf_puts(out, " (");
		name_fit(out, function->subject, strlen(function->subject), NAME_COLUMNS);
		buf_printf(out, "); %zu of ", sensitive);
		format_plural(out, count, "function", "functions");
		buf_puts(out, sensitive == 1 ? " at its threshold" : " at their thresholds");
	}
	buf_putc(out, '\n');
}

/* Judges the runs that were just taken by the baseline that they are in, as a gate would. */
static void
judge_own_runs(const struct session *session, const struct measurement *m,
	const struct baseline *baseline, struct judgement *judgement, struct gate_policy *policy)
{
	const struct measured_side *side = &m->sides[MEASURE_CANDIDATE];
	enum status ignored;

	*policy = gate_policy_resolve(&m->workload->gate, &m->workload->overlays, GATE_STORED,
		m->event.counts_all, session->branch);
	policy->confirm = false;
	*judgement = (struct judgement){
		.input = {.workload = m->workload,
			.policy = policy,
			.mode = GATE_STORED,
			.now = session->started,
			.candidate = &side->profile,
			.before = &baseline->profile,
			.before_info = &baseline->info,
			.machine_class = baseline->info.machine_class,
			.program_hash = side->program_hash,
			.program = PROGRAM_DIFFERS},
	};
	judge_gate(&judgement, 1, &ignored);
}

void
update_advice_add(struct update_advice *advice, const struct session *session,
	const struct measurement *m, const char *folder, struct buf *line, struct buf *power)
{
	struct err ignored = {0};
	struct baseline baseline;
	struct judgement judgement;
	struct gate_policy policy;
	bool found;

	if (advice->nstored++ == 0)
		advice->workload = m->workload;
	if (weights_are_counted(&m->sides[MEASURE_CANDIDATE].profile) ||
		baseline_read(&baseline, folder, &found, &ignored) < 0 || !found)
		return;
	const unsigned nsessions = baseline.info.nsessions;

	if (nsessions < MODEL_MIN_SESSIONS) {
		const unsigned more = MODEL_MIN_SESSIONS - nsessions;

		advice->wanted = more > advice->wanted ? more : advice->wanted;
		buf_printf(line, " (session %u of %u)", nsessions, MODEL_MIN_SESSIONS);
	}
	judge_own_runs(session, m, &baseline, &judgement, &policy);
	put_power(&judgement.verdict, power);
	judgement_release(&judgement);
	baseline_release(&baseline);
}

/* Appends how many more sessions are wanted, and where to record them. */
static void
put_wanted(const struct update_advice *advice, const struct session *session,
	const struct workload *one, const char *main_branch, struct buf *text)
{
	if (advice->wanted == 0)
		return;
	buf_printf(text, "%u more session%s wanted, on other days, on %s%s: ", advice->wanted,
		advice->wanted == 1 ? " is" : "s are", main_branch ? "branch " : "the main branch",
		main_branch ? main_branch : "");
	config_put_update(session->config, "", one, text);
	buf_printf(text,
		"\nFrom %u on, the gate uses the baseline's own spread between sessions; until then it "
		"assumes one.\n",
		MODEL_MIN_SESSIONS);
}

void
update_advice_put(
	const struct update_advice *advice, const struct session *session, struct buf *text)
{
	char *branch = repository_default_branch();
	const char *main_branch = branch ? repository_local_name(branch) : NULL;
	const struct workload *one = advice->nstored == 1 ? advice->workload : NULL;

	if (advice->nstored > 0) {
		put_wanted(advice, session, one, main_branch, text);
		if (main_branch && session->branch[0] && strcmp(session->branch, main_branch) != 0)
			buf_printf(text,
				"This is branch %s: a baseline is of use to others on %s.\n",
				session->branch, main_branch);
		buf_printf(text,
			"A pull request needs no baseline; with both builds measured here, smaller "
			"changes are detectable: profile_run gate%s%s --against ",
			one ? " " : "", one ? one->name : "");
		escape_shell_word(text, branch ? branch : "COMMIT");
		buf_putc(text, '\n');
	}
	free(branch);
}
