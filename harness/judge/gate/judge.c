#include "gate/judge.h"

#include "base/allowance.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/sort.h"
#include "gate/attribution.h"
#include "gate/counted_work.h"
#include "gate/decide.h"
#include "gate/findings.h"
#include "gate/rules.h"
#include "gate/tests.h"
#include "gate/waive.h"
#include "profile/canonical.h"
#include "profile/weights.h"

#include <stdlib.h>
#include <string.h>

static void
decide_all(struct judgement *judgement)
{
	for (size_t i = 0; i < judgement->ntests; i++)
		judgement->tests[i].decision = decide(&judgement->tests[i], &judgement->criteria);
}

void
judge_tests(struct judgement *const *judgements, size_t njudgements)
{
	for (size_t i = 0; i < njudgements; i++)
		tests_make(judgements[i]);
	tests_correct(judgements, njudgements);
	for (size_t i = 0; i < njudgements; i++)
		decide_all(judgements[i]);
}

/* Whether there is growth to explain: of a function that grew or is new. */
static bool
is_explained(const struct test *test)
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
is_undecided(const struct test *test)
{
	const bool counted =
		test->kind == TEST_GROWTH || (test->kind == TEST_NEW && test->evidence.callers);

	return counted && !test->named && (test->frame != 0 || test->rule == FINDING_TOTAL) &&
	       (decision_is_open(&test->decision) ||
		       test->decision.weakness == WEAKNESS_OTHER_BUILD);
}

static bool
is_whole(const struct judgement *judgement, const struct test *test)
{
	return judgement->criteria.by_looks && test->kind == TEST_GROWTH &&
	       test->rule == FINDING_TOTAL && test_effect(test)->tested;
}

/* Whether it matters if the change reaches it: of what is undecided, and of a whole that fails. */
static bool
asks_for_reach(const struct judgement *judgement, const struct test *test)
{
	if (is_whole(judgement, test))
		return is_undecided(test) || test->decision.status == STATUS_FAIL;
	return test->kind == TEST_GROWTH && test->frame != 0 && is_undecided(test);
}

bool
judgement_wants_code(const struct judgement *judgement)
{
	for (size_t i = 0; i < judgement->ntests; i++) {
		const struct test *test = &judgement->tests[i];

		if (is_explained(test) || is_undecided(test) || asks_for_reach(judgement, test))
			return true;
	}
	return false;
}

/* Before the last look, time may decide what is not above its threshold. */
static bool
is_counted(const struct judgement *judgement, const struct test *test)
{
	return is_undecided(test) &&
	       (!judgement->criteria.early || test->kind != TEST_GROWTH ||
		       growth_exceeds(test_effect(test)->change, test->limits.fail_at));
}

bool
judgement_wants_instructions(const struct judgement *judgement)
{
	for (size_t i = 0; i < judgement->ntests; i++) {
		if (is_counted(judgement, &judgement->tests[i]))
			return true;
	}
	return false;
}

static bool
waits_are_judged(const struct gate_input *input)
{
	return input->candidate && weights_are_times(input->candidate);
}

/*
 * The states of the code from both builds, or else from the files that both sides ran; NULL: not
 * known.
 */
static const struct code_states *
code_of(struct judgement *judgement)
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

/* Adds what follows from the files that both sides ran, in addition to the machine code. */
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

/* Which of a function's variants for CPUs ran, where the sides had others. */
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

static void
find_causes(struct judgement *judgement, const struct cause_ground *ground, struct test *test)
{
	const struct instruction_counts *counts = judgement_counts(judgement);
	struct causes *causes = arena_alloc(&judgement->verdict.arena, sizeof(*causes));

	causes_find(ground, test->frame, code_of(judgement), &judgement->verdict.arena, causes);
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
		test->evidence.callers =
			callers_test(judgement, test->frame, &test->evidence.was_called);
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

		if (!is_explained(test) || (by_instructions && (!test->decision.by_instructions ||
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
 * there is no time for are judged without causes. `by_instructions`: only what these decided.
 */
static void
explain(struct judgement *judgement, bool by_instructions)
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

/*
 * Which undecided functions the change does not reach, so that nothing waits for them, and whether
 * those that it reaches explain a growth of the whole. Data that differs reaches all.
 */
static void
find_reach(struct judgement *judgement)
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
			asks_for_reach(judgement, test) ? code_of(judgement) : NULL;

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

/* Decided repeatedly: evidence is gathered for what was decided without it. */
static void
decide_workload(struct judgement *judgement)
{
	for (size_t i = 0; gate_rules[i]; i++) {
		if (gate_rules[i]->sees_decisions)
			gate_rules[i]->add(judgement);
	}
	decide_all(judgement);
	for (size_t i = 0; i < judgement->ntests; i++) {
		if (is_undecided(&judgement->tests[i]))
			judgement->tests[i].evidence.work = counted_work_of(
				judgement, &judgement->tests[i], code_of(judgement));
	}
	find_reach(judgement);
	explain(judgement, false);
	decide_all(judgement);
	/* Growth that instructions decided has causes, too. */
	explain(judgement, true);
	decide_all(judgement);
	if (judgement->compared)
		attribute_growths(judgement, code_of(judgement));
	decide_all(judgement);
	waive_tests(judgement);
	decide_all(judgement);
}

static const char *
mode_name(const struct judgement *judgement)
{
	static const char *const names[] = {
		[GATE_STORED] = "stored",
		[GATE_PAIRED] = "paired",
		[GATE_FILES] = "files",
	};

	return judgement->compared ? names[judgement->input.mode] : "none";
}

/* Whether it tells better than another one why the finding that both are part of is severe. */
static bool
is_severer(const struct finding *member, const struct finding *other)
{
	if (member->status != other->status)
		return member->status > other->status;
	/* A function says more than the whole program. */
	if ((member->frame != 0) != (other->frame != 0))
		return member->frame != 0;
	return finding_growth(member) > finding_growth(other);
}

/* A finding is judged by its severest member where that is severer. */
static void
add_member(struct judgement *judgement, struct finding *findings, size_t number)
{
	const struct finding *member = &findings[number];
	struct finding *finding = &findings[member->part_of - 1];

	if (member->accepted || finding->accepted || member->status <= finding->status ||
		(finding->judged_by != 0 && !is_severer(member, &findings[finding->judged_by - 1])))
		return;
	finding->judged_by = member->id;
	struct buf name = {0};

	if (member->rule == FINDING_TOTAL)
		buf_puts(&name, "The whole program");
	else
		frame_fit_words(&name, member->subject, SIZE_MAX);
	finding->by_members =
		judgement_text(judgement, "%s grew with it: %s", buf_text(&name), member->reason);
	buf_release(&name);
}

static void
make_verdict(struct judgement *judgement)
{
	struct verdict *verdict = &judgement->verdict;
	struct finding *findings = mem_zalloc(judgement->ntests, sizeof(*findings));

	for (size_t i = 0; i < judgement->ntests; i++) {
		findings[i] = finding_of_test(judgement, &judgement->tests[i]);
		findings[i].id = i + 1;
		findings[i].part_of = judgement->tests[i].part_of;
		findings[i].added = judgement->tests[i].added;
	}
	for (size_t i = 0; i < judgement->ntests; i++)
		if (findings[i].part_of != 0)
			add_member(judgement, findings, i);
	verdict_end(verdict, findings, judgement->ntests);
	verdict->mode = mode_name(judgement);
	verdict->limited = judgement->criteria.limited;
}

/* Pictures and tables have the numbers of the findings. */
static void
publish(struct judgement *judgement)
{
	struct comparison *comparison = &judgement->comparison;
	const struct verdict *verdict = &judgement->verdict;

	for (size_t i = 0; i < verdict->nfindings && judgement->compared; i++) {
		const struct finding *finding = &verdict->findings[i];

		if (!finding->effect.tested)
			continue;
		if (finding->rule == FINDING_FUNCTIONS && finding->of == QUANTITY_SELF &&
			finding->frame != 0)
			comparison->self[finding->frame] = finding->effect;
		else if (finding->rule == FINDING_TOTAL)
			comparison->whole = finding->effect;
	}
}

static bool
any_finding_is(struct judgement *const *judgements, size_t njudgements, enum status status)
{
	for (size_t i = 0; i < njudgements; i++) {
		if (verdict_findings_with(&judgements[i]->verdict, status) > 0)
			return true;
	}
	return false;
}

/* The other shards report the rest. */
static bool
all_are_skipped(struct judgement *const *judgements, size_t njudgements)
{
	for (size_t i = 0; i < njudgements; i++) {
		const struct gate_input *input = &judgements[i]->input;

		if (!input->skipped || input->planned > njudgements)
			return false;
	}
	return njudgements > 0;
}

static enum status
overall_status(struct judgement *const *judgements, size_t njudgements)
{
	static const enum status order[] = {
		STATUS_FAIL, STATUS_ERROR, STATUS_INCONCLUSIVE, STATUS_WARN};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (any_finding_is(judgements, njudgements, order[i]))
			return order[i];
	}
	return all_are_skipped(judgements, njudgements) ? STATUS_ERROR : STATUS_PASS;
}

void
judge_decide(struct judgement *const *judgements, size_t njudgements, enum status *overall)
{
	for (size_t i = 0; i < njudgements; i++) {
		decide_workload(judgements[i]);
		make_verdict(judgements[i]);
		publish(judgements[i]);
	}
	*overall = overall_status(judgements, njudgements);
}

void
judge_gate(struct judgement *const *judgements, size_t njudgements, enum status *overall)
{
	judge_tests(judgements, njudgements);
	judge_decide(judgements, njudgements, overall);
}

int
judge_exit_code(struct judgement *const *judgements, size_t njudgements)
{
	if (any_finding_is(judgements, njudgements, STATUS_FAIL))
		return 1;
	if (any_finding_is(judgements, njudgements, STATUS_ERROR) ||
		all_are_skipped(judgements, njudgements))
		return 2;
	for (size_t i = 0; i < njudgements; i++) {
		if (judgement_policy(judgements[i])->inconclusive == POLICY_FAIL &&
			any_finding_is(&judgements[i], 1, STATUS_INCONCLUSIVE))
			return 3;
	}
	return 0;
}

/* Whether nothing was compared because there is no baseline. */
static bool
has_no_baseline(const struct judgement *judgement)
{
	const struct verdict *verdict = &judgement->verdict;

	for (size_t i = 0; i < verdict->nfindings; i++) {
		if (verdict->findings[i].rule == FINDING_BASELINE &&
			verdict->findings[i].status != STATUS_PASS)
			return true;
	}
	return false;
}

int
judge_bisect_code(struct judgement *const *judgements, size_t njudgements)
{
	bool says = !any_finding_is(judgements, njudgements, STATUS_ERROR);

	if (any_finding_is(judgements, njudgements, STATUS_FAIL))
		return 1;
	for (size_t i = 0; i < njudgements; i++)
		says = says && !has_no_baseline(judgements[i]) &&
		       !verdict_find_open(&judgements[i]->verdict);
	return says ? 0 : JUDGE_BISECT_SKIP;
}
