#include "gate/verdict.h"

#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *
status_name(enum status status)
{
	static const char *const names[] = {
		[STATUS_PASS] = "pass",
		[STATUS_WARN] = "warn",
		[STATUS_INCONCLUSIVE] = "inconclusive",
		[STATUS_FAIL] = "fail",
		[STATUS_ERROR] = "error",
		[STATUS_SKIPPED] = "skipped",
	};

	return names[status];
}

const char *
status_word(enum status status)
{
	return status == STATUS_INCONCLUSIVE ? "undecided" : status_name(status);
}

const char *
finding_rule_name(enum finding_rule rule)
{
	static const char *const names[] = {
		[FINDING_MEASUREMENT] = "measurement",
		[FINDING_BASELINE] = "baseline",
		[FINDING_VALIDITY] = "validity",
		[FINDING_SELF_CHECK] = "self check",
		[FINDING_FUNCTIONS] = "functions",
		[FINDING_NAMED] = "rule",
		[FINDING_TOTAL] = "total",
		[FINDING_COUNTERS] = "counter",
		[FINDING_WAIVERS] = "waivers",
	};

	return names[rule];
}

const char *
quantity_name(enum quantity of)
{
	return of == QUANTITY_TOTAL ? "total" : "self";
}

const char *
finding_verdict(const struct finding *finding)
{
	return finding->accepted ? "accepted" : status_word(finding->status);
}

struct finding
finding_of(enum finding_rule rule, const char *subject)
{
	struct finding finding = {
		.rule = rule,
		.subject = subject,
		.asked = NAN,
		.warn_at = NAN,
		.fail_at = NAN,
		.reason = "",
		.more_runs = NAN,
	};

	effect_clear(&finding.effect);
	effect_clear(&finding.first);
	return finding;
}

void
verdict_init(struct verdict *verdict)
{
	*verdict = (struct verdict){.detectable = NAN, .mode = "none"};
}

const struct finding *
verdict_judged(const struct verdict *verdict, const struct finding *finding)
{
	for (size_t i = verdict->nfindings; i < verdict->nall && finding->judged_by != 0; i++)
		if (verdict->findings[i].id == finding->judged_by)
			return &verdict->findings[i];
	return finding;
}

size_t
verdict_findings_with(const struct verdict *verdict, enum status status)
{
	size_t count = 0;

	for (size_t i = 0; i < verdict->nfindings; i++)
		count += verdict->findings[i].status == status;
	return count;
}

const struct finding *
verdict_find_open(const struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->nfindings; i++) {
		if (finding_is_open(&verdict->findings[i]))
			return &verdict->findings[i];
	}
	return NULL;
}

void
verdict_release(struct verdict *verdict)
{
	arena_release(&verdict->arena);
	free(verdict->findings);
	*verdict = (struct verdict){0};
}

double
finding_growth(const struct finding *finding)
{
	const struct effect *effect = &finding->effect;
	const double before = effect->before_cost > 0 ? effect->before_cost : 0;

	return effect->after_cost > 0 ? effect->after_cost - before : 0;
}

/* The growth as a fraction of the whole before; of a new function, all of it. */
static double
worth(const struct effect *effect)
{
	if (isfinite(effect->change) && isfinite(effect->before_share))
		return effect->change * effect->before_share;
	return isfinite(effect->after_share) ? effect->after_share : 0;
}

/* A function that the change touched comes before one that it only reaches. */
static bool
has_changed_code(const struct finding *finding)
{
	const struct causes *causes = finding->causes;

	/* Findings that were added are about functions that the change touched. */
	return finding->added ||
	       (causes && (causes->code == CODE_CHANGED || causes->code == CODE_NEW));
}

static int
by_severity(const void *left, const void *right)
{
	const struct finding *a = left;
	const struct finding *b = right;
	int order = (a->part_of > b->part_of) - (a->part_of < b->part_of);

	if (order == 0 && a->part_of != 0)
		order = (a->frame == 0) - (b->frame == 0);
	if (order == 0 && a->part_of != 0)
		order = sort_order(finding_growth(b), finding_growth(a));
	if (order == 0)
		order = sort_order(b->status, a->status);

	if (order == 0)
		order = sort_order(a->open, b->open);
	if (order == 0)
		order = sort_order(a->rule, b->rule);
	if (order == 0)
		order = has_changed_code(b) - has_changed_code(a);
	if (order == 0)
		order = sort_order(worth(&b->effect), worth(&a->effect));
	if (order == 0)
		order = strcmp(a->subject, b->subject);
	return order != 0 ? order : strcmp(a->reason, b->reason);
}

static void
add_up(struct verdict *verdict, const struct finding *finding)
{
	verdict->unconfirmed = verdict->unconfirmed || finding->unconfirmed;
	if (!finding->effect.tested || finding->added)
		return;
	verdict->ntested++;
	if (finding->asked > 0)
		verdict->detectable =
			fmax(verdict->detectable, finding->effect.detectable / finding->asked);
}

static struct finding *
find_id(struct finding *findings, size_t nfindings, size_t id)
{
	for (size_t i = 0; i < nfindings; i++)
		if (findings[i].id == id)
			return &findings[i];
	return NULL;
}

/* Its texts are those of the member that it is judged by; NULL: it is judged by itself. */
static void
judge_by_member(struct finding *finding, const struct finding *member)
{
	if (finding->judged_by == 0)
		return;
	if (!member || member->part_of != finding->id || member->status != finding->status) {
		finding->judged_by = 0;
		return;
	}
	finding->reason = finding->by_members;
	finding->brief = member->status == STATUS_FAIL ? "" : member->brief;
	finding->options = member->options;
}

/* A finding is as severe as its members, but one that is accepted releases those that are not. */
static void
raise_by_members(struct finding *findings, size_t nfindings)
{
	for (size_t i = 0; i < nfindings; i++) {
		const struct finding *member = &findings[i];
		struct finding *of =
			member->part_of ? find_id(findings, nfindings, member->part_of) : NULL;

		if (of && of->accepted && !member->accepted && member->status > STATUS_PASS)
			findings[i].part_of = 0;
		if (!of || of->accepted || member->accepted || member->status <= of->status)
			continue;
		of->status = member->status;
		of->unconfirmed = member->unconfirmed;
	}
	for (size_t i = 0; i < nfindings; i++)
		judge_by_member(&findings[i], find_id(findings, nfindings, findings[i].judged_by));
}

/* Behind the others, those of one finding stand together. */
static void
give_members(struct verdict *verdict)
{
	for (size_t i = verdict->nfindings; i < verdict->nall; i++) {
		const struct finding *member = &verdict->findings[i];
		struct finding *of =
			find_id(verdict->findings, verdict->nfindings, member->part_of);

		if (!of)
			continue;
		if (of->nmembers++ == 0)
			of->members = member;
	}
}

void
verdict_end(struct verdict *verdict, struct finding *findings, size_t nfindings)
{
	raise_by_members(findings, nfindings);
	if (nfindings > 0)
		qsort(findings, nfindings, sizeof(*findings), by_severity);
	verdict->findings = findings;
	verdict->nall = nfindings;
	while (verdict->nfindings < nfindings && findings[verdict->nfindings].part_of == 0)
		verdict->nfindings++;
	give_members(verdict);
	verdict->status = verdict->nfindings > 0 ? findings[0].status : STATUS_PASS;
	for (size_t i = 0; i < nfindings; i++)
		add_up(verdict, &findings[i]);
}
