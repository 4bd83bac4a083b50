#include "gate/judge.h"

#include "base/mem.h"
#include "gate/attribution.h"
#include "gate/decide.h"
#include "gate/evidence.h"
#include "gate/findings.h"
#include "gate/rules.h"
#include "gate/tests.h"
#include "gate/waive.h"

#include <stdlib.h>

static void
decide_all(struct judgement *judgement)
{
	for (size_t i = 0; i < judgement->ntests; i++)
		judgement->tests[i].decision = decide(&judgement->tests[i], &judgement->criteria);
}

void
judge_correct_tests(struct judgement *const *judgements, size_t njudgements)
{
	tests_correct(judgements, njudgements);
	for (size_t i = 0; i < njudgements; i++)
		decide_all(judgements[i]);
}

void
judge_tests(struct judgement *const *judgements, size_t njudgements)
{
	for (size_t i = 0; i < njudgements; i++)
		tests_make(judgements[i]);
	judge_correct_tests(judgements, njudgements);
}

/* All tests are decided again after each kind of evidence. */
static void
decide_workload(struct judgement *judgement)
{
	for (size_t i = 0; gate_rules[i]; i++) {
		if (gate_rules[i]->sees_decisions)
			gate_rules[i]->add(judgement);
	}
	decide_all(judgement);
	evidence_find_work(judgement);
	evidence_find_reach(judgement);
	evidence_find_causes(judgement, false);
	decide_all(judgement);
	/* Growth that instructions decided has causes, too. */
	evidence_find_causes(judgement, true);
	decide_all(judgement);
	if (judgement->compared)
		attribute_growths(judgement, evidence_code(judgement));
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
