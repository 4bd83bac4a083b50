#include "gate/same_files.h"

#include "base/mem.h"
#include "profile/files.h"

#include <stdlib.h>
#include <string.h>

/* A file with less of the cost may by chance have no samples on one side. */
#define SAMPLED_SHARE 0.01

static const char *
files_of(const struct profile *profile)
{
	return strtab_str(&profile->strings, profile->files);
}

/* Whether a file whose contents differ was built again: its machine code and data are the same. */
static bool
is_built_again(const struct profile *before, const struct profile *after,
	const struct profile_file *wanted)
{
	return profile_file_is_built_again(strtab_str(&before->strings, before->code),
		strtab_str(&after->strings, after->code), wanted);
}

/* Whether a module's path is that of a file, whose name leaves out the folder of the build. */
static bool
is_module(const struct profile_file *file, const char *module, size_t len)
{
	return len >= file->name_len &&
	       memcmp(module + len - file->name_len, file->name, file->name_len) == 0 &&
	       (len == file->name_len || module[len - file->name_len - 1] == '/');
}

/* The part of a side's cost that is in a file. */
static double
share_of(const struct profile *profile, const struct profile_file *file)
{
	double all = 0;
	double in_file = 0;

	for (node_id id = 1; id < profile->tree.nnodes; id++) {
		str_id module = profile->frames.frames[profile->tree.nodes[id].frame].module;
		double weight = 0;

		for (size_t run = 0; run < profile->nruns; run++)
			weight += ctree_weight(&profile->tree, run, id);
		all += weight;
		if (weight > 0 && is_module(file, strtab_str(&profile->strings, module),
					  strtab_len(&profile->strings, module)))
			in_file += weight;
	}
	return all > 0 ? in_file / all : 0;
}

/* Whether a file that only one side has, or knows, counts: a small one may lack samples. */
static bool
matters(const struct profile *side, const struct profile_file *file)
{
	return !file->sampled || share_of(side, file) >= SAMPLED_SHARE;
}

/* Compares the files of one side with those of the other, if that can change `so_far`. */
static enum same_program
check_side(const struct profile *side, const struct profile *other, enum same_program so_far)
{
	const char *files = files_of(side);
	struct profile_file own;
	struct profile_file theirs;

	while (so_far != PROGRAM_DIFFERS && profile_files_next(&files, &own)) {
		bool both = profile_files_find(files_of(other), &own, &theirs);

		if (both && profile_file_is_known(&own) && profile_file_is_known(&theirs)) {
			if (!profile_file_is_same(&own, &theirs) &&
				!is_built_again(side, other, &own))
				so_far = PROGRAM_DIFFERS;
		} else if (matters(side, &own)) {
			so_far = both ? PROGRAM_UNKNOWN : PROGRAM_DIFFERS;
		}
	}
	return so_far;
}

enum same_program
same_program(const struct profile *before, const struct profile *after)
{
	if (before->files == 0 || after->files == 0)
		return PROGRAM_UNKNOWN;
	return check_side(after, before, check_side(before, after, PROGRAM_SAME));
}

static bool
is_in_file(const struct profile *profile, frame_id id, const struct profile_file *file)
{
	const struct frame *frame = &profile->frames.frames[id];

	return frame->kind == FRAME_USER && frame->module != 0 &&
	       is_module(file, strtab_str(&profile->strings, frame->module),
		       strtab_len(&profile->strings, frame->module));
}

const char *
same_file_of(const struct profile *before, const struct profile *after,
	const struct profile *profile, frame_id frame, size_t *len)
{
	const char *files = files_of(after);
	struct profile_file own;
	struct profile_file theirs;

	while (profile_files_next(&files, &own)) {
		if (!is_in_file(profile, frame, &own))
			continue;
		*len = own.name_len;
		return profile_files_find(files_of(before), &own, &theirs) &&
				       profile_file_is_same(&own, &theirs)
			       ? own.name
			       : NULL;
	}
	return NULL;
}

struct code_states
same_files_code(
	const struct profile *before, const struct profile *after, const struct profile *profile)
{
	struct code_states code = {
		.by_frame = mem_zalloc(profile->frames.nframes, sizeof(*code.by_frame)),
		.nframes = profile->frames.nframes,
	};
	size_t len;

	for (frame_id id = 1; id < profile->frames.nframes; id++) {
		if (same_file_of(before, after, profile, id, &len))
			code.by_frame[id] = CODE_SAME;
	}
	return code;
}

static bool
is_in_no_function(const struct profile *profile, const struct profile_file *file)
{
	for (frame_id id = 1; id < profile->frames.nframes; id++) {
		if (is_in_file(profile, id, file))
			return false;
	}
	return true;
}

bool
other_file_differs(
	const struct profile *before, const struct profile *after, const struct profile *profile)
{
	const struct profile *const sides[] = {before, after};
	struct profile_file own;
	struct profile_file theirs;

	for (int i = 0; i < 2; i++) {
		const char *files = files_of(sides[i]);

		while (profile_files_next(&files, &own)) {
			bool both = profile_files_find(files_of(sides[1 - i]), &own, &theirs);

			if (!own.sampled && !(both && profile_file_is_same(&own, &theirs)) &&
				is_in_no_function(profile, &own))
				return true;
		}
	}
	return false;
}
