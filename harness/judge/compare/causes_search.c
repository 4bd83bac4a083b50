#include "compare/causes_search.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int
cause_compare_frames(const struct cause_search *search, frame_id a, frame_id b)
{
	const struct profile *profile = &search->comparison->profile;
	int order = strcmp(profile_frame_name(profile, a), profile_frame_name(profile, b));

	if (order != 0)
		return order;
	enum frame_kind kind_a = profile->frames.frames[a].kind;
	enum frame_kind kind_b = profile->frames.frames[b].kind;

	return (kind_a > kind_b) - (kind_a < kind_b);
}

/* A function that only one build inlines is the same function in both. */
static frame_id *
find_same(const struct profile *profile)
{
	size_t nframes = profile->frames.nframes;
	frame_id *same = mem_zalloc(nframes, sizeof(*same));
	frame_id *by_name = mem_zalloc(profile->strings.nentries + 1, sizeof(*by_name));
	const struct frame *frames = profile->frames.frames;

	for (frame_id frame = 1; frame < nframes; frame++) {
		if (frames[frame].kind == FRAME_USER)
			by_name[frames[frame].name] = frame;
	}
	for (frame_id frame = 1; frame < nframes; frame++) {
		frame_id user = by_name[frames[frame].name];

		same[frame] = frames[frame].kind == FRAME_INLINED && user ? user : frame;
	}
	free(by_name);
	return same;
}

/*
 * Sums of weights, which are exact in any order as they are counts, and of these the costs, run by
 * run in the model's order.
 */
void
cause_costs(const struct cause_search *search, const uint32_t *slot, size_t nslots, double *before,
	double *after)
{
	const struct model *model = &search->comparison->model;
	const struct ctree *tree = &search->comparison->profile.tree;
	double *sums = mem_zalloc(nslots, sizeof(*sums));

	for (size_t i = 0; i < model->nruns; i++) {
		const struct model_run *run = &model->runs[i];
		bool is_before = i < model->first[MODEL_AFTER];
		size_t nside = is_before ? model->first[MODEL_AFTER]
					 : model->nruns - model->first[MODEL_AFTER];
		double factor = run->scale / run->samples * run->cost / (double)nside *
				(is_before ? search->speed : 1);
		double *costs = is_before ? before : after;

		memset(sums, 0, nslots * sizeof(*sums));
		for (size_t node = 1; node < tree->nnodes; node++) {
			if (slot[node] != CAUSE_NOWHERE)
				sums[slot[node]] += ctree_weight(tree, run->column, (node_id)node);
		}
		for (size_t k = 0; k < nslots; k++)
			costs[k] += sums[k] * factor;
	}
	free(sums);
}

/* How its own cost was compared, and by how much it grew. */
static void
find_growth(struct cause_search *search)
{
	const struct comparison *comparison = search->comparison;
	const struct effect *self = &comparison->self[search->frame];

	search->relative = self->tested ? self->relative
					: comparison->mode == COMPARISON_STORED &&
						  isfinite(comparison->model.machine_speed);
	search->speed = comparison_before_scale(comparison, self);
	search->causes->before_cost = self->before_cost * search->speed;
	search->causes->after_cost = self->after_cost;
	search->causes->growth = search->causes->after_cost - search->causes->before_cost;
}

/* Whether only one side has enough of the function to be compared. */
static bool
is_one_sided(const struct comparison *comparison, frame_id frame)
{
	const struct effect *self = &comparison->self[frame];

	return (self->before_weight < MODEL_MIN_SAMPLES) !=
	       (self->after_weight < MODEL_MIN_SAMPLES);
}

static void
clean_model(struct cause_ground *ground)
{
	const struct comparison *comparison = ground->comparison;
	const struct functions *functions = &comparison->functions;
	const struct model *from = &comparison->model;
	struct model *model = &ground->model;
	double *samples = mem_zalloc(from->nruns, sizeof(*samples));

	*model = *from;
	model->stable = mem_zalloc(comparison->nframes, sizeof(*model->stable));
	model->reference = mem_zalloc(from->nruns, sizeof(*model->reference));
	for (frame_id frame = 1; frame < comparison->nframes; frame++) {
		if (!from->stable[frame] || is_one_sided(comparison, frame))
			continue;
		model->stable[frame] = true;
		model_samples(from, functions->self + frame * functions->ncolumns, samples);
		for (size_t i = 0; i < from->nruns; i++)
			model->reference[i] += samples[i];
	}
	free(samples);
}

/* For one node: whether its function is one of ours whose code is not known to be the same. */
static bool
may_differ(const struct profile *profile, const struct code_states *code, node_id node)
{
	const struct ctree_node *nodes = profile->tree.nodes;
	frame_id frame = nodes[node].frame;
	enum frame_kind kind = profile->frames.frames[frame].kind;

	/*
	 * The process is no function; the kernel is not in the program; inlined code is in that of
	 * its caller.
	 */
	if (kind == FRAME_KERNEL || kind == FRAME_INLINED ||
		(nodes[node].parent == CTREE_ROOT && nodes[node].first_child != CTREE_NONE))
		return false;
	return frame >= code->nframes || code->by_frame[frame] != CODE_SAME;
}

static bool
is_unreachable(const struct cause_search *search, const struct code_states *code)
{
	const struct profile *profile = &search->comparison->profile;
	const struct ctree_node *nodes = profile->tree.nodes;
	size_t nnodes = profile->tree.nnodes;
	const double *weights = search->weights;
	bool *holds = mem_zalloc(nnodes, 2 * sizeof(*holds));
	bool *differs = holds + nnodes;
	bool sampled = false;
	bool same = code->nframes > 0 && code->by_frame[0] != CODE_CHANGED;

	for (size_t i = 1; i < nnodes; i++) {
		node_id parent = nodes[i].parent;

		holds[i] = holds[parent] || nodes[i].frame == search->frame;
		differs[i] = differs[parent] || may_differ(profile, code, (node_id)i);
		if (holds[i] && weights[i] > 0) {
			sampled = true;
			same = same && !differs[i];
		}
	}
	free(holds);
	return sampled && same;
}

/* Whether the machine code of a function that is not the kernel's changed or is new. */
static bool
code_changed(const struct profile *profile, const struct code_states *code, frame_id frame)
{
	const bool known =
		frame < code->nframes && profile->frames.frames[frame].kind != FRAME_KERNEL;

	return known &&
	       (code->by_frame[frame] == CODE_CHANGED || code->by_frame[frame] == CODE_NEW);
}

/* The changed caller with most of the function's weight below it, as the nearest one; 0: none. */
static frame_id
find_changed_caller(const struct cause_search *search, const struct code_states *code)
{
	const struct profile *profile = &search->comparison->profile;
	const struct ctree_node *nodes = profile->tree.nodes;
	const size_t nnodes = profile->tree.nnodes;
	const size_t nframes = search->comparison->nframes;
	double *by_caller = mem_zalloc(nframes + 1, sizeof(*by_caller));
	frame_id *nearest = mem_zalloc(nnodes, sizeof(*nearest));
	frame_id found = 0;

	for (size_t i = 1; i < nnodes; i++) {
		const frame_id frame = nodes[i].frame;
		const frame_id caller = nearest[nodes[i].parent];

		nearest[i] = code_changed(profile, code, frame) && frame != search->frame ? frame
											  : caller;
		if (frame == search->frame && caller < nframes)
			by_caller[caller] += search->weights[i];
	}
	for (frame_id frame = 1; frame < nframes; frame++)
		if (by_caller[frame] > by_caller[found] || (found == 0 && by_caller[frame] > 0))
			found = frame;
	free(nearest);
	free(by_caller);
	return found;
}

double
causes_more_work(const struct causes *causes)
{
	double before = causes->instructions_before;
	double after = causes->instructions_after;

	return before > 0 && after > 0 ? after / before - 1 : NAN;
}

bool
causes_may_be_layout(const struct causes *causes)
{
	return causes->changed_caller == 0 && !causes->changed_input &&
	       !(causes_more_work(causes) > CAUSES_SAME_WORK);
}

struct cause_ground *
causes_ground_make(const struct comparison *comparison)
{
	struct cause_ground *ground = mem_zalloc(1, sizeof(*ground));

	ground->comparison = comparison;
	const struct ctree *tree = &comparison->profile.tree;

	ground->total = comparison_totals(comparison);
	ground->weights = mem_zalloc(tree->nnodes, sizeof(*ground->weights));
	ctree_sum(tree, 0, comparison->profile.nruns, ground->weights);
	ground->same = find_same(&comparison->profile);
	ground->code = functions_code(&comparison->profile);
	clean_model(ground);
	cause_paths_init(&ground->paths, &comparison->profile, ground->same);
	return ground;
}

void
causes_ground_free(struct cause_ground *ground)
{
	if (!ground)
		return;
	cause_paths_release(&ground->paths);
	free(ground->model.stable);
	free(ground->model.reference);
	free(ground->total);
	free(ground->weights);
	free(ground->same);
	free(ground->code);
	free(ground);
}

void
causes_find(const struct cause_ground *ground, frame_id frame, const struct code_states *code,
	struct arena *arena, struct causes *causes)
{
	struct cause_search search = {.comparison = ground->comparison,
		.frame = frame,
		.arena = arena,
		.causes = causes,
		.model = ground->model,
		.total = ground->total,
		.weights = ground->weights,
		.same = ground->same,
		.code = ground->code,
		.paths = &ground->paths};

	*causes = (struct causes){.instructions_before = NAN, .instructions_after = NAN};
	effect_clear(&causes->domain_effect);
	find_growth(&search);
	cause_find_stacks(&search);
	cause_find_neighbours(&search);
	cause_find_moved(&search);
	if (code && frame < code->nframes) {
		causes->code = code->by_frame[frame];
		causes->unreachable = is_unreachable(&search, code);
		causes->changed_caller = find_changed_caller(&search, code);
	}
}

/* The factor that makes `is` what it shall be. */
static double
factor_of(double shall, double is)
{
	return shall > 0 && is > 0 ? shall / is : 1;
}

static void
scale_neighbours(struct cause_neighbour *neighbours, size_t count, double before, double after)
{
	for (size_t i = 0; i < count; i++) {
		neighbours[i].before_cost *= before;
		neighbours[i].after_cost *= after;
	}
}

void
causes_scale(struct causes *causes, double before_cost, double after_cost)
{
	const double before = factor_of(before_cost, causes->before_cost);
	const double after = factor_of(after_cost, causes->after_cost);

	causes->before_cost *= before;
	causes->after_cost *= after;
	causes->growth = causes->after_cost - causes->before_cost;
	for (size_t i = 0; i < causes->nstacks; i++) {
		causes->stacks[i].before_cost *= before;
		causes->stacks[i].after_cost *= after;
	}
	scale_neighbours(causes->callers, causes->ncallers, before, after);
	scale_neighbours(causes->callees, causes->ncallees, before, after);
	causes->before_calls *= before;
	causes->after_calls *= after;
}

/* Marks of the stacks that hold a node, or a function. */
struct stack_marks {
	bool sampled;
	bool differs; /* code on a sampled one may differ */
};

static void
add_marks(struct stack_marks *to, const struct stack_marks *more)
{
	to->sampled = to->sampled || more->sampled;
	to->differs = to->differs || more->differs;
}

bool *
causes_reached(const struct cause_ground *ground, const struct code_states *code)
{
	const struct profile *profile = &ground->comparison->profile;
	const struct ctree_node *nodes = profile->tree.nodes;
	const size_t nnodes = profile->tree.nnodes;
	const size_t nframes = ground->comparison->nframes;
	const bool all = code->nframes == 0 || code->by_frame[0] == CODE_CHANGED;
	bool *reached = mem_zalloc(nframes + nnodes, sizeof(*reached));
	bool *differs = reached + nframes;
	struct stack_marks *marks = mem_zalloc(nframes + nnodes, sizeof(*marks));
	struct stack_marks *of_node = marks + nframes;

	for (size_t i = 1; i < nnodes; i++) {
		differs[i] = differs[nodes[i].parent] || may_differ(profile, code, (node_id)i);
		of_node[i].sampled = ground->weights[i] > 0;
		of_node[i].differs = of_node[i].sampled && differs[i];
	}
	/* Children come after their parents. */
	for (size_t i = nnodes; i-- > 1;) {
		add_marks(&marks[nodes[i].frame], &of_node[i]);
		add_marks(&of_node[nodes[i].parent], &of_node[i]);
	}
	for (frame_id frame = 1; frame < nframes; frame++)
		reached[frame] = all || frame >= code->nframes ||
				 code->by_frame[frame] != CODE_SAME || !marks[frame].sampled ||
				 marks[frame].differs;
	free(marks);
	return reached;
}

/* The function that a change touched, nearest to a growth: the rule is in causes.h. */

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
		!is_edited(code, found) && code_changed(profile, code, frame) &&
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
