/*
 * Verdicts as JSON that CI systems and their tools read: CTRF (ctrf.io, version 0.0.0 of its
 * schema), GitLab's Code Quality report (the keys of Code Climate's issues that GitLab reads), and
 * the body of a request that creates a check run on GitHub (REST API, "Create a check run").
 */
#include "output/output.h"

#include "base/escape.h"
#include "base/sha256.h"
#include "output/comment.h"
#include "output/json_add.h"
#include "output/test_cases.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#define MS_PER_S 1e3
/* GitHub refuses a request with more. */
#define CHECK_ANNOTATIONS 50

/* Leaves the key out where nothing is known: none of these schemas takes null. */
static void
add_known(cJSON *to, const char *key, const char *text)
{
	if (text && *text)
		json_add_string(to, key, text);
}

/* Each line as a sentence. */
static void
add_one_line(cJSON *to, const char *key, const char *text)
{
	struct buf line = {0};

	while (*text) {
		const size_t len = strcspn(text, "\n");

		buf_put(&line, text, len);
		const bool is_ended = len == 0 || text[len - 1] == '.';

		text += len + strspn(text + len, "\n ");
		if (*text)
			buf_puts(&line, is_ended ? " " : ". ");
	}
	json_add_string(to, key, buf_text(&line));
	buf_release(&line);
}

/* An array of one text. */
static void
add_list(cJSON *to, const char *key, const char *text)
{
	struct buf safe = {0};

	escape_utf8(&safe, text, strlen(text));
	cJSON_AddItemToArray(cJSON_AddArrayToObject(to, key), cJSON_CreateString(buf_text(&safe)));
	buf_release(&safe);
}

/* An outcome of CTRF: what could not be decided is neither passed nor failed. */
static const char *
ctrf_status(enum status status)
{
	switch (status) {
	case STATUS_PASS:
	case STATUS_WARN:
		return "passed";
	case STATUS_FAIL:
	case STATUS_ERROR:
		return "failed";
	case STATUS_SKIPPED:
		return "skipped";
	case STATUS_INCONCLUSIVE:
		break;
	}
	return "other";
}

static void
add_ctrf_test(cJSON *list, const struct workload_view *workload, const struct test_case *test)
{
	cJSON *to = json_add_item(list);
	struct buf id = {0};

	buf_printf(&id, "%s/%s", workload->name, test->name);
	json_add_string(to, "testId", buf_text(&id));
	json_add_string(to, "name", test->name);
	json_add_string(to, "status", ctrf_status(test->status));
	json_add_number(to, "duration", test->seconds > 0 ? round(test->seconds * MS_PER_S) : 0);
	add_list(to, "suite", workload->name);
	if (test->status != STATUS_PASS) {
		add_known(to, "message", test->text);
		add_known(to, "trace", test->body);
	}
	json_add_string(to, "rawStatus", status_name(test->status));
	add_list(to, "tags", test->check);
	json_add_string(to, "type", "performance");
	add_known(to, "filePath", test->path);
	if (test->path[0] && test->line > 0)
		json_add_number(to, "line", test->line);
	buf_release(&id);
}

static cJSON *
ctrf_tests(const struct report_view *view)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < view->nworkloads; i++) {
		struct test_cases tests;

		test_cases_init(&tests, view, &view->workloads[i]);
		for (size_t k = 0; k < tests.count; k++)
			add_ctrf_test(list, &view->workloads[i], &tests.cases[k]);
		test_cases_release(&tests);
	}
	return list;
}

static void
add_ctrf_summary(cJSON *results, const struct report_view *view, const cJSON *tests)
{
	static const char *const names[] = {"passed", "failed", "skipped", "pending", "other"};
	const double start = (double)view->report->started * MS_PER_S;
	const double took = round(view->report->duration_s * MS_PER_S);
	cJSON *to = json_add_object(results, "summary", true);

	json_add_number(to, "tests", cJSON_GetArraySize(tests));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const cJSON *test;
		size_t count = 0;

		cJSON_ArrayForEach(test, tests)
		{
			count += strcmp(cJSON_GetObjectItem(test, "status")->valuestring,
					 names[i]) == 0;
		}
		json_add_number(to, names[i], (double)count);
	}
	json_add_number(to, "suites", (double)view->nworkloads);
	json_add_number(to, "start", start);
	json_add_number(to, "stop", start + took);
	json_add_number(to, "duration", took);
}

static void
add_ctrf_environment(cJSON *results, const struct report *report)
{
	const struct machine *machine = report->machine;
	cJSON *to = json_add_object(results, "environment", true);

	json_add_string(to, "reportName", "profile_run");
	add_known(to, "commit", report->commit);
	json_add_string(to, "osPlatform", "linux");
	add_known(to, "osRelease", machine->kernel);
	add_known(to, "osVersion", machine->os);
	add_known(to, "testEnvironment", report->machine_class);
	cJSON *extra = json_add_object(json_add_object(to, "extra", true), "profile_run", true);

	add_known(extra, "against", report->against);
	add_known(extra, "arch", machine->arch);
	add_known(extra, "cpu", machine->cpu_model);
	json_add_number(extra, "cpus", machine->cpus);
	json_add_number(extra, "memory_gib", machine->memory_gib);
}

static void
write_ctrf(const struct report_view *view, struct buf *out)
{
	const struct report *report = view->report;
	cJSON *root = cJSON_CreateObject();
	cJSON *tests = ctrf_tests(view);

	json_add_string(root, "reportFormat", "CTRF");
	json_add_string(root, "specVersion", "0.0.0");
	json_add_time(root, "timestamp", report->started);
	json_add_string(root, "generatedBy", "profile_run");
	cJSON *results = json_add_object(root, "results", true);
	cJSON *tool = json_add_object(results, "tool", true);

	json_add_string(tool, "name", "profile_run");
	json_add_string(tool, "version", report->tool_version);
	add_ctrf_summary(results, view, tests);
	cJSON_AddItemToObject(results, "tests", tests);
	add_ctrf_environment(results, report);
	json_finish(root, out);
}

static const char *
gitlab_severity(enum status status)
{
	switch (status) {
	case STATUS_FAIL:
		return "critical";
	case STATUS_ERROR:
		return "major";
	case STATUS_WARN:
	case STATUS_INCONCLUSIVE:
		return "minor";
	case STATUS_SKIPPED:
	case STATUS_PASS:
		break;
	}
	return "info";
}

/* The file of the workload, where the source has no place: GitLab takes no issue without one. */
static void
put_workload_path(const struct workload_view *workload, struct buf *out)
{
	const char *path = workload->judgement->input.workload->path;

	if (path && *path && *path != '/' && !strstr(path, ".."))
		buf_puts(out, path);
	else
		buf_printf(out, WORKLOADS_PATH "/%s.yaml", workload->name);
}

static void
add_gitlab_issue(cJSON *list, const struct workload_view *workload, const struct test_case *test)
{
	cJSON *to = json_add_item(list);
	char digest[SHA256_TEXT_SIZE];
	struct buf text = {0};

	buf_printf(&text, "%s: %s", workload->name, test->text);
	add_one_line(to, "description", buf_text(&text));
	buf_clear(&text);
	buf_printf(&text, "profile_run/%s", test->check);
	json_add_string(to, "check_name", buf_text(&text));
	buf_clear(&text);
	/* The same in each report, and no other of the report: of two, GitLab drops one. */
	buf_printf(&text, "%s/%s", workload->name, test->name);
	sha256_text(text.data, text.len, digest);
	json_add_string(to, "fingerprint", digest);
	json_add_string(to, "severity", gitlab_severity(test->status));
	buf_clear(&text);
	if (test->path[0])
		buf_puts(&text, test->path);
	else
		put_workload_path(workload, &text);
	cJSON *location = json_add_object(to, "location", true);

	json_add_string(location, "path", buf_text(&text));
	json_add_number(json_add_object(location, "lines", true), "begin",
		test->path[0] && test->line > 0 ? test->line : 1);
	buf_release(&text);
}

static void
write_gitlab(const struct report_view *view, struct buf *out)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < view->nworkloads; i++) {
		struct test_cases tests;

		test_cases_init(&tests, view, &view->workloads[i]);
		for (size_t k = 0; k < tests.count; k++) {
			if (tests.cases[k].status != STATUS_PASS)
				add_gitlab_issue(list, &view->workloads[i], &tests.cases[k]);
		}
		test_cases_release(&tests);
	}
	json_finish(list, out);
}

static bool
is_failure(enum status status)
{
	return status == STATUS_FAIL || status == STATUS_ERROR;
}

/* Findings at a line of the source, those that fail or the others, as many as there is room for. */
static void
add_annotations(cJSON *list, const struct report_view *view, const struct workload_view *workload,
	bool failures)
{
	struct test_cases tests;

	test_cases_init(&tests, view, workload);
	for (size_t i = 0; i < tests.count; i++) {
		const struct test_case *test = &tests.cases[i];
		const double line = test->line > 0 ? test->line : 1;

		if (!test->is_listed || test->status == STATUS_PASS || !test->path[0] ||
			is_failure(test->status) != failures ||
			cJSON_GetArraySize(list) >= CHECK_ANNOTATIONS)
			continue;
		cJSON *to = json_add_item(list);

		json_add_string(to, "path", test->path);
		json_add_number(to, "start_line", line);
		json_add_number(to, "end_line", line);
		json_add_string(to, "annotation_level", failures ? "failure" : "warning");
		json_add_string(to, "title", workload->name);
		json_add_string(to, "message", test->text);
	}
	test_cases_release(&tests);
}

static void
write_check(const struct report_view *view, struct buf *out)
{
	const struct report *report = view->report;
	struct buf summary = {0};
	cJSON *root = cJSON_CreateObject();

	json_add_string(root, "name", "profile_run");
	add_known(root, "head_sha", report->commit);
	json_add_string(root, "status", "completed");
	json_add_time(root, "started_at", report->started);
	json_add_time(root, "completed_at", report->started + llround(report->duration_s));
	/* As the job ends: a required check that is "neutral" lets the change pass. */
	json_add_string(root, "conclusion", report->exit_code == 0 ? "success" : "failure");
	cJSON *output = json_add_object(root, "output", true);

	add_one_line(output, "title", view->headline);
	comment_write_body(view, &summary);
	json_add_string(output, "summary", buf_text(&summary));
	cJSON *annotations = cJSON_AddArrayToObject(output, "annotations");

	for (int failures = 1; failures >= 0; failures--)
		for (size_t i = 0; i < view->nworkloads; i++)
			add_annotations(annotations, view, &view->workloads[i], failures);
	json_finish(root, out);
	buf_release(&summary);
}

const struct report_output export_ctrf = {
	.name = "ctrf",
	.summary = "Common Test Report Format: JSON test results",
	.write = write_ctrf,
};

const struct report_output export_gitlab_code_quality = {
	.name = "gitlab-code-quality",
	.summary = "GitLab's Code Quality report",
	.write = write_gitlab,
};

const struct report_output export_github_check = {
	.name = "github-check",
	.summary = "JSON that creates a check run on GitHub",
	.write = write_check,
};
