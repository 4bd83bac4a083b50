/* The function that a change touched, nearest to a growth: the rule is in causes.h. */
#include "compare/causes_search.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* An inlined function with so much of the growth of the function that holds its code is the
 * subject.
 */
#define INLINED_PART 0.5
/* Where other functions, too, hold an inlined function, with so much of its cost before, it grows
 * there by so much of what it grows by here, if the change is in it.
 */
#define ELSEWHERE_PART 0.1
#define ELSEWHERE_GROWTH 0.5

/*
 * Source that comes with the system or the compiler, or a stub of the linker's: no change of a
 * repository touches it, though templates and stubs are new where it calls them for the first time.
 */
static bool
is_of_system(const struct profile *profile, frame_id frame)
{
	static const char *const folders[] = {"/usr/", "/rustc/", "<"};
	static const char stub[] = "@plt";
	const char *file = strtab_str(&profile->strings, profile->frames.frames[frame].file);
	const char *name = profile_frame_name(profile, frame);
	const size_t len = strlen(name);

	if (len >= sizeof(stub) - 1 && strcmp(name + len - (sizeof(stub) - 1), stub) == 0)
		return true;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (strncmp(file, folders[i], strlen(folders[i])) == 0)
			return true;
	return false;
}

uint32_t *
causes_nearest(const struct cause_ground *ground, const struct code_states *code)
{
	const struct profile *profile = &ground->comparison->profile;
	const struct ctree_node *nodes = profile->tree.nodes;
	const size_t nnodes = profile->tree.nnodes;
	uint32_t *nearest = mem_zalloc(nnodes, sizeof(*nearest));
	bool *changed = mem_zalloc(nnodes, sizeof(*changed));

	for (size_t i = 1; i < nnodes; i++) {
		const frame_id frame = nodes[i].frame;
		const node_id parent = nodes[i].parent;
		const bool inlined = profile->frames.frames[frame].kind == FRAME_INLINED;

		/* Inlined code is in that of its caller. */
		changed[i] = inlined ? changed[parent] : cause_code_changed(profile, code, frame);
		nearest[i] = changed[i] && !is_of_system(profile, frame) ? frame : nearest[parent];
	}
	free(changed);
	return nearest;
}

/* The one with most growth, and the growth of all that grew. */
static frame_id
find_largest(const double *before, const double *after, size_t nframes, double *all)
{
	frame_id found = 0;

	*all = 0;
	for (frame_id id = 1; id < nframes; id++) {
		const double growth = after[id] - before[id];

		*all += growth > 0 ? growth : 0;
		if (growth > (found ? after[found] - before[found] : 0))
			found = id;
	}
	return found;
}

/* Whether an inlined function grew in the code of `holder` and not in that of others. */
static bool
grew_only_in(const struct cause_search *search, const struct cause_ground *ground, frame_id inlined,
	frame_id holder)
{
	enum { HERE, ELSEWHERE, NSLOTS };
	const struct profile *profile = &ground->comparison->profile;
	uint32_t *slot = mem_zalloc(profile->tree.nnodes, sizeof(*slot));
	double before[NSLOTS] = {0};
	double after[NSLOTS] = {0};

	for (size_t i = 0; i < profile->tree.nnodes; i++) {
		slot[i] = CAUSE_NOWHERE;
		if (profile->tree.nodes[i].frame == inlined)
			slot[i] = ground->code[i] == holder ? HERE : ELSEWHERE;
	}
	cause_costs(search, slot, NSLOTS, before, after);
	free(slot);
	return before[ELSEWHERE] >= ELSEWHERE_PART * (before[HERE] + before[ELSEWHERE]) &&
	       (after[ELSEWHERE] - before[ELSEWHERE]) * before[HERE] <
		       ELSEWHERE_GROWTH * (after[HERE] - before[HERE]) * before[ELSEWHERE];
}

/* What grew in the code of `frame` is due to its inlined function, and not to itself. */
static bool
is_due_to_inlined(const struct cause_search *search, const struct cause_ground *ground,
	frame_id inlined, frame_id frame, double growth, double all)
{
	/* Several that grew by less each: the function that holds their code. */
	return growth >= INLINED_PART * all && !grew_only_in(search, ground, inlined, frame);
}

frame_id
causes_subject(const struct cause_ground *ground, frame_id frame, const struct code_states *code,
	const uint32_t *nearest)
{
	const struct comparison *comparison = ground->comparison;
	const struct profile *profile = &comparison->profile;
	const size_t nframes = comparison->nframes;
	const struct cause_search search = {.comparison = comparison,
		.speed = comparison_before_scale(comparison, &comparison->self[frame])};
	const struct ctree *tree = &profile->tree;
	uint32_t *slot = mem_zalloc(tree->nnodes, sizeof(*slot));
	double *before = mem_zalloc(nframes, 2 * sizeof(*before));
	double *after = before + nframes;
	double all;

	for (size_t i = 0; i < tree->nnodes; i++)
		slot[i] = ground->code[i] == frame && nearest[i] != 0 && nearest[i] < nframes
				  ? nearest[i]
				  : CAUSE_NOWHERE;
	cause_costs(&search, slot, nframes, before, after);
	frame_id found = find_largest(before, after, nframes, &all);

	if (found && profile->frames.frames[found].kind == FRAME_INLINED &&
		cause_code_changed(profile, code, frame) &&
		!is_due_to_inlined(
			&search, ground, found, frame, after[found] - before[found], all))
		found = frame;
	free(before);
	free(slot);
	return found;
}
