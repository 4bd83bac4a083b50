#include "gate/stored_counts.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "builds/identity.h"
#include "gate/count_time.h"
#include "gate/counted_run.h"
#include "measurement/measurement.h"
#include "measurement/watch_sides.h"
#include "profile/counters.h"
#include "profile/files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The seconds that a counted run may take where the user sets no limit. */
#define COUNT_LIMIT_S 60
/*
 * If the first run took less CPU time than this, there is a second, which shows whether counts are
 * exact.
 */
#define COUNT_TWICE_S 5
/* User code is hardly ever slower under valgrind by less than this factor. */
#define LEAST_FACTOR 10

int
counted_workload_init(struct counted_workload *counted, const struct session *session,
	const struct workload *workload, struct err *err)
{
	struct measurement *m = &counted->measurement;

	*counted = (struct counted_workload){.workload = *workload};
	counted->workload.arena = (struct arena){0};
	workload_count_instead(&counted->workload);
	counted->workload.counted_instead = false;
	counted->workload.capture.callgraph = "none";
	m->workload = &counted->workload;
	if (measurement_choose(m, NULL, err) < 0) {
		counted_workload_release(counted);
		return -1;
	}
	/* A class of machines that the configuration names is one for times. */
	machine_class(&session->machine, m->event.name, m->event.presented, NULL,
		counted->machine_class, sizeof(counted->machine_class));
	return 0;
}

void
counted_workload_release(struct counted_workload *counted)
{
	workload_release(&counted->workload);
}

void
taken_counts_release(struct taken_counts *counts)
{
	if (counts->outcome == COUNTS_TAKEN)
		profile_release(&counts->profile);
	free(counts->why);
	*counts = (struct taken_counts){0};
}

void
stored_counts_sum(struct profile *into, const struct profile *counted, const struct profile *ran,
	const struct build_side *side)
{
	char *root = realpath(side && side->root ? side->root : ".", NULL);

	by_file_sum(into, counted, root);
	into->files = profile_copy_string(into, ran, ran->files);
	into->code = profile_copy_string(into, ran, ran->code);
	identity_add_sampled(side, into);
	free(root);
}

/* Whether stored counts are comparable with those that `counted` would have here. */
static bool
is_comparable(const struct counted_workload *counted, const struct baseline *baseline)
{
	return strcmp(baseline->info.machine_class, counted->machine_class) == 0 &&
	       strcmp(baseline->info.workload_hash, counted->workload.hash) == 0;
}

/* Finds whether counts of this program are stored already, or known to take too long. */
static enum counts_outcome
look_back(const struct counts_request *request, const struct counted_workload *counted)
{
	const char *program = request->m->sides[request->side].program_hash;
	const char *folder = request->folder;
	enum counts_outcome outcome = COUNTS_NONE;
	struct baseline stored;
	struct err ignored = {0};
	bool found = false;

	if (baseline_read(&stored, folder, &found, &ignored) < 0 || !found)
		return COUNTS_NONE;
	const bool is_slow = strcmp(stored.info.counts, BASELINE_COUNTS_SLOW) == 0 &&
			     strcmp(stored.info.program_hash, program) == 0 &&
			     strcmp(stored.info.workload_hash, request->m->workload->hash) == 0;

	baseline_release(&stored);
	if (is_slow)
		return COUNTS_SLOW;
	if (baseline_read_counts(&stored, folder, &found, &ignored) < 0 || !found)
		return COUNTS_NONE;
	if (strcmp(stored.info.program_hash, program) == 0 && is_comparable(counted, &stored))
		outcome = COUNTS_KEPT;
	baseline_release(&stored);
	return outcome;
}

/* The user CPU time of an execution, by the runs so far: valgrind does not slow the kernel. */
static double
user_seconds(const struct profile *profile)
{
	double least = INFINITY;

	for (size_t i = 0; i < profile->nruns; i++) {
		const struct run *run = &profile->runs[i];
		const double user_ns = counter_value(run, COUNTER_USER_TIME);

		least = fmin(least,
			isnan(user_ns) ? (double)run->cpu_ns / executions_of_run(run) : user_ns);
	}
	return profile->nruns > 0 ? least * 1e-9 : 0;
}

/* Counts one run, and a second one if that was quick, into one profile. */
static int
count_runs(const struct measurement *m, const char *path, double limit_s, struct profile *all,
	bool *slow, struct err *err)
{
	bool more = true;
	int result = 0;

	for (int i = 0; i < 2 && more && result == 0; i++) {
		const double begun = clock_seconds();
		struct profile one;

		result = counted_run(m, MEASURE_CANDIDATE, path, limit_s, &one, err);
		*slow = clock_seconds() - begun >= limit_s;
		if (result == 0) {
			more = (double)one.runs[0].cpu_ns * 1e-9 < COUNT_TWICE_S;
			profile_append(all, &one);
			profile_release(&one);
		}
	}
	return result;
}

/* Describes the origin of counts that were taken. */
static struct baseline_info
describe(const struct counts_request *request, const struct counted_workload *counted)
{
	struct baseline_info info = session_info(request->session, &counted->measurement);
	const struct build_side *base = request->side == MEASURE_BASE ? request->m->base : NULL;

	memcpy(info.machine_class, counted->machine_class, sizeof(info.machine_class));
	if (base) {
		memcpy(info.commit, base->commit, sizeof(info.commit));
		snprintf(info.working_tree, sizeof(info.working_tree), "clean");
		data_digest_of(base->commit, info.data_digest);
	}
	return info;
}

static int
count(const struct counts_request *request, struct counted_workload *counted, double limit_s,
	struct taken_counts *counts, struct err *err)
{
	const struct measurement *m = request->m;
	const struct measured_side *side = &m->sides[request->side];
	struct measured_side *own = &counted->measurement.sides[MEASURE_CANDIDATE];
	char *path = mem_printf("%s/%s/instructions", request->scratch_dir, m->workload->folder);
	bool slow = false;

	own->workload = side->workload;
	memcpy(own->program_hash, side->program_hash, sizeof(own->program_hash));
	profile_init(&own->profile);
	measurement_describe(&counted->measurement, own);
	int result = watch_counted_side(m, request->side, err);

	if (result == 0)
		result =
			count_runs(&counted->measurement, path, limit_s, &own->profile, &slow, err);
	if (result == 0) {
		counts->outcome = COUNTS_TAKEN;
		stored_counts_sum(&counts->profile, &own->profile, &side->profile,
			request->side == MEASURE_BASE ? m->base : NULL);
		counts->info = describe(request, counted);
	} else if (slow) {
		counts->outcome = COUNTS_SLOW;
	}
	profile_release(&own->profile);
	free(path);
	return result;
}

/* Counts a program that has no counts yet, unless it takes too long. */
static void
try_to_count(const struct counts_request *request, struct counted_workload *counted,
	struct taken_counts *counts, struct err *failure)
{
	const struct measurement *m = request->m;
	const double limit_s = request->limit_s > 0 ? request->limit_s : COUNT_LIMIT_S;

	if (LEAST_FACTOR * user_seconds(&m->sides[request->side].profile) > limit_s) {
		counts->outcome = COUNTS_SLOW;
		return;
	}
	log_progress("%s: counting instructions", m->workload->name);
	if (count(request, counted, limit_s, counts, failure) < 0 &&
		counts->outcome == COUNTS_NONE) {
		counts->outcome = COUNTS_REFUSED;
		counts->why = mem_strdup(failure->text);
	}
	log_progress_end();
}

int
stored_counts_take(
	const struct counts_request *request, struct taken_counts *counts, struct err *err)
{
	const struct measurement *m = request->m;
	struct counted_workload counted;
	struct err failure = {0};

	*counts = (struct taken_counts){.outcome = COUNTS_NONE};
	if (m->error || !request->session->config->count_instructions ||
		!count_instead_may(m->workload))
		return 0;
	if (counted_workload_init(&counted, request->session, m->workload, &failure) < 0) {
		log_info("%s: instructions are not counted: %s", m->workload->name, failure.text);
		return 0;
	}
	if (request->folder)
		counts->outcome = look_back(request, &counted);
	if (counts->outcome == COUNTS_NONE)
		try_to_count(request, &counted, counts, &failure);
	counted_workload_release(&counted);
	if (failure.kind != ERR_INTERRUPTED)
		return 0;
	*err = failure;
	return -1;
}

int
stored_counts_write(const char *folder, const struct taken_counts *counts, const char *name,
	struct buf *text, struct err *err)
{
	switch (counts->outcome) {
	case COUNTS_NONE:
		break;
	case COUNTS_KEPT:
		buf_puts(text, "; instructions kept");
		break;
	case COUNTS_TAKEN:
		buf_puts(text, "; instructions counted");
		return baseline_write_counts(folder, &counts->info, &counts->profile, err);
	case COUNTS_SLOW:
		buf_puts(text, "; instructions skipped (slow)");
		break;
	case COUNTS_REFUSED:
		buf_puts(text, "; instructions failed");
		log_warn("%s: its instructions are not stored: %s", name, counts->why);
		break;
	}
	return 0;
}

bool
stored_counts_find(const struct baseline_list *list, const struct counted_workload *counted,
	struct baseline *baseline)
{
	bool any = false;

	for (size_t i = 0; i < list->nentries; i++) {
		const struct baseline_entry *entry = &list->entries[i];
		struct baseline counts;
		struct err ignored = {0};
		bool found = false;

		if (strcmp(entry->workload, counted->workload.stored_name) != 0 ||
			baseline_read_counts(&counts, entry->folder, &found, &ignored) < 0 ||
			!found)
			continue;
		if (!is_comparable(counted, &counts) ||
			(any && counts.info.created <= baseline->info.created)) {
			baseline_release(&counts);
			continue;
		}
		if (any)
			baseline_release(baseline);
		*baseline = counts;
		any = true;
	}
	return any;
}

bool
stored_counts_are_of(
	const struct baseline *counts, const char *program_hash, const struct profile *profile)
{
	const char *counted = strtab_str(&counts->profile.strings, counts->profile.code);

	return strcmp(counts->info.program_hash, program_hash) == 0 ||
	       (counted[0] && strcmp(counted, strtab_str(&profile->strings, profile->code)) == 0);
}

bool
stored_counts_read(const struct session *session, const struct workload *workload,
	const char *folder, const struct baseline *baseline, struct baseline *counts)
{
	struct counted_workload counted;
	struct err ignored = {0};
	bool found = false;

	if (!count_instead_may(workload) ||
		counted_workload_init(&counted, session, workload, &ignored) < 0)
		return false;
	if (baseline_read_counts(counts, folder, &found, &ignored) < 0)
		found = false;
	const bool usable =
		found && is_comparable(&counted, counts) &&
		stored_counts_are_of(counts, baseline->info.program_hash, &baseline->profile);

	if (found && !usable)
		baseline_release(counts);
	counted_workload_release(&counted);
	return usable;
}
