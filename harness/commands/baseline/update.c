#include "baseline/update.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/file_links.h"
#include "base/log.h"
#include "base/mem.h"
#include "baseline/update_advice.h"
#include "gate/stored_code.h"
#include "gate/stored_counts.h"
#include "machine/disturb.h"
#include "measurement/measurement.h"
#include "measurement/rounds.h"
#include "measurement/session.h"
#include "profile/disturbance.h"
#include "profile/quality.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
