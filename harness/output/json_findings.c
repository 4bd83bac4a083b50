/* The findings in verdict.json. */
#include "output/cause_json.h"
#include "output/json_add.h"

/* What the first runs said, where fresh ones decide, and what is still open. */
static void
add_stages(cJSON *to, const struct finding *finding)
{
	if (finding->first.tested)
		json_add_effect(to, "first_effect", &finding->first);
	else
		cJSON_AddNullToObject(to, "first_effect");
	cJSON_AddBoolToObject(to, "unconfirmed", finding->unconfirmed);
	json_add_number(to, "more_runs", finding->more_runs);
}

static void
add_waiver(cJSON *to, const struct waiver *waiver)
{
	if (!waiver) {
		cJSON_AddNullToObject(to, "waiver");
		return;
	}
	cJSON *of = cJSON_AddObjectToObject(to, "waiver");

	json_add_number(of, "max", waiver->max_effect);
	json_add_string(of, "reason", waiver->reason);
	json_add_string(of, "owner", waiver->owner);
	json_add_string(of, "expires", waiver->last_day);
	json_add_string(of, "file", waiver->file);
	json_add_number(of, "line", waiver->line);
}

void
json_add_findings(cJSON *object, const struct judgement *judgement)
{
	const struct verdict *verdict = &judgement->verdict;
	cJSON *findings = cJSON_AddArrayToObject(object, "findings");

	for (size_t i = 0; i < verdict->nfindings; i++) {
		const struct finding *finding = &verdict->findings[i];
		cJSON *to = cJSON_CreateObject();

		json_add_string(to, "status", status_name(finding->status));
		json_add_string(to, "rule", finding_rule_name(finding->rule));
		json_add_string(to, "subject", finding->subject);
		json_add_string(to, "of", quantity_name(finding->of));
		json_add_effect(to, "effect", &finding->effect);
		json_add_number(to, "asked", finding->asked);
		json_add_number(to, "warn_at", finding->warn_at);
		json_add_number(to, "fail_at", finding->fail_at);
		json_add_string(to, "reason", finding->reason);
		add_stages(to, finding);
		add_waiver(to, finding->waiver);
		json_add_place(to, "source", finding->source);
		cause_json_add(
			to, "causes", &judgement->comparison, finding->causes, json_add_effect);
		cJSON_AddItemToArray(findings, to);
	}
}
