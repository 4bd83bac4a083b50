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
	return finding->accepted ? "accepted" : status_name(finding->status);
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

size_t
verdict_findings_with(const struct verdict *verdict, enum status status)
{
	size_t count = 0;

	for (size_t i = 0; i < verdict->nfindings; i++)
		count += verdict->findings[i].status == status;
	return count;
}

void
verdict_release(struct verdict *verdict)
{
	arena_release(&verdict->arena);
	free(verdict->findings);
	*verdict = (struct verdict){0};
}

/* The growth as a fraction of the whole before; of a new function, all of it. */
static double
worth(const struct effect *effect)
{
	if (isfinite(effect->change) && isfinite(effect->before_share))
		return effect->change * effect->before_share;
	return isfinite(effect->after_share) ? effect->after_share : 0;
}

/* What the change made comes before what it only reaches. */
static bool
has_changed_code(const struct finding *finding)
{
	const struct causes *causes = finding->causes;

	return causes && (causes->code == CODE_CHANGED || causes->code == CODE_NEW);
}

static int
by_severity(const void *left, const void *right)
{
	const struct finding *a = left;
	const struct finding *b = right;
	int order = sort_order(b->status, a->status);

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
	if (!finding->effect.tested)
		return;
	verdict->ntested++;
	if (finding->asked > 0)
		verdict->detectable =
			fmax(verdict->detectable, finding->effect.detectable / finding->asked);
}

void
verdict_end(struct verdict *verdict, struct finding *findings, size_t nfindings)
{
	if (nfindings > 0)
		qsort(findings, nfindings, sizeof(*findings), by_severity);
	verdict->findings = findings;
	verdict->nfindings = nfindings;
	verdict->status = nfindings > 0 ? findings[0].status : STATUS_PASS;
	for (size_t i = 0; i < nfindings; i++)
		add_up(verdict, &findings[i]);
}
