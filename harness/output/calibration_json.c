/* Calibration for programs. What is not known is null. */
#include "base/escape.h"
#include "format/figures.h"
#include "output/calibration_report.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FORMAT_VERSION 1

static void
add_number(cJSON *object, const char *key, double value)
{
	if (isfinite(value))
		cJSON_AddNumberToObject(object, key, value);
	else
		cJSON_AddNullToObject(object, key);
}

static void
add_string(cJSON *object, const char *key, const char *text)
{
	struct buf safe;

	if (!text || !*text) {
		cJSON_AddNullToObject(object, key);
		return;
	}
	buf_init(&safe);
	escape_utf8(&safe, text, strlen(text));
	cJSON_AddStringToObject(object, key, buf_text(&safe));
	buf_release(&safe);
}

static void
add_noise(cJSON *object, const struct calibration_noise *noise)
{
	cJSON *to = cJSON_AddObjectToObject(object, "noise");

	add_number(to, "pairs", (double)noise->npairs);
	add_number(to, "cpu_s", noise->cpu_s);
	add_number(to, "cost", noise->cost);
	add_number(to, "cost_cv", noise->cost_cv);
	add_number(to, "pair_sd", noise->pair_sd);
	add_number(to, "neighbours_correlation", noise->neighbours);
	add_number(to, "wall_s", noise->wall_s);
	add_number(to, "wall_cv", noise->wall_cv);
	add_number(to, "context_switches", noise->context_switches);
	add_number(to, "migrations", noise->migrations);
	add_number(to, "samples", noise->samples);
}

static void
add_dispersion(cJSON *object, const struct calibrated_workload *workload)
{
	const struct calibration_dispersion *dispersion = &workload->dispersion;
	const struct profile *profile = &workload->judgement->comparison.profile;
	cJSON *to = cJSON_AddObjectToObject(object, "overdispersion");
	struct buf name;

	buf_init(&name);
	add_number(to, "median", dispersion->median);
	cJSON *functions = cJSON_AddArrayToObject(to, "functions");

	for (size_t i = 0; i < dispersion->nfunctions; i++) {
		const struct calibration_function *function = &dispersion->functions[i];
		cJSON *one = cJSON_CreateObject();

		buf_clear(&name);
		profile_put_frame(profile, function->frame, &name);
		add_string(one, "name", buf_text(&name));
		add_number(one, "share", function->share);
		add_number(one, "q", function->q);
		cJSON_AddItemToArray(functions, one);
	}
	buf_release(&name);
}

static void
add_tallies(cJSON *object, const struct rehearsal_tally *tallies)
{
	static const char *const kinds[REHEARSAL_KINDS] = {
		[REHEARSAL_ONE_STAGE] = "one_stage",
		[REHEARSAL_TWO_STAGES] = "two_stages",
	};
	cJSON *to = cJSON_AddObjectToObject(object, "false_alarms");

	for (int kind = 0; kind < REHEARSAL_KINDS; kind++) {
		cJSON *tally = cJSON_AddObjectToObject(to, kinds[kind]);

		add_number(tally, "gates", tallies ? (double)tallies[kind].ngates : 0);
		for (int status = 0; tallies && status <= STATUS_FAIL; status++) {
			const struct calibration_interval interval =
				calibration_rate(tallies[kind].with[status], tallies[kind].ngates);
			cJSON *rate =
				cJSON_AddObjectToObject(tally, status_name((enum status)status));

			add_number(rate, "gates", (double)tallies[kind].with[status]);
			add_number(rate, "low", interval.low);
			add_number(rate, "high", interval.high);
		}
	}
}

static void
add_power(cJSON *object, const struct calibrated_workload *workload)
{
	const struct power *power = &workload->power;
	cJSON *to = cJSON_AddObjectToObject(object, "power");

	add_number(to, "tests", (double)power->ntests);
	add_number(to, "level", power->level);
	cJSON *subjects = cJSON_AddArrayToObject(to, "subjects");

	for (size_t i = 0; i < power->nsubjects; i++) {
		const struct power_subject *subject = &power->subjects[i];
		cJSON *one = cJSON_CreateObject();

		add_string(one, "rule", finding_rule_name(subject->finding->rule));
		add_string(one, "subject", subject->finding->subject);
		add_number(one, "share", subject->share);
		add_number(one, "q", subject->q);
		add_number(one, "asked", subject->finding->asked);
		cJSON *detectable = cJSON_AddObjectToObject(one, "detectable_by_pairs");

		for (int step = 0; step < POWER_STEPS; step++) {
			char pairs[16];

			snprintf(pairs, sizeof(pairs), "%u", power_steps[step]);
			add_number(detectable, pairs, subject->detectable[step]);
		}
		size_t needed = power_pairs_needed(power, subject, power_steps[POWER_STEPS - 1]);

		add_number(one, "pairs_needed", needed > 0 ? (double)needed : NAN);
		cJSON_AddItemToArray(subjects, one);
	}
}

static void
add_advice(cJSON *object, const struct calibrated_workload *workload)
{
	static const char *const sources[] = {
		[ADVICE_SAMPLING] = "sampling",
		[ADVICE_MIXED] = "mixed",
		[ADVICE_RUNS] = "runs",
		[ADVICE_UNKNOWN] = NULL,
	};
	const struct advice *advice = &workload->advice;
	cJSON *to = cJSON_AddObjectToObject(object, "advice");
	struct buf yaml;

	add_number(to, "runs", (double)advice->runs);
	add_number(to, "open_subjects", (double)advice->nopen);
	add_number(to, "never_seen_subjects", (double)advice->nnever);
	add_number(to, "total_fail", advice->total_fail);
	add_number(to, "functions_fail", advice->functions_fail);
	add_number(to, "floor", advice->floor);
	add_number(to, "frequency_hz", advice->frequency_hz);
	add_string(to, "uncertain_by", sources[advice->source]);
	cJSON_AddBoolToObject(to, "short_runs", advice->short_runs);
	cJSON_AddBoolToObject(to, "too_many_false_alarms", advice->false_alarms);
	cJSON_AddBoolToObject(to, "changes", advice_changes(advice, workload->gate_runs));
	buf_init(&yaml);
	advice_put_yaml(workload, 0, &yaml);
	/* Its lines are to stay lines; all in it was escaped when it was made. */
	cJSON_AddStringToObject(to, "yaml", buf_text(&yaml));
	buf_release(&yaml);
}

static void
add_workload(cJSON *workloads, const struct calibrated_workload *workload)
{
	cJSON *to = cJSON_CreateObject();

	cJSON_AddItemToArray(workloads, to);
	add_string(to, "name", workload->workload->name);
	add_string(to, "error", workload->error);
	if (workload->error)
		return;
	add_number(to, "gate_pairs", workload->gate_runs);
	add_number(to, "frequency_hz", workload->judgement->input.candidate->frequency_hz);
	add_noise(to, &workload->noise);
	add_dispersion(to, workload);
	add_tallies(to, workload->rehearsal);
	add_power(to, workload);
	add_advice(to, workload);
}

void
calibration_put_json(const struct calibration_report *report, struct buf *out)
{
	cJSON *root = cJSON_CreateObject();
	struct buf time;

	buf_init(&time);
	if (report->started != 0)
		format_time(&time, report->started);
	add_number(root, "calibration_version", FORMAT_VERSION);
	add_string(root, "tool_version", report->tool_version);
	add_string(root, "started", buf_text(&time));
	add_number(root, "duration_s", report->duration_s);
	add_number(root, "rehearsal_s", report->rehearsal_s);
	add_string(root, "command", report->command);
	add_string(root, "commit", report->commit);
	add_string(root, "machine_class", report->machine_class);
	add_string(root, "cpu_model", report->machine->cpu_model);
	add_string(root, "event_reason", report->event_reason);
	add_string(root, "pinning", report->pinning);
	add_number(root, "seed", (double)report->seed);
	add_tallies(root, report->rehearsal ? report->rehearsal->whole : NULL);
	cJSON *workloads = cJSON_AddArrayToObject(root, "workloads");

	for (size_t i = 0; i < report->nworkloads; i++)
		add_workload(workloads, &report->workloads[i]);
	char *text = cJSON_Print(root);

	buf_puts(out, text ? text : "");
	buf_putc(out, '\n');
	cJSON_free(text);
	cJSON_Delete(root);
	buf_release(&time);
}
