#include "output/headline.h"

#include "format/figures.h"
#include "format/name.h"

#include <math.h>
#include <string.h>

#define NAMES_SHOWN 8
#define SUBJECT_COLUMNS 40

enum status
headline_status(const struct judgement *judgement)
{
	return judgement->input.error ? STATUS_ERROR : judgement->verdict.status;
}

static const char *
gate_phrase(enum status status, bool one)
{
	switch (status) {
	case STATUS_PASS:
		return one ? "passes" : "pass";
	case STATUS_WARN:
		return one ? "warns" : "warn";
	case STATUS_INCONCLUSIVE:
		return one ? "is inconclusive, which is not a pass"
			   : "are inconclusive, which is not a pass";
	case STATUS_FAIL:
		return one ? "fails" : "fail";
	case STATUS_ERROR:
		return "could not be measured";
	}
	return "";
}

/* How many workloads have this status; their names are appended to `names`, the first few. */
static size_t
count_status(const struct report *report, enum status status, struct buf *names)
{
	size_t count = 0;

	for (size_t i = 0; i < report->nworkloads; i++) {
		const struct judgement *judgement = report->workloads[i].judgement;

		if (headline_status(judgement) != status)
			continue;
		if (++count > NAMES_SHOWN)
			continue;
		buf_puts(names, count > 1 ? ", " : "");
		buf_puts(names, judgement->input.workload->name);
	}
	if (count > NAMES_SHOWN)
		buf_printf(names, " and %zu more", count - NAMES_SHOWN);
	return count;
}

void
headline_gate(const struct report *report, struct buf *out)
{
	static const enum status order[] = {
		STATUS_FAIL, STATUS_ERROR, STATUS_INCONCLUSIVE, STATUS_WARN};
	struct buf names;
	bool any = false;

	buf_init(&names);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		buf_clear(&names);
		size_t count = count_status(report, order[i], &names);

		if (count == 0)
			continue;
		buf_puts(out, any ? "; " : "");
		buf_printf(out, "%zu", count);
		if (!any) {
			buf_puts(out, " of ");
			format_plural(out, report->nworkloads, "workload", "workloads");
		}
		buf_printf(out, " %s: %s", gate_phrase(order[i], count == 1), buf_text(&names));
		any = true;
	}
	if (!any) {
		if (report->nworkloads > 1)
			buf_puts(out, "all ");
		format_plural(out, report->nworkloads, "workload passes", "workloads pass");
	}
	buf_release(&names);
}

bool
headline_tells(const struct judgement *judgement, const struct finding *finding)
{
	if (judgement->input.error && finding->rule == FINDING_MEASUREMENT)
		return false;
	if (finding->status != STATUS_PASS)
		return true;
	/* A function that is new here, and was something else before. */
	if (finding->causes && finding->causes->moved != DOMAIN_NONE)
		return true;
	/* What says how far the rest can be believed is said all the same. */
	return (finding->rule == FINDING_BASELINE || finding->rule == FINDING_SELF_CHECK) &&
	       finding->reason && finding->reason[0];
}

void
headline_finding(const struct finding *finding, struct buf *out)
{
	struct buf effect;

	buf_init(&effect);
	effect_describe(&finding->effect, &effect);
	buf_puts(out, finding->subject);
	if (finding->effect.tested && finding->rule != FINDING_TOTAL)
		buf_printf(out, " (%s)", quantity_name(finding->of));
	if (effect.len > 0)
		buf_printf(out, ": %s", buf_text(&effect));
	buf_release(&effect);
}

void
headline_power(const struct verdict *verdict, struct buf *out)
{
	format_plural(out, verdict->ntested, "subject tested", "subjects tested");
	if (verdict->ntested == 0 || !isfinite(verdict->detectable))
		return;
	if (verdict->detectable <= 1)
		buf_puts(out, "; growth as large as the gate asks about could be seen in each");
	else if (verdict->status < STATUS_INCONCLUSIVE)
		buf_puts(out,
			"; growth as large as the gate asks about could be seen in each, or is "
			"excluded by its interval");
	else
		buf_printf(out,
			"; in the least certain, growth had to be %.1f times what the gate asks about "
			"to be seen",
			verdict->detectable);
}

void
headline_workload(const struct judgement *judgement, struct buf *out)
{
	const struct verdict *verdict = &judgement->verdict;

	if (judgement->input.error) {
		buf_put(out, judgement->input.error, strcspn(judgement->input.error, "\n"));
		return;
	}
	if (verdict->nfindings > 0 && verdict->findings[0].status != STATUS_PASS) {
		const struct finding *first = &verdict->findings[0];

		name_fit(out, first->subject, strlen(first->subject), SUBJECT_COLUMNS);
		if (first->effect.tested) {
			buf_putc(out, ' ');
			effect_put_change(&first->effect, out);
		} else if (first->reason && first->reason[0]) {
			buf_printf(out, ": %s", first->reason);
		}
		return;
	}
	headline_power(verdict, out);
}

const char *
headline_other_side(const struct judgement *judgement)
{
	static const char *const names[] = {
		[GATE_STORED] = "the baseline",
		[GATE_PAIRED] = "the base",
		[GATE_FILES] = "the profiles before",
	};

	return names[judgement->input.mode];
}

/* Both sides were measured, or read, at once. */
static void
put_other_side(const struct judgement *judgement, struct buf *out)
{
	const struct profile *profile = judgement->input.before;
	size_t fresh = 0;

	for (size_t i = 0; i < profile->nruns; i++)
		fresh += profile->runs[i].stage == COMPARISON_CONFIRM;
	if (judgement->input.mode == GATE_FILES) {
		format_plural(out, profile->nruns, "run", "runs");
		buf_printf(out, " before, %zu after",
			judgement->input.candidate ? judgement->input.candidate->nruns : 0);
		return;
	}
	format_plural(out, profile->nruns, "pair of runs", "pairs of runs");
	if (fresh > 0)
		buf_printf(out, " (%zu of them to confirm what the others found)", fresh);
	buf_printf(out, " with %s",
		judgement->input.against ? judgement->input.against : "another build");
}

void
headline_baseline(const struct judgement *judgement, struct buf *out)
{
	if (!judgement->input.before) {
		buf_puts(out, "no baseline");
		return;
	}
	if (judgement->input.mode != GATE_STORED) {
		put_other_side(judgement, out);
		return;
	}
	const struct baseline_info *info = judgement->input.before_info;

	buf_puts(out, "baseline of ");
	format_time(out, info->created);
	if (info->commit[0])
		buf_printf(out, ", commit %.12s", info->commit);
	buf_puts(out, ", ");
	format_plural(out, judgement->input.before->nruns, "run", "runs");
	buf_puts(out, " on ");
	format_plural(out, info->noccasions, "occasion", "occasions");
}
