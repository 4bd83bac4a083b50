#include "gate/same_program.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Less of the cost may by chance not have been sampled at all on the other side. */
#define SAMPLED_SHARE 0.01

/* One line of profile->files, in place. */
struct file {
	const char *hash;
	size_t hash_len;
	const char *name;
	size_t name_len;
	bool sampled;
};

static const char *
files_of(const struct profile *profile)
{
	return strtab_str(&profile->strings, profile->files);
}

/* The next file from *at on; false at the end. */
static bool
next_file(const char **at, struct file *file)
{
	const char *end;

	for (; (end = strchr(*at, '\n')); *at = end + 1) {
		const char *line = *at;
		size_t hash_len = strcspn(line, " ");

		/* "HASH  NAME" */
		if (line + hash_len + 2 >= end)
			continue;
		*file = (struct file){
			.hash = line,
			.hash_len = hash_len,
			.name = line + hash_len + 2,
			.name_len = (size_t)(end - line) - hash_len - 2,
			.sampled = line[hash_len + 1] == '*',
		};
		*at = end + 1;
		return true;
	}
	return false;
}

static bool
find_file(const char *files, const struct file *wanted, struct file *found)
{
	while (next_file(&files, found)) {
		if (found->name_len == wanted->name_len &&
			memcmp(found->name, wanted->name, wanted->name_len) == 0)
			return true;
	}
	return false;
}

static bool
is_known(const struct file *file)
{
	return file->hash_len > 1;
}

/* Whether a module's path is that of a file, whose name leaves out the folder of the build. */
static bool
is_module(const struct file *file, const char *module, size_t len)
{
	return len >= file->name_len &&
	       memcmp(module + len - file->name_len, file->name, file->name_len) == 0 &&
	       (len == file->name_len || module[len - file->name_len - 1] == '/');
}

/* The part of a side's cost that is in a file. */
static double
share_of(const struct profile *profile, const struct file *file)
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

/* The files of one side against those of the other, as far as they say more than `so_far`. */
static enum same_program
check_side(const struct profile *side, const struct profile *other, enum same_program so_far)
{
	const char *files = files_of(side);
	struct file own;
	struct file theirs;

	while (so_far != PROGRAM_DIFFERS && next_file(&files, &own)) {
		bool both = find_file(files_of(other), &own, &theirs);
		bool matters = !own.sampled || share_of(side, &own) >= SAMPLED_SHARE;

		if (both && is_known(&own) && is_known(&theirs)) {
			if (own.hash_len != theirs.hash_len ||
				memcmp(own.hash, theirs.hash, own.hash_len) != 0)
				so_far = PROGRAM_DIFFERS;
		} else if (matters) {
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

struct code_states
same_files_code(
	const struct profile *before, const struct profile *after, const struct profile *profile)
{
	struct code_states code = {
		.by_frame = mem_zalloc(profile->frames.nframes, sizeof(*code.by_frame)),
		.nframes = profile->frames.nframes,
	};
	const char *files = files_of(after);
	struct file own;
	struct file theirs;

	while (next_file(&files, &own)) {
		if (!is_known(&own) || !find_file(files_of(before), &own, &theirs) ||
			own.hash_len != theirs.hash_len ||
			memcmp(own.hash, theirs.hash, own.hash_len) != 0)
			continue;
		for (frame_id id = 1; id < profile->frames.nframes; id++) {
			const struct frame *frame = &profile->frames.frames[id];

			if (frame->kind == FRAME_USER && frame->module != 0 &&
				is_module(&own, strtab_str(&profile->strings, frame->module),
					strtab_len(&profile->strings, frame->module)))
				code.by_frame[id] = CODE_SAME;
		}
	}
	return code;
}
