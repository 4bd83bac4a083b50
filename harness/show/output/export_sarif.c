/*
 * SARIF 2.1.0 (OASIS), for code scanning: a result for each finding that is no pass, at its line of
 * the source where that is known.
 */
#include "base/escape.h"
#include "output/json_add.h"
#include "output/output.h"

#include <cjson/cJSON.h>
#include <string.h>

static const enum finding_rule rules[] = {
	FINDING_TOTAL,
	FINDING_FUNCTIONS,
	FINDING_NAMED,
	FINDING_COUNTERS,
	FINDING_MEASUREMENT,
	FINDING_BASELINE,
	FINDING_VALIDITY,
	FINDING_SELF_CHECK,
	FINDING_WAIVERS,
};

static const char *
level_of(enum status status)
{
	return status == STATUS_FAIL || status == STATUS_ERROR ? "error"
	       : status == STATUS_WARN                         ? "warning"
							       : "note";
}

/* "[text](URL)" in a message is a link (SARIF 2.1.0, section 3.11.6): a blank parts the brackets.
 */
static void
add_text(cJSON *to, const char *key, const char *text)
{
	struct buf parted = {0};

	for (const char *link; (link = strstr(text, "](")); text = link + 1) {
		buf_put(&parted, text, (size_t)(link - text) + 1);
		buf_puts(&parted, " ");
	}
	buf_puts(&parted, text);
	json_add_string(json_add_object(to, key, true), "text", buf_text(&parted));
	buf_release(&parted);
}

static void
add_location(cJSON *result, const struct finding_view *view)
{
	cJSON *locations = cJSON_AddArrayToObject(result, "locations");

	if (!view->path[0])
		return;
	cJSON *physical = json_add_object(json_add_item(locations), "physicalLocation", true);
	struct buf uri = {0};

	escape_url(&uri, view->path, strlen(view->path));
	json_add_string(json_add_object(physical, "artifactLocation", true), "uri", buf_text(&uri));
	json_add_number(json_add_object(physical, "region", true), "startLine",
		view->line > 0 ? view->line : 1);
	buf_release(&uri);
}

static void
add_result(cJSON *results, const struct workload_view *workload, const struct finding_view *view)
{
	const char *rule = finding_rule_name(view->finding->rule);
	cJSON *result = json_add_item(results);
	struct buf text = {0};

	json_add_string(result, "ruleId", rule);
	json_add_string(result, "level", level_of(view->finding->status));
	buf_printf(&text, "%s: %s%s%s%s. %s", workload->name, view->name, view->of,
		view->effect[0] ? view->link : "", view->effect, view->reason);
	add_text(result, "message", buf_text(&text));
	add_location(result, view);
	buf_clear(&text);
	buf_printf(&text, "%s/%s/%s", workload->name, rule, view->subject);
	json_add_string(json_add_object(result, "partialFingerprints", true), "subject/v1",
		buf_text(&text));
	buf_release(&text);
}

static void
add_tool(cJSON *run, const struct report *report)
{
	cJSON *driver = json_add_object(json_add_object(run, "tool", true), "driver", true);
	cJSON *list;

	json_add_string(driver, "name", "profile_run");
	json_add_string(driver, "version", report->tool_version);
	list = cJSON_AddArrayToObject(driver, "rules");
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		json_add_string(json_add_item(list), "id", finding_rule_name(rules[i]));
}

static void
write_sarif(const struct report_view *view, struct buf *out)
{
	cJSON *root = cJSON_CreateObject();

	json_add_string(root, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	json_add_string(root, "version", "2.1.0");
	cJSON *run = json_add_item(cJSON_AddArrayToObject(root, "runs"));

	add_tool(run, view->report);
	cJSON *results = cJSON_AddArrayToObject(run, "results");

	for (size_t i = 0; i < view->nworkloads; i++) {
		const struct workload_view *workload = &view->workloads[i];

		for (size_t f = 0; f < workload->nfindings; f++) {
			const struct finding_view *finding = &workload->findings[f];

			if (finding->finding->status != STATUS_PASS)
				add_result(results, workload, finding);
		}
	}
	json_finish(root, out);
}

const struct report_output export_sarif = {
	.name = "sarif",
	.summary = "SARIF 2.1.0, for code scanning",
	.write = write_sarif,
};
