#include "measurement/watch_sides.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "builds/build_product.h"
#include "builds/worktree.h"
#include "measurement/measurement.h"
#include "measurement/program_size.h"
#include "measurement/run_capture.h"

#include <stdio.h>
#include <string.h>

#define RUN_FAILED "the run failed"
#define NAMED_MOST 6 /* variables and keys whose paths were replaced */

bool
watch_sides_wanted(const struct measurement *m)
{
	const struct build_side *base = m->base;

	return base && m->nsides > 1 && !base->same && !program_size_wanted(m) &&
	       (!m->builder || m->builder->error || m->builder->base != base ||
		       program_size_wanted(m->builder));
}

/* It is an error if a run removes a file that it executes: the next run would execute less. */
static int
check_removed(const struct run_files *files, const char *folder, bool is_base, struct err *err)
{
	for (size_t i = 0; folder && i < files->count; i++) {
		const struct run_file *file = &files->files[i];

		if (!(file->uses & (RUN_FILE_EXECUTED | RUN_FILE_MAPPED)) ||
			file->uses & RUN_FILE_WRITTEN || !path_is_below(file->path, folder) ||
			file_exists(file->path))
			continue;
		err_set(err, ERR_MEASURE, "a run%s executes '%s' and removes it",
			is_base ? " of the base" : "", file->path);
		return err_note(err, "the runs after it would not be of the same program: let "
				     "`run` work on a copy");
	}
	return 0;
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
	const struct tree_text *texts = m->base ? m->base->texts : NULL;
	const char *folder = NULL;
	struct err failure = {0};

	if (!watch_sides_wanted(m) || m->same_program)
		return 0;
	log_progress("%s: watching the files of %s", m->workload->name,
		i == MEASURE_BASE ? "the base" : "a run");
	run_capture_fill_request(&side->workload, &request);
	build_times_begin(&shared->builds, BUILD_STEP_RUN);
	int result = capture_watch_files(&request, &side->files, &failure);

	build_times_end(&shared->builds);
	if (result < 0) {
		if (failure.kind == ERR_INTERRUPTED) {
			*err = failure;
			return -1;
		}
		log_debug("%s: while its files were watched: %s", m->workload->name, failure.text);
		if (side->files.known)
			snprintf(side->files.why, sizeof(side->files.why), RUN_FAILED);
		side->files.known = false;
	}
	if (texts)
		folder = i == MEASURE_BASE ? tree_text_there(texts) : tree_text_here(texts);
	if (i == MEASURE_CANDIDATE) {
		file_states_release(&m->candidate_files);
		file_states_take(&m->candidate_files, &side->files, folder);
	}
	return check_removed(&side->files, folder, i == MEASURE_BASE, err);
}

int
watch_sides_check_code(struct measurement *m, struct err *err)
{
	const struct file_state *changed = file_states_find_other_code(&m->candidate_files);

	if (!changed)
		return 0;
	if (changed->is_system) {
		err_set(err, ERR_MEASURE,
			"'%s' was replaced between %s and the end of run %u, not by the workload",
			changed->path,
			m->attempts > 1 ? arena_printf(&m->arena, "run %u", m->attempts - 1)
					: "the first warm-up run",
			m->attempts);
		return err_note(err, "the runs before and after it are not of one program: repeat "
				     "the gate once nothing is installed or upgraded any more");
	}
	err_set(err, ERR_MEASURE, "'%s' was changed while it was measured", changed->path);
	return err_note(err, "the runs are not of one program: build nothing meanwhile, and let "
			     "`run` leave alone what it executes");
}

int
watch_sides_check_inputs(const struct measurement *m, struct err *err)
{
	const char *changed = input_states_find_changed(&m->inputs);

	if (!changed)
		return 0;
	err_set(err, ERR_MEASURE, "a run changed '%s', which is one of its inputs", changed);
	return err_note(err,
		"both builds read the files of `inputs`, which nothing may change: let "
		"`run` work on a copy");
}

int
watch_sides_check_build(const struct measurement *m, struct err *err)
{
	const struct build_side *base = m->base;
	const struct file_state *changed = file_states_find_changed(
		&m->candidate_files, base->texts ? tree_text_here(base->texts) : NULL);

	if (!changed)
		return 0;
	/* Else the kept build would be used next time, and change nothing. */
	if (base->worktree)
		worktree_spoil(base->worktree);
	err_set(err, ERR_MEASURE, "its build changed '%s', which the candidate %s", changed->path,
		changed->is_code ? "runs" : "reads");
	return err_note(err, "both builds write to one place: let `build` write below the folder "
			     "that it runs in, and `run` name that");
}

/*
 * Why a side's files are not known; NULL: they are, or the run failed, which is reported elsewhere.
 */
static const char *
unknown_why(const struct measurement *m)
{
	for (size_t i = 0; i < m->nsides; i++) {
		const struct run_files *files = &m->sides[i].files;

		if (!files->known && files->why[0] && strcmp(files->why, RUN_FAILED) != 0)
			return files->why;
	}
	return NULL;
}

/* Appends "LD_LIBRARY_PATH (/src/lib), run (/src/bench)": each name once, with its first path. */
static void
put_moved(const struct moved_paths *moved, struct buf *out)
{
	size_t told = 0;

	for (size_t i = 0; i < moved->count; i++) {
		const struct moved_path *path = &moved->paths[i];
		/* Every shell sets these. */
		bool again = strcmp(path->in, "PWD") == 0 || strcmp(path->in, "OLDPWD") == 0;

		for (size_t k = 0; k < i && !again; k++)
			again = strcmp(moved->paths[k].in, path->in) == 0;
		if (again || told++ >= NAMED_MOST)
			continue;
		buf_printf(out, "%s%s (%s)", told > 1 ? ", " : "", path->in, path->here);
	}
	if (told > NAMED_MOST)
		buf_printf(out, " and %zu more", told - NAMED_MOST);
}

void
watch_sides_note(struct measurement *m)
{
	const struct moved_paths *moved = &m->sides[MEASURE_BASE].moved;
	const char *why = unknown_why(m);
	struct buf names = {0};
	struct buf text = {0};

	if (why)
		buf_printf(&text,
			"The files that both builds open and execute are not known: their runs "
			"cannot be watched (%s). Only the code that they map is checked to be "
			"their own",
			why);
	put_moved(moved, &names);
	if (names.len > 0)
		buf_printf(&text,
			"%sPaths into the working tree lead to the base's own in its runs: %s",
			text.len > 0 ? ". " : "", buf_text(&names));
	m->files_note = text.len > 0 ? arena_strdup(&m->arena, buf_text(&text)) : NULL;
	buf_release(&names);
	buf_release(&text);
}

static struct side_runs
runs_of(const struct measure_shared *shared, const struct measurement *m)
{
	const struct measured_side *here = &m->sides[MEASURE_CANDIDATE];
	const struct measured_side *there = &m->sides[MEASURE_BASE];

	return (struct side_runs){
		.base = m->base,
		.here = &here->workload,
		.there = &there->workload,
		.moved = &there->moved,
		.times = &shared->builds,
		.candidate = &here->files,
		.other = m->same_program ? NULL : &there->files,
	};
}

int
watch_sides_check(const struct measure_shared *shared, const struct measurement *m, struct err *err)
{
	const struct side_runs runs = runs_of(shared, m);

	return watch_sides_wanted(m) ? side_files_check(&runs, err) : 0;
}

struct run_files *
watch_sides_mapped(struct measurement *m, enum measure_side side)
{
	return m->nsides > 1 && !m->base->same ? &m->sides[side].files : NULL;
}

/* Adds the files of code that a profile names, or only those that are installed. */
static void
add_modules(const struct profile *profile, bool installed, struct run_files *files)
{
	for (frame_id id = 1; id < profile->frames.nframes; id++) {
		const struct frame *frame = &profile->frames.frames[id];
		const char *path = strtab_str(&profile->strings, frame->module);

		if (frame->kind != FRAME_KERNEL && path[0] == '/' &&
			(!installed || build_product_is_system(path)))
			run_files_add(files, &(struct run_file){.path = path,
						     .name = path,
						     .by = "",
						     .uses = RUN_FILE_MAPPED});
	}
}

int
watch_sides_check_runs(const struct measure_shared *shared, struct measurement *m,
	const struct profile ones[MEASURE_SIDES], struct err *err)
{
	const struct side_runs runs = runs_of(shared, m);
	size_t count = 0;

	for (size_t i = 0; i < MEASURE_SIDES; i++) {
		struct run_files *files = watch_sides_mapped(m, (enum measure_side)i);

		if (!files)
			return 0;
		if (m->event.counts_all)
			add_modules(&ones[i], false, files);
		count += files->count;
	}
	const bool is_new = count > m->files_checked;

	m->files_checked = count;
	return is_new ? side_files_check_known(&runs, err) : 0;
}

void
watch_sides_take_installed(struct measurement *m, const struct profile *run)
{
	if (m->nsides > 1 || m->candidate_files.states)
		return;
	add_modules(run, true, &m->installed);
	file_states_take(&m->candidate_files, &m->installed, NULL);
}

int
watch_counted_side(const struct measurement *m, enum measure_side i, struct err *err)
{
	const struct measured_side *side = &m->sides[i];
	const struct run_files *files =
		m->builder && !side->files.known ? &m->builder->sides[i].files : &side->files;
	struct capture_request request = {
		.pin = m->cpus.pinned ? &m->cpus.program : NULL,
		.reader_cpu = -1,
	};

	log_progress("%s: watching the files of %s", m->workload->name,
		i == MEASURE_BASE ? "the base" : "a run");
	run_capture_fill_request(&side->workload, &request);
	return capture_check_counted_files(&request, files, err);
}
