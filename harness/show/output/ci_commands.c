/*
 * Commands that CI systems find in the log of a step: GitHub's workflow commands (annotations.txt),
 * Azure's logging commands and TeamCity's service messages. Each is a line; text in it is escaped
 * by its system's rules, so that no name begins or ends a command.
 *
 * GitHub and Azure keep ten errors and ten warnings of a step; where there are more, the last one
 * counts the rest.
 */
#include "output/ci_commands.h"

#include "base/escape.h"
#include "output/export_values.h"
#include "output/test_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MS_PER_S 1e3
#define ISSUES_MAX 10
/* TeamCity refuses longer keys of values; one that is cut would be another function's. */
#define STATISTIC_KEY_BYTES 200

/* Something to be marked, in the source if there is a place. Borrowed. */
struct issue {
	const char *level; /* "error", "warning", "notice" */
	const char *path;  /* in the repository; "": not known */
	unsigned line;
	const char *check; /* "functions" */
	const char *title; /* "parse": its workload */
	const char *text;
};

/* Appends a command. */
typedef void (*put_issue)(struct buf *out, const struct issue *issue);

static const char *
level_of(enum status status)
{
	switch (status) {
	case STATUS_FAIL:
	case STATUS_ERROR:
		return "error";
	case STATUS_WARN:
	case STATUS_INCONCLUSIVE:
	case STATUS_SKIPPED:
		return "warning";
	case STATUS_PASS:
		break;
	}
	return "";
}

static void
escape_all(struct buf *out, escape_text escape, const char *name, const char *value)
{
	buf_puts(out, name);
	escape(out, value, strlen(value));
}

static void
put_github(struct buf *out, const struct issue *issue)
{
	buf_printf(out, "::%s ", issue->level);
	if (issue->path[0]) {
		escape_all(out, escape_command_property, "file=", issue->path);
		buf_printf(out, ",line=%u,", issue->line > 0 ? issue->line : 1);
	}
	escape_all(out, escape_command_property, "title=", "profile_run");
	if (issue->title[0])
		escape_all(out, escape_command_property, "%3A ", issue->title);
	escape_all(out, escape_command, "::", issue->text);
	buf_putc(out, '\n');
}

static void
put_azure(struct buf *out, const struct issue *issue)
{
	buf_printf(out, "##vso[task.logissue type=%s", issue->level);
	if (issue->path[0]) {
		escape_all(out, escape_azure_property, ";sourcepath=", issue->path);
		/* It shows "PATH(LINE,COLUMN): error CODE: TEXT", also without these. */
		buf_printf(out, ";linenumber=%u;columnnumber=1", issue->line > 0 ? issue->line : 1);
		escape_all(out, escape_azure_property, ";code=", issue->check);
	}
	escape_all(out, escape_azure, "]", "profile_run");
	if (issue->title[0])
		escape_all(out, escape_azure, ": ", issue->title);
	escape_all(out, escape_azure, ": ", issue->text);
	buf_putc(out, '\n');
}

/* The issues of one level, as many as there is room for. */
struct level {
	const char *name;
	put_issue put;
	size_t count;
	size_t before_last; /* length of `out` before the last one that there is room for */
	struct buf out;
};

/* The levels that a system has; the last one has no name. */
static void
add_issue(struct level *levels, const char *name, struct issue issue)
{
	for (struct level *level = levels; level->name; level++) {
		if (strcmp(level->name, name) != 0)
			continue;
		issue.level = name;
		if (++level->count == ISSUES_MAX)
			level->before_last = level->out.len;
		if (level->count <= ISSUES_MAX)
			level->put(&level->out, &issue);
	}
}

static void
add_workload(
	struct level *levels, const struct report_view *view, const struct workload_view *workload)
{
	struct test_cases tests;

	if (workload->error[0]) {
		add_issue(levels, level_of(workload->status),
			(struct issue){.path = "",
				.check = "measurement",
				.title = workload->name,
				.text = workload->error});
		return;
	}
	test_cases_init(&tests, view, workload);
	for (size_t i = 0; i < tests.count; i++) {
		const struct test_case *test = &tests.cases[i];

		if (test->is_listed)
			add_issue(levels, level_of(test->status),
				(struct issue){.path = test->path,
					.line = test->line,
					.check = test->check,
					.title = workload->name,
					.text = test->text});
	}
	test_cases_release(&tests);
}

/* The verdict of the whole gate, and the findings that led to it. */
static void
add_verdict(struct level *levels, const struct report_view *view)
{
	const enum status status = view->report->status;

	add_issue(levels, level_of(status),
		(struct issue){.path = "",
			.check = "verdict",
			.title = status_word(status),
			.text = view->headline});
	for (size_t i = 0; i < view->nworkloads; i++)
		add_workload(levels, view, &view->workloads[i]);
}

/* The places where the policy changed, whatever the verdict. */
static void
add_policy(struct level *levels, const struct report_view *view)
{
	for (size_t i = 0; i < view->npolicy_changes; i++) {
		const struct policy_change_view *change = &view->policy_changes[i];
		const bool here = change->change->line > 0;
		struct buf text = {0};

		buf_printf(&text, "%s\n%s", change->text, view->policy);
		add_issue(levels, "notice",
			(struct issue){.path = here ? change->change->file : "",
				.line = change->change->line,
				.check = "policy",
				.title = here ? "policy changed" : change->place,
				.text = buf_text(&text)});
		buf_release(&text);
	}
}

/* Appends the issues of each level; the last of too many says how many more there are. */
static void
put_levels(struct level *levels, struct buf *out)
{
	for (struct level *level = levels; level->name; level++) {
		struct buf more = {0};

		if (level->count > ISSUES_MAX) {
			level->out.len = level->before_last;
			buf_printf(
				&more, "%zu more: see the report", level->count - (ISSUES_MAX - 1));
			level->put(&level->out, &(struct issue){.level = level->name,
							.path = "",
							.title = "",
							.text = buf_text(&more)});
		}
		buf_put(out, buf_text(&level->out), level->out.len);
		buf_release(&level->out);
		buf_release(&more);
	}
}

static void
write_annotations(const struct report_view *view, struct buf *out)
{
	struct level levels[] = {{.name = "error", .put = put_github},
		{.name = "warning", .put = put_github}, {.name = "notice", .put = put_github},
		{.name = NULL}};

	add_verdict(levels, view);
	add_policy(levels, view);
	put_levels(levels, out);
}

static void
write_azure(const struct report_view *view, struct buf *out)
{
	struct level levels[] = {{.name = "error", .put = put_azure},
		{.name = "warning", .put = put_azure}, {.name = NULL}};

	add_verdict(levels, view);
	put_levels(levels, out);
}

/* Appends " name='value'". */
static void
put_value(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, " %s='", name);
	escape_teamcity(out, value, strlen(value));
	buf_putc(out, '\'');
}

static void
put_message(struct buf *out, const char *message, const char *name, const char *value)
{
	buf_printf(out, "##teamcity[%s", message);
	put_value(out, name, value);
}

static void
put_test(struct buf *out, const struct test_case *test)
{
	put_message(out, "testStarted", "name", test->name);
	buf_puts(out, "]\n");
	switch (test->status) {
	case STATUS_FAIL:
	case STATUS_ERROR:
		put_message(out, "testFailed", "name", test->name);
		put_value(out, "message", test->message);
		put_value(out, "details", test->body);
		buf_puts(out, "]\n");
		break;
	case STATUS_INCONCLUSIVE:
	case STATUS_SKIPPED:
		put_message(out, "testIgnored", "name", test->name);
		put_value(out, "message", test->text);
		buf_puts(out, "]\n");
		break;
	case STATUS_WARN:
		put_message(out, "testStdOut", "name", test->name);
		put_value(out, "out", test->body);
		buf_puts(out, "]\n");
		break;
	case STATUS_PASS:
		break;
	}
	put_message(out, "testFinished", "name", test->name);
	buf_puts(out, " duration='");
	buf_put_fixed(out, test->seconds > 0 ? test->seconds * MS_PER_S : 0, 0);
	buf_puts(out, "']\n");
}

static void
put_suite(struct buf *out, const struct report_view *view, const struct workload_view *workload)
{
	struct test_cases tests;

	test_cases_init(&tests, view, workload);
	put_message(out, "testSuiteStarted", "name", workload->name);
	buf_puts(out, "]\n");
	for (size_t i = 0; i < tests.count; i++)
		put_test(out, &tests.cases[i]);
	put_message(out, "testSuiteFinished", "name", workload->name);
	buf_puts(out, "]\n");
	test_cases_release(&tests);
}

/* "parse: read_token (cpu, ns per run)": the same in every build, a series of a chart. */
static void
put_statistics(struct buf *out, const struct report_view *view)
{
	struct export_values values;
	struct buf key = {0};

	export_values_init(&values, view);
	for (size_t i = 0; i < values.count; i++) {
		const struct export_value *value = &values.values[i];

		buf_clear(&key);
		buf_printf(&key, "%s%s%s (%s, %s per %s)", value->workload,
			value->function ? ": " : "", value->function ? value->function : "",
			value->metric, value->unit, value->basis);
		if (!isfinite(value->mean) || key.len > STATISTIC_KEY_BYTES)
			continue;
		put_message(out, "buildStatisticValue", "key", buf_text(&key));
		/* Without an exponent, which is no number to it. */
		buf_puts(out, " value='");
		buf_put_fixed(out, value->mean,
			value->mean < 1000 && value->mean != floor(value->mean) ? 6 : 0);
		buf_puts(out, "']\n");
	}
	buf_release(&key);
	export_values_release(&values);
}

/* Only a verdict that fails the job is a problem of the build; one that is undecided may not be. */
static void
put_problem(struct buf *out, const struct report_view *view)
{
	const struct report *report = view->report;
	struct buf text = {0};

	buf_printf(&text, "profile_run: %s", view->headline);
	if (report->exit_code != 0 && level_of(report->status)[0] == 'e') {
		put_message(out, "buildProblem", "description", buf_text(&text));
		buf_printf(out, " identity='profile_run_%s']\n", status_name(report->status));
	} else if (report->status != STATUS_PASS) {
		put_message(out, "message", "text", buf_text(&text));
		buf_puts(out, " status='WARNING']\n");
	}
	buf_release(&text);
}

static void
write_teamcity(const struct report_view *view, struct buf *out)
{
	for (size_t i = 0; i < view->nworkloads; i++)
		put_suite(out, view, &view->workloads[i]);
	put_statistics(out, view);
	put_problem(out, view);
}

const struct report_output output_annotations = {
	.name = "annotations.txt",
	.summary = "GitHub's workflow commands: what to mark in the source",
	.has_commands = true,
	.write = write_annotations,
};

const struct report_output export_azure = {
	.name = "azure",
	.summary = "logging commands of Azure Pipelines: errors and warnings, at their lines",
	.has_commands = true,
	.write = write_azure,
};

const struct report_output export_teamcity = {
	.name = "teamcity",
	.summary = "service messages of TeamCity: tests, statistics and a build problem",
	.has_commands = true,
	.write = write_teamcity,
};

/* To add one: its output in output.h, a line here, and CI_COMMANDS_NAMES. */
static const struct {
	const char *name;
	const char *variable; /* set in every step */
	const struct report_output *commands;
} systems[] = {
	{"github", "GITHUB_ACTIONS", &output_annotations},
	{"azure", "TF_BUILD", &export_azure},
	{"teamcity", "TEAMCITY_VERSION", &export_teamcity},
};

int
ci_commands_choose(const char *name, const struct report_output **commands, struct err *err)
{
	const bool automatic = !name || strcmp(name, "auto") == 0;

	*commands = NULL;
	if (name && strcmp(name, "none") == 0)
		return 0;
	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++) {
		const char *set = getenv(systems[i].variable);

		if (automatic ? set && *set : strcmp(name, systems[i].name) == 0) {
			*commands = systems[i].commands;
			return 0;
		}
	}
	return automatic ? 0
			 : err_set(err, ERR_USAGE, "'--ci %s': expected one of " CI_COMMANDS_NAMES,
				   name);
}
