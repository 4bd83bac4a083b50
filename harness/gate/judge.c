#include "gate/judge.h"

#include "base/mem.h"
#include "gate/decide.h"
#include "gate/findings.h"
#include "gate/new_callers.h"
#include "gate/rules.h"
#include "gate/tests.h"
#include "gate/waive.h"

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

/* What there is to explain: a function that grew, or that came from nowhere. */
static bool
is_explained(const struct test *test)
{
	const struct decision *decision = &test->decision;

	if (test->frame == 0)
		return false;
	if (test->kind == TEST_NEW)
		return decision->status > STATUS_PASS;
	return test->kind == TEST_GROWTH && test_effect(test)->tested &&
	       test_effect(test)->change > 0 &&
	       (decision->status == STATUS_FAIL || decision->status == STATUS_WARN ||
		       decision->unconfirmed);
}

bool
judgement_wants_code(const struct judgement *judgement)
{
	for (size_t i = 0; i < judgement->ntests; i++) {
		if (is_explained(&judgement->tests[i]))
			return true;
	}
	return false;
}

static void
find_causes(struct judgement *judgement, struct test *test)
{
	const struct comparison *comparison = &judgement->comparison;
	const struct code_states *code = judgement->input.code;
	const struct instruction_counts *counts = judgement->input.instructions;
	struct causes *causes = arena_alloc(&judgement->verdict.arena, sizeof(*causes));

	/* What was read from a file may be of another comparison. */
	causes_find(comparison, test->frame,
		code && code->nframes == comparison->nframes ? code : NULL,
		&judgement->verdict.arena, causes);
	if (counts && counts->nframes == comparison->nframes) {
		causes->instructions_before = counts->before[test->frame];
		causes->instructions_after = counts->after[test->frame];
	}
	test->evidence.causes = causes;
	if (test->kind == TEST_NEW && test->decision.status == STATUS_FAIL)
		test->evidence.callers = callers_test(judgement, test->frame);
}

/* Evidence is gathered for what the runs alone, and then what is known so far, would say. */
static void
decide_workload(struct judgement *judgement)
{
	for (size_t i = 0; gate_rules[i]; i++) {
		if (gate_rules[i]->sees_decisions)
			gate_rules[i]->add(judgement);
	}
	decide_all(judgement);
	for (size_t i = 0; i < judgement->ntests; i++) {
		if (is_explained(&judgement->tests[i]))
			find_causes(judgement, &judgement->tests[i]);
	}
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

static void
make_verdict(struct judgement *judgement)
{
	struct verdict *verdict = &judgement->verdict;
	struct finding *findings = mem_zalloc(judgement->ntests + 1, sizeof(*findings));

	for (size_t i = 0; i < judgement->ntests; i++)
		findings[i] = finding_of_test(judgement, &judgement->tests[i]);
	verdict_end(verdict, findings, judgement->ntests);
	verdict->status = decide_worst(findings, judgement->ntests);
	verdict->mode = mode_name(judgement);
	verdict->limited = judgement->criteria.limited;
}

void
judge_decide(struct judgement *const *judgements, size_t njudgements, enum status *overall)
{
	for (size_t i = 0; i < njudgements; i++) {
		decide_workload(judgements[i]);
		make_verdict(judgements[i]);
	}
	*overall = decide_overall(judgements, njudgements);
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
	bool seen[STATUS_ERROR + 1] = {false};

	for (size_t i = 0; i < njudgements; i++) {
		const struct verdict *verdict = &judgements[i]->verdict;
		bool matters = judgement_policy(judgements[i])->inconclusive == POLICY_FAIL;

		for (size_t f = 0; f < verdict->nfindings; f++) {
			enum status status = verdict->findings[f].status;

			if (status != STATUS_INCONCLUSIVE || matters)
				seen[status] = true;
		}
	}
	if (seen[STATUS_FAIL])
		return 1;
	if (seen[STATUS_ERROR])
		return 2;
	return seen[STATUS_INCONCLUSIVE] ? 3 : 0;
}
