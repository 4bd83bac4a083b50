#include "gate/counted_instructions.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "gate/count_scope.h"
#include "gate/count_time.h"
#include "gate/counted_run.h"
#include "gate/evidence.h"
#include "gate/judge.h"
#include "gate/stored_counts.h"
#include "measurement/measurement.h"
#include "profile/canonical.h"
#include "profile/metric.h"
#include "symbols/alias_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * A candidate that is compared with stored counts may use so many seconds of CPU time, or so many
 * times the CPU time of the stored runs, whichever is more.
 */
#define STORED_LIMIT_S 120
#define STORED_FACTOR 2

/* No function has so many names. */
#define NAMES_MOST 32

/* The further names of the functions in one file. */
struct file_aliases {
	char *path;
	struct alias_names *names;
};

struct counted_instructions {
	struct profile profiles[MEASURE_SIDES]; /* names canonical */
	struct functions functions[MEASURE_SIDES];
	struct file_aliases *files; /* the files that counted functions are in */
	size_t nfiles;
	size_t capacity;
};

bool
counted_instructions_wanted(const struct judgement *judgement)
{
	const struct verdict *verdict = &judgement->verdict;
	const enum policy_decide decide = judgement_policy(judgement)->decide;

	if ((judgement->input.mode != GATE_PAIRED && !judgement->input.stored_counts) ||
		!judgement->compared || decide == DECIDE_NONE || judgement->criteria.same_program ||
		!metric_counted_instead(judgement->input.workload->capture.metric))
		return false;
	/* A workload that fails is decided, whatever else may be slower. */
	if (decide == DECIDE_AUTO)
		return verdict_findings_with(verdict, STATUS_FAIL) == 0 &&
		       judgement_wants_instructions(judgement);
	if (judgement_wants_instructions(judgement))
		return true;
	for (size_t i = 0; i < verdict->nall; i++) {
		const struct finding *finding = &verdict->findings[i];

		if (finding->causes &&
			(finding->status == STATUS_FAIL || finding->status == STATUS_WARN))
			return true;
	}
	return false;
}

static const struct file_aliases *
find_file(const struct counted_instructions *instructions, const char *path)
{
	for (size_t i = 0; i < instructions->nfiles; i++)
		if (strcmp(instructions->files[i].path, path) == 0)
			return &instructions->files[i];
	return NULL;
}

/* Reads the aliases of functions, while the files are still those that were counted. */
static void
read_aliases(struct counted_instructions *instructions, const struct profile *counted)
{
	for (frame_id frame = 1; frame < counted->frames.nframes; frame++) {
		const char *path =
			strtab_str(&counted->strings, counted->frames.frames[frame].module);

		if (path[0] != '/' || find_file(instructions, path))
			continue;
		instructions->files = mem_grow(instructions->files, &instructions->capacity,
			instructions->nfiles + 1, sizeof(*instructions->files));
		instructions->files[instructions->nfiles++] = (struct file_aliases){
			mem_strdup(path), alias_names_read(path, canonical_name)};
	}
}

static int
count_side(struct counted_instructions *instructions, const struct measurement *m,
	enum measure_side side, const char *path, struct err *err)
{
	struct profile counted;

	if (counted_run(m, side, path, 0, &counted, err) < 0)
		return -1;
	canonical_join(&instructions->profiles[side], &counted, NULL);
	read_aliases(instructions, &counted);
	profile_release(&counted);
	return 0;
}

struct counted_instructions *
counted_instructions_take(const struct measurement *m, const char *scratch_dir, struct err *err)
{
	struct counted_instructions *instructions = mem_zalloc(1, sizeof(*instructions));
	char *path = mem_printf("%s/%s/instructions", scratch_dir, m->workload->folder);
	int result = 0;

	for (enum measure_side side = 0; side < MEASURE_SIDES; side++)
		profile_init(&instructions->profiles[side]);
	for (enum measure_side side = 0; side < MEASURE_SIDES && result == 0; side++)
		result = count_side(instructions, m, side, path, err);
	free(path);
	for (enum measure_side side = 0; side < MEASURE_SIDES; side++)
		functions_init(&instructions->functions[side], &instructions->profiles[side]);
	if (result == 0)
		return instructions;
	err_note(err, "while counting instructions");
	counted_instructions_free(instructions);
	return NULL;
}

double
counted_instructions_limit_s(const struct workload *workload, const struct baseline *counts)
{
	return counts ? fmax(STORED_LIMIT_S, STORED_FACTOR * count_time_cpu_s(&counts->profile))
		      : workload->capture.timeout_s * CAPTURE_COUNTED_TIMEOUT;
}

struct counted_instructions *
counted_instructions_take_candidate(const struct measurement *m, const struct baseline *counts,
	const char *scratch_dir, struct err *err)
{
	char *path = mem_printf("%s/%s/instructions", scratch_dir, m->workload->folder);
	struct counted_instructions *instructions = NULL;
	struct profile counted;
	struct profile sums;
	struct buf note = {0};

	if (counted_run(m, MEASURE_CANDIDATE, path,
		    counted_instructions_limit_s(m->workload, counts), &counted, err) == 0) {
		instructions = mem_zalloc(1, sizeof(*instructions));
		stored_counts_sum(&sums, &counted, &m->sides[MEASURE_CANDIDATE].profile, NULL);
		count_scope_select(&counts->profile, &sums, &instructions->profiles[MEASURE_BASE],
			&instructions->profiles[MEASURE_CANDIDATE], &note);
		read_aliases(instructions, &counted);
		if (note.len > 0)
			log_info("%s: %s", m->workload->name, buf_text(&note));
		for (enum measure_side side = 0; side < MEASURE_SIDES; side++)
			functions_init(
				&instructions->functions[side], &instructions->profiles[side]);
		profile_release(&sums);
		profile_release(&counted);
	} else {
		err_note(err, "while counting instructions");
	}
	buf_release(&note);
	free(path);
	return instructions;
}

void
counted_instructions_free(struct counted_instructions *instructions)
{
	if (!instructions)
		return;
	for (int side = 0; side < MEASURE_SIDES; side++) {
		functions_release(&instructions->functions[side]);
		profile_release(&instructions->profiles[side]);
	}
	for (size_t i = 0; i < instructions->nfiles; i++) {
		alias_names_free(instructions->files[i].names);
		free(instructions->files[i].path);
	}
	free(instructions->files);
	free(instructions);
}

/* The count in a run of the function with exactly this name; NAN: it was not executed. */
static double
count_of_name(const struct counted_instructions *instructions, enum measure_side side,
	const char *name, size_t len)
{
	const struct profile *profile = &instructions->profiles[side];
	str_id id = strtab_find(&profile->strings, name, len);

	for (frame_id frame = 1; frame < profile->frames.nframes && id != 0; frame++) {
		if (profile->frames.frames[frame].name == id &&
			profile->frames.frames[frame].kind == FRAME_USER)
			return functions_self(
				       &instructions->functions[side], frame, 0, profile->nruns) /
			       (double)profile->nruns;
	}
	return NAN;
}

/*
 * Lists the names of the function of a frame, its own first: those in its file or, if that is not
 * known, in any file that was counted. In glibc, memmove's code for CPUs without AVX, which counted
 * runs execute, has the symbol memcpy@GLIBC_2.2.5 as well, and valgrind prefers that.
 */
static size_t
list_names(const struct counted_instructions *instructions, const struct profile *profile,
	frame_id frame, const char *names[NAMES_MOST])
{
	const struct frame *function = &profile->frames.frames[frame];
	const char *name = profile_frame_name(profile, frame);
	const size_t len = strtab_len(&profile->strings, function->name);
	const char *file = file_basename(strtab_str(&profile->strings, function->module));
	size_t n = 0;

	names[n++] = name;
	/* One file may have several paths, as below /lib and /usr/lib. */
	for (size_t i = 0; i < instructions->nfiles; i++)
		if (file[0] == '\0' ||
			strcmp(file_basename(instructions->files[i].path), file) == 0)
			n = alias_names_of(
				instructions->files[i].names, name, len, names, n, NAMES_MOST);
	return n;
}

/* The count of the function with these names; NAN: it was not executed. */
static double
count_of(const struct counted_instructions *instructions, enum measure_side side,
	const char *const names[], size_t nnames)
{
	double sum = NAN;

	for (size_t i = 0; i < nnames; i++) {
		const double count = count_of_name(instructions, side, names[i], strlen(names[i]));

		sum = isnan(sum) ? count : isnan(count) ? sum : sum + count;
	}
	return sum;
}

/* The count of the whole program in a run. */
static double
count_of_program(const struct counted_instructions *instructions, enum measure_side side)
{
	const struct profile *profile = &instructions->profiles[side];
	double sum = 0;

	for (size_t column = 0; column < profile->nruns; column++)
		sum += profile_column_total(profile, column);
	return sum / (double)profile->nruns;
}

void
counted_instructions_by_frame(const struct counted_instructions *instructions,
	const struct comparison *comparison, struct instruction_counts *counts)
{
	const struct profile *profile = &comparison->profile;
	size_t nframes = profile->frames.nframes;

	*counts = (struct instruction_counts){
		.before = mem_zalloc(nframes, sizeof(*counts->before)),
		.after = mem_zalloc(nframes, sizeof(*counts->after)),
		.nframes = nframes,
	};
	counts->before[0] = count_of_program(instructions, MEASURE_BASE);
	counts->after[0] = count_of_program(instructions, MEASURE_CANDIDATE);
	for (frame_id frame = 1; frame < nframes; frame++) {
		const char *names[NAMES_MOST];

		counts->before[frame] = NAN;
		counts->after[frame] = NAN;
		/* An unknown name stands for many functions. */
		if (profile->frames.frames[frame].kind != FRAME_USER ||
			frame_name_is_unknown(profile_frame_name(profile, frame)))
			continue;
		const size_t n = list_names(instructions, profile, frame, names);

		counts->before[frame] = count_of(instructions, MEASURE_BASE, names, n);
		counts->after[frame] = count_of(instructions, MEASURE_CANDIDATE, names, n);
	}
}
