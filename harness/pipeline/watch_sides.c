#include "pipeline/watch_sides.h"

#include "base/log.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

#define RUN_FAILED "the run failed"

bool
watch_sides_wanted(const struct measure_shared *shared, const struct measurement *m)
{
	const struct build_side *base = shared->options->against;

	return m->nsides > 1 && !base->same && (!m->first || m->first->error);
}

int
watch_side(
	struct measure_shared *shared, struct measurement *m, enum measure_side i, struct err *err)
{
	struct measured_side *side = &m->sides[i];
	struct capture_request request = {
		.pin = m->cpus.pinned ? &m->cpus.program : NULL,
		.reader_cpu = -1,
	};
	const struct tree_text *texts =
		shared->options->against ? shared->options->against->texts : NULL;
	struct err failure = {0};

	if (!watch_sides_wanted(shared, m) || m->same_program)
		return 0;
	log_progress("%s: watching the files of %s", m->workload->name,
		i == MEASURE_BASE ? "the base" : "a run");
	measure_fill_request(&side->workload, &request);
	if (capture_watch_files(&request, &side->files, &failure) < 0) {
		if (failure.kind == ERR_INTERRUPTED) {
			*err = failure;
			return -1;
		}
		log_debug("%s: while its files were watched: %s", m->workload->name, failure.text);
		if (side->files.known)
			snprintf(side->files.why, sizeof(side->files.why), RUN_FAILED);
		side->files.known = false;
	}
	if (i == MEASURE_CANDIDATE)
		file_states_take(
			&m->candidate_files, &side->files, texts ? tree_text_here(texts) : NULL);
	return 0;
}

int
watch_sides_check_build(
	const struct measure_shared *shared, const struct measurement *m, struct err *err)
{
	const struct build_side *base = shared->options->against;
	const struct file_state *changed = file_states_find_changed(
		&m->candidate_files, base->texts ? tree_text_here(base->texts) : NULL);

	if (!changed)
		return 0;
	err_set(err, ERR_MEASURE, "its build changed '%s', which the candidate %s", changed->path,
		changed->is_code ? "runs" : "reads");
	return err_note(err, "both builds write to one place: let `build` write below the folder "
			     "that it runs in, and `run` name that");
}

/* The attribution of files is then not whole. A run that fails will say so itself. */
static void
warn_unknown(const struct measurement *m)
{
	for (size_t i = 0; i < m->nsides; i++) {
		const struct run_files *files = &m->sides[i].files;

		if (files->known || !files->why[0] || strcmp(files->why, RUN_FAILED) == 0)
			continue;
		log_warn("%s: the files that a run uses cannot be watched (%s): whether both "
			 "builds run their own is not known",
			m->workload->name, files->why);
		return;
	}
}

int
watch_sides_check(const struct measure_shared *shared, const struct measurement *m, struct err *err)
{
	const struct measured_side *here = &m->sides[MEASURE_CANDIDATE];
	const struct measured_side *there = &m->sides[MEASURE_BASE];
	const struct side_runs runs = {
		.base = shared->options->against,
		.here = &here->workload,
		.there = &there->workload,
		.moved = &there->moved,
		.times = &shared->builds,
		.candidate = &here->files,
		.other = m->same_program ? NULL : &there->files,
	};

	if (!watch_sides_wanted(shared, m))
		return 0;
	warn_unknown(m);
	return side_files_check(&runs, err);
}

int
watch_counted_side(const struct measurement *m, enum measure_side i, struct err *err)
{
	const struct measured_side *side = &m->sides[i];
	const struct run_files *files =
		m->first && !side->files.known ? &m->first->sides[i].files : &side->files;
	struct capture_request request = {
		.pin = m->cpus.pinned ? &m->cpus.program : NULL,
		.reader_cpu = -1,
	};

	log_progress("%s: watching the files of %s", m->workload->name,
		i == MEASURE_BASE ? "the base" : "a run");
	measure_fill_request(&side->workload, &request);
	return capture_check_counted_files(&request, files, err);
}
