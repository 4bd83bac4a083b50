#include "gate/rehearsal.h"

#include "base/mem.h"
#include "base/random.h"
#include "gate/pattern.h"
#include "gate/simulated_gate.h"
#include "profile/canonical.h"
#include "profile/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pair {
	size_t columns[2];
	bool swapped;
};

/* One workload whose runs are resampled. */
struct dealt {
	const struct rehearsal_workload *of;
	struct profile all; /* the runs of both sides */
	struct pair *pairs;
	size_t npairs;
	struct run_view sides[2];
	struct gate_policy policy;
	struct judgement judgement;
};

struct stage_play {
	struct dealt *dealt;
	struct simulated_workload *workloads; /* of those */
	size_t n;
	bool default_time;
	struct random random;
};

/* Self costs need no stacks: only what is called by a function does. */
static bool
needs_stacks(const struct gate_policy *policy)
{
	for (size_t i = 0; i < policy->nrules; i++) {
		if (policy->rules[i].kind != RULE_EACH &&
			group_quantity(&policy->rules[i]) != QUANTITY_SELF)
			return true;
	}
	return false;
}

/*
 * `from` with stacks of the process, the function whose code it was, and what is inlined there. A
 * gate over it tests the same self costs, in a small part of the time.
 */
static void
flatten(struct profile *into, const struct profile *from)
{
	const struct ctree_node *nodes = from->tree.nodes;
	node_id *processes = mem_zalloc(from->tree.nnodes, sizeof(*processes));
	node_id *flat = mem_zalloc(from->tree.nnodes, sizeof(*flat));

	profile_init(into);
	profile_describe(into, from);
	frame_id *frames = profile_append_frames(into, from, false);

	for (size_t i = 1; i < from->tree.nnodes; i++) {
		node_id parent = nodes[i].parent;
		bool inlined = parent != CTREE_ROOT &&
			       from->frames.frames[nodes[i].frame].kind == FRAME_INLINED;

		flat[i] = ctree_child(&into->tree, inlined ? flat[parent] : processes[parent],
			frames[nodes[i].frame]);
		processes[i] = parent == CTREE_ROOT ? flat[i] : processes[parent];
	}
	profile_append_runs(into, from, flat);
	free(flat);
	free(processes);
	free(frames);
}

/* Where both sides have a run of the same pair. */
static void
find_pairs(struct dealt *dealt, size_t nbefore)
{
	const struct run *runs = dealt->all.runs;

	dealt->pairs = mem_zalloc(nbefore, sizeof(*dealt->pairs));
	for (size_t i = 0; i < nbefore; i++) {
		for (size_t k = nbefore; k < dealt->all.nruns; k++) {
			if (runs[i].pair == 0 || runs[i].pair != runs[k].pair)
				continue;
			dealt->pairs[dealt->npairs++] = (struct pair){.columns = {i, k}};
			break;
		}
	}
}

static void
dealt_init(struct dealt *dealt, const struct rehearsal_workload *of)
{
	const struct judgement *judgement = of->judgement;
	const struct profile *before = judgement->input.before;
	struct profile joined;

	*dealt = (struct dealt){.of = of, .policy = *judgement_policy(judgement)};
	/* False alarms are not waived. */
	dealt->policy.nwaivers = 0;
	profile_init(&joined);
	canonical_join(&joined, before, judgement->input.candidate);
	if (needs_stacks(&dealt->policy)) {
		dealt->all = joined;
	} else {
		flatten(&dealt->all, &joined);
		profile_release(&joined);
	}
	find_pairs(dealt, before->nruns);
	for (int side = 0; side < 2; side++)
		run_view_init(&dealt->sides[side], &dealt->all);
}

static void
dealt_release(struct dealt *dealt)
{
	judgement_release(&dealt->judgement);
	for (int side = 0; side < 2; side++)
		run_view_release(&dealt->sides[side]);
	profile_release(&dealt->all);
	free(dealt->pairs);
}

/* Fisher and Yates. */
static void
shuffle(struct stage_play *play, struct dealt *dealt)
{
	for (size_t i = 0; i < dealt->npairs; i++) {
		size_t k = i + random_next(&play->random) % (dealt->npairs - i);
		struct pair kept = dealt->pairs[i];

		dealt->pairs[i] = dealt->pairs[k];
		dealt->pairs[k] = kept;
		dealt->pairs[i].swapped = random_next(&play->random) >> 63;
	}
}

/* Adds the next pairs to both sides. */
static unsigned
deal(void *context, size_t workload, int stage, unsigned count)
{
	struct stage_play *play = context;
	struct dealt *dealt = &play->dealt[workload];
	const size_t first = dealt->sides[0].profile.nruns;

	for (size_t i = first; i < first + count; i++) {
		const struct pair *pair = &dealt->pairs[i];

		for (int side = 0; side < 2; side++) {
			struct run *run = run_view_add(
				&dealt->sides[side], pair->columns[side ^ (int)pair->swapped]);

			run->pair = (uint32_t)i + 1;
			run->stage = (uint32_t)stage;
		}
	}
	return count;
}

/* Not those about the validity of the runs, which is the same in every sample. */
static bool
is_of_growth(const struct finding *finding)
{
	switch (finding->rule) {
	case FINDING_SELF_CHECK:
	case FINDING_FUNCTIONS:
	case FINDING_NAMED:
	case FINDING_TOTAL:
	case FINDING_COUNTERS:
		return true;
	case FINDING_MEASUREMENT:
	case FINDING_BASELINE:
	case FINDING_VALIDITY:
	case FINDING_WAIVERS:
		break;
	}
	return false;
}

static enum status
status_of(const struct verdict *verdict)
{
	/* The severest is first. */
	for (size_t i = 0; i < verdict->nfindings; i++) {
		if (is_of_growth(&verdict->findings[i]))
			return verdict->findings[i].status;
	}
	return STATUS_PASS;
}

static void
count(const struct stage_play *play, struct rehearsal *rehearsal)
{
	enum status whole = STATUS_PASS;

	for (size_t i = 0; i < play->n; i++) {
		const enum status status = status_of(&play->dealt[i].judgement.verdict);
		const size_t npairs = play->workloads[i].plan.taken[COMPARISON_SCREEN];

		rehearsal->workloads[i].ngates++;
		rehearsal->workloads[i].npairs += npairs;
		rehearsal->workloads[i].with[status]++;
		rehearsal->whole.npairs += npairs;
		whole = status > whole ? status : whole;
	}
	rehearsal->whole.ngates++;
	rehearsal->whole.with[whole]++;
}

/* As many pairs as there are, at most: more cannot be dealt. */
static struct run_plan
plan_of(const struct dealt *dealt)
{
	struct run_plan plan = {.wanted = {dealt->of->runs},
		.most = dealt->of->max_runs < dealt->npairs ? dealt->of->max_runs
							    : (unsigned)dealt->npairs};

	run_plan_use_looks(&plan, &dealt->policy);
	return plan;
}

static void
play_gate(struct stage_play *play, struct rehearsal *rehearsal)
{
	const struct simulated_gate gate = {.workloads = play->workloads,
		.nworkloads = play->n,
		.draw = deal,
		.context = play,
		.default_time = play->default_time};

	for (size_t i = 0; i < play->n; i++) {
		struct dealt *dealt = &play->dealt[i];

		for (int side = 0; side < 2; side++)
			run_view_clear(&dealt->sides[side]);
		shuffle(play, dealt);
		play->workloads[i] = (struct simulated_workload){
			.judgement = &dealt->judgement, .plan = plan_of(dealt)};
		judgement_release(&dealt->judgement);
		dealt->judgement.input = dealt->of->judgement->input;
		dealt->judgement.input.policy = &dealt->policy;
		dealt->judgement.input.candidate = &dealt->sides[1].profile;
		dealt->judgement.input.before = &dealt->sides[0].profile;
		dealt->judgement.input.may_confirm = true;
	}
	simulated_gate_run(&gate);
	count(play, rehearsal);
}

/* Pairs of the first look of a gate that may take as many as it wants. */
static unsigned
first_look(const struct dealt *dealt)
{
	struct run_plan plan = {.wanted = {dealt->of->runs}, .most = dealt->of->max_runs};

	run_plan_use_looks(&plan, &dealt->policy);
	return plan.wanted[COMPARISON_SCREEN];
}

void
rehearsal_run(struct rehearsal *rehearsal, const struct rehearsal_workload *workloads,
	size_t nworkloads, const struct rehearsal_options *options)
{
	struct stage_play play = {
		.dealt = mem_zalloc(nworkloads, sizeof(*play.dealt)),
		.workloads = mem_zalloc(nworkloads, sizeof(*play.workloads)),
		.n = nworkloads,
		.default_time = options->default_time,
		.random = {options->seed},
	};
	bool wanted = nworkloads > 0;

	*rehearsal = (struct rehearsal){
		.workloads = mem_zalloc(nworkloads, sizeof(*rehearsal->workloads)),
	};
	for (size_t i = 0; i < nworkloads; i++) {
		dealt_init(&play.dealt[i], &workloads[i]);
		const unsigned first = first_look(&play.dealt[i]);

		rehearsal->first = first > rehearsal->first ? first : rehearsal->first;
		wanted = wanted && play.dealt[i].npairs >= first;
	}
	for (size_t gate = 0; gate < options->ngates && wanted; gate++)
		play_gate(&play, rehearsal);
	for (size_t i = 0; i < nworkloads; i++)
		dealt_release(&play.dealt[i]);
	free(play.dealt);
	free(play.workloads);
}

void
rehearsal_release(struct rehearsal *rehearsal)
{
	free(rehearsal->workloads);
	*rehearsal = (struct rehearsal){0};
}
