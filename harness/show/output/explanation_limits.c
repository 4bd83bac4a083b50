/*
 * What an explanation excludes as a cause, and the limits of the evidence.
 */
#include "format/figures.h"
#include "output/explanation_parts.h"

#include <math.h>
#include <string.h>

/* The circumstances that can change speed and are known of both sides: those equal, or those not.
 */
static void
add_circumstances(struct explanation *explanation, enum explanation_part part, bool differing,
	const char *ahead)
{
	static const char *const names[] = {"Recorded on", "Event", "Frequency", "Call graph",
		"Workload hash", "Machine class", "Processor", "CPUs", "Kernel", "System",
		"Hypervisor", "profile_run"};
	const struct workload_view *workload = explanation->workload;
	struct buf text = {0};

	for (size_t i = 0; i < workload->ncircumstances; i++) {
		const struct circumstance *known = &workload->circumstances[i];

		if (known->differs != differing || !known->before[0] || !known->after[0])
			continue;
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			if (strcmp(known->name, names[k]) == 0)
				buf_printf(&text, "%s%s", text.len > 0 ? ", " : "", names[k]);
	}
	if (text.len > 0)
		explanation_addf(explanation, part, "%s: %s.", ahead, buf_text(&text));
	buf_release(&text);
}

static void
exclude_machine(struct explanation *explanation)
{
	const struct judgement *judgement = explanation->workload->judgement;
	const struct effect *effect = explanation_effect(explanation);
	const struct verdict *verdict = &judgement->verdict;

	if (judgement->input.mode == GATE_PAIRED && judgement->input.before)
		explanation_add(explanation, EXPLAIN_EXCLUDED,
			"Another day or machine: runs of both builds were interleaved here.");
	if (effect->relative) {
		struct buf text = {0};

		format_change(&text, judgement->comparison.model.machine_speed - 1);
		explanation_addf(explanation, EXPLAIN_EXCLUDED,
			"A slower machine: the cost of the stable rest changed by %s, which is divided out.",
			buf_text(&text));
		buf_release(&text);
	}
	for (size_t i = 0; i < verdict->nfindings; i++)
		if (verdict->findings[i].rule == FINDING_SELF_CHECK &&
			verdict->findings[i].status == STATUS_PASS)
			explanation_add(explanation, EXPLAIN_EXCLUDED,
				"A measurement that differs by itself: runs of the base agree with one another.");
}

static void
exclude_causes(struct explanation *explanation)
{
	const struct effect *effect = explanation_effect(explanation);
	const struct causes *causes = explanation->causes;

	/* Of a growth that may be none, nothing is excluded. */
	if (!causes || !(causes->growth > 0) ||
		!(effect_excludes_none(effect) || effect_is_exact(effect) || !effect->tested))
		return;
	if (causes->moved == DOMAIN_NONE)
		explanation_add(explanation, EXPLAIN_EXCLUDED,
			"Cost that only moved here: no caller, class or file around it that could be compared kept its cost.");
	if (causes_more_work(causes) > CAUSES_SAME_WORK)
		explanation_add(explanation, EXPLAIN_EXCLUDED,
			"Layout alone: it executes more instructions.");
	else if (fabs(causes_more_work(causes)) <= CAUSES_SAME_WORK)
		explanation_add(explanation, EXPLAIN_EXCLUDED,
			"More work: it executes as many instructions.");
	if (causes->code == CODE_SAME)
		explanation_add(explanation, EXPLAIN_EXCLUDED,
			"Its own code: the machine code is the same, addresses apart.");
}

void
explain_excluded(struct explanation *explanation)
{
	const struct effect *effect = explanation_effect(explanation);
	const double alpha = explanation->workload->judgement->criteria.alpha;

	if (effect->tested && effect_is_exact(effect))
		explanation_add(explanation, EXPLAIN_EXCLUDED,
			"Chance: every run of a side has the same cost.");
	else if (effect->tested && effect->p_adjusted < alpha) {
		struct buf text = {0};

		effect_put_p(effect, &text);
		explanation_addf(explanation, EXPLAIN_EXCLUDED, "Chance: p is %s, corrected.",
			buf_text(&text));
		buf_release(&text);
	}
	exclude_machine(explanation);
	add_circumstances(explanation, EXPLAIN_EXCLUDED, false, "The same on both sides");
	exclude_causes(explanation);
	if (explanation->sections[EXPLAIN_EXCLUDED].nlines == 0)
		explanation_add(explanation, EXPLAIN_EXCLUDED, "Nothing is known to be.");
}

/* Sentences of a side have no full stop. */
static void
limit_side(struct explanation *explanation, const struct side_view *side)
{
	const char *const texts[] = {side->poor, side->stacks, side->interpreter, side->unsteady,
		side->cpu_choice, side->disturbance};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i] && texts[i][0])
			explanation_addf(
				explanation, EXPLAIN_LIMITS, "%s%s.", side->prefix, texts[i]);
}

static void
limit_verdict(struct explanation *explanation)
{
	const struct workload_view *workload = explanation->workload;
	const struct judgement *judgement = workload->judgement;
	const struct finding_view *view = explanation->finding;

	if (view->finding->status == STATUS_INCONCLUSIVE)
		explanation_add(explanation, EXPLAIN_LIMITS,
			"The direction is not known: undecided is neither a regression nor a pass.");
	else if (finding_is_open(view->finding))
		explanation_add(explanation, EXPLAIN_LIMITS,
			"The size is not known well: growth above the threshold is neither shown nor excluded.");
	if (workload->limited[0])
		explanation_addf(explanation, EXPLAIN_LIMITS, "Findings do not fail here: %s.",
			workload->limited);
	if (view->judged->unconfirmed)
		explanation_add(explanation, EXPLAIN_LIMITS, "It is not confirmed by new runs.");
	if (judgement->criteria.by_looks && judgement->criteria.early)
		explanation_add(explanation, EXPLAIN_LIMITS,
			"The estimate is likely too large: pairs ended as soon as they decided. The interval holds.");
	if (explanation->causes && explanation->causes->unreachable)
		explanation_add(explanation, EXPLAIN_LIMITS,
			"The change may not be the cause: no function that changed is on a sampled path to it.");
	if (view->members[0])
		explanation_addf(explanation, EXPLAIN_LIMITS,
			"Not a second cause: %s, which grew with it.", view->members);
	explanation_add(explanation, EXPLAIN_LIMITS, explanation->view->other_machines);
}

void
explain_limits(struct explanation *explanation)
{
	const struct workload_view *workload = explanation->workload;
	const struct report *report = explanation->view->report;
	const struct report_lines *lines = report_lines_of(workload, explanation->finding->finding);

	limit_verdict(explanation);
	if (lines)
		explanation_add(explanation, EXPLAIN_LIMITS,
			"Costs of lines are approximate: they are of few captures, have no interval, and a sample may be charged to the line behind its own.");
	if (lines && lines->changes.nhunks > 0)
		explanation_add(explanation, EXPLAIN_LIMITS,
			"The hunks may not be all: files that git does not track and lines that differ by white space only are in none.");
	explanation_add(explanation, EXPLAIN_LIMITS, report->against_notes);
	if (workload->files_note[0])
		explanation_addf(explanation, EXPLAIN_LIMITS, "%s.", workload->files_note);
	add_circumstances(explanation, EXPLAIN_LIMITS, true, "The program is not all that differs");
	limit_side(explanation, &workload->after);
	limit_side(explanation, &workload->before);
	explanation_add(explanation, EXPLAIN_LIMITS, workload->latency);
	if (explanation->sections[EXPLAIN_LIMITS].nlines == 0)
		explanation_add(explanation, EXPLAIN_LIMITS, "The report has nothing against it.");
}
