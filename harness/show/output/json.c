/*
 * verdict.json: all data of the gate, for programs. Its schema is schema/verdict.schema.json, which
 * also says what each key means; a key added here is added there.
 */
#include "baseline/baseline.h"
#include "format/place.h"
#include "output/json_add.h"
#include "output/output.h"
#include "profile/counters.h"
#include "profile/fields.h"
#include "profile/weights.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

/* A URN's namespace takes no underscore (RFC 8141, section 2). */
#define SCHEMA_ID "urn:profile-run:verdict:2"
#define SCHEMA_VERSION 2
/* Untested functions are listed from this share on, as the page shows them, at most so many. */
#define UNTESTED_MIN_SHARE 0.005
#define FUNCTIONS_MAX 2000

/* A path of the source; may be NULL. */
static void
add_place(cJSON *object, const char *key, const char *path)
{
	struct buf place = {0};

	if (path)
		place_put_path(&place, path);
	json_add_string(object, key, buf_text(&place));
	buf_release(&place);
}

/* A string of the profile's; null for 0. */
static void
add_id(cJSON *object, const char *key, const struct profile *profile, str_id id)
{
	json_add_string(object, key, id ? strtab_str(&profile->strings, id) : NULL);
}

static void
add_machine(cJSON *object, const struct machine *machine, const char *machine_class)
{
	cJSON *to = cJSON_AddObjectToObject(object, "machine");

	json_add_string(to, "class", machine_class);
	for (const struct field *field = machine_fields; field->name; field++) {
		if (field->type == FIELD_TEXT)
			json_add_string(to, field->name, (const char *)machine + field->offset);
		else
			json_add_number(to, field->name, field_number(field, machine));
	}
}

static void
add_run_fields(cJSON *object, const struct run *run, enum field_files file)
{
	for (const struct run_field *each = run_fields; each->field.name; each++) {
		if ((each->field.files & file) && each->field.type != FIELD_BOOL)
			json_add_number(object, each->field.name, run_field_value(each, run));
	}
}

/* Counters known of any run of the profile; null where this run's is not. */
static void
add_counters(cJSON *object, const struct profile *profile, const struct run *run)
{
	cJSON *to = cJSON_AddObjectToObject(object, "counters");

	for (enum counter_id id = 0; id < NCOUNTERS; id++)
		if (counter_is_known(profile, id))
			json_add_number(to, counter_kinds[id].name, counter_value(run, id));
}

static void
add_runs(cJSON *object, const char *key, const struct profile *profile)
{
	cJSON *runs = cJSON_AddArrayToObject(object, key);

	for (size_t i = 0; profile && i < profile->nruns; i++) {
		const struct run *run = &profile->runs[i];
		cJSON *to = json_add_item(runs);

		/* First, because it says whether the others are known. */
		cJSON_AddBoolToObject(to, "measured", run->measured);
		add_run_fields(to, run, FIELD_REPORTED);
		cJSON *disturbance = json_add_object(to, "disturbance", run->program_cpus > 0);

		if (disturbance)
			add_run_fields(disturbance, run, FIELD_DISTURBANCE);
		add_counters(to, profile, run);
	}
}

/* Means of both sides; null where not known of a side, or of both. */
static void
add_counter_rows(cJSON *object, const struct judgement *judgement)
{
	struct counter_row rows[NCOUNTERS];
	size_t count = counter_rows(judgement, rows);
	cJSON *to = cJSON_AddObjectToObject(object, "counters");
	size_t at = 0;

	for (int id = 0; id < NCOUNTERS; id++) {
		bool known = at < count && rows[at].kind == &counter_kinds[id];
		cJSON *one = json_add_object(to, counter_kinds[id].name, known);

		if (!one)
			continue;
		json_add_string(one, "unit", rows[at].kind->unit);
		json_add_number(one, "before", rows[at].before);
		json_add_number(one, "after", rows[at].after);
		json_add_number(one, "change", rows[at].change);
		cJSON_AddBoolToObject(one, "differs", rows[at].differs);
		at++;
	}
}

static void
add_function(cJSON *functions, const struct rows *rows, const struct row *row)
{
	static const char *const kinds[] = {
		[FRAME_USER] = "user",
		[FRAME_KERNEL] = "kernel",
		[FRAME_INLINED] = "inlined",
		[FRAME_JIT] = "jit",
		[FRAME_WAIT] = "wait",
	};
	const struct frame *frame = &rows->profile->frames.frames[row->frame];
	cJSON *to = json_add_item(functions);

	json_add_string(to, "name", row->name);
	json_add_string(to, "kind", kinds[frame->kind]);
	add_id(to, "full_name", rows->profile, frame->full);
	add_id(to, "module", rows->profile, frame->module);
	add_place(to, "file", strtab_str(&rows->profile->strings, frame->file));
	json_add_number(to, "line", frame->line > 0 ? (double)frame->line : NAN);
	json_add_string(to, "status", row->finding ? status_name(row->finding->status) : NULL);
	json_add_string(to, "novelty", row->novelty);
	json_add_number(to, "before_cost_now", row->before_cost);
	json_add_effect(to, "self", row->self);
	json_add_effect(to, "total", row->total);
}

/* Every function that was tested or has a finding, and others that are not negligible. */
static void
add_functions(cJSON *object, const struct rows *rows, bool judged_only)
{
	cJSON *functions = cJSON_AddArrayToObject(object, "functions");
	size_t listed = 0;

	for (size_t i = 0; i < rows->nrows; i++) {
		const struct row *row = &rows->rows[i];
		bool is_negligible = rows_larger_share(row->self) < UNTESTED_MIN_SHARE &&
				     rows_larger_share(row->total) < UNTESTED_MIN_SHARE;

		if (!row->is_judged && (judged_only || listed >= FUNCTIONS_MAX || is_negligible))
			continue;
		add_function(functions, rows, row);
		listed++;
	}
	json_add_number(object, "functions_left_out", (double)(rows->nrows - listed));
}

static void
add_baseline(cJSON *object, const struct judgement *judgement)
{
	const struct baseline_info *info = judgement->input.before_info;
	cJSON *to = json_add_object(object, "baseline", judgement->input.before != NULL);

	if (!to)
		return;
	json_add_time(to, "created", info->created);
	json_add_string(to, "commit", info->commit);
	json_add_string(to, "tool_version", info->tool_version);
	json_add_string(to, "program_hash", info->program_hash);
	json_add_string(to, "workload_hash", info->workload_hash);
	json_add_number(to, "sessions", info->nsessions);
	cJSON_AddBoolToObject(
		to, "of_other_machine", judgement->input.baseline_is_of_other_machine);
	add_machine(to, &info->machine, info->machine_class);
}

static void
add_comparison(cJSON *object, const struct judgement *judgement)
{
	const struct comparison *comparison = &judgement->comparison;
	cJSON *to = json_add_object(object, "comparison", judgement->compared);

	if (!to)
		return;
	json_add_number(to, "reference_share", comparison->model.reference_share);
	json_add_number(to, "machine_speed", comparison->model.machine_speed);
	json_add_number(to, "session_spread", comparison->model.session_spread);
	json_add_number(to, "machine_spread", comparison->model.machine_spread);
	cJSON_AddBoolToObject(to, "session_spread_learned",
		comparison->model.session_spread_from == SPREAD_OF_SESSIONS);
	json_add_effect(to, "whole", &comparison->whole);
}

/* The effect in the first runs, if confirming runs decide, and the state of the decision. */
static void
add_stages(cJSON *to, const struct finding *finding)
{
	json_add_effect(to, "first_effect", finding->first.tested ? &finding->first : NULL);
	cJSON_AddBoolToObject(to, "unconfirmed", finding->unconfirmed);
	json_add_number(to, "more_runs", finding->more_runs);
	json_add_string(to, "decided_by", finding->by_instructions ? "instructions" : "runs");
	json_add_number(
		to, "instructions_change", finding->by_instructions ? finding->instructions : NAN);
}

/* When pairs were tested block by block, and with how much of alpha. */
static void
add_looks(cJSON *to, const struct judgement *judgement)
{
	const struct looks *looks = &judgement->input.looks;
	const struct criteria *criteria = &judgement->criteria;

	json_add_number(to, "pairs_at_most", criteria->by_looks ? (double)looks->most : NAN);
	if (!criteria->by_looks) {
		cJSON_AddNullToObject(to, "looks");
		return;
	}
	cJSON *array = cJSON_AddArrayToObject(to, "looks");

	for (size_t i = 0; i < looks->count; i++) {
		cJSON *look = json_add_item(array);

		json_add_number(look, "pairs", looks->pairs[i]);
		json_add_number(look, "alpha",
			criteria->alpha * looks_part_of(looks, i) / (double)criteria->nfamilies);
	}
}

/* For pairs that decide what a stored baseline flagged: what that was. */
static void
add_screen(cJSON *to, const struct judgement *judgement)
{
	const struct screen *screen = &judgement->input.screen;

	if (!judgement->criteria.by_looks || screen->nsubjects == 0) {
		cJSON_AddNullToObject(to, "flagged");
		return;
	}
	cJSON *array = cJSON_AddArrayToObject(to, "flagged");

	for (size_t i = 0; i < screen->nsubjects; i++) {
		cJSON *subject = json_add_item(array);

		json_add_string(subject, "rule", finding_rule_name(screen->subjects[i].rule));
		json_add_string(subject, "of", quantity_name(screen->subjects[i].of));
		json_add_string(subject, "subject", screen->subjects[i].name);
	}
}

static void
add_waiver(cJSON *to, const struct waiver *waiver)
{
	cJSON *of = json_add_object(to, "waiver", waiver != NULL);

	if (!of || !waiver)
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

/* Names of the domain that the cost moved within, and of the states of code. */
static const char *
domain_name(enum cause_domain domain)
{
	static const char *const names[] = {
		[DOMAIN_NONE] = "none",
		[DOMAIN_CALLER] = "caller",
		[DOMAIN_CALLEES] = "callees",
		[DOMAIN_CLASS] = "class",
		[DOMAIN_FILE] = "file",
		[DOMAIN_NAMES] = "names",
	};

	return names[domain];
}

static const char *
code_name(enum code_state state)
{
	static const char *const names[] = {
		[CODE_UNKNOWN] = "unknown",
		[CODE_SAME] = "same",
		[CODE_CHANGED] = "changed",
		[CODE_NEW] = "new",
		[CODE_GONE] = "gone",
	};

	return names[state];
}

static void
add_moved(cJSON *object, const struct profile *profile, const struct causes *causes)
{
	cJSON *to = json_add_object(object, "moved", causes->moved != DOMAIN_NONE);

	if (!to)
		return;
	json_add_string(to, "within", domain_name(causes->moved));
	if (causes->moved == DOMAIN_FILE)
		add_place(to, "name", causes->domain);
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

	if (!to || !causes)
		return;
	json_add_number(to, "growth", causes->growth);
	add_stacks(to, profile, causes);
	add_neighbours(to, "callers", profile, causes->callers, causes->ncallers);
	json_add_number(to, "growth_with_calls", causes->after_calls - causes->before_calls);
	add_neighbours(to, "callees", profile, causes->callees, causes->ncallees);
	add_moved(to, profile, causes);
	json_add_string(to, "code", code_name(causes->code));
	cJSON_AddBoolToObject(to, "unreachable", causes->unreachable);
	json_add_string(to, "changed_input", causes->changed_input);
	json_add_string(to, "variant_before", causes->variant_before);
	json_add_string(to, "variant_after", causes->variant_after);
	add_instructions(to, causes);
}

static void
add_finding_head(cJSON *to, const struct finding *finding, const char *subject)
{
	json_add_string(to, "status", status_name(finding->status));
	cJSON_AddBoolToObject(to, "accepted", finding->accepted);
	json_add_string(to, "rule", finding_rule_name(finding->rule));
	json_add_string(to, "subject", subject);
	json_add_string(to, "of", quantity_name(finding->of));
	json_add_effect(to, "effect", &finding->effect);
}

/* Findings that grew with it, from the same cause. */
static void
add_members(cJSON *to, const struct finding *finding)
{
	cJSON *members = cJSON_AddArrayToObject(to, "grew_with_it");

	for (size_t i = 0; i < finding->nmembers; i++) {
		const struct finding *member = &finding->members[i];
		cJSON *item = json_add_item(members);

		add_finding_head(item, member, member->subject);
		json_add_string(item, "reason", member->reason);
	}
}

static void
add_findings(cJSON *object, const struct workload_view *workload, bool listed_only)
{
	const struct profile *profile = &workload->judgement->comparison.profile;
	cJSON *findings = cJSON_AddArrayToObject(object, "findings");

	for (size_t i = 0; i < workload->nfindings; i++) {
		const struct finding_view *view = &workload->findings[i];
		const struct finding *finding = view->finding;

		if (listed_only && !view->is_listed)
			continue;
		cJSON *to = json_add_item(findings);
		add_finding_head(to, finding, view->subject);
		json_add_number(to, "before_cost_now", view->before_cost);
		json_add_number(to, "asked", finding->asked);
		json_add_number(to, "warn_at", finding->warn_at);
		json_add_number(to, "fail_at", finding->fail_at);
		json_add_string(to, "reason", view->reason);
		add_stages(to, finding);
		add_waiver(to, finding->waiver);
		json_add_string(to, "source", view->place);
		json_add_string(to, "where", view->where);
		json_add_string(to, "owners", view->owners);
		add_causes(to, profile, finding->causes);
		add_members(to, finding);
	}
}

/* The weight of a sample; NULL: weights are of no samples. */
static const char *
weight_of(const struct profile *profile)
{
	if (profile->nruns == 0)
		return NULL;
	if (weights_are_periods(profile))
		return "period";
	return weights_are_samples(profile) ? "samples" : NULL;
}

static void
add_workload(cJSON *workloads, const struct workload_view *workload, bool is_large)
{
	static const char *const programs[] = {
		[PROGRAM_UNKNOWN] = "unknown",
		[PROGRAM_SAME] = "same",
		[PROGRAM_DIFFERS] = "different",
	};
	static const struct profile no_profile = {0};
	const struct gate_input *input = &workload->judgement->input;
	const struct verdict *verdict = &workload->judgement->verdict;
	const struct profile *candidate = input->candidate ? input->candidate : &no_profile;
	cJSON *to = json_add_item(workloads);

	json_add_string(to, "name", workload->name);
	json_add_string(to, "summary", input->workload->summary);
	json_add_string(to, "folder", workload->workload->folder);
	json_add_string(to, "status", status_name(workload->status));
	json_add_string(to, "mode", verdict->mode ? verdict->mode : "none");
	json_add_string(to, "limited", workload->limited);
	json_add_string(to, "error", workload->error);
	json_add_number(to, "tested", (double)verdict->ntested);
	json_add_number(to, "functions_compared", (double)workload->ncompared);
	json_add_string(to, "answer", workload->answer);
	json_add_number(
		to, "detectable_of_asked", verdict->ntested > 0 ? verdict->detectable : NAN);
	add_id(to, "metric", candidate, candidate->metric);
	add_id(to, "event", candidate, candidate->event);
	add_id(to, "callgraph", candidate, candidate->callgraph);
	add_id(to, "callgraph_why", candidate, candidate->callgraph_why);
	json_add_string(to, "unsteady", workload->after.unsteady);
	json_add_string(to, "cpu_choice", workload->after.cpu_choice);
	json_add_string(to, "files_note", workload->files_note);
	json_add_string(to, "disturbance", workload->after.disturbance);
	json_add_string(to, "baseline_disturbance", workload->before.disturbance);
	json_add_number(
		to, "stack_bytes", candidate->stack_bytes ? (double)candidate->stack_bytes : NAN);
	add_id(to, "unit", candidate, candidate->unit);
	json_add_string(to, "weight", weight_of(candidate));
	add_id(to, "cost_unit", candidate, candidate->cost_unit);
	json_add_number(to, "frequency_hz", input->candidate ? candidate->frequency_hz : NAN);
	json_add_string(to, "program_hash", input->program_hash);
	json_add_string(to, "program", programs[input->program]);
	json_add_string(to, "workload_hash", input->workload->hash);
	json_add_number(to, "build_s", workload->workload->build_s);
	json_add_number(to, "measure_s", workload->workload->measure_s);
	json_add_number(to, "process_s", workload->workload->process_s);
	json_add_number(
		to, "count_s", workload->workload->count_s > 0 ? workload->workload->count_s : NAN);
	json_add_number(to, "count_limit_s",
		workload->workload->count_limit_s > 0 ? workload->workload->count_limit_s : NAN);
	json_add_plan(to, "plan", &workload->workload->plan);
	add_looks(to, workload->judgement);
	add_screen(to, workload->judgement);
	add_baseline(to, workload->judgement);
	add_runs(to, "baseline_runs", workload->is_brief ? NULL : workload->before.profile);
	add_runs(to, "candidate_runs", workload->is_brief ? NULL : workload->after.profile);
	add_counter_rows(to, workload->judgement);
	add_comparison(to, workload->judgement);
	add_findings(to, workload, is_large);
	add_functions(to, &workload->rows, is_large);
}

static void
add_policy(cJSON *object, const struct report_policy *policy)
{
	cJSON *to = json_add_object(object, "policy", policy->from != NULL);

	if (!to)
		return;
	json_add_string(to, "from", policy->from);
	cJSON *changes = cJSON_AddArrayToObject(to, "changes");

	for (size_t i = 0; i < policy->nchanges; i++) {
		const struct policy_change *change = &policy->changes[i];
		cJSON *item = json_add_item(changes);

		json_add_string(item, "file", change->file);
		json_add_number(
			item, "line", change->line > 0 ? (double)change->line : (double)NAN);
		json_add_string(item, "key", change->key);
		json_add_string(item, "before", change->before);
		json_add_string(item, "after", change->after);
		json_add_string(item, "holds", change->holds);
	}
	json_add_number(to, "changes_left_out", (double)policy->nleft_out);
}

/* That of the first workload that was measured. */
static const char *
find_event(const struct report_view *view)
{
	for (size_t i = 0; i < view->nworkloads; i++) {
		const struct profile *profile = view->workloads[i].after.profile;

		if (profile)
			return strtab_str(&profile->strings, profile->event);
	}
	return NULL;
}

static void
write_json(const struct report_view *view, struct buf *out)
{
	const struct report *report = view->report;
	cJSON *root = cJSON_CreateObject();

	json_add_string(root, "$schema", SCHEMA_ID);
	json_add_number(root, "schema_version", SCHEMA_VERSION);
	json_add_string(root, "status", status_name(report->status));
	json_add_number(root, "exit_code", report->exit_code);
	cJSON *tool = cJSON_AddObjectToObject(root, "tool");

	json_add_string(tool, "name", "profile_run");
	json_add_string(tool, "version", report->tool_version);
	json_add_time(root, "started", report->started);
	json_add_number(root, "duration_s", report->duration_s);
	json_add_string(root, "commit", report->commit);
	json_add_string(root, "against", report->against);
	json_add_string(root, "against_notes", report->against_notes);
	json_add_string(root, "interrupted", report->interrupted);
	add_policy(root, &report->policy);
	json_add_string(root, "command", report->command);
	json_add_string(root, "headline", view->headline);
	json_add_string(root, "answer", view->answer);
	json_add_string(root, "reproduce", view->commands[COMMAND_REPRODUCE].command);
	json_add_string(root, "decide", view->commands[COMMAND_DECIDE].command);
	json_add_string(root, "look", view->commands[COMMAND_LOOK].command);
	json_add_string(root, "accept", view->commands[COMMAND_ACCEPT].command);
	add_machine(root, report->machine, report->machine_class);
	cJSON *event = cJSON_AddObjectToObject(root, "event");

	json_add_string(event, "name", find_event(view));
	json_add_string(event, "reason", report->event_reason);
	json_add_string(root, "pinning", report->pinning);
	cJSON_AddBoolToObject(root, "brief", view->is_large);
	cJSON *workloads = cJSON_AddArrayToObject(root, "workloads");

	for (size_t i = 0; i < view->nworkloads; i++)
		add_workload(workloads, &view->workloads[i], view->is_large);
	json_finish(root, out);
}

const struct report_output output_json = {
	.name = "verdict.json",
	.summary = "everything, for programs; its schema is shipped",
	.write = write_json,
};
