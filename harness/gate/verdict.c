#include "gate/verdict.h"

#include "base/mem.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *
status_name(enum status status)
{
	switch (status) {
	case STATUS_PASS:
		return "pass";
	case STATUS_WARN:
		return "warn";
	case STATUS_INCONCLUSIVE:
		return "inconclusive";
	case STATUS_FAIL:
		return "fail";
	case STATUS_ERROR:
		return "error";
	}
	return "error";
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
		[FINDING_WAIVERS] = "waivers",
	};

	return names[rule];
}

const char *
quantity_name(enum quantity of)
{
	return of == QUANTITY_TOTAL ? "total" : "self";
}

struct finding
finding_of(enum finding_rule rule, const char *subject)
{
	struct finding finding = {
		.status = STATUS_PASS,
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
verdict_begin(struct verdict *verdict, struct verdict_builder *builder)
{
	*verdict = (struct verdict){.detectable = NAN, .mode = "none"};
	arena_init(&verdict->arena);
	*builder = (struct verdict_builder){.verdict = verdict};
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

const char *
verdict_text(struct verdict_builder *builder, const char *fmt, ...)
{
	va_list args;
	char *text = NULL;

	va_start(args, fmt);
	int len = vasprintf(&text, fmt, args);

	va_end(args);
	const char *copy =
		arena_dup(&builder->verdict->arena, len < 0 ? "" : text, len < 0 ? 0 : (size_t)len);

	free(len < 0 ? NULL : text);
	return copy;
}

const char *
verdict_percent(struct verdict_builder *builder, double ratio)
{
	/* From here on tenths tell enough. */
	const double small = 0.95;
	double percent = ratio * 100;
	double scale = 10;
	int decimals = 1;

	while (decimals < 4 && fabs(percent) < small &&
		fabs(rint(percent * scale) / scale - percent) > 0.02 * fabs(percent)) {
		scale *= 10;
		decimals++;
	}
	return verdict_text(builder, "%.*f %%", decimals, percent);
}

void
verdict_add(struct verdict_builder *builder, const struct finding *finding)
{
	struct verdict *verdict = builder->verdict;

	verdict->findings = mem_grow(verdict->findings, &builder->capacity, verdict->nfindings + 1,
		sizeof(*verdict->findings));
	verdict->findings[verdict->nfindings++] = *finding;
}

/* The growth as a fraction of the whole before; of a new function, all of it. */
static double
worth(const struct effect *effect)
{
	if (isfinite(effect->change) && isfinite(effect->before_share))
		return effect->change * effect->before_share;
	return isfinite(effect->after_share) ? effect->after_share : 0;
}

static int
by_severity(const void *left, const void *right)
{
	const struct finding *a = left;
	const struct finding *b = right;

	if (a->status != b->status)
		return a->status > b->status ? -1 : 1;
	if (a->rule != b->rule)
		return a->rule < b->rule ? -1 : 1;
	double worth_a = worth(&a->effect);
	double worth_b = worth(&b->effect);

	if (worth_a != worth_b)
		return worth_a > worth_b ? -1 : 1;
	int order = strcmp(a->subject, b->subject);

	return order != 0 ? order : strcmp(a->reason, b->reason);
}

void
verdict_end(struct verdict_builder *builder)
{
	struct verdict *verdict = builder->verdict;

	if (verdict->nfindings > 0)
		qsort(verdict->findings, verdict->nfindings, sizeof(*verdict->findings),
			by_severity);
	verdict->status = verdict->nfindings > 0 ? verdict->findings[0].status : STATUS_PASS;
	for (size_t i = 0; i < verdict->nfindings; i++) {
		const struct finding *finding = &verdict->findings[i];

		verdict->unconfirmed = verdict->unconfirmed || finding->unconfirmed;
		double *more =
			finding->first.tested ? &verdict->more_fresh_runs : &verdict->more_runs;

		if (isfinite(finding->more_runs) && !(*more > 0 && *more <= finding->more_runs))
			*more = finding->more_runs;
		if (!finding->effect.tested)
			continue;
		verdict->ntested++;
		if (finding->asked > 0)
			verdict->detectable = fmax(
				verdict->detectable, finding->effect.detectable / finding->asked);
	}
}
