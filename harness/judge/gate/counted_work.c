#include "gate/counted_work.h"

#include "base/mem.h"
#include "format/figures.h"
#include "profile/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A caller tells of a function of the kernel if it has more than this part of its cost. */
#define MOST_OF_COST 0.5

/* Whether the machine code of a function, or of all functions with `frame` 0, is the same. */
static bool
is_same_code(const struct code_states *code, frame_id frame)
{
	if (!code)
		return false;
	if (frame != 0)
		return code->by_frame[frame] == CODE_SAME;
	for (size_t i = 0; i < code->nframes; i++) {
		if (code->by_frame[i] > CODE_SAME)
			return false;
	}
	return true;
}

/* The nearest function outside of the kernel above a node; 0: there is none. */
static frame_id
caller_outside(const struct profile *profile, node_id node)
{
	const struct ctree_node *nodes = profile->tree.nodes;

	while (node != CTREE_ROOT && profile->frames.frames[nodes[node].frame].kind != FRAME_USER)
		node = nodes[node].parent;
	return nodes[node].parent != CTREE_ROOT ? nodes[node].frame : 0;
}

/* The caller outside of the kernel by which most of the cost of `frame` came; 0: there is none. */
static frame_id
main_caller(const struct profile *profile, frame_id frame)
{
	double *weights = mem_zalloc(profile->frames.nframes, sizeof(*weights));
	frame_id most = 0;
	double all = 0;

	for (node_id node = 1; node < profile->tree.nnodes; node++) {
		if (profile->tree.nodes[node].frame != frame)
			continue;
		const frame_id caller = caller_outside(profile, node);

		for (size_t run = 0; run < profile->nruns; run++) {
			const double weight = ctree_weight(&profile->tree, run, node);

			weights[caller] += weight;
			all += weight;
		}
		if (caller != 0 && weights[caller] > weights[most])
			most = caller;
	}
	const double part = most != 0 && all > 0 ? weights[most] / all : 0;

	free(weights);
	return part > MOST_OF_COST ? most : 0;
}

static double
change_of(const struct instruction_counts *counts, frame_id frame)
{
	return counts->before[frame] > 0 ? counts->after[frame] / counts->before[frame] - 1 : NAN;
}

const struct counted_work *
counted_work_of(
	struct judgement *judgement, const struct test *test, const struct code_states *code)
{
	const struct instruction_counts *counts = judgement_counts(judgement);
	const struct profile *profile = &judgement->comparison.profile;

	if (!counts || test->kind != TEST_GROWTH)
		return NULL;
	const bool is_kernel =
		test->frame != 0 && profile->frames.frames[test->frame].kind == FRAME_KERNEL;
	const frame_id frame = is_kernel ? main_caller(profile, test->frame) : test->frame;

	if ((is_kernel && frame == 0) || isnan(change_of(counts, frame)))
		return NULL;
	struct counted_work *work = arena_alloc(&judgement->verdict.arena, sizeof(*work));

	*work = (struct counted_work){
		.change = change_of(counts, frame),
		.same_code = is_same_code(code, frame),
		.caller = is_kernel ? profile_frame_name(profile, frame) : NULL,
	};
	/* As many calls may each ask for more: the whole program has to do the same, too. */
	if (is_kernel && !(fabs(change_of(counts, 0)) <= CAUSES_SAME_WORK))
		work->same_code = false;
	return work;
}

/* Less is not worth a word. */
#define SHARE_TOLD 0.001

/* How a side has the file of a name that by_file_sum() gave it. */
enum file_owner {
	FILE_NONE,
	FILE_OURS,   /* in the checkout, by its path there */
	FILE_SYSTEM, /* `*found`, by the last component of its path */
};

static enum file_owner
find_file(const struct profile *profile, const char *name, struct profile_file *found)
{
	const char *files = strtab_str(&profile->strings, profile->files);
	const size_t len = strlen(name);
	enum file_owner owner = FILE_NONE;
	struct profile_file file;

	while (profile_files_next(&files, &file)) {
		const char *end = file.name + file.name_len;

		if (file.name_len < len || memcmp(end - len, name, len) != 0)
			continue;
		if (file.name_len == len)
			return FILE_OURS;
		if (file.name[0] == '/' && end[-(ptrdiff_t)len - 1] == '/') {
			owner = FILE_SYSTEM;
			*found = file;
		}
	}
	return owner;
}

static bool
is_judged(const struct profile *before, const struct profile *after, const char *name)
{
	struct profile_file one = {0};
	struct profile_file other = {0};
	const enum file_owner owner_before = find_file(before, name, &one);
	const enum file_owner owner_after = find_file(after, name, &other);

	if (owner_before == FILE_SYSTEM && owner_after == FILE_SYSTEM)
		return profile_file_is_same(&one, &other);
	return owner_before != FILE_SYSTEM && owner_after != FILE_SYSTEM;
}

/* Files that are left out. */
struct left_out {
	struct buf names;
	size_t count;
	double share[2]; /* of each side's instructions */
};

/* Whether the names that were noted so far hold this one. */
static bool
is_noted(const struct left_out *left_out, const char *name)
{
	const char *at = buf_text(&left_out->names);
	const size_t len = strlen(name);

	for (; (at = strstr(at, name)); at += len)
		if ((at[len] == '\0' || at[len] == ',') &&
			(at == buf_text(&left_out->names) || at[-1] == ' '))
			return true;
	return false;
}

/* By frame of a side, whether what is in that file is judged. */
static bool *
choose(const struct profile *const sides[2], int side, struct left_out *left_out)
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
		if (weights[id] / total < SHARE_TOLD || is_noted(left_out, name))
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
		bool *keep = choose(sides, side, &left_out);

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
