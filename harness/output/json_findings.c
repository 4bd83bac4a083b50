/* The findings in verdict.json. */
#include "output/cause_text.h"
#include "output/json_add.h"

#include <math.h>

/* What the first runs said, where fresh ones decide, and what is still open. */
static void
add_stages(cJSON *to, const struct finding *finding)
{
	json_add_effect(to, "first_effect", finding->first.tested ? &finding->first : NULL);
	cJSON_AddBoolToObject(to, "unconfirmed", finding->unconfirmed);
	json_add_number(to, "more_runs", finding->more_runs);
}

static void
add_waiver(cJSON *to, const struct waiver *waiver)
{
	cJSON *of = json_add_object(to, "waiver", waiver != NULL);

	if (!of)
		return;
	json_add_number(of, "max", waiver->max_effect);
	json_add_string(of, "reason", waiver->reason);
	json_add_string(of, "owner", waiver->owner);
	json_add_string(of, "expires", waiver->last_day);
	json_add_string(of, "file", waiver->file);
	json_add_number(of, "line", waiver->line);
}

static void
add_stacks(cJSON *object, const struct profile *profile, const struct causes *causes)
{
	cJSON *stacks = cJSON_AddArrayToObject(object, "stacks");

	for (size_t i = 0; i < causes->nstacks; i++) {
		const struct cause_stack *stack = &causes->stacks[i];
		cJSON *to = json_add_item(stacks);
		cJSON *frames = cJSON_AddArrayToObject(to, "frames");

		/* Items of an array have no key. */
		for (size_t k = 0; k < stack->nframes; k++)
			json_add_frame(frames, "", profile, stack->frames[k]);
		json_add_number(to, "before_cost", stack->before_cost);
		json_add_number(to, "after_cost", stack->after_cost);
	}
}

static void
add_neighbours(cJSON *object, const char *key, const struct profile *profile,
	const struct cause_neighbour *neighbours, size_t count)
{
	cJSON *array = cJSON_AddArrayToObject(object, key);

	for (size_t i = 0; i < count; i++) {
		cJSON *to = json_add_item(array);

		json_add_frame(to, "name", profile, neighbours[i].frame);
		json_add_number(to, "before_cost", neighbours[i].before_cost);
		json_add_number(to, "after_cost", neighbours[i].after_cost);
	}
}

static void
add_moved(cJSON *object, const struct profile *profile, const struct causes *causes)
{
	cJSON *to = json_add_object(object, "moved", causes->moved != DOMAIN_NONE);

	if (!to)
		return;
	json_add_string(to, "within", cause_domain_name(causes->moved));
	if (causes->moved == DOMAIN_FILE)
		json_add_place(to, "name", causes->domain);
	else
		json_add_string(to, "name", causes->domain);
	json_add_frame(to, "from", profile, causes->from);
	cJSON_AddBoolToObject(to, "from_is_gone", causes->from_gone);
	json_add_effect(to, "effect", &causes->domain_effect);
	json_add_number(to, "most_growth", causes->domain_most);
}

static void
add_instructions(cJSON *object, const struct causes *causes)
{
	cJSON *to = json_add_object(object, "instructions", isfinite(causes_more_work(causes)));

	if (!to)
		return;
	json_add_number(to, "before", causes->instructions_before);
	json_add_number(to, "after", causes->instructions_after);
}

static void
add_causes(cJSON *object, const struct profile *profile, const struct causes *causes)
{
	cJSON *to = json_add_object(object, "causes", causes != NULL);

	if (!to)
		return;
	json_add_number(to, "growth", causes->growth);
	add_stacks(to, profile, causes);
	add_neighbours(to, "callers", profile, causes->callers, causes->ncallers);
	add_neighbours(to, "callees", profile, causes->callees, causes->ncallees);
	add_moved(to, profile, causes);
	json_add_string(to, "code", cause_code_name(causes->code));
	cJSON_AddBoolToObject(to, "unreachable", causes->unreachable);
	add_instructions(to, causes);
}

void
json_add_findings(cJSON *object, const struct workload_view *workload)
{
	const struct profile *profile = &workload->judgement->comparison.profile;
	cJSON *findings = cJSON_AddArrayToObject(object, "findings");

	for (size_t i = 0; i < workload->nfindings; i++) {
		const struct finding_view *view = &workload->findings[i];
		const struct finding *finding = view->finding;
		cJSON *to = json_add_item(findings);

		json_add_string(to, "status", status_name(finding->status));
		json_add_string(to, "rule", finding_rule_name(finding->rule));
		json_add_string(to, "subject", view->subject);
		json_add_string(to, "of", quantity_name(finding->of));
		json_add_effect(to, "effect", &finding->effect);
		json_add_number(to, "asked", finding->asked);
		json_add_number(to, "warn_at", finding->warn_at);
		json_add_number(to, "fail_at", finding->fail_at);
		json_add_string(to, "reason", view->reason);
		add_stages(to, finding);
		add_waiver(to, finding->waiver);
		json_add_string(to, "source", view->place);
		add_causes(to, profile, finding->causes);
	}
}
