#include "output/report_view.h"

#include "base/mem.h"
#include "format/figures.h"
#include "format/name.h"
#include "format/place.h"
#include "profile/disturbance.h"
#include "profile/quality.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_SHOWN 8
#define SUBJECT_COLUMNS 40

/* A text in the making, which is then the view's. */
struct text {
	struct arena *arena;
	struct buf buf;
};

static const char *
take(struct text *text)
{
	const char *taken = arena_dup(text->arena, buf_text(&text->buf), text->buf.len);

	buf_clear(&text->buf);
	return taken;
}

static const char *
or_empty(const char *text)
{
	return text ? text : "";
}

static bool
is_listed(const struct judgement *judgement, const struct finding *finding)
{
	if (judgement->input.error && finding->rule == FINDING_MEASUREMENT)
		return false;
	if (finding->status != STATUS_PASS)
		return true;
	/* A function that is new here, and was something else before. */
	if (finding->causes && finding->causes->moved != DOMAIN_NONE)
		return true;
	/* How far the rest can be believed is said all the same. */
	return (finding->rule == FINDING_BASELINE || finding->rule == FINDING_SELF_CHECK) &&
	       finding->reason && finding->reason[0];
}

static void
view_findings(struct workload_view *workload, struct text *text)
{
	const struct verdict *verdict = &workload->judgement->verdict;

	workload->nfindings = verdict->nfindings;
	workload->findings =
		arena_alloc(text->arena, verdict->nfindings * sizeof(*workload->findings));
	for (size_t i = 0; i < verdict->nfindings; i++) {
		const struct finding *finding = &verdict->findings[i];
		struct finding_view *view = &workload->findings[i];
		bool has_quantity = finding->effect.tested && finding->rule != FINDING_TOTAL;

		*view = (struct finding_view){.finding = finding,
			.subject = finding->subject,
			.of = has_quantity ? arena_printf(text->arena, " (%s)",
						     quantity_name(finding->of))
					   : "",
			.reason = or_empty(finding->reason),
			.is_listed = is_listed(workload->judgement, finding)};
		effect_describe(&finding->effect, &text->buf);
		view->effect = take(text);
		if (finding->source)
			place_put_path(&text->buf, finding->source);
		view->place = take(text);
		workload->nlisted += view->is_listed;
		workload->npassed += !view->is_listed && finding->status == STATUS_PASS;
		if (!workload->whole && finding->rule == FINDING_TOTAL && finding->effect.tested)
			workload->whole = &finding->effect;
	}
}

static void
put_power(const struct judgement *judgement, struct buf *out)
{
	const struct verdict *verdict = &judgement->verdict;

	if (judgement->input.not_measured) {
		buf_puts(out, "same program in both builds: nothing to measure");
		return;
	}
	if (judgement->criteria.same_program)
		buf_printf(out, "same program as %s: a difference is the machine's; ",
			judgement->input.mode == GATE_STORED ? "the baseline" : "the base");
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

static void
put_headline(const struct workload_view *workload, struct buf *out)
{
	const struct verdict *verdict = &workload->judgement->verdict;
	const struct finding *first = verdict->findings;

	if (workload->status == STATUS_ERROR && workload->judgement->input.error) {
		buf_put(out, workload->error, strcspn(workload->error, "\n"));
		return;
	}
	if (verdict->nfindings == 0 || first->status == STATUS_PASS) {
		buf_puts(out, workload->power);
		return;
	}
	name_fit(out, first->subject, strlen(first->subject), SUBJECT_COLUMNS);
	if (first->effect.tested) {
		buf_putc(out, ' ');
		effect_put_change(&first->effect, out);
	} else if (first->reason && first->reason[0]) {
		buf_printf(out, ": %s", first->reason);
	}
}

/* Both sides were measured, or read, at once. */
static void
put_pairs(const struct gate_input *input, struct buf *out)
{
	const struct profile *profile = input->before;
	size_t fresh = 0;

	for (size_t i = 0; i < profile->nruns; i++)
		fresh += profile->runs[i].stage == COMPARISON_CONFIRM;
	if (input->mode == GATE_FILES) {
		format_plural(out, profile->nruns, "run", "runs");
		buf_printf(
			out, " before, %zu after", input->candidate ? input->candidate->nruns : 0);
		return;
	}
	format_plural(out, profile->nruns, "pair of runs", "pairs of runs");
	if (fresh > 0)
		buf_printf(out, " (%zu of them to confirm what the others found)", fresh);
	buf_printf(out, " with %s", input->against ? input->against : "another build");
}

static void
put_basis(const struct gate_input *input, struct buf *out)
{
	if (input->not_measured) {
		buf_printf(out, "compared with %s", input->against);
		return;
	}
	if (!input->before) {
		buf_puts(out, "no baseline");
		return;
	}
	if (input->mode != GATE_STORED) {
		put_pairs(input, out);
		return;
	}
	const struct baseline_info *info = input->before_info;

	buf_puts(out, "baseline of ");
	format_time(out, info->created);
	if (info->commit[0])
		buf_printf(out, ", commit %.12s", info->commit);
	buf_puts(out, ", ");
	format_plural(out, input->before->nruns, "run", "runs");
	buf_puts(out, " on ");
	format_plural(out, info->noccasions, "occasion", "occasions");
}

static void
put_poor_runs(const struct profile *profile, struct buf *out)
{
	char why[QUALITY_TEXT_MAX];
	size_t poor = 0;

	for (size_t i = 0; i < profile->nruns; i++)
		poor += quality_of_run(&profile->runs[i], why);
	if (poor > 0)
		buf_printf(out, "%zu of %zu runs %s too poor to be judged by", poor, profile->nruns,
			poor == 1 ? "is" : "are");
}

static struct side_view
view_side(const struct profile *profile, const char *name, struct text *text)
{
	struct side_view side = {.profile = profile, .prefix = "", .name = name};

	if (profile)
		put_poor_runs(profile, &text->buf);
	side.poor = take(text);
	if (profile)
		quality_put_stacks(profile, &text->buf);
	side.stacks = take(text);
	if (profile)
		disturbance_put(profile, &text->buf);
	side.disturbance = take(text);
	return side;
}

static void
view_sides(struct workload_view *workload, struct text *text)
{
	static const char *const names[] = {
		[GATE_STORED] = "the baseline",
		[GATE_PAIRED] = "the base",
		[GATE_FILES] = "the profiles before",
	};
	const struct gate_input *input = &workload->judgement->input;
	bool files = input->mode == GATE_FILES;

	workload->after =
		view_side(input->candidate, files ? "the profiles after" : "this gate", text);
	workload->after.heading = files ? "profiles after" : "this run";
	workload->before = view_side(input->before, names[input->mode], text);
	workload->before.prefix = arena_printf(text->arena, "In %s, ", workload->before.name);
	workload->before.heading = workload->before.name + strlen("the ");
}

static void
view_workload(struct workload_view *view, const struct report_workload *workload,
	const struct report *report, struct text *text)
{
	const struct judgement *judgement = workload->judgement;
	const struct gate_input *input = &judgement->input;

	*view = (struct workload_view){.workload = workload,
		.judgement = judgement,
		.name = input->workload->name,
		.status = input->error ? STATUS_ERROR : judgement->verdict.status,
		.error = or_empty(input->error),
		.limited = or_empty(judgement->verdict.limited)};
	/* Profiles that were captured elsewhere have no file that names them. */
	view->rerun = view->status == STATUS_PASS ? "" : input->workload->path;
	put_power(judgement, &text->buf);
	view->power = take(text);
	put_headline(view, &text->buf);
	view->headline = take(text);
	put_basis(input, &text->buf);
	view->basis = take(text);
	view_findings(view, text);
	if (!view->whole && judgement->compared && judgement->comparison.whole.tested)
		view->whole = &judgement->comparison.whole;
	view_sides(view, text);
	report_circumstances(view, report, text->arena);
	rows_init(&view->rows, judgement->compared ? &judgement->comparison : NULL,
		input->candidate, &judgement->verdict);
}

static const char *
status_phrase(enum status status, bool one)
{
	static const char *const phrases[][2] = {
		[STATUS_PASS] = {"pass", "passes"},
		[STATUS_WARN] = {"warn", "warns"},
		[STATUS_INCONCLUSIVE] = {"are inconclusive, which is not a pass",
			"is inconclusive, which is not a pass"},
		[STATUS_FAIL] = {"fail", "fails"},
		[STATUS_ERROR] = {"could not be measured", "could not be measured"},
	};

	return phrases[status][one];
}

/* How many workloads have this status; their names are appended to `names`, the first few. */
static size_t
count_status(const struct report_view *view, enum status status, struct buf *names)
{
	size_t count = 0;

	for (size_t i = 0; i < view->nworkloads; i++) {
		if (view->workloads[i].status != status || ++count > NAMES_SHOWN)
			continue;
		buf_puts(names, count > 1 ? ", " : "");
		buf_puts(names, view->workloads[i].name);
	}
	if (count > NAMES_SHOWN)
		buf_printf(names, " and %zu more", count - NAMES_SHOWN);
	return count;
}

static void
put_gate_headline(const struct report_view *view, struct buf *out)
{
	static const enum status order[] = {
		STATUS_FAIL, STATUS_ERROR, STATUS_INCONCLUSIVE, STATUS_WARN};
	struct buf names = {0};
	bool any = false;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		buf_clear(&names);
		size_t count = count_status(view, order[i], &names);

		if (count == 0)
			continue;
		buf_puts(out, any ? "; " : "");
		buf_printf(out, "%zu", count);
		if (!any) {
			buf_puts(out, " of ");
			format_plural(out, view->nworkloads, "workload", "workloads");
		}
		buf_printf(out, " %s: %s", status_phrase(order[i], count == 1), buf_text(&names));
		any = true;
	}
	if (!any) {
		buf_puts(out, view->nworkloads > 1 ? "all " : "");
		format_plural(out, view->nworkloads, "workload passes", "workloads pass");
	}
	buf_release(&names);
}

void
report_view_init(struct report_view *view, const struct report *report)
{
	struct text text = {.arena = &view->arena};

	*view = (struct report_view){.report = report, .nworkloads = report->nworkloads};
	view->workloads = mem_zalloc(report->nworkloads, sizeof(*view->workloads));
	for (size_t i = 0; i < report->nworkloads; i++)
		view_workload(&view->workloads[i], &report->workloads[i], report, &text);
	put_gate_headline(view, &text.buf);
	view->headline = take(&text);
	buf_release(&text.buf);
}

void
report_view_release(struct report_view *view)
{
	for (size_t i = 0; i < view->nworkloads; i++)
		rows_release(&view->workloads[i].rows);
	free(view->workloads);
	arena_release(&view->arena);
	*view = (struct report_view){0};
}
