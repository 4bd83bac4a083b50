/* Calibration for a console: each workload's noise, functions, false alarms, power and advice. */
#include "base/escape.h"
#include "format/figures.h"
#include "format/name.h"
#include "format/table.h"
#include "output/calibration_report.h"
#include "output/report_text.h"
#include "profile/disturbance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME_COLUMNS 34
#define WORST_SHOWN 6
#define SUBJECTS_SHOWN 20
#define INDENT 2
#define MORE_INDENT 4

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
	text_environment(&report->about, out);
	for (size_t i = 0; i < report->nworkloads; i++)
		put_settings(&report->workloads[i], out);
}
