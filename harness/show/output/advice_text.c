/* Advice in words, and as YAML to paste. */
#include "base/escape.h"
#include "format/figures.h"
#include "format/name.h"
#include "output/calibration_report.h"
#include "output/report_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SUBJECT_COLUMNS 60

static void
put_thresholds(const struct calibrated_workload *workload, size_t indent, struct buf *out)
{
	const struct advice *advice = &workload->advice;
	struct buf name = {0};

	if (!isnan(advice->total.fail))
		text_sentence(out, indent, "- ",
			"Whole program: growth is detectable from %.1f %% with %zu pairs.",
			advice->total.fail * 100, advice->runs);
	if (!isnan(advice->functions.fail))
		text_sentence(out, indent, "- ",
			"Functions: growth of most is detectable from %.1f %%.",
			advice->functions.fail * 100);
	if (!isnan(advice->floor))
		text_sentence(out, indent, "- ",
			"Small functions: growth worth %.1f %% of the whole program is detectable: set it as "
			"'floor'.",
			advice->floor * 100);
	for (size_t i = 0; i < advice->nrules; i++) {
		const struct power_subject *subject = advice->rules[i].subject;
		const struct finding *finding = subject->finding;

		buf_clear(&name);
		name_fit(&name, finding->subject, strlen(finding->subject), SUBJECT_COLUMNS);
		if (finding->counter) {
			text_sentence(out, indent, "- ",
				"Counter %s: growth is detectable from %.1f %%.", buf_text(&name),
				advice->rules[i].threshold.fail * 100);
			continue;
		}
		text_sentence(out, indent, "- ",
			"%s (over-dispersion %.1f, %.1f %% of the program): %s is detectable from %.1f %%; or leave it "
			"out by a 'min_share' above its share.",
			buf_text(&name), subject->q, subject->share * 100,
			finding->named ? "in its own rule, growth" : "growth",
			advice->rules[i].threshold.fail * 100);
	}
	buf_release(&name);
}

static void
put_source(const struct calibrated_workload *workload, size_t indent, struct buf *out)
{
	const struct advice *advice = &workload->advice;

	switch (advice->source) {
	case ADVICE_SAMPLING:
		text_sentence(out, indent, "- ",
			"Sampling makes up %s of the uncertainty of functions (median over-dispersion %.1f): more samples "
			"help, of a higher frequency, of longer runs or of more of them.",
			workload->dispersion.median <= 1.2 ? "nearly all" : "much",
			workload->dispersion.median);
		break;
	case ADVICE_MIXED:
		text_sentence(out, indent, "- ",
			"Sampling and the runs themselves both make functions uncertain (median over-dispersion %.1f): "
			"more runs help most.",
			workload->dispersion.median);
		break;
	case ADVICE_RUNS:
		text_sentence(out, indent, "- ",
			"Runs differ by much more than sampling explains (median over-dispersion %.1f): a higher "
			"frequency would not help, more runs or a quieter machine do.",
			workload->dispersion.median);
		break;
	case ADVICE_UNKNOWN:
		text_sentence(out, indent, "- ",
			"No function has enough samples to estimate how its cost varies: longer runs or a "
			"higher frequency would help.");
		break;
	}
}

void
advice_put_text(const struct calibrated_workload *workload, size_t indent, struct buf *out)
{
	const struct advice *advice = &workload->advice;

	put_thresholds(workload, indent, out);
	put_source(workload, indent, out);
	if (advice->short_runs)
		text_sentence(out, indent, "- ",
			"Runs of %.2f s of CPU time are short: the cost of starting weighs in them, and "
			"samples are few. Runs of half a second or more measure mostly the program itself.",
			workload->noise.cpu_s);
}

void
advice_put_sentence(const struct calibrated_workload *workload, size_t indent, struct buf *out)
{
	const struct advice *advice = &workload->advice;

	if (advice->false_alarms)
		text_sentence(out, indent, "",
			"The false-alarm rate exceeds the %.0f %% budget: use higher thresholds, a smaller "
			"alpha, or a quieter machine.",
			judgement_policy(workload->judgement)->alpha * 100);
	else if (advice->nopen == 0 && advice->runs < workload->gate_runs)
		text_sentence(out, indent, "",
			"The settings fit: growth at every threshold is detectable with %u pairs; %zu are "
			"enough.",
			workload->gate_runs, advice->runs);
	else if (advice->nopen == 0)
		text_sentence(out, indent, "",
			"The settings fit: growth at every threshold is detectable with %u pairs.",
			workload->gate_runs);
	else if (advice->nnever > 0)
		text_sentence(out, indent, "",
			"With these settings, growth at every threshold is detectable with %zu pairs; the "
			"present thresholds of %zu of %zu tests are not detectable with %u, the most that "
			"a gate takes.",
			advice->runs, advice->nnever, workload->power.nsubjects,
			workload->workload->capture.max_runs);
	else
		text_sentence(out, indent, "",
			"With these settings, growth at every threshold is detectable with %zu pairs; "
			"with the present %u, the growth of %zu of %zu tests is not.",
			advice->runs, workload->gate_runs, advice->nopen,
			workload->power.nsubjects);
}

/* "3.5%" */
static void
put_percent(struct buf *out, double ratio)
{
	buf_printf(out, "%.4g%%", ratio * 100);
}

static void
put_thresholds_yaml(struct buf *out, struct threshold threshold)
{
	buf_puts(out, "warn: ");
	put_percent(out, threshold.warn);
	buf_puts(out, ", fail: ");
	put_percent(out, threshold.fail);
}

/* A quoted scalar with a pattern that matches just this name. */
static void
put_pattern(struct buf *out, const char *name)
{
	bool all_unnamed = strcmp(name, "[unknown]") == 0;
	struct buf text = {0};

	for (const char *c = name; *c; c++) {
		if (!all_unnamed && strchr("*?[]\\", *c))
			buf_puts(&text, "\\\\");
		if (*c == '"' || *c == '\\')
			buf_putc(&text, '\\');
		bool is_control = (unsigned char)*c < ' ' || *c == 0x7f;

		buf_put(&text, is_control ? "?" : c, 1);
	}
	buf_putc(out, '"');
	escape_utf8(out, buf_text(&text), text.len);
	buf_putc(out, '"');
	buf_release(&text);
}

static const char *
pattern_of(const struct calibrated_workload *workload, const struct finding *finding)
{
	return finding->frame ? profile_frame_name(
					&workload->judgement->comparison.profile, finding->frame)
			      : finding->subject;
}

/* Not one that has a rule, or is a counter: the threshold is changed where it is set. */
static bool
gets_rule(const struct advice_rule *rule)
{
	return !rule->subject->finding->named && !rule->subject->finding->counter;
}

static size_t
count_rules(const struct advice *advice)
{
	size_t count = 0;

	for (size_t i = 0; i < advice->nrules; i++)
		count += gets_rule(&advice->rules[i]);
	return count;
}

static void
put_rules_yaml(const struct calibrated_workload *workload, size_t indent, struct buf *out)
{
	const struct advice *advice = &workload->advice;

	if (count_rules(advice) == 0)
		return;
	buf_printf(out, "%*s  rules: # against stored baselines, too\n", (int)indent, "");

	for (size_t i = 0; i < advice->nrules; i++) {
		const struct advice_rule *rule = &advice->rules[i];

		if (!gets_rule(rule))
			continue;
		buf_printf(out, "%*s    - {each: ", (int)indent, "");
		put_pattern(out, pattern_of(workload, rule->subject->finding));
		buf_puts(out, ", ");
		put_thresholds_yaml(out, rule->threshold);
		buf_puts(out, "}\n");
	}
}

static void
put_functions_yaml(const struct advice *advice, size_t indent, struct buf *out)
{
	buf_printf(out, "%*s    functions: {", (int)indent, "");
	if (!isnan(advice->floor)) {
		buf_puts(out, "floor: ");
		put_percent(out, advice->floor);
	}
	if (!isnan(advice->functions.fail)) {
		buf_puts(out, isnan(advice->floor) ? "" : ", ");
		put_thresholds_yaml(out, advice->functions);
	}
	buf_puts(out, "}\n");
}

void
advice_put_yaml(const struct calibrated_workload *workload, size_t indent, struct buf *out)
{
	const struct advice *advice = &workload->advice;
	bool functions = !isnan(advice->floor) || !isnan(advice->functions.fail);
	bool paired = functions || !isnan(advice->total.fail);

	buf_printf(out, "%*scapture: {runs: %zu}", (int)indent, "", advice->runs);
	/* Not both: with more samples the thresholds below would be too high. */
	if (!isnan(advice->frequency_hz))
		buf_printf(out,
			" # with frequency: %.0f smaller growth is detectable; run calibrate again",
			advice->frequency_hz);
	buf_putc(out, '\n');
	if (!paired && count_rules(advice) == 0)
		return;
	buf_printf(out, "%*sgate:\n", (int)indent, "");
	if (paired)
		buf_printf(out, "%*s  paired:\n", (int)indent, "");
	if (!isnan(advice->total.fail)) {
		buf_printf(out, "%*s    total: {", (int)indent, "");
		put_thresholds_yaml(out, advice->total);
		buf_puts(out, "}\n");
	}
	if (functions)
		put_functions_yaml(advice, indent, out);
	put_rules_yaml(workload, indent, out);
}
