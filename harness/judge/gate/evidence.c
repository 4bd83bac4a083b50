#include "gate/evidence.h"

#include "base/allowance.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/sort.h"
#include "gate/counted_work.h"
#include "gate/new_function.h"
#include "profile/canonical.h"
#include "profile/weights.h"

#include <stdlib.h>
#include <string.h>

/* The five functions that follow say which evidence a decided test needs. */

/* Whether the causes of a test's growth are searched: of a function that grew or is new. */
static bool
wants_causes(const struct test *test)
{
	const struct decision *decision = &test->decision;

	if (test->frame == 0)
		return false;
	if (test->kind == TEST_NEW)
		return decision->status > STATUS_PASS;
	return test->kind == TEST_GROWTH && test_effect(test)->tested &&
	       test_effect(test)->change > 0 && !decision->open &&
	       (decision->status == STATUS_FAIL || decision->status == STATUS_WARN ||
		       decision->unconfirmed);
}

/*
 * Whether time left the growth of a function, of the callers of a new one, or of the whole program
 * undecided, or only warns of it as of another build: counts can decide it.
 */
static bool
counts_may_decide(const struct test *test)
{
	const bool counted =
		test->kind == TEST_GROWTH || (test->kind == TEST_NEW && test->evidence.callers);

	return counted && !test->named && (test->frame != 0 || test->rule == FINDING_TOTAL) &&
	       (decision_is_open(&test->decision) ||
		       test->decision.weakness == WEAKNESS_OTHER_BUILD);
}

/* Whether a test, in pairs with looks, is of the growth of the whole program. */
static bool
is_whole_by_looks(const struct judgement *judgement, const struct test *test)
{
	return judgement->criteria.by_looks && test->kind == TEST_GROWTH &&
	       test->rule == FINDING_TOTAL && test_effect(test)->tested;
}

/*
 * Whether it matters if the change reaches the subject of a test: where the test is undecided, and
 * where the whole program fails.
 */
static bool
wants_reach(const struct judgement *judgement, const struct test *test)
{
	if (is_whole_by_looks(judgement, test))
		return counts_may_decide(test) || test->decision.status == STATUS_FAIL;
	return test->kind == TEST_GROWTH && test->frame != 0 && counts_may_decide(test);
}

/*
 * Whether instructions can decide a test. Before the last look they do not decide one whose
 * estimate is not above its threshold: further pairs may.
 */
static bool
wants_instructions(const struct judgement *judgement, const struct test *test)
{
	return counts_may_decide(test) &&
	       (!judgement->criteria.early || test->kind != TEST_GROWTH ||
		       growth_exceeds(test_effect(test)->change, test->limits.fail_at));
}

bool
judgement_wants_code(const struct judgement *judgement)
{
	for (size_t i = 0; i < judgement->ntests; i++) {
		const struct test *test = &judgement->tests[i];

		if (wants_causes(test) || counts_may_decide(test) || wants_reach(judgement, test))
			return true;
	}
	return false;
}

bool
judgement_wants_instructions(const struct judgement *judgement)
{
	for (size_t i = 0; i < judgement->ntests; i++) {
		if (wants_instructions(judgement, &judgement->tests[i]))
			return true;
	}
	return false;
}

/* Whether the metric is the time of waits. */
static bool
waits_are_judged(const struct gate_input *input)
{
	return input->candidate && weights_are_times(input->candidate);
}

const struct code_states *
evidence_code(struct judgement *judgement)
{
	const struct gate_input *input = &judgement->input;
	const struct comparison *comparison = &judgement->comparison;
	const struct code_states *code = input->code;

	/* A thread waits for others: the same code waits longer where theirs changed. */
	if (waits_are_judged(input))
		return NULL;
	if (!code && input->program != PROGRAM_UNKNOWN && !judgement->files_code.by_frame)
		judgement->files_code =
			same_files_code(input->before, input->candidate, &comparison->profile);
	if (!code)
		code = &judgement->files_code;
	/* States read from a file may be of another comparison. */
	return code->by_frame && code->nframes == comparison->nframes ? code : NULL;
}

/* Adds to the causes what the files tell that both sides ran, in addition to the machine code. */
static void
find_same_file(struct judgement *judgement, frame_id frame, struct causes *causes)
{
	const struct gate_input *input = &judgement->input;
	const struct profile *profile = &judgement->comparison.profile;
	size_t len;

	if (input->program != PROGRAM_DIFFERS || waits_are_judged(input))
		return;
	/* Interpreted files decide which code is called. */
	if (causes->unreachable && other_file_differs(input->before, input->candidate, profile))
		causes->unreachable = false;
	const char *name = same_file_of(input->before, input->candidate, profile, frame, &len);

	if (name)
		causes->same_file =
			file_basename(judgement_text(judgement, "%.*s", (int)len, name));
}

/* Adds which variants of a function, made for different CPUs, the sides ran, where they differ. */
static void
find_variants(struct judgement *judgement, frame_id frame, struct causes *causes)
{
	const char *name = profile_frame_name(&judgement->comparison.profile, frame);
	struct buf before = {0};
	struct buf after = {0};

	canonical_put_variants(judgement->input.before, name, &before);
	canonical_put_variants(judgement->input.candidate, name, &after);
	if (before.len > 0 && after.len > 0 && strcmp(buf_text(&before), buf_text(&after)) != 0) {
		causes->variant_before = judgement_text(judgement, "%s", buf_text(&before));
		causes->variant_after = judgement_text(judgement, "%s", buf_text(&after));
	}
	buf_release(&before);
	buf_release(&after);
}

/* The causes of one test; for a new function that fails, also the test of its callers. */
static void
find_causes(struct judgement *judgement, const struct cause_ground *ground, struct test *test)
{
	const struct instruction_counts *counts = judgement_counts(judgement);
	struct causes *causes = arena_alloc(&judgement->verdict.arena, sizeof(*causes));

	causes_find(
		ground, test->frame, evidence_code(judgement), &judgement->verdict.arena, causes);
	if (judgement->compared) {
		find_same_file(judgement, test->frame, causes);
		find_variants(judgement, test->frame, causes);
	}
	if (counts) {
		causes->instructions_before = counts->before[test->frame];
		causes->instructions_after = counts->after[test->frame];
	}
	causes->changed_input = judgement->input.changed_input;
	test->evidence.causes = causes;
	if (test->kind == TEST_NEW && test->decision.status == STATUS_FAIL)
		test->evidence.callers = new_function_callers_test(
			judgement, test->frame, &test->evidence.was_called);
}

const struct causes *
evidence_late_causes(const struct judgement *judgement, frame_id frame, struct arena *arena)
{
	const struct gate_input *input = &judgement->input;
	const struct comparison *comparison = &judgement->comparison;
	const struct code_states *code = input->code ? input->code : &judgement->files_code;
	const struct instruction_counts *counts = judgement_counts(judgement);

	if (!judgement->compared || frame == 0 || frame >= comparison->nframes)
		return NULL;
	if (waits_are_judged(input) || !code->by_frame || code->nframes != comparison->nframes)
		code = NULL;
	struct cause_ground *ground = causes_ground_make(comparison);
	struct causes *causes = arena_alloc(arena, sizeof(*causes));

	causes_find(ground, frame, code, arena, causes);
	causes_ground_free(ground);
	if (!(causes->growth > 0))
		return NULL;
	/* Interpreted files may decide which code is called: that was not looked for. */
	causes->unreachable = false;
	if (counts) {
		causes->instructions_before = counts->before[frame];
		causes->instructions_after = counts->after[frame];
	}
	causes->changed_input = input->changed_input;
	return causes;
}

/* A test whose causes are wanted. */
struct explained {
	double growth; /* of the cost */
	size_t test;
};

static int
by_growth(const void *a, const void *b)
{
	const struct explained *one = a;
	const struct explained *other = b;
	const int order = sort_order(other->growth, one->growth);

	return order ? order : (one->test > other->test) - (one->test < other->test);
}

/* The tests that need causes, the largest growth first; free() it. */
static struct explained *
to_be_explained(const struct judgement *judgement, bool by_instructions, size_t *count)
{
	struct explained *found = mem_zalloc(judgement->ntests + 1, sizeof(*found));

	*count = 0;
	for (size_t i = 0; i < judgement->ntests; i++) {
		const struct test *test = &judgement->tests[i];

		if (!wants_causes(test) || (by_instructions && (!test->decision.by_instructions ||
								       test->evidence.causes)))
			continue;
		const struct effect *effect = test_effect(test);
		const double before = effect->before_cost > 0 ? effect->before_cost : 0;

		found[(*count)++] = (struct explained){
			effect->after_cost > 0 ? effect->after_cost - before : 0, i};
	}
	qsort(found, *count, sizeof(*found), by_growth);
	return found;
}

/* Nodes of profiles that may be walked for the causes of one workload: some seconds. */
#define EXPLAINED_NODES ((uint64_t)200 << 20)

/*
 * Each function takes time in proportion to the profile, and hundreds may have grown: those that
 * there is no time for are judged without causes.
 */
void
evidence_find_causes(struct judgement *judgement, bool by_instructions)
{
	const struct comparison *comparison = &judgement->comparison;
	const uint64_t nodes = comparison->profile.tree.nnodes;
	struct allowance allowance = {EXPLAINED_NODES};
	struct cause_ground *ground = NULL;
	size_t count;
	struct explained *explained = to_be_explained(judgement, by_instructions, &count);

	for (size_t i = 0; i < count; i++) {
		if (!allowance_take(&allowance, nodes * (comparison->model.nruns + 1))) {
			log_warn(
				"causes were searched for the %zu of %zu functions that grew most: "
				"all would take too long",
				i, count);
			break;
		}
		if (!ground)
			ground = causes_ground_make(comparison);
		find_causes(judgement, ground, &judgement->tests[explained[i].test]);
	}
	causes_ground_free(ground);
	free(explained);
}

/*
 * Whether the functions that the change reaches have not grown by so much that the whole program
 * grew by its threshold: by their one-sided limit, as one group.
 */
static bool
is_too_small(const struct judgement *judgement, const struct test *whole, const bool *reached)
{
	const struct comparison *comparison = &judgement->comparison;
	struct effect effect;

	comparison_group(comparison, &comparison->model, reached, true, &effect);
	const double most = effect.tested ? effect.before_share * model_upper_limit(&effect,
									  judgement->criteria.alpha)
					  : effect.after_cost / comparison->whole.before_cost;

	return most < whole->limits.asked;
}

void
evidence_find_reach(struct judgement *judgement)
{
	const struct gate_input *input = &judgement->input;
	const struct comparison *comparison = &judgement->comparison;
	struct cause_ground *ground = NULL;
	bool *reached = NULL;

	const bool stored = input->mode == GATE_STORED && input->code;

	if ((!judgement->criteria.by_looks && !stored) || input->changed_input)
		return;
	for (size_t i = 0; i < judgement->ntests; i++) {
		struct test *test = &judgement->tests[i];
		const struct code_states *code =
			wants_reach(judgement, test) ? evidence_code(judgement) : NULL;

		if (!code || (test->frame != 0 && code->by_frame[test->frame] != CODE_SAME))
			continue;
		/* Interpreted files decide which code is called. */
		if (!ground && input->program == PROGRAM_DIFFERS &&
			other_file_differs(input->before, input->candidate, &comparison->profile))
			return;
		if (!ground) {
			ground = causes_ground_make(comparison);
			reached = causes_reached(ground, code);
		}
		test->evidence.unreachable = test->frame != 0
						     ? !reached[test->frame]
						     : is_too_small(judgement, test, reached);
	}
	free(reached);
	causes_ground_free(ground);
}

void
evidence_find_work(struct judgement *judgement)
{
	for (size_t i = 0; i < judgement->ntests; i++) {
		if (counts_may_decide(&judgement->tests[i]))
			judgement->tests[i].evidence.work = counted_work_of(
				judgement, &judgement->tests[i], evidence_code(judgement));
	}
}
