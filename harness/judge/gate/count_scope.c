#include "gate/count_scope.h"

#include "base/mem.h"
#include "format/figures.h"
#include "profile/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Files with a smaller share of the instructions are not named. */
#define SHARE_TOLD 0.001

/*
 * Finds the file outside of the checkout whose last component is `name`; by_file_sum() names the
 * frames of a side's profile so. False also where a file in the checkout has that name as its path.
 */
static bool
find_system_file(const struct profile *profile, const char *name, struct profile_file *found)
{
	const char *files = strtab_str(&profile->strings, profile->files);
	const size_t len = strlen(name);
	bool is_found = false;
	struct profile_file file;

	while (profile_files_next(&files, &file)) {
		const char *end = file.name + file.name_len;

		if (file.name_len < len || memcmp(end - len, name, len) != 0)
			continue;
		if (file.name_len == len)
			return false;
		if (file.name[0] == '/' && end[-(ptrdiff_t)len - 1] == '/') {
			is_found = true;
			*found = file;
		}
	}
	return is_found;
}

static bool
is_judged(const struct profile *before, const struct profile *after, const char *name)
{
	struct profile_file one = {0};
	struct profile_file other = {0};
	const bool system_before = find_system_file(before, name, &one);
	const bool system_after = find_system_file(after, name, &other);

	if (system_before && system_after)
		return profile_file_is_same(&one, &other);
	return !system_before && !system_after;
}

/* The files whose functions are not judged. */
struct left_out {
	struct buf names;
	size_t count;
	double share[2]; /* of each side's instructions */
};

/* Whether `name` is one of the names that are left out already. */
static bool
is_named_already(const struct left_out *left_out, const char *name)
{
	const char *at = buf_text(&left_out->names);
	const size_t len = strlen(name);

	for (; (at = strstr(at, name)); at += len)
		if ((at[len] == '\0' || at[len] == ',') &&
			(at == buf_text(&left_out->names) || at[-1] == ' '))
			return true;
	return false;
}

/* By frame of a side, which stands for a file: whether the functions in the file are judged. */
static bool *
choose_files(const struct profile *const sides[2], int side, struct left_out *left_out)
{
	const struct profile *profile = sides[side];
	double *weights = by_file_weights(profile);
	bool *keep = mem_zalloc(profile->frames.nframes, sizeof(*keep));
	const double total = profile_total(profile);

	for (frame_id id = 1; id < profile->frames.nframes; id++) {
		const char *name = profile_frame_name(profile, id);

		keep[id] = !(weights[id] > 0) || is_judged(sides[0], sides[1], name);
		if (keep[id])
			continue;
		left_out->share[side] += weights[id] / total;
		if (weights[id] / total < SHARE_TOLD || is_named_already(left_out, name))
			continue;
		buf_printf(&left_out->names, "%s%s", left_out->count++ > 0 ? ", " : "", name);
	}
	free(weights);
	return keep;
}

double
count_scope_select(const struct profile *before, const struct profile *after,
	struct profile *kept_before, struct profile *kept_after, struct buf *note)
{
	const struct profile *const sides[2] = {before, after};
	struct profile *const kept[2] = {kept_before, kept_after};
	struct left_out left_out = {.count = 0};

	for (int side = 0; side < 2; side++) {
		bool *keep = choose_files(sides, side, &left_out);

		by_file_select(kept[side], sides[side], keep);
		free(keep);
	}
	const double most = fmax(left_out.share[0], left_out.share[1]);

	if (left_out.count > 0) {
		buf_printf(note, "%s %s: %s functions (", buf_text(&left_out.names),
			left_out.count > 1 ? "are other builds" : "is another build",
			left_out.count > 1 ? "their" : "its");
		format_percent(note, most);
		buf_puts(note, " of the instructions) are not judged");
	}
	buf_release(&left_out.names);
	return most;
}
