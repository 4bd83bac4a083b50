/* The summary of a workload: how much was compared, by which thresholds, and what that excludes. */
#include "output/report_view.h"

#include "format/figures.h"
#include "profile/weights.h"

#include <math.h>

/* Totals over all findings. */
struct sums {
	size_t undecided;
	size_t coarse;
	size_t accepted;
};

static struct sums
sum_findings(const struct workload_view *workload)
{
	struct sums sums = {0};

	for (size_t i = 0; i < workload->nfindings; i++) {
		const struct finding *finding = workload->findings[i].finding;

		sums.accepted += finding->accepted;
		sums.undecided += finding->status == STATUS_INCONCLUSIVE && finding->effect.tested;
		sums.coarse += finding->open && finding->effect.tested;
	}
	return sums;
}

/* The failing threshold, or else the warning one; NAN where neither is set. */
static double
judged_at(const struct threshold *threshold)
{
	return isnan(threshold->fail) ? threshold->warn : threshold->fail;
}

/* "threshold 5 %", "no threshold" */
static void
put_judged_at(double at, struct buf *out)
{
	buf_puts(out, isnan(at) ? "no threshold" : "threshold ");
	if (!isnan(at))
		format_setting(out, at);
}

/*
 * "whole program at most 2.1 % slower (one-sided 95 %, threshold 5 %)": by the limit by which it
 * passes; its change, if significant.
 */
static void
put_whole_compared(const struct workload_view *workload, bool brief, struct buf *out)
{
	const struct judgement *judgement = workload->judgement;
	const struct effect *whole = workload->whole;
	const double at = judged_at(&input_policy(&judgement->input)->total);

	buf_puts(out, "whole program ");
	if (effect_is_exact(whole) || effect_excludes_none(whole)) {
		effect_put_estimate(whole, out);
		buf_puts(out, isnan(at) ? "" : ", ");
		if (!isnan(at))
			put_judged_at(at, out);
		return;
	}
	effect_put_most(whole, weights_growth_word(&judgement->comparison.profile), out);
	buf_puts(out, " (");
	if (!isnan(whole->alpha) && !brief)
		buf_printf(out, "one-sided %.4g %%, ", 100 * (1 - whole->alpha));
	put_judged_at(at, out);
	/* It passed although its limit is above the threshold: decision.unreached of gate/test.h.
	 */
	if (workload->status == STATUS_PASS && whole->high > at)
		buf_puts(out, ", what changed is below its own");
	buf_putc(out, ')');
}

/* "17 functions compared (threshold 10 %)" */
static void
put_functions(const struct workload_view *workload, bool brief, struct buf *out)
{
	const double at = judged_at(&input_policy(&workload->judgement->input)->functions);

	format_plural(out, workload->ncompared, "function", "functions");
	buf_puts(out, brief ? " (" : " compared (");
	put_judged_at(at, out);
	buf_putc(out, ')');
}

/* How much was compared, and by which thresholds. */
static void
put_compared(const struct workload_view *workload, bool brief, struct buf *out)
{
	const struct effect *whole = workload->whole;
	const bool is_shown = whole && (effect_is_exact(whole) || effect_excludes_none(whole) ||
					       !workload->judgement->criteria.single_runs);

	if (is_shown)
		put_whole_compared(workload, brief, out);
	else if (whole && workload->ncompared == 0)
		buf_puts(out, "whole program compared");
	if (workload->ncompared > 0) {
		buf_puts(out, is_shown ? "; " : "");
		put_functions(workload, brief, out);
	} else if (!whole) {
		buf_puts(out, "nothing compared");
	}
}

/* The same program may not be that of these sources. */
static void
put_stale(const struct judgement *judgement, const char *before, struct buf *out)
{
	if (judgement->input.stale_files)
		buf_printf(out,
			"%sbuild did not change the program although these files changed: %s",
			before, judgement->input.stale_files);
}

/* How much was compared, and what that excludes; or why nothing was. */
static void
put_summary(const struct workload_view *workload, bool brief, struct buf *out)
{
	const struct judgement *judgement = workload->judgement;
	const struct sums sums = sum_findings(workload);

	if (judgement->input.unreached) {
		buf_puts(out, judgement->input.unreached);
		return;
	}
	if (judgement->input.not_measured) {
		buf_puts(out, judgement->input.mode == GATE_STORED && judgement->input.base_note
				      ? "same program as the baseline's: nothing to measure"
				      : "same program in both builds: nothing to measure");
		put_stale(judgement, "; ", out);
		return;
	}
	if (judgement->criteria.same_program)
		buf_printf(out, "same program as %s: a difference is the machine's; ",
			judgement->input.mode == GATE_STORED ? "the baseline" : "the base");
	put_stale(judgement, "", out);
	if (judgement->input.stale_files)
		buf_puts(out, "; ");
	put_compared(workload, brief, out);
	if (sums.accepted > 0) {
		buf_puts(out, "; ");
		format_plural(out, sums.accepted, "growth accepted", "growths accepted");
	}
	if (sums.undecided > 0)
		buf_printf(out, "; %zu undecided", sums.undecided);
	if (sums.coarse > 0)
		buf_printf(out, "; %zu too coarse", sums.coarse);
}

void
report_summary(struct workload_view *workload, struct arena *arena)
{
	struct buf text = {0};

	put_summary(workload, false, &text);
	workload->power = arena_dup(arena, buf_text(&text), text.len);
	buf_clear(&text);
	put_summary(workload, true, &text);
	workload->brief_power = arena_dup(arena, buf_text(&text), text.len);
	buf_release(&text);
}
