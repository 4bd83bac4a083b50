#include "baseline/update.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/file_links.h"
#include "base/log.h"
#include "base/mem.h"
#include "builds/repository.h"
#include "compare/model.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "gate/judge.h"
#include "gate/stored_code.h"
#include "gate/stored_counts.h"
#include "machine/disturb.h"
#include "measurement/measurement.h"
#include "measurement/rounds.h"
#include "measurement/session.h"
#include "profile/disturbance.h"
#include "profile/quality.h"
#include "profile/weights.h"
#include "spec/workload.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The end of the output: the growth that a gate detects with the baseline on this machine, how many
 * more sessions it needs, and the commands that follow.
 */

struct update_advice {
	unsigned wanted; /* further sessions, of the baseline that lacks most */
	size_t nstored;
	const struct workload *workload; /* of the baseline that was stored first; NULL: none */
};

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

/*
 * Reads the baseline that was stored in `folder`, of the candidate's runs and those of earlier
 * sessions. Appends its session to *line ("(session 1 of 5)"), and to *power a line on the smallest
 * slowdown that a gate of as many runs detects with it. Appends nothing for counts, which have
 * neither.
 */
static void
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

/* Appends the commands that follow; nothing if nothing was stored. */
static void
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
			"changes are detectable: profile_run gate");
		if (one) {
			buf_putc(text, ' ');
			escape_shell_word(text, one->name);
		}
		buf_puts(text, " --against ");
		escape_shell_word(text, branch ? branch : "COMMIT");
		buf_putc(text, '\n');
	}
	free(branch);
}

static const char *
change_word(enum baseline_change change)
{
	switch (change) {
	case BASELINE_STORED:
		return "stored";
	case BASELINE_EXTENDED:
		return "extended";
	case BASELINE_REPLACED:
		return "replaced";
	}
	return "";
}

/*
 * Warns if git ignores a baseline: one that is not committed helps nobody else. A pattern such as
 * `app` ignores the baseline of a workload of that name, too.
 */
static void
warn_if_ignored(const char *folder)
{
	char *file = file_join(folder, "baseline.json");
	const char *const args[] = {"check-ignore", "--verbose", "--", file, NULL};
	struct err ignored = {0};
	char *line = git_line(NULL, args, &ignored);
	/* "SOURCE:LINE:PATTERN<TAB>PATH" */
	const char *tab = line ? strchr(line, '\t') : NULL;

	if (tab)
		log_warn("git ignores '%s', so that it cannot be committed: by %.*s", folder,
			(int)(tab - line), line);
	free(line);
	free(file);
}

/*
 * Appends how many runs were disturbed, and warns of them: their costs are too high, so that later
 * gates pass growth that they should not.
 */
static void
put_disturbed(const struct config *config, const struct measurement *m, struct buf *text)
{
	const struct profile *profile = &m->sides[MEASURE_CANDIDATE].profile;
	const size_t count = disturbance_count(profile, BASELINE_DISTURBED);
	struct buf cause = {0};
	struct buf command = {0};

	if (count == 0)
		return;
	buf_printf(text, ", %zu of them disturbed", count);
	disturbance_put(profile, &cause);
	config_put_update(config, " --replace --wait-quiet 10m", m->workload, &command);
	log_warn("%s: %zu of the baseline's %zu runs lost more than %.0f %% of their CPU time to "
		 "other load%s; record it again on a quieter machine: '%s' (%s)",
		m->workload->name, count, profile->nruns, 100 * BASELINE_DISTURBED,
		m->disturbed_runs > 0 ? ", also when repeated" : "", buf_text(&command),
		buf_text(&cause));
	buf_release(&command);
	buf_release(&cause);
}

static int
write_one(const struct session *session, const struct measurement *m,
	const struct taken_counts *counts, bool replace, struct update_advice *advice,
	struct buf *text, struct err *err)
{
	const struct profile *profile = &m->sides[MEASURE_CANDIDATE].profile;
	struct baseline_info info = session_info(session, m);
	char *folder = session_baseline_folder(session, m);
	enum baseline_change change = file_exists(folder) ? BASELINE_REPLACED : BASELINE_STORED;

	struct buf power = {0};

	if (counts->outcome == COUNTS_SLOW)
		snprintf(info.counts, sizeof(info.counts), "%s", BASELINE_COUNTS_SLOW);
	int result = replace ? baseline_write(folder, &info, profile, err)
			     : baseline_add(folder, &info, profile, &change, err);

	if (result == 0) {
		warn_if_ignored(folder);
		buf_printf(text, "%-20s %s with %zu runs", info.workload, change_word(change),
			profile->nruns);
		put_disturbed(session->config, m, text);
		update_advice_add(advice, session, m, folder, text, &power);
		buf_printf(text, ": %s", folder);
		result = stored_counts_write(folder, counts, m->workload->name, text, err);
		if (result == 0)
			result = stored_code_write(
				folder, NULL, profile, info.program_hash, info.commit, err);
		buf_printf(text, "\n%s", buf_text(&power));
	}
	buf_release(&power);
	free(folder);
	return result;
}

/* Why these runs may not become a baseline; NULL: they may. */
static const char *
refuse_runs(const struct measurement *m, char (*text)[2 * QUALITY_TEXT_MAX])
{
	if (m->error)
		return m->error;
	const struct quality_tally tally = quality_count_poor(&m->sides[MEASURE_CANDIDATE].profile);

	/* Runs that a gate would reject as unusable are no baseline. */
	if (!quality_rejects(&tally))
		return NULL;
	snprintf(*text, sizeof(*text), "%zu of %zu runs are unusable, the first because %s%s",
		tally.npoor, tally.nruns, tally.first, tally.remedy);
	return *text;
}

/* Writes all baselines. 1: some workload was not stored. */
static int
write_all(const struct session *session, const struct measurement *measurements, size_t n,
	const struct taken_counts *counts, bool replace, struct buf *text, struct err *err)
{
	struct update_advice advice = {0};
	int result = 0;

	for (size_t i = 0; i < n; i++) {
		const struct measurement *m = &measurements[i];
		char why_text[2 * QUALITY_TEXT_MAX];
		const char *why = refuse_runs(m, &why_text);

		if (why) {
			buf_printf(text, "%-20s not stored: %s\n", m->workload->name, why);
			result = 1;
		} else if (write_one(session, m, &counts[i], replace, &advice, text, err) < 0) {
			return -1;
		}
	}
	update_advice_put(&advice, session, text);
	return result;
}

/* Warns of a changed working tree: its program cannot be built again elsewhere. */
static void
warn_of_changes(struct session *session)
{
	char *changed = NULL;

	session_find_changes(session, &changed);
	if (changed)
		log_warn(
			"'%s' is not as in commit %.12s: machines of another class cannot build what this "
			"baseline is of; commit first, then record it",
			changed, session->commit);
	free(changed);
}

/* Makes the store, and checks that it can be written to before minutes are spent on measuring. */
static int
make_store(const char *dir, struct err *err)
{
	int result = file_make_output_folder(dir, err);

	if (result == 0 && access(dir, W_OK | X_OK) < 0)
		result = err_set_errno(err, ERR_SYSTEM, errno, "cannot write to '%s'", dir);
	if (result == 0 && file_dir_try(dir, err) < 0)
		result = err_note(err, "so no baseline could be replaced in '%s'", dir);
	return result == 0 ? 0 : err_note(err, "choose another folder with '--baselines DIR'");
}

/* Counts the instructions of all workloads, while these are still set up. */
static int
count_all(const struct session *session, const struct measurement *measurements, size_t n,
	bool replace, const char *scratch_dir, struct taken_counts *counts, struct err *err)
{
	int result = 0;

	for (size_t i = 0; i < n && result == 0; i++) {
		char *folder = session_baseline_folder(session, &measurements[i]);
		const struct counts_request request = {
			.session = session,
			.m = &measurements[i],
			.side = MEASURE_CANDIDATE,
			.folder = replace ? NULL : folder,
			.scratch_dir = scratch_dir,
		};

		result = stored_counts_take(&request, &counts[i], err);
		free(folder);
	}
	return result;
}

/*
 * Takes the runs, beginning when the machine is quiet or the wait is over, and counts instructions.
 */
static int
measure_quietly(const struct session *session, struct measurement *measurements,
	const struct gate_options *options, bool replace, const struct measure_options *measure,
	struct taken_counts *counts, struct err *err)
{
	struct rounds *rounds = rounds_begin(measurements, options->workloads, measure, err);
	int result = rounds ? quiet_wait(options->wait_quiet_s, err) : -1;

	if (result == 0)
		result = rounds_take(rounds, COMPARISON_SCREEN, err);
	if (result == 0)
		result = count_all(session, measurements, options->workloads->nworkloads, replace,
			measure->scratch_dir, counts, err);
	rounds_end(rounds);
	return result;
}

int
update_begin(const struct gate_options *options, struct session *session, char **scratch,
	struct err *err)
{
	if (session_begin(session, options->config, err) < 0 ||
		make_store(options->config->baselines_dir, err) < 0)
		return -1;
	return file_dir_scratch(scratch, err);
}

int
update_baselines(const struct gate_options *options, bool replace, int *exit_code, struct buf *text,
	struct err *err)
{
	const size_t n = options->workloads->nworkloads;
	struct measurement *measurements = mem_zalloc(n, sizeof(*measurements));
	struct taken_counts *counts = mem_zalloc(n, sizeof(*counts));
	struct session session;
	char *scratch = NULL;
	int result = -1;

	*exit_code = 0;
	if (update_begin(options, &session, &scratch, err) < 0)
		goto out_free;
	warn_of_changes(&session);
	struct measure_options measure = {
		.scratch_dir = scratch,
		/*
		 * Sessions of one baseline are captured alike; a new baseline is captured in the
		 * best way.
		 */
		.baselines = replace ? NULL : &session,
		.repeat_disturbed = BASELINE_DISTURBED,
	};

	result = measure_quietly(&session, measurements, options, replace, &measure, counts, err);
	if (result == 0)
		result = write_all(&session, measurements, n, counts, replace, text, err);
	if (result > 0)
		*exit_code = 2;
	file_dir_abandon(scratch);
	for (size_t i = 0; i < n; i++)
		measurement_release(&measurements[i]);
	for (size_t i = 0; i < n; i++)
		taken_counts_release(&counts[i]);
out_free:
	free(counts);
	free(measurements);
	return result < 0 ? -1 : 0;
}
