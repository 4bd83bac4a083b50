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

static enum source_state
source_of(const struct code_states *code, frame_id frame)
{
	return code->source && frame < code->nframes ? code->source[frame] : SOURCE_UNKNOWN;
}

/* A line of it changed, or a macro there. */
static bool
is_edited(const struct code_states *code, frame_id frame)
{
	const enum source_state source = source_of(code, frame);

	return source == SOURCE_CHANGED || source == SOURCE_USES;
}

/* The code that a node stands in, and its source. */
struct touch {
	enum code_state code;
	enum source_state source; /* of what is inlined without its own, that of what holds it */
	uint32_t edited; /* the innermost function in it, up to here, with a changed line; 0 */
};

static struct touch
touch_of(const struct profile *profile, const struct code_states *code, frame_id frame,
	const struct touch *above)
{
	const enum frame_kind kind = profile->frames.frames[frame].kind;
	/* Inlined code is in that of its caller. */
	struct touch touch = kind == FRAME_INLINED ? *above : (struct touch){0};

	if (kind == FRAME_KERNEL || frame >= code->nframes)
		return (struct touch){.code = CODE_SAME};
	if (kind != FRAME_INLINED)
		touch.code = code->by_frame[frame];
	if (source_of(code, frame) != SOURCE_UNKNOWN)
		touch.source = source_of(code, frame);
	if (is_edited(code, frame))
		touch.edited = frame;
	return touch;
}

/* By function: the one with a changed line that is inlined there, with most weight; free() it. */
static uint32_t *
find_inner(const struct cause_ground *ground, const struct touch *touches)
{
	const struct profile *profile = &ground->comparison->profile;
	const size_t nframes = profile->frames.nframes;
	uint32_t *inner = mem_zalloc(nframes, sizeof(*inner));
	double *most = mem_zalloc(nframes, sizeof(*most));

	for (size_t i = 1; i < profile->tree.nnodes; i++) {
		const frame_id frame = profile->tree.nodes[i].frame;
		const frame_id holder = ground->code[i];

		if (profile->frames.frames[frame].kind == FRAME_INLINED && touches[i].edited &&
			touches[i].edited != holder && ground->weights[i] > most[holder]) {
			inner[holder] = touches[i].edited;
			most[holder] = ground->weights[i];
		}
	}
	free(most);
	return inner;
}

/* `inner`: with a changed line, in the same code; 0. `above`: nearest to the caller. */
static uint32_t
nearest_of(const struct profile *profile, const struct code_states *code, frame_id frame,
	const struct touch *touch, uint32_t inner, uint32_t above)
{
	const bool changed = touch->code == CODE_CHANGED || touch->code == CODE_NEW;

	if (touch->edited && (changed || touch->code == CODE_UNKNOWN))
		return touch->edited;
	if (!changed || is_of_system(profile, frame) || (touch->source == SOURCE_OUTSIDE && above))
		return above;
	if (touch->code == CODE_NEW && touch->source == SOURCE_SAME && above &&
		is_edited(code, above))
		return above;
	return inner ? inner : frame;
}

uint32_t *
causes_nearest(const struct cause_ground *ground, const struct code_states *code)
{
	const struct profile *profile = &ground->comparison->profile;
	const struct ctree_node *nodes = profile->tree.nodes;
	const size_t nnodes = profile->tree.nnodes;
	uint32_t *nearest = mem_zalloc(nnodes, sizeof(*nearest));
	struct touch *touches = mem_zalloc(nnodes, sizeof(*touches));

	for (size_t i = 1; i < nnodes; i++)
		touches[i] = touch_of(profile, code, nodes[i].frame, &touches[nodes[i].parent]);
	uint32_t *inner = find_inner(ground, touches);

	for (size_t i = 1; i < nnodes; i++)
		nearest[i] = nearest_of(profile, code, nodes[i].frame, &touches[i],
			inner[ground->code[i]], nearest[nodes[i].parent]);
	free(inner);
	free(touches);
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

/* Whether the growth in the code of `frame` is due to its inlined function, and not to itself. */
static bool
is_due_to_inlined(const struct cause_search *search, const struct cause_ground *ground,
	frame_id inlined, frame_id frame, double growth, double all)
{
	/* Several that grew by less each: the function that holds their code. */
	return growth >= INLINED_PART * all && !grew_only_in(search, ground, inlined, frame);
}

/*
 * The function, there or above a node, that holds the code of the inlined one which is nearest to
 * it; 0: the node is in that, or in what it calls.
 */
static frame_id
holder_of(const struct profile *profile, const struct code_states *code, const uint32_t *nearest,
	node_id node)
{
	const struct ctree_node *nodes = profile->tree.nodes;
	const uint32_t inlined = nearest[node];
	frame_id holder = 0;

	for (node_id at = node; at != CTREE_ROOT && nearest[at] == inlined; at = nodes[at].parent) {
		const frame_id frame = nodes[at].frame;

		if (frame == inlined)
			return 0;
		if (holder == 0 && frame < code->nframes && code->by_frame[frame] == CODE_CHANGED &&
			profile->frames.frames[frame].kind != FRAME_INLINED)
			holder = frame;
	}
	return holder;
}

/*
 * The subject, of a growth at the nodes of a slot, where an inlined function changed: that function
 * if the growth is in it or in what it calls, else the one that holds its code.
 */
static frame_id
inlined_or_holder(const struct cause_search *search, const struct code_states *code,
	const uint32_t *nearest, uint32_t *slot, frame_id inlined)
{
	const size_t nframes = search->comparison->nframes;
	double *before = mem_zalloc(nframes, 2 * sizeof(*before));
	double *after = before + nframes;
	double outside;

	for (size_t i = 0; i < search->comparison->profile.tree.nnodes; i++)
		if (slot[i] == inlined)
			slot[i] =
				holder_of(&search->comparison->profile, code, nearest, (node_id)i);
		else
			slot[i] = CAUSE_NOWHERE;
	cause_costs(search, slot, nframes, before, after);
	const frame_id holder = find_largest(before, after, nframes, &outside);
	const double inside = after[0] - before[0];

	free(before);
	return holder && inside < INLINED_PART * (inside + outside) ? holder : inlined;
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
		!is_edited(code, found) && cause_code_changed(profile, code, frame) &&
		!is_due_to_inlined(
			&search, ground, found, frame, after[found] - before[found], all))
		found = frame;
	else if (found && profile->frames.frames[found].kind == FRAME_INLINED &&
		 is_edited(code, found))
		found = inlined_or_holder(&search, code, nearest, slot, found);
	free(before);
	free(slot);
	return found;
}
