#include "gate/attribution.h"

#include "base/mem.h"
#include "compare/same_declaration.h"
#include "gate/group_growth.h"
#include "gate/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Findings about functions explain the whole program where they have this part of its growth. */
#define WHOLE_PART 0.5
/* Callers of a new function that are examined. */
#define MOST_CALLERS 16

/* A function that growths are attributed to. */
struct cause {
	frame_id subject;
	double growth; /* of the cost of all of them */
	double own;    /* of its own test */
	double others; /* growth elsewhere that it is the cause of: join_others() */
	size_t test;   /* number of its own test, or 0 */
	size_t most;   /* number of the test that grew most */
	size_t count;
	enum status
		status; /* of the severest, or the whole program's, of whose growth it has most */
	bool touched;   /* by the change */
	size_t lead;    /* number of the test that stands for all */
};

struct attribution {
	struct judgement *judgement;
	size_t ntests;         /* before any were added */
	frame_id *cause_frame; /* by test: the function that its growth is attributed to; 0: none */
	size_t *cause_of;      /* by frame: number of its cause, or 0 */
	struct cause *causes;
	size_t ncauses;
};

/* The growth of a test's subject in cost, at the machine's speed after. */
static double
growth_of(const struct judgement *judgement, const struct test *test)
{
	const struct effect *effect = test_effect(test);
	const double scale = comparison_before_scale(&judgement->comparison, effect);
	const double before = effect->before_cost > 0 ? effect->before_cost * scale : 0;

	return effect->after_cost > 0 ? effect->after_cost - before : 0;
}

/*
 * A growth that is less than significant may be chance, and has no cause; one that is suspected,
 * and undecided, has the cause that it would have if it were confirmed.
 */
static bool
is_shown(const struct judgement *judgement, const struct test *test)
{
	return test->decision.status >= STATUS_INCONCLUSIVE ||
	       (test->decision.status >= STATUS_WARN &&
		       test_effect(test)->p <= judgement->criteria.alpha);
}

/* A growth that is doubted for another reason stays a separate finding. */
static bool
is_growth(const struct judgement *judgement, const struct test *test)
{
	const struct decision *decision = &test->decision;
	const bool doubted = decision->weakness == WEAKNESS_MOVED ||
			     decision->weakness == WEAKNESS_LAYOUT ||
			     decision->weakness == WEAKNESS_SAME_WORK;

	if (test->rule != FINDING_FUNCTIONS || test->frame == 0 || doubted ||
		decision->status < STATUS_WARN)
		return false;
	if (test->kind == TEST_NEW)
		return true;
	return test->kind == TEST_GROWTH && growth_of(judgement, test) > 0 &&
	       is_shown(judgement, test);
}

static enum status
severer(enum status one, enum status other)
{
	return one > other ? one : other;
}

/* Growths with this cause are one finding, which fails or is undecided. */
static bool
is_finding(const struct cause *cause)
{
	return cause->count > 0 && cause->status >= STATUS_INCONCLUSIVE;
}

/* `touched`: the function that the change touched; 0 where none is known. */
static void
add_growth(struct attribution *all, size_t number, frame_id touched)
{
	const struct test *test = &all->judgement->tests[number - 1];
	const double growth = growth_of(all->judgement, test);
	const frame_id subject = touched ? touched : test->frame;

	all->cause_frame[number - 1] = subject;
	if (all->cause_of[subject] == 0) {
		all->causes[all->ncauses] =
			(struct cause){.subject = subject, .most = number, .touched = touched != 0};
		all->cause_of[subject] = ++all->ncauses;
	}
	struct cause *cause = &all->causes[all->cause_of[subject] - 1];

	cause->growth += growth;
	cause->count++;
	cause->status = severer(cause->status, test->decision.status);
	if (growth > growth_of(all->judgement, &all->judgement->tests[cause->most - 1]))
		cause->most = number;
	if (test->frame == subject) {
		cause->test = number;
		cause->own = growth;
	}
}

static void
find_causes(struct attribution *all, const struct code_states *code)
{
	struct judgement *judgement = all->judgement;
	struct cause_ground *ground = NULL;
	uint32_t *nearest = NULL;

	for (size_t i = 0; i < all->ntests; i++) {
		const struct test *test = &judgement->tests[i];

		if (!is_growth(judgement, test))
			continue;
		if (!ground && code) {
			ground = causes_ground_make(&judgement->comparison);
			nearest = causes_nearest(ground, code);
		}

		add_growth(
			all, i + 1, code ? causes_subject(ground, test->frame, code, nearest) : 0);
	}
	free(nearest);
	causes_ground_free(ground);
}

static bool
calls(const struct comparison *comparison, frame_id caller, frame_id callee)
{
	struct function_edge edges[MOST_CALLERS];
	const size_t count = functions_callers(&comparison->profile, callee, edges, MOST_CALLERS);

	for (size_t i = 0; i < count && i < MOST_CALLERS; i++)
		if (edges[i].frame == caller)
			return true;
	return false;
}

/* Attributes all growths of one cause to another. */
static void
move_growths(struct attribution *all, struct cause *from, const struct cause *into)
{
	for (size_t t = 0; t < all->ntests; t++)
		all->cause_frame[t] =
			all->cause_frame[t] == from->subject ? into->subject : all->cause_frame[t];
	from->count = 0;
}

/* Makes two causes one, with the growth of both. */
static void
join(struct attribution *all, struct cause *from, struct cause *into)
{
	into->growth += from->growth;
	into->status = severer(into->status, from->status);
	/* Both are judged by their own costs. */
	into->own += into->test ? from->growth : 0;
	into->count += from->count;
	move_growths(all, from, into);
}

/* A new function and its changed caller: the one that grew more stands for both. */
static void
join_new(struct attribution *all)
{
	const struct comparison *comparison = &all->judgement->comparison;

	for (size_t i = 0; i < all->ncauses; i++) {
		struct cause *added = &all->causes[i];
		const bool is_new = functions_total(comparison_functions(comparison),
					    added->subject, 0, comparison->nbefore) == 0;

		for (size_t k = 0; k < all->ncauses && is_new && added->count > 0; k++) {
			struct cause *caller = &all->causes[k];

			if (k == i || caller->count == 0 || !caller->touched ||
				functions_total(comparison_functions(comparison), caller->subject,
					0, comparison->nbefore) == 0 ||
				!calls(comparison, caller->subject, added->subject))
				continue;
			if (caller->growth > added->growth)
				join(all, added, caller);
			else
				join(all, caller, added);
		}
	}
}

static void
join_instances(struct attribution *all)
{
	const struct profile *profile = &all->judgement->comparison.profile;

	for (size_t i = 0; i < all->ncauses; i++) {
		for (size_t k = i + 1; k < all->ncauses && all->causes[i].count > 0; k++) {
			struct cause *one = &all->causes[i];
			struct cause *other = &all->causes[k];

			if (other->count == 0 || !one->touched || !other->touched ||
				!same_declaration(profile, one->subject, other->subject))
				continue;
			if (other->growth > one->growth)
				join(all, one, other);
			else
				join(all, other, one);
		}
	}
}

/* The definition that changed in the code of a function: its type, macro, inlined one or own. */
static uint32_t
definition_of(const struct attribution *all, const struct code_states *code, frame_id subject)
{
	const struct profile *profile = &all->judgement->comparison.profile;
	const bool is_inlined = profile->frames.frames[subject].kind == FRAME_INLINED;

	return is_inlined && code && code->source && code->definition &&
			       code->source[subject] == SOURCE_CHANGED
		       ? code->definition[subject]
		       : code_definition(code, subject);
}

/* Functions that are compiled from one changed type, macro or inlined function are one cause. */
static void
join_defined(struct attribution *all, const struct code_states *code)
{
	for (size_t i = 0; i < all->ncauses; i++) {
		for (size_t k = i + 1; k < all->ncauses && all->causes[i].count > 0; k++) {
			struct cause *one = &all->causes[i];
			struct cause *other = &all->causes[k];
			const uint32_t definition = definition_of(all, code, one->subject);

			if (definition == 0 || other->count == 0 || !one->touched ||
				!other->touched ||
				definition_of(all, code, other->subject) != definition)
				continue;
			if (other->growth > one->growth)
				join(all, one, other);
			else
				join(all, other, one);
		}
	}
}

/*
 * A function whose code is the same, and on whose stacks none changed, costs more because of a
 * change elsewhere: a collector that has more to collect, a thread that is given more to do.
 */
static void
join_others(struct attribution *all, const struct code_states *code)
{
	struct cause *most = NULL;

	for (size_t i = 0; i < all->ncauses; i++) {
		struct cause *cause = &all->causes[i];

		if (cause->touched && cause->status == STATUS_FAIL && cause->count > 0 &&
			(!most || cause->growth > most->growth))
			most = cause;
	}
	for (size_t i = 0; i < all->ncauses && most; i++) {
		struct cause *cause = &all->causes[i];

		if (!is_finding(cause) || cause->touched ||
			code->by_frame[cause->subject] != CODE_SAME)
			continue;
		most->others += cause->growth;
		move_growths(all, cause, most);
	}
}

/* Whether a function was counted on both sides. */
static bool
is_counted(const struct instruction_counts *counts, frame_id frame)
{
	return isfinite(counts->before[frame]) && isfinite(counts->after[frame]);
}

/*
 * Instructions that the function and those that grew because of it execute more, and no more than
 * the whole program does: what others call less often may only have moved here. NULL: they were not
 * counted.
 */
static const struct counted_work *
work_of_cause(const struct attribution *all, const struct cause *cause)
{
	struct judgement *judgement = all->judgement;
	const struct instruction_counts *counts = judgement_counts(judgement);

	if (!counts)
		return NULL;
	const size_t nframes = judgement->comparison.nframes;
	bool *member = mem_zalloc(nframes, sizeof(*member));
	const double whole = counts->after[0] / counts->before[0] - 1;

	member[cause->subject] = is_counted(counts, cause->subject);
	for (size_t i = 0; i < all->ntests; i++) {
		const frame_id frame = judgement->tests[i].frame;

		if (all->cause_frame[i] == cause->subject)
			member[frame] = is_counted(counts, frame);
	}
	const struct counted_work *found = group_growth_work(judgement, member, 0);

	free(member);
	if (!found || !isfinite(whole))
		return NULL;
	struct counted_work *work = arena_alloc(&judgement->verdict.arena, sizeof(*work));

	*work = (struct counted_work){.change = fmin(found->change, whole)};
	return work;
}

/*
 * Whether all that a function costs with all it calls is new; then that goes to the test. It may be
 * worth less than the floor: it stands for growths that matter.
 */
static bool
set_new(struct judgement *judgement, frame_id frame, struct test *test)
{
	const struct comparison *comparison = &judgement->comparison;
	struct effect *totals = comparison_totals(comparison);
	const bool is_new = comparison_is_new(comparison, &totals[frame]);

	if (is_new) {
		test->kind = TEST_NEW;
		test->all = arena_alloc(&judgement->verdict.arena, sizeof(*test->all));
		*test->all = totals[frame];
		test->worth = model_share_of_before(&comparison->model, test->all);
	}
	free(totals);
	return is_new;
}

/* Adds a test of the function with all it calls; its number, or 0 where that did not grow. */
static size_t
add_total(struct attribution *all, const struct cause *cause)
{
	struct judgement *judgement = all->judgement;
	bool *member = mem_zalloc(judgement->comparison.nframes, sizeof(*member));
	struct test added = test_of(TEST_GROWTH, FINDING_FUNCTIONS, NULL);

	for (frame_id frame = 1; frame < judgement->comparison.nframes; frame++)
		member[frame] = frame == cause->subject ||
				(cause->touched && same_declaration(&judgement->comparison.profile,
							   cause->subject, frame));
	const struct test *test = group_growth_test(judgement, member);

	free(member);
	if (test) {
		added = *test;
		added.subject = NULL;
		added.evidence.work = work_of_cause(all, cause);
	} else if (!set_new(judgement, cause->subject, &added)) {
		return 0;
	}
	added.frame = cause->subject;
	added.of = QUANTITY_TOTAL;
	added.added = true;
	added.by_members = cause->status == STATUS_INCONCLUSIVE;
	if (!(growth_of(judgement, &added) > 0))
		return 0;
	judgement_add_test(judgement, &added);
	return judgement->ntests;
}

static void
choose_lead(struct attribution *all, struct cause *cause)
{
	const bool alone = cause->test != 0 && cause->own * 2 >= cause->growth;

	cause->lead = alone ? cause->test : add_total(all, cause);
	if (cause->lead == 0)
		cause->lead = cause->most;
	for (size_t i = 0; i < all->ntests; i++)
		if (all->cause_frame[i] == cause->subject && i + 1 != cause->lead)
			all->judgement->tests[i].part_of = cause->lead;
}

/*
 * The cause that grew most, of those that are findings of this status or a severer one, and the
 * growth of all; NULL: there is none.
 */
static const struct cause *
largest(const struct attribution *all, enum status least, double *growth)
{
	const struct cause *most = NULL;

	*growth = 0;
	for (size_t i = 0; i < all->ncauses; i++) {
		const struct cause *cause = &all->causes[i];

		if (!is_finding(cause) || cause->status < least)
			continue;
		*growth += cause->growth + cause->others;
		if (!most || cause->growth > most->growth)
			most = cause;
	}
	return most;
}

/* Whether the growth of the whole program is shown, and by how much it grew. */
static bool
whole_grew(const struct attribution *all, const struct test *test, double *growth)
{
	*growth = test->rule == FINDING_TOTAL && test->kind == TEST_GROWTH && test->all &&
				  test->all->tested
			  ? growth_of(all->judgement, test)
			  : 0;
	return *growth > 0 && is_shown(all->judgement, test);
}

/*
 * The whole program may fail before any function does, whose costs vary more: the change that has
 * most of its growth is then the finding.
 */
static void
explain_whole(struct attribution *all)
{
	double explained;
	double whole = 0;
	double growth;
	struct cause *most = NULL;

	largest(all, STATUS_FAIL, &explained);
	for (size_t i = 0; i < all->ntests; i++)
		if (whole_grew(all, &all->judgement->tests[i], &growth) &&
			all->judgement->tests[i].decision.status == STATUS_FAIL)
			whole = growth;
	for (size_t i = 0; i < all->ncauses; i++) {
		struct cause *cause = &all->causes[i];

		if (cause->touched && cause->status != STATUS_FAIL && cause->count > 0 &&
			(!most || cause->growth > most->growth))
			most = cause;
	}
	if (whole > 0 && explained < WHOLE_PART * whole && most &&
		most->growth >= WHOLE_PART * whole)
		most->status = STATUS_FAIL;
}

/* Whether a rule of the policy is about a function that grew from this cause. */
static bool
is_about(const struct attribution *all, const struct gate_rule_spec *spec, frame_id subject)
{
	const struct judgement *judgement = all->judgement;
	const struct profile *profile = &judgement->comparison.profile;

	for (size_t i = 0; i < all->ntests; i++)
		if (all->cause_frame[i] == subject && pattern_matches(spec->kind, spec->pattern,
							      profile, judgement->tests[i].frame))
			return true;
	return false;
}

static void
add_rule(struct attribution *all, struct test *test)
{
	if (test->kind != TEST_GROWTH || !test->named ||
		test->decision.status < STATUS_INCONCLUSIVE ||
		!(growth_of(all->judgement, test) > 0))
		return;
	for (size_t i = 0; i < all->ncauses && test->part_of == 0; i++) {
		const struct cause *cause = &all->causes[i];

		if (is_finding(cause) && cause->status >= test->decision.status &&
			is_about(all, test->named, cause->subject))
			test->part_of = cause->lead;
	}
}

/* Not to a cause that is less severe: a growth that fails is no part of one that is undecided. */
static void
add_others(struct attribution *all)
{
	for (size_t i = 0; i < all->ntests; i++) {
		struct test *test = &all->judgement->tests[i];
		const struct cause *most;
		double growth;
		double whole;

		if (!(test->kind == TEST_GROWTH && test->all && test->all->tested &&
			    is_shown(all->judgement, test)))
			continue;
		most = largest(all, test->decision.status, &growth);
		if (most && whole_grew(all, test, &whole) && growth >= WHOLE_PART * whole)
			test->part_of = most->lead;
		else if (most)
			add_rule(all, test);
	}
}

void
attribute_growths(struct judgement *judgement, const struct code_states *code)
{
	const size_t nframes = judgement->comparison.nframes;
	struct attribution all = {
		.judgement = judgement,
		.ntests = judgement->ntests,
		.cause_frame = mem_zalloc(judgement->ntests + 1, sizeof(*all.cause_frame)),
		.cause_of = mem_zalloc(nframes + 1, sizeof(*all.cause_of)),
		.causes = mem_zalloc(judgement->ntests + 1, sizeof(*all.causes)),
	};

	find_causes(&all, code);
	join_new(&all);
	join_instances(&all);
	join_defined(&all, code);
	explain_whole(&all);
	/* Data that differ reach all code. */
	if (code && !judgement->input.changed_input)
		join_others(&all, code);
	for (size_t i = 0; i < all.ncauses; i++)
		if (is_finding(&all.causes[i]))
			choose_lead(&all, &all.causes[i]);
	add_others(&all);
	free(all.causes);
	free(all.cause_of);
	free(all.cause_frame);
}
