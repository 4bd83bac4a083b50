#include "output/calibration_report.h"

#include "base/escape.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "format/table.h"
#include "output/line_parts.h"
#include "profile/disturbance.h"

#include <math.h>
#include <string.h>

#define NAME_COLUMNS 34
#define ADVICE_COLUMNS 60 /* of a name in a sentence of advice */
#define WORST_SHOWN 6
#define SUBJECTS_SHOWN 20
#define INDENT 2
#define MORE_INDENT 4

/* Advice: in words, and as YAML to paste. */

static void
put_detectable(const struct calibrated_workload *workload, size_t indent, struct buf *out)
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
		name_fit(&name, finding->subject, strlen(finding->subject), ADVICE_COLUMNS);
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
put_uncertainty(const struct calibrated_workload *workload, size_t indent, struct buf *out)
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

	put_detectable(workload, indent, out);
	put_uncertainty(workload, indent, out);
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

/* For a console: each workload's noise, functions, false alarms, power and advice. */

static void
put_dispersion_of(struct buf *out, double q)
{
	if (isfinite(q))
		buf_printf(out, q < 9.95 ? "%.1f" : "%.0f", q);
	else
		buf_putc(out, '-');
}

static void
put_noise(const struct calibrated_workload *workload, struct buf *out)
{
	const struct calibration_noise *noise = &workload->noise;
	struct buf line = {0};

	buf_puts(out, "  noise of whole runs\n    CPU time       ");
	format_duration(out, noise->cpu_s);
	buf_puts(out, ", CV ");
	format_percent(out, noise->cost_cv);
	buf_puts(out, "\n    wall time      ");
	format_duration(out, noise->wall_s);
	buf_puts(out, ", CV ");
	format_percent(out, noise->wall_cv);
	buf_puts(out, "\n    in pairs       SD of the difference ");
	format_percent(out, noise->pair_sd);
	buf_printf(out, "; runs side by side correlate by %.2f\n", noise->neighbours);
	buf_printf(out, "    interruptions  %.1f context switches and %.1f migrations a run\n",
		noise->context_switches, noise->migrations);
	/* The runs of both sides are there. */
	disturbance_put(&workload->judgement->comparison.profile, &line);
	if (line.len > 0)
		text_sentence(out, MORE_INDENT, "", "%s.", buf_text(&line));
	buf_release(&line);
}

static void
put_dispersion(const struct calibrated_workload *workload, struct buf *out)
{
	static const struct table_column columns[] = {{"function", false, NAME_COLUMNS},
		{"share", true, 0}, {"over-dispersion", true, 0}};
	const struct calibration_dispersion *dispersion = &workload->dispersion;
	const struct profile *profile = &workload->judgement->comparison.profile;
	struct table table;

	buf_puts(out,
		"  functions: over-dispersion, the variance over that of sampling alone\n    median ");
	put_dispersion_of(out, dispersion->median);
	buf_printf(out, " of %zu tested%s\n", dispersion->nfunctions,
		dispersion->nfunctions > 0 ? "; the least steady ones:" : "");
	if (dispersion->nfunctions == 0)
		return;
	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < dispersion->nfunctions && i < WORST_SHOWN; i++) {
		const struct calibration_function *function = &dispersion->functions[i];

		profile_put_frame(profile, function->frame, table_cell(&table));
		table_end_cell(&table);
		format_percent(table_cell(&table), function->share);
		table_end_cell(&table);
		put_dispersion_of(table_cell(&table), function->q);
		table_end_cell(&table);
	}
	table_write(&table, MORE_INDENT, out);
	table_release(&table);
}

/* "0.3 % [0.0, 1.4]" */
static void
put_rate(struct table *table, const struct rehearsal_tally *tally, enum status status)
{
	const struct calibration_interval interval =
		calibration_rate(tally->with[status], tally->ngates);
	const double rate = (double)tally->with[status] / (double)tally->ngates;
	struct buf *cell = table_cell(table);

	format_percent(cell, rate);
	buf_putc(cell, ' ');
	format_interval(cell, rate, interval.low, interval.high);
	table_end_cell(table);
}

static void
put_tally(const struct rehearsal_tally *tally, struct buf *out)
{
	static const struct table_column columns[] = {{"outcome", false, 0}, {"gates", true, 0}};
	static const enum status statuses[] = {
		STATUS_FAIL, STATUS_INCONCLUSIVE, STATUS_WARN, STATUS_PASS};
	struct table table;

	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
		table_put(&table, status_word(statuses[i]));
		put_rate(&table, tally, statuses[i]);
	}
	table_write(&table, MORE_INDENT, out);
	table_release(&table);
	text_sentence(out, MORE_INDENT, "", "They take %.1f pairs on average.",
		(double)tally->npairs / (double)tally->ngates);
}

static void
put_rehearsal(const struct calibration_report *report, const struct calibrated_workload *workload,
	struct buf *out)
{
	const struct rehearsal_tally *tally = workload->rehearsal;

	if (!tally || tally->ngates == 0) {
		text_sentence(out, INDENT, "",
			"The false-alarm rate needs %u pairs of each workload: use '--pairs %u'.",
			report->rehearsal ? report->rehearsal->first : 0,
			report->rehearsal ? report->rehearsal->first : 0);
		return;
	}
	text_sentence(out, INDENT, "",
		"false alarms: verdicts of %zu gates with runs: %u, which test block by block as "
		"'gate --against' does, of these pairs in random order with sides swapped at random "
		"(seed %llu)",
		tally->ngates, workload->gate_runs, (unsigned long long)report->seed);
	put_tally(tally, out);
}

static void
put_needed(struct table *table, const struct calibrated_workload *workload,
	const struct power_subject *subject)
{
	unsigned most = power_steps[POWER_STEPS - 1];
	size_t needed = power_pairs_needed(&workload->power, subject, most);

	if (isnan(subject->finding->asked))
		buf_putc(table_cell(table), '-');
	else if (needed == 0)
		buf_printf(table_cell(table), "> %u", most);
	else
		buf_printf(table_cell(table), "%zu", needed);
	table_end_cell(table);
}

static void
put_power(const struct calibrated_workload *workload, struct buf *out)
{
	static const struct table_column columns[] = {{"subject", false, NAME_COLUMNS},
		{"share", true, 0}, {"threshold", true, 0}, {"pairs: 5", true, 0}, {"10", true, 0},
		{"20", true, 0}, {"30", true, 0}, {"60", true, 0}, {"needs", true, 0}};
	const struct power *power = &workload->power;
	struct table table;

	buf_printf(out,
		"  detectable growth by the most pairs of a gate (95 %% power, %zu tests)\n",
		power->ntests);
	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < power->nsubjects && i < SUBJECTS_SHOWN; i++) {
		const struct power_subject *subject = &power->subjects[i];

		table_put(&table, subject->finding->subject);
		format_percent(table_cell(&table), subject->share);
		table_end_cell(&table);
		format_percent(table_cell(&table), subject->finding->asked);
		table_end_cell(&table);
		for (int step = 0; step < POWER_STEPS; step++) {
			format_percent(table_cell(&table), subject->detectable[step]);
			table_end_cell(&table);
		}
		put_needed(&table, workload, subject);
	}
	table_write(&table, MORE_INDENT, out);
	if (power->nsubjects > SUBJECTS_SHOWN)
		buf_printf(out, "    and %zu more subjects: see '--output'\n",
			power->nsubjects - SUBJECTS_SHOWN);
	table_release(&table);
}

static void
put_as_measured(const struct calibrated_workload *workload, struct buf *out)
{
	const struct finding *finding = NULL;
	const struct verdict *verdict = &workload->judgement->verdict;
	struct buf effect = {0};

	for (size_t i = 0; i < verdict->nfindings && !finding; i++) {
		if (verdict->findings[i].effect.tested)
			finding = &verdict->findings[i];
	}
	if (!finding)
		return;
	effect_describe(&finding->effect, &effect);
	text_sentence(out, INDENT, "",
		"As they were measured, all pairs together: %s; at the top is %s, %s.",
		status_word(finding->status), finding->subject, buf_text(&effect));
	buf_release(&effect);
}

static void
put_workload(const struct calibration_report *report, const struct calibrated_workload *workload,
	struct buf *out)
{
	const struct workload *w = workload->workload;

	buf_printf(out, "\n%s: ", w->name);
	if (workload->error) {
		buf_puts(out, "not calibrated\n");
		text_wrap(out, workload->error, INDENT);
		return;
	}
	buf_printf(out, "%zu pairs of one build, ", workload->noise.npairs);
	format_count(out, workload->noise.samples);
	buf_puts(out, " samples a run\n");
	put_as_measured(workload, out);
	put_noise(workload, out);
	put_dispersion(workload, out);
	put_rehearsal(report, workload, out);
	put_power(workload, out);
	buf_puts(out, "  uncertainty\n");
	advice_put_text(workload, MORE_INDENT, out);
}

/* The result: settings to paste, and what they detect. */
static void
put_settings(const struct calibrated_workload *workload, struct buf *out)
{
	const struct workload *w = workload->workload;

	if (workload->error)
		return;
	buf_printf(out, "\nSettings of %s", w->name);
	if (advice_changes(&workload->advice, workload->gate_runs)) {
		buf_puts(out, ", to paste into ");
		escape_utf8(out, w->path, strlen(w->path));
		buf_putc(out, '\n');
		advice_put_yaml(workload, MORE_INDENT, out);
	} else {
		buf_putc(out, '\n');
	}
	advice_put_sentence(workload, INDENT, out);
}

static void
put_headline(const struct calibration_report *report, struct buf *out)
{
	size_t failed = 0;
	struct buf line = {0};

	for (size_t i = 0; i < report->nworkloads; i++)
		failed += report->workloads[i].error != NULL;
	buf_puts(&line, failed == report->nworkloads ? "NOT CALIBRATED: " : "CALIBRATED: ");
	format_plural(&line, report->nworkloads - failed, "workload", "workloads");
	if (failed > 0)
		buf_printf(&line, ", and %zu could not be measured", failed);
	text_wrap(out, buf_text(&line), 0);
	buf_clear(&line);
	buf_printf(&line, "profile_run %s, started ", report->about.tool_version);
	format_time(&line, report->about.started);
	buf_puts(&line, ", took ");
	format_duration(&line, report->about.duration_s);
	if (report->rehearsal && report->rehearsal->whole.ngates > 0) {
		buf_puts(&line, ", of which simulated gates ");
		format_duration(&line, report->rehearsal_s);
	}
	text_wrap(out, buf_text(&line), 0);
	buf_release(&line);
}

void
calibration_put_text(const struct calibration_report *report, struct buf *out)
{
	put_headline(report, out);
	for (size_t i = 0; i < report->nworkloads; i++)
		put_workload(report, &report->workloads[i], out);
	if (report->nworkloads > 1 && report->rehearsal && report->rehearsal->whole.ngates > 0) {
		buf_puts(out, "\nFalse alarms of a gate of all these workloads together\n");
		put_tally(&report->rehearsal->whole, out);
	}
	buf_puts(out, "\nEnvironment\n");
	report_put_environment(&report->about, out);
	for (size_t i = 0; i < report->nworkloads; i++)
		put_settings(&report->workloads[i], out);
}
