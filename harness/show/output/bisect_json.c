#include "output/bisect_report.h"
#include "output/json_add.h"

#include <cjson/cJSON.h>

static void
add_names(cJSON *to, const struct bisect_commit *commit)
{
	json_add_string(to, "commit", commit->commit);
	json_add_string(to, "author", commit->author);
	json_add_time(to, "authored", commit->authored);
	json_add_string(to, "subject", commit->subject);
}

static void
add_tried(cJSON *root, const struct bisect_report *report)
{
	cJSON *list = cJSON_AddArrayToObject(root, "tried");

	for (size_t i = 0; i < report->ncommits; i++) {
		const struct bisect_commit *commit = &report->commits[i];

		if (report->states[i] == BISECT_UNTRIED)
			continue;
		cJSON *to = json_add_item(list);

		add_names(to, commit);
		json_add_string(to, "state", bisect_state_name(report->states[i]));
		json_add_effect(to, "effect", commit->effect.tested ? &commit->effect : NULL);
		json_add_string(to, "reason", commit->reason);
	}
}

/* The commits of which one is the first slow one. */
static void
add_suspects(cJSON *root, const struct bisect_report *report)
{
	cJSON *list = cJSON_AddArrayToObject(root, "suspects");

	if (report->result == BISECT_RESULT_NOT_SLOWER || report->result == BISECT_RESULT_UNDECIDED)
		return;
	struct bisect_range range = bisect_range_of(report->states, report->ncommits);

	for (size_t i = range.fast + 1; i <= range.slow; i++) {
		cJSON *to = json_add_item(list);

		add_names(to, &report->commits[i]);
		json_add_string(to, "state", bisect_state_name(report->states[i]));
	}
}

void
bisect_put_json(const struct bisect_report *report, struct buf *out)
{
	cJSON *root = cJSON_CreateObject();
	size_t untried = bisect_count(report, BISECT_UNTRIED);

	json_add_number(root, "format_version", 1);
	json_add_string(root, "tool_version", report->tool_version);
	json_add_string(root, "result", bisect_result_name(report->result));
	json_add_string(root, "workload", report->workload);
	json_add_string(root, "function", report->function);
	json_add_string(root, "good", report->commits[0].commit);
	json_add_string(root, "bad", report->commits[report->ncommits - 1].commit);
	json_add_number(root, "threshold", report->threshold);
	json_add_effect(root, "effect", report->effect.tested ? &report->effect : NULL);
	json_add_number(root, "commits", (double)(report->ncommits - 1));
	json_add_number(root, "ntried", (double)(report->ncommits - 1 - untried));
	json_add_number(root, "skipped", (double)bisect_count(report, BISECT_SKIPPED));
	json_add_number(root, "undecided", (double)bisect_count(report, BISECT_UNDECIDED));
	add_suspects(root, report);
	add_tried(root, report);
	json_finish(root, out);
}
