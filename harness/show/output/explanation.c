#include "output/explanation.h"

#include "base/mem.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "gate/evidence.h"
#include "output/cause_text.h"
#include "profile/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_COLUMNS 100
#define STACK_COLUMNS 200
#define FUNCTIONS_SHOWN 5
#define FINDINGS_NAMED 8

/*
 * The finding.
 */

/* A finding of a report, or a workload without one. */
struct choice {
	const struct workload_view *workload;
	const struct finding_view *finding; /* NULL: the workload could not be measured */
};

struct choices {
	struct choice *all; /* owned */
	size_t count;
	size_t capacity;
};

static void
add_choice(struct choices *choices, const struct workload_view *workload,
	const struct finding_view *finding)
{
	choices->all = mem_grow(
		choices->all, &choices->capacity, choices->count + 1, sizeof(*choices->all));
	choices->all[choices->count++] = (struct choice){workload, finding};
}

/* Those listed, the severest workload's first, and of each the one that is to be read first. */
static void
find_choices(const struct report_view *view, struct choices *choices)
{
	static const enum status order[] = {STATUS_FAIL, STATUS_ERROR, STATUS_INCONCLUSIVE,
		STATUS_WARN, STATUS_SKIPPED, STATUS_PASS};

	*choices = (struct choices){0};
	for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++)
		for (size_t i = 0; i < view->nworkloads; i++) {
			const struct workload_view *workload = &view->workloads[i];

			if (workload->status != order[k])
				continue;
			if (workload->error[0])
				add_choice(choices, workload, NULL);
			else if (workload->first && workload->first->is_listed)
				add_choice(choices, workload, workload->first);
			for (size_t f = 0; f < workload->nfindings; f++)
				if (workload->findings[f].is_listed &&
					&workload->findings[f] != workload->first)
					add_choice(choices, workload, &workload->findings[f]);
		}
}

/* Whether a finding, or one that grew with it, is about this function. */
static bool
is_about(const struct finding_view *view, const char *name)
{
	if (strcmp(view->subject, name) == 0 || strcmp(view->name, name) == 0)
		return true;
	for (size_t i = 0; i < view->finding->nmembers; i++)
		if (strcmp(view->finding->members[i].subject, name) == 0)
			return true;
	return false;
}

/* The number of a finding by its name, from 1; 0 for one that is not listed, which *other is. */
static size_t
find_named(const struct report_view *view, const struct choices *choices, const char *name,
	struct choice *other)
{
	for (size_t i = 0; i < choices->count; i++)
		if (choices->all[i].finding ? is_about(choices->all[i].finding, name)
					    : strcmp(choices->all[i].workload->name, name) == 0)
			return i + 1;
	for (size_t i = 0; i < view->nworkloads; i++)
		for (size_t f = 0; f < view->workloads[i].nfindings; f++)
			if (is_about(&view->workloads[i].findings[f], name)) {
				*other = (struct choice){
					&view->workloads[i], &view->workloads[i].findings[f]};
				return 0;
			}
	return 0;
}

static int
refuse(const struct choices *choices, const char *wanted, struct err *err)
{
	struct buf name = {0};

	name_fit(&name, wanted, strlen(wanted), NAME_COLUMNS);
	err_set(err, ERR_USAGE,
		"'%s': expected a finding's number, 1 to %zu, or the name of a function that was compared",
		buf_text(&name), choices->count);
	for (size_t i = 0; i < choices->count && i < FINDINGS_NAMED; i++) {
		const struct choice *choice = &choices->all[i];
		const char *subject =
			choice->finding ? choice->finding->name : choice->workload->headline;

		buf_clear(&name);
		name_fit(&name, subject, strlen(subject), NAME_COLUMNS);
		err_note(err, "%zu: %s", i + 1, buf_text(&name));
	}
	if (choices->count == 0)
		err_note(err, "nothing is listed: all passed");
	buf_release(&name);
	return -1;
}

static int
choose(struct explanation *explanation, const char *wanted, struct err *err)
{
	struct choices choices;
	struct choice chosen = {0};
	char *end = NULL;
	int result = 0;

	find_choices(explanation->view, &choices);
	const unsigned long number = wanted ? strtoul(wanted, &end, 10) : 1;
	const bool is_number = !wanted || (wanted[0] >= '0' && wanted[0] <= '9' && !*end);

	explanation->count = choices.count;
	if (is_number && number >= 1 && number <= choices.count)
		explanation->number = number;
	else if (!is_number)
		explanation->number = find_named(explanation->view, &choices, wanted, &chosen);
	if (explanation->number > 0)
		chosen = choices.all[explanation->number - 1];
	else if (wanted && !chosen.finding)
		result = refuse(&choices, wanted, err);
	else if (!wanted && explanation->view->nworkloads > 0)
		chosen.workload = &explanation->view->workloads[0];
	explanation->workload = chosen.workload;
	explanation->finding = chosen.finding;
	free(choices.all);
	return result;
}

/*
 * The sections.
 */

static void
explain_effect(struct explanation *explanation)
{
	const struct finding_view *view = explanation->finding;
	const struct effect *effect = explanation_effect(explanation);

	if (view->effect[0])
		explanation_add(explanation, EXPLAIN_EFFECT, view->effect);
	else
		explanation_add(explanation, EXPLAIN_EFFECT,
			"no size: nothing was compared for this finding");
	if (view->threshold[0] || view->power[0])
		explanation_addf(explanation, EXPLAIN_EFFECT, "%s%s%s", view->threshold,
			view->threshold[0] && view->power[0] ? "; " : "", view->power);
	if (effect->tested && !view->threshold[0])
		explanation_add(explanation, EXPLAIN_EFFECT, "no threshold fails it");
	explanation_add(explanation, EXPLAIN_EFFECT, view->where);
	if (view->owners[0])
		explanation_addf(explanation, EXPLAIN_EFFECT, "owned by %s", view->owners);
	explanation_add(explanation, EXPLAIN_EFFECT, view->reason);
}

/* Whether a line of causes belongs to this section. */
static bool
belongs_to(enum explanation_part part, const char *label)
{
	const bool is_stack = strcmp(label, "carried by") == 0;
	const bool is_neighbour = strcmp(label, "by caller") == 0 || strcmp(label, "calls") == 0;

	return part == EXPLAIN_STACKS    ? is_stack
	       : part == EXPLAIN_CALLERS ? is_neighbour
					 : !is_stack && !is_neighbour;
}

/* Those that say more than their text does by itself. */
static bool
needs_label(const char *label)
{
	static const char *const labels[] = {"input", "variant", "calls"};

	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		if (strcmp(label, labels[i]) == 0)
			return true;
	return false;
}

static void
add_causes(struct explanation *explanation, enum explanation_part part)
{
	const struct finding *finding = explanation->finding->finding;
	struct cause_lines lines;

	cause_lines_init(&lines, &explanation->workload->judgement->comparison, finding->frame,
		explanation->causes, STACK_COLUMNS);
	for (size_t i = 0; i < lines.nlines; i++) {
		const struct cause_line *line = &lines.lines[i];

		/* Callers are listed with their costs on both sides. */
		if (!belongs_to(part, line->label) || strcmp(line->label, "by caller") == 0)
			continue;
		explanation_addf(explanation, part, "%s%s%s",
			needs_label(line->label) ? line->label : "",
			needs_label(line->label) ? ": " : "", line->text);
	}
	cause_lines_release(&lines);
}

static void
explain_cause(struct explanation *explanation)
{
	const struct report_lines *lines =
		report_lines_of(explanation->workload, explanation->finding->finding);
	const struct causes *causes = explanation->causes;

	if (lines && lines->changed_path)
		explanation_addf(explanation, EXPLAIN_CAUSE,
			"The changed line that carries the growth: %s:%u.", lines->changed_path,
			lines->changed_line);
	add_causes(explanation, EXPLAIN_CAUSE);
	if (causes && causes->code == CODE_UNKNOWN)
		explanation_add(explanation, EXPLAIN_CAUSE,
			"Not known whether its machine code changed: it could not be read on both sides.");
	if (!causes)
		explanation_add(explanation, EXPLAIN_CAUSE,
			"Not known: causes are searched for functions that grew or are new.");
}

/* The runs and the stages that decided. */
static void
explain_stages(struct explanation *explanation)
{
	const struct judgement *judgement = explanation->workload->judgement;
	const struct finding *judged = explanation->finding->judged;
	const struct looks *looks = &judgement->input.looks;
	struct buf text = {0};

	if (judged->first.tested) {
		buf_puts(&text,
			"Measured again in new runs, which the effect is from; first runs: ");
		effect_put_estimate(&judged->first, &text);
	} else if (judgement->criteria.by_looks && looks->count > 0) {
		buf_puts(&text, "Tested after");
		for (size_t i = 0; i < looks->count; i++)
			buf_printf(&text, "%s %u", i > 0 ? "," : "", looks->pairs[i]);
		buf_puts(&text, " pairs; the interval is corrected for it.");
	} else if (judged->unconfirmed) {
		buf_puts(&text, "Not confirmed: no new runs were taken.");
	} else if (judged->effect.tested) {
		buf_puts(&text, "Compared by one set of runs, without confirming runs.");
	}
	explanation_add(explanation, EXPLAIN_EVIDENCE, buf_text(&text));
	buf_release(&text);
	if (judgement->ncorrected[0] > 0)
		explanation_addf(explanation, EXPLAIN_EVIDENCE,
			"p and interval are corrected for %zu tests.", judgement->ncorrected[0]);
}

static void
explain_counts(struct explanation *explanation)
{
	const struct judgement *judgement = explanation->workload->judgement;
	const struct effect *effect = explanation_effect(explanation);
	const struct causes *causes = explanation->causes;
	struct buf text = {0};

	if (judgement->compared && effect->tested &&
		weights_are_samples(&judgement->comparison.profile)) {
		format_count(&text, effect->before_weight);
		buf_puts(&text, " samples before, ");
		format_count(&text, effect->after_weight);
		buf_puts(&text, " after.");
		explanation_add(explanation, EXPLAIN_EVIDENCE, buf_text(&text));
		buf_clear(&text);
	}
	if (causes && isfinite(causes_more_work(causes))) {
		buf_puts(&text, "Instructions per run: ");
		format_count(&text, causes->instructions_before);
		buf_puts(&text, " before, ");
		format_count(&text, causes->instructions_after);
		buf_puts(&text, " after.");
	} else if (effect->tested) {
		buf_puts(&text, "Instructions: not counted.");
	}
	explanation_add(explanation, EXPLAIN_EVIDENCE, buf_text(&text));
	buf_release(&text);
}

static void
explain_evidence(struct explanation *explanation)
{
	const struct workload_view *workload = explanation->workload;
	const char *mode = workload->judgement->verdict.mode;

	explanation_addf(
		explanation, EXPLAIN_EVIDENCE, "%s mode, %s.", mode ? mode : "no", workload->basis);
	explain_stages(explanation);
	explain_counts(explanation);
	explanation_addf(explanation, EXPLAIN_EVIDENCE, "Overall: %s.", workload->power);
	if (workload->counters[0])
		explanation_addf(explanation, EXPLAIN_EVIDENCE, "Counters that differ: %s.",
			workload->counters);
}

static int
compare_growth(const void *a, const void *b)
{
	const struct row *x = *(const struct row *const *)a;
	const struct row *y = *(const struct row *const *)b;
	const double grown_x = x->self->after_cost - x->before_cost;
	const double grown_y = y->self->after_cost - y->before_cost;

	if (grown_x != grown_y)
		return grown_x < grown_y ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* For the whole program, the functions that grew most. */
static void
explain_functions(struct explanation *explanation)
{
	const struct rows *rows = &explanation->workload->rows;
	const struct row **grown = mem_zalloc(rows->nrows + 1, sizeof(struct row *));
	size_t count = 0;

	for (size_t i = 0; i < rows->nrows; i++)
		if (rows->rows[i].self->after_cost > rows->rows[i].before_cost)
			grown[count++] = &rows->rows[i];
	qsort(grown, count, sizeof(struct row *), compare_growth);
	if (count > 0)
		explanation_add(explanation, EXPLAIN_STACKS,
			"It is about no single function. The functions whose own cost grew most:");
	for (size_t i = 0; i < count && i < FUNCTIONS_SHOWN; i++) {
		struct buf text = {0};

		name_fit(&text, grown[i]->name, strlen(grown[i]->name), NAME_COLUMNS);
		buf_puts(&text, "  ");
		format_cost(&text, grown[i]->before_cost, weights_cost_unit(rows->profile));
		buf_puts(&text, " -> ");
		format_cost(&text, grown[i]->self->after_cost, weights_cost_unit(rows->profile));
		explanation_add(explanation, EXPLAIN_STACKS, buf_text(&text));
		buf_release(&text);
	}
	explanation->sections[EXPLAIN_STACKS].left_out =
		count > FUNCTIONS_SHOWN ? count - FUNCTIONS_SHOWN : 0;
	free(grown);
}

static void
explain_stacks(struct explanation *explanation)
{
	const struct explanation_section *section = &explanation->sections[EXPLAIN_STACKS];

	if (explanation->finding->finding->frame == 0 && explanation->workload->rows.nrows > 0)
		explain_functions(explanation);
	else
		add_causes(explanation, EXPLAIN_STACKS);
	if (section->nlines == 0)
		explanation_add(explanation, EXPLAIN_STACKS,
			explanation->causes
				? "Not known: no single stack grew."
				: "Not known: stacks are searched for functions that grew or are new.");
}

static void
explain_callers(struct explanation *explanation)
{
	const struct causes *causes = explanation->causes;
	const struct profile *profile = &explanation->workload->judgement->comparison.profile;

	for (size_t i = 0; causes && i < causes->ncallers; i++) {
		struct buf text = {0};

		profile_put_frame(profile, causes->callers[i].frame, &text);
		buf_puts(&text, ": ");
		format_cost(&text, causes->callers[i].before_cost, weights_cost_unit(profile));
		buf_puts(&text, " -> ");
		format_cost(&text, causes->callers[i].after_cost, weights_cost_unit(profile));
		explanation_add(explanation, EXPLAIN_CALLERS, buf_text(&text));
		buf_release(&text);
	}
	add_causes(explanation, EXPLAIN_CALLERS);
	if (explanation->sections[EXPLAIN_CALLERS].nlines == 0)
		explanation_add(explanation, EXPLAIN_CALLERS,
			causes ? "None has a tenth of the growth."
			       : "Not known: callers are searched for functions that grew or are new.");
}

static void
explain_commands(struct explanation *explanation)
{
	const struct workload_view *workload = explanation->workload;
	struct view_command commands[VIEW_COMMANDS];
	struct buf text = {0};

	report_workload_commands(explanation->view, workload, &explanation->arena, commands);
	for (size_t i = 0; i < VIEW_COMMANDS; i++) {
		explanation_add(explanation, EXPLAIN_REPRODUCE, commands[i].command);
		if (commands[i].command[0] && commands[i].note[0])
			explanation_addf(
				explanation, EXPLAIN_REPRODUCE, "  # %s", commands[i].note);
	}
	if (explanation->sections[EXPLAIN_REPRODUCE].nlines == 0) {
		explanation_add(explanation, EXPLAIN_REPRODUCE,
			workload->status == STATUS_PASS
				? "None: the workload passed."
				: "None: the report names no file of the workload.");
		return;
	}
	if (workload->workload->measure_s > 0) {
		buf_puts(&text, "It measures this workload alone; here that took ");
		format_duration(&text, workload->workload->measure_s);
		buf_puts(&text, ", and building ");
		format_duration(&text, workload->workload->build_s);
		buf_puts(&text, ".");
		explanation_add(explanation, EXPLAIN_REPRODUCE, buf_text(&text));
	}
	buf_release(&text);
}

/* A workload that was not compared, or a report in which nothing is listed. */
static void
explain_workload(struct explanation *explanation)
{
	const struct workload_view *workload = explanation->workload;

	if (workload->error[0]) {
		explanation_add_lines(explanation, EXPLAIN_EFFECT, "", workload->error);
		explain_commands(explanation);
		return;
	}
	for (size_t i = 0; i < explanation->view->nworkloads; i++)
		explanation_addf(explanation, EXPLAIN_EFFECT, "%s: %s",
			explanation->view->workloads[i].name,
			explanation->view->workloads[i].power);
}

/* Those of the verdict, or else those of the function alone, in the costs of its finding. */
static void
find_causes(struct explanation *explanation)
{
	const struct judgement *judgement = explanation->workload->judgement;
	const struct finding *finding = explanation->finding->finding;
	double costs[2];

	explanation->causes = finding->causes;
	if (finding->causes || finding->frame == 0)
		return;
	const struct causes *found =
		evidence_late_causes(judgement, finding->frame, &explanation->arena);

	if (!found)
		return;
	struct causes *scaled = arena_alloc(&explanation->arena, sizeof(*scaled));

	*scaled = *found;
	rows_self_costs(&judgement->comparison, &judgement->verdict, finding->frame, costs);
	causes_scale(scaled, costs[0], costs[1]);
	explanation->causes = scaled;
}

int
explanation_init(struct explanation *explanation, const struct report_view *view,
	const char *wanted, struct err *err)
{
	*explanation = (struct explanation){.view = view};
	if (choose(explanation, wanted, err) < 0)
		return -1;
	if (!explanation->finding) {
		if (explanation->workload)
			explain_workload(explanation);
		return 0;
	}
	find_causes(explanation);
	explain_effect(explanation);
	explain_cause(explanation);
	explain_evidence(explanation);
	explain_stacks(explanation);
	explain_lines(explanation);
	explain_diff(explanation);
	explain_callers(explanation);
	explain_code(explanation);
	explain_excluded(explanation);
	explain_commands(explanation);
	explain_limits(explanation);
	return 0;
}

void
explanation_release(struct explanation *explanation)
{
	for (size_t i = 0; i < EXPLAIN_PARTS; i++)
		free((void *)explanation->sections[i].lines);
	arena_release(&explanation->arena);
	*explanation = (struct explanation){0};
}
