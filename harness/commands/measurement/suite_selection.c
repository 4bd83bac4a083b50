#include "measurement/suite_selection.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "builds/program.h"
#include "builds/used_files.h"
#include "capture/entered_functions.h"
#include "code/build_changes.h"
#include "format/figures.h"
#include "measurement/run_capture.h"
#include "measurement/suite_listing.h"
#include "measurement/suite_run.h"
#include "profile/canonical.h"
#include "profile/files.h"
#include "spec/suite.h"

#include <stdlib.h>
#include <string.h>

/* Both builds of one program, compared. */
struct compared {
	char *paths[MEASURE_SIDES];
	struct build_changes *changes; /* NULL: they cannot be, because of `problem` */
	char *problem;
	const struct build_function *functions;
	size_t count;
	uint64_t *offsets; /* of the marked functions, rising */
	size_t *numbers;   /* of these, among all */
	size_t nmarked;
	struct suite_listing listing; /* of the base's benchmarks; empty where it cannot be had */
};

struct suite_selection {
	struct compared **programs;
	size_t count;
	size_t capacity;
};

static void
compared_free(struct compared *compared)
{
	for (size_t side = 0; side < MEASURE_SIDES; side++)
		free(compared->paths[side]);
	build_changes_close(compared->changes);
	free(compared->problem);
	free(compared->offsets);
	free(compared->numbers);
	suite_listing_release(&compared->listing);
	free(compared);
}

void
suite_selection_free(struct suite_selection *selection)
{
	for (size_t i = 0; selection && i < selection->count; i++)
		compared_free(selection->programs[i]);
	if (selection)
		free(selection->programs);
	free(selection);
}

/* The program of a side, without links; NULL: its command names no file. free() it. */
static char *
program_of(const struct measurement *m, enum measure_side side)
{
	char *path = program_file(&m->sides[side].workload, 0);
	char *real = path ? realpath(path, NULL) : NULL;

	free(path);
	return real;
}

/* Lists the functions that a breakpoint can be set in. */
static void
list_marked(struct compared *compared)
{
	compared->functions = build_changes_functions(compared->changes, &compared->count);
	compared->offsets = mem_zalloc(compared->count + 1, sizeof(*compared->offsets));
	compared->numbers = mem_zalloc(compared->count + 1, sizeof(*compared->numbers));
	for (size_t i = 0; i < compared->count; i++) {
		const struct build_function *function = &compared->functions[i];
		const bool again = compared->nmarked > 0 &&
				   compared->offsets[compared->nmarked - 1] >= function->offset;

		if (!function->marked || again)
			continue;
		compared->offsets[compared->nmarked] = function->offset;
		compared->numbers[compared->nmarked++] = i;
	}
}

static void
log_changes(const struct measurement *m, const struct compared *compared)
{
	struct buf names = {0};

	build_changes_put(compared->changes, &names);
	log_debug("%s: changed are %s", m->workload->file_name,
		names.len > 0 ? buf_text(&names) : "none");
	buf_release(&names);
}

static struct compared *
compared_new(struct measurement *m, char *paths[MEASURE_SIDES])
{
	struct compared *compared = mem_zalloc(1, sizeof(*compared));
	struct err err = {0};

	log_step("%s: comparing the machine code of both builds", m->workload->file_name);
	memcpy(compared->paths, paths, sizeof(compared->paths));
	char *here = realpath(".", NULL);
	char *there = m->base->root ? realpath(m->base->root, NULL) : NULL;

	compared->changes = build_changes_open(&(struct build_program){paths[MEASURE_BASE], there},
		&(struct build_program){paths[MEASURE_CANDIDATE], here}, canonical_name, &err);
	free(here);
	free(there);
	if (!compared->changes) {
		compared->problem = mem_strdup(err.text);
		log_info("%s: benchmarks are not selected: %s", m->workload->file_name, err.text);
		return compared;
	}
	list_marked(compared);
	log_changes(m, compared);
	if (suite_list_other(m->workload, m->base, &compared->listing, &err) < 0)
		log_debug("%s: %s", m->workload->file_name, err.text);
	return compared;
}

/* The comparison of a benchmark's programs, made once for all benchmarks of the suite. */
static struct compared *
find_compared(struct suite_selection *selection, struct measurement *m)
{
	char *paths[MEASURE_SIDES] = {
		program_of(m, MEASURE_CANDIDATE), program_of(m, MEASURE_BASE)};
	struct compared *found = NULL;

	for (size_t i = 0; i < selection->count && !found && paths[0] && paths[1]; i++) {
		struct compared *each = selection->programs[i];

		if (strcmp(each->paths[0], paths[0]) == 0 && strcmp(each->paths[1], paths[1]) == 0)
			found = each;
	}
	if (found || !paths[0] || !paths[1]) {
		free(paths[0]);
		free(paths[1]);
		return found;
	}
	selection->programs = mem_grow(selection->programs, &selection->capacity,
		selection->count + 1, sizeof(struct compared *));
	return selection->programs[selection->count++] = compared_new(m, paths);
}

/*
 * The first file that a run executes on one side, other than the program, that is not the same on
 * the other; NULL: there is none. The lines of both are in the order of their names.
 */
static const char *
find_other_file(struct measurement *m, const char *program)
{
	const struct profile *sides[MEASURE_SIDES] = {&m->sides[0].profile, &m->sides[1].profile};
	const char *own = file_path_from_here(program);

	for (size_t side = 0; side < MEASURE_SIDES; side++) {
		const struct profile *of = sides[side];
		const struct profile *other = sides[!side];
		const char *lines = strtab_str(&of->strings, of->files);
		struct profile_file file;
		struct profile_file there;

		while (profile_files_next(&lines, &file)) {
			const bool is_program = file.name_len == strlen(own) &&
						memcmp(file.name, own, file.name_len) == 0;
			const bool found = profile_files_find(
				strtab_str(&other->strings, other->files), &file, &there);

			if (!is_program &&
				(!found || (!profile_file_is_same(&file, &there) &&
						   !profile_file_is_built_again(
							   strtab_str(&other->strings, other->code),
							   strtab_str(&of->strings, of->code),
							   &file))))
				return arena_dup(&m->arena, file.name, file.name_len);
		}
	}
	return NULL;
}

/* Whether the base has the benchmark, too: a new one is measured, and reported as new. */
static bool
base_has(const struct compared *compared, const struct measurement *m)
{
	bool has = false;

	for (size_t i = 0; i < compared->listing.count && !has; i++)
		has = strcmp(compared->listing.names[i], m->workload->unit->benchmark) == 0;
	return has;
}

/* Whether a function that is named so is the beginning of a benchmark, or a part of it. */
static bool
begins(const struct suite_preset *preset, const char *name)
{
	bool found = false;

	for (size_t i = 0; preset->entered_by[i] && !found; i++)
		found = strstr(name, preset->entered_by[i]) != NULL;
	for (size_t i = 0; preset->callers[i] && found; i++)
		found = !text_begins(name, preset->callers[i]);
	return found;
}

/* One run of a benchmark: the functions of its program that it entered. */
struct use_run {
	struct entered_functions entered;
	bool *flags; /* of all three arrays */
	struct run_files files;
	struct build_use use;
	bool *within; /* by function of the program */
	bool *before;
};

static void
use_run_release(struct use_run *run)
{
	free(run->flags);
	free(run->within);
	free(run->before);
	run_files_release(&run->files);
}

/* Runs the benchmark, and reads what it prints: it may say that it failed. */
static int
run_and_read(const struct measurement *m, struct capture_request *request,
	struct entered_functions *entered, struct err *err)
{
	struct suite_output output;
	struct run run = {0};

	if (suite_output_begin(&output, m->workload, request, err) < 0)
		return -1;
	int result = entered_functions_run(request, entered, err);

	if (result == 0)
		result = suite_output_take(&output, &run, err);
	suite_output_end(&output);
	return result;
}

/* Runs the candidate once, and notes what it enters. */
static int
take_use_run(struct measurement *m, const struct compared *compared, struct use_run *run,
	struct err *err)
{
	const struct suite_preset *preset = m->workload->suite->preset;
	const bool known = preset && preset->entered_by;
	struct capture_request request = {
		.pin = m->cpus.pinned ? &m->cpus.program : NULL,
		.reader_cpu = -1,
	};
	bool *flags = mem_zalloc(3 * compared->nmarked + 1, sizeof(bool));

	run->flags = flags;
	for (size_t i = 0; i < compared->nmarked && known; i++)
		flags[i] = begins(preset, compared->functions[compared->numbers[i]].linker);
	run->entered = (struct entered_functions){
		.path = compared->paths[MEASURE_CANDIDATE],
		.offsets = compared->offsets,
		.begins = known ? flags : NULL,
		.count = compared->nmarked,
		.before = flags + compared->nmarked,
		.within = flags + 2 * compared->nmarked,
	};
	run_capture_fill_request(&m->sides[MEASURE_CANDIDATE].workload, &request);
	request.file_watch = file_watch_begin(err);
	if (!request.file_watch)
		return -1;
	log_progress("%s: which functions it executes", m->workload->name);
	const int result = run_and_read(m, &request, &run->entered, err);

	file_watch_end(request.file_watch, &run->files);
	return result;
}

/* Hands what the run entered to the comparison of the builds. */
static void
take_use(const struct measurement *m, const struct compared *compared, struct use_run *run)
{
	const struct suite_preset *preset = m->workload->suite->preset;
	const struct entered_functions *entered = &run->entered;
	const char *benchmark = m->workload->unit->benchmark;

	run->within = mem_zalloc(compared->count + 1, sizeof(bool));
	run->before = mem_zalloc(compared->count + 1, sizeof(bool));
	for (size_t i = 0; i < compared->nmarked; i++) {
		run->within[compared->numbers[i]] = entered->within[i];
		run->before[compared->numbers[i]] = entered->before[i];
	}
	/* Which thread waits, and for which other one, is new in each run. */
	run->use = (struct build_use){.within = run->within, .varies = entered->threads};
	if (!entered->begins)
		return;
	run->use.before = run->before;
	run->use.root = compared->numbers[entered->first];
	run->use.name = benchmark;
	run->use.registration = preset->registers;
}

/* Whether a file is among those that a run of the candidate was known to execute. */
static bool
is_known_code(const struct measurement *m, const char *path)
{
	const struct profile *profile = &m->sides[MEASURE_CANDIDATE].profile;
	const char *name = file_path_from_here(path);
	const struct profile_file wanted = {.name = name, .name_len = strlen(name)};
	struct profile_file found;

	return profile_files_find(strtab_str(&profile->strings, profile->files), &wanted, &found);
}

/* A file that the run used, beside its program, and that is not known to be the base's; or NULL. */
static const char *
find_changed_input(
	struct measurement *m, const struct compared *compared, const struct use_run *run)
{
	char *changed = changed_input_find(m->base, m->workload, &run->files);
	const char *found = changed ? arena_strdup(&m->arena, changed) : NULL;

	free(changed);
	for (size_t i = 0; i < run->files.count && !found; i++) {
		const struct run_file *file = &run->files.files[i];
		const bool is_code = (file->uses & (RUN_FILE_EXECUTED | RUN_FILE_MAPPED)) != 0;

		if (is_code && strcmp(file->path, compared->paths[MEASURE_CANDIDATE]) != 0 &&
			file_path_from_here(file->path)[0] != '/' && !is_known_code(m, file->path))
			found = file->path;
	}
	return found;
}

/* "3 functions and 1 object of data changed": what differs between the two builds. */
static void
put_changes(const struct compared *compared, struct buf *out)
{
	size_t nobjects;
	const size_t nfunctions = build_changes_count(compared->changes, &nobjects);

	if (nfunctions > 0 || nobjects == 0)
		format_plural(out, nfunctions, "function", "functions");
	if (nobjects > 0) {
		buf_puts(out, nfunctions > 0 ? " and " : "");
		format_plural(out, nobjects, "variable", "variables");
	}
	buf_puts(out, " changed");
}

/* Sets m->unreached, or logs why the benchmark is measured. */
static void
conclude(struct measurement *m, const struct compared *compared, const struct build_reach *reach)
{
	struct buf changes = {0};
	const char *name = m->workload->name;

	put_changes(compared, &changes);
	m->reached = reach->nexecuted > 0 ? (double)reach->nchanged / (double)reach->nexecuted : 0;
	switch (reach->kind) {
	case REACH_NOTHING:
		m->unreached = arena_printf(&m->arena,
			"cannot reach the change: %s, none is executed or read",
			buf_text(&changes));
		log_info("%s: %s", name, m->unreached);
		break;
	case REACH_CODE:
		log_debug("%s: executes %zu changed functions of %zu, '%s' first", name,
			reach->nchanged, reach->nexecuted, reach->what);
		break;
	case REACH_DATA:
		log_debug("%s: may read '%s', which changed", name, reach->what);
		break;
	case REACH_START:
		log_debug("%s: '%s' changed, which runs ahead of it", name, reach->what);
		break;
	case REACH_UNKNOWN:
		log_debug("%s: executes '%s', whose code is not understood", name, reach->what);
		break;
	}
	buf_release(&changes);
}

/* Why nothing is known of a benchmark before it runs; NULL: it may be selected. */
static const char *
why_unknown(struct measurement *m, const struct compared *compared)
{
	if (!compared)
		return "its command names no program";
	if (!compared->changes)
		return compared->problem;
	if (!base_has(compared, m))
		return "the base is not known to have it";
	const char *file = find_other_file(m, compared->paths[MEASURE_CANDIDATE]);

	return file ? arena_printf(&m->arena, "'%s' changed", file) : NULL;
}

/* Why nothing is known of it after a run. */
static const char *
why_unsure(struct measurement *m, const struct compared *compared, const struct use_run *run)
{
	if (run->entered.problem)
		return run->entered.problem;
	if (run->entered.first == SIZE_MAX)
		return "the run did not enter it";
	if (!run->files.known)
		return arena_printf(
			&m->arena, "the files that it reads are not known: %s", run->files.why);
	const char *file = find_changed_input(m, compared, run);

	return file ? arena_printf(&m->arena, "it uses '%s'", file) : NULL;
}

static int
select_by_run(struct measurement *m, const struct compared *compared, struct err *err)
{
	struct use_run run = {0};
	struct err failure = {0};
	const int result = take_use_run(m, compared, &run, &failure);
	const char *why = result < 0 ? failure.text : why_unsure(m, compared, &run);

	if (why) {
		log_debug("%s: is measured: %s", m->workload->name, why);
	} else {
		take_use(m, compared, &run);
		const struct build_reach reach = build_changes_reach(compared->changes, &run.use);

		conclude(m, compared, &reach);
	}
	use_run_release(&run);
	if (failure.kind != ERR_INTERRUPTED)
		return 0;
	*err = failure;
	return -1;
}

int
suite_select(struct suite_selection **selection, struct measurement *m, struct err *err)
{
	if (!m->selects || !m->workload->unit || m->nsides < MEASURE_SIDES || m->same_program ||
		m->base_problem || m->base->same)
		return 0;
	if (!*selection)
		*selection = mem_zalloc(1, sizeof(**selection));
	const struct compared *compared = find_compared(*selection, m);
	const char *why = why_unknown(m, compared);

	if (!why)
		return select_by_run(m, compared, err);
	log_debug("%s: is measured: %s", m->workload->name, why);
	return 0;
}
