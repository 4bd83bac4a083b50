/*
 * The results of `calibrate` for programs, as JSON. null means not known.
 */
#include "output/calibration_report.h"

#include "output/json_add.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>

#define FORMAT_VERSION 1 /* of the JSON */

static void
add_noise(cJSON *object, const struct calibration_noise *noise)
{
	cJSON *to = cJSON_AddObjectToObject(object, "noise");

	json_add_number(to, "pairs", (double)noise->npairs);
	json_add_number(to, "cpu_s", noise->cpu_s);
	json_add_number(to, "cost", noise->cost);
	json_add_number(to, "cost_cv", noise->cost_cv);
	json_add_number(to, "pair_sd", noise->pair_sd);
	json_add_number(to, "neighbours_correlation", noise->neighbours);
	json_add_number(to, "wall_s", noise->wall_s);
	json_add_number(to, "wall_cv", noise->wall_cv);
	json_add_number(to, "context_switches", noise->context_switches);
	json_add_number(to, "migrations", noise->migrations);
	json_add_number(to, "samples", noise->samples);
}

static void
add_dispersion(cJSON *object, const struct calibrated_workload *workload)
{
	const struct calibration_dispersion *dispersion = &workload->dispersion;
	const struct profile *profile = &workload->judgement->comparison.profile;
	cJSON *to = cJSON_AddObjectToObject(object, "overdispersion");

	json_add_number(to, "median", dispersion->median);
	cJSON *functions = cJSON_AddArrayToObject(to, "functions");

	for (size_t i = 0; i < dispersion->nfunctions; i++) {
		const struct calibration_function *function = &dispersion->functions[i];
		cJSON *one = json_add_item(functions);

		json_add_frame(one, "name", profile, function->frame);
		json_add_number(one, "share", function->share);
		json_add_number(one, "q", function->q);
	}
}

static void
add_tally(cJSON *object, const struct rehearsal_tally *tally)
{
	cJSON *to = cJSON_AddObjectToObject(object, "false_alarms");
	const double ngates = tally ? (double)tally->ngates : 0;
	const double npairs = tally ? (double)tally->npairs : 0;

	json_add_number(to, "gates", ngates);
	json_add_number(to, "mean_pairs", ngates > 0 ? npairs / ngates : NAN);
	for (int status = 0; tally && status <= STATUS_FAIL; status++) {
		const struct calibration_interval interval =
			calibration_rate(tally->with[status], tally->ngates);
		cJSON *rate = cJSON_AddObjectToObject(to, status_name((enum status)status));

		json_add_number(rate, "gates", (double)tally->with[status]);
		json_add_number(rate, "low", interval.low);
		json_add_number(rate, "high", interval.high);
	}
}

static void
add_power(cJSON *object, const struct calibrated_workload *workload)
{
	const struct power *power = &workload->power;
	cJSON *to = cJSON_AddObjectToObject(object, "power");

	json_add_number(to, "tests", (double)power->ntests);
	json_add_number(to, "level", power->level);
	cJSON *subjects = cJSON_AddArrayToObject(to, "subjects");

	for (size_t i = 0; i < power->nsubjects; i++) {
		const struct power_subject *subject = &power->subjects[i];
		cJSON *one = json_add_item(subjects);

		json_add_string(one, "rule", finding_rule_name(subject->finding->rule));
		json_add_string(one, "subject", subject->finding->subject);
		json_add_number(one, "share", subject->share);
		json_add_number(one, "q", subject->q);
		json_add_number(one, "asked", subject->finding->asked);
		cJSON *detectable = cJSON_AddObjectToObject(one, "detectable_by_pairs");

		for (int step = 0; step < POWER_STEPS; step++) {
			char pairs[16];

			snprintf(pairs, sizeof(pairs), "%u", power_steps[step]);
			json_add_number(detectable, pairs, subject->detectable[step]);
		}
		size_t needed = power_pairs_needed(power, subject, power_steps[POWER_STEPS - 1]);

		json_add_number(one, "pairs_needed", needed > 0 ? (double)needed : NAN);
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
	struct buf yaml = {0};

	json_add_number(to, "runs", (double)advice->runs);
	json_add_number(to, "open_subjects", (double)advice->nopen);
	json_add_number(to, "never_seen_subjects", (double)advice->nnever);
	json_add_number(to, "total_fail", advice->total.fail);
	json_add_number(to, "functions_fail", advice->functions.fail);
	json_add_number(to, "floor", advice->floor);
	json_add_number(to, "frequency_hz", advice->frequency_hz);
	json_add_string(to, "uncertain_by", sources[advice->source]);
	cJSON_AddBoolToObject(to, "short_runs", advice->short_runs);
	cJSON_AddBoolToObject(to, "too_many_false_alarms", advice->false_alarms);
	cJSON_AddBoolToObject(to, "changes", advice_changes(advice, workload->gate_runs));
	advice_put_yaml(workload, 0, &yaml);
	/* Added directly to keep its lines; its text is already escaped. */
	cJSON_AddStringToObject(to, "yaml", buf_text(&yaml));
	buf_release(&yaml);
}

static void
add_workload(cJSON *workloads, const struct calibrated_workload *workload)
{
	cJSON *to = json_add_item(workloads);

	json_add_string(to, "name", workload->workload->name);
	json_add_string(to, "error", workload->error);
	if (workload->error)
		return;
	json_add_number(to, "gate_pairs", workload->gate_runs);
	json_add_number(to, "frequency_hz", workload->judgement->input.candidate->frequency_hz);
	add_noise(to, &workload->noise);
	add_dispersion(to, workload);
	add_tally(to, workload->rehearsal);
	add_power(to, workload);
	add_advice(to, workload);
}

void
calibration_put_json(const struct calibration_report *report, struct buf *out)
{
	cJSON *root = cJSON_CreateObject();

	json_add_number(root, "calibration_version", FORMAT_VERSION);
	json_add_string(root, "tool_version", report->about.tool_version);
	json_add_time(root, "started", report->about.started);
	json_add_number(root, "duration_s", report->about.duration_s);
	json_add_number(root, "rehearsal_s", report->rehearsal_s);
	json_add_string(root, "command", report->about.command);
	json_add_string(root, "commit", report->about.commit);
	json_add_string(root, "machine_class", report->about.machine_class);
	json_add_string(root, "cpu_model", report->about.machine->cpu_model);
	json_add_string(root, "event_reason", report->about.event_reason);
	json_add_string(root, "pinning", report->about.pinning);
	json_add_number(root, "seed", (double)report->seed);
	add_tally(root, report->rehearsal ? &report->rehearsal->whole : NULL);
	cJSON *workloads = cJSON_AddArrayToObject(root, "workloads");

	for (size_t i = 0; i < report->nworkloads; i++)
		add_workload(workloads, &report->workloads[i]);
	json_finish(root, out);
}
