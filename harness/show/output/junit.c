/*
 * junit.xml, for every CI server that shows test results: a workload is a suite, a rule applied to
 * a subject a case, a failed measurement an error, and skipped is what is inconclusive
 * or a workload whose programs are missing.
 *
 * The form is the common part of the two strictest schemas in use, Ant's (windyroad/JUnit-Schema)
 * and Jenkins' junit-10.xsd: no attributes on <testsuites>, timestamps without a zone, a fixed
 * order of elements. Warnings and accepted growths have no element there: they pass, and system-out
 * has them.
 *
 * junit-extended.xml is the same with what many servers read beside it: `file` and `line` of a case
 * and, of one that warns, its own system-out.
 */
#include "format/figures.h"
#include "output/markup.h"
#include "output/output.h"
#include "output/test_cases.h"

#include <math.h>

struct junit_suite {
	const struct report_view *view;
	const struct workload_view *workload;
	struct buf *out;
	bool extended;
};

static void
put_seconds(struct buf *out, const char *name, double seconds)
{
	buf_printf(out, " %s=\"%.3f\"", name, isfinite(seconds) && seconds > 0 ? seconds : 0.0);
}

/* Appends nothing if it is not known. */
static void
put_property(struct buf *out, const char *name, const char *value)
{
	if (value && *value)
		markup_put(out, markup_line, "\t\t\t<property name=\"%s\" value=\"%s\"/>\n", name,
			value);
}

static void
put_policy(const struct report_view *view, struct buf *out)
{
	struct buf text = {0};

	put_property(out, "policy", view->report->policy.from);
	if (view->policy[0]) {
		buf_puts(&text, view->policy);
		for (size_t i = 0; i < view->npolicy_changes; i++)
			buf_printf(&text, "%s %s: %s", i > 0 ? ";" : ":",
				view->policy_changes[i].place, view->policy_changes[i].text);
		if (view->report->policy.nleft_out > 0)
			buf_printf(&text, "; and %zu more", view->report->policy.nleft_out);
		put_property(out, "policy_changed", buf_text(&text));
	}
	buf_release(&text);
}

static void
put_properties(const struct junit_suite *suite)
{
	const struct report *report = suite->view->report;
	const struct workload_view *workload = suite->workload;
	struct buf *out = suite->out;

	buf_puts(out, "\t\t<properties>\n");
	put_property(out, "profile_run", report->tool_version);
	put_property(out, "status", status_name(workload->status));
	put_property(out, "interrupted", report->interrupted);
	put_property(out, "commit", report->commit);
	put_policy(suite->view, out);
	put_property(out, "machine_class", report->machine_class);
	put_property(out, "mode", workload->judgement->verdict.mode);
	put_property(out, "baseline", workload->basis);
	if (!workload->error[0])
		put_property(out, "compared", workload->power);
	put_property(out, "limited", workload->limited);
	put_property(out, "stacks", workload->after.stacks);
	put_property(out, "baseline_stacks", workload->before.stacks);
	buf_puts(out, "\t\t</properties>\n");
}

struct outcome {
	const char *element; /* NULL: passed */
	const char *type;
};

static struct outcome
outcome_of(enum status status)
{
	switch (status) {
	case STATUS_FAIL:
		return (struct outcome){"failure", "regression"};
	case STATUS_ERROR:
		return (struct outcome){"error", "measurement"};
	case STATUS_INCONCLUSIVE:
	case STATUS_SKIPPED:
		return (struct outcome){"skipped", NULL};
	case STATUS_PASS:
	case STATUS_WARN:
		break;
	}
	return (struct outcome){NULL, NULL};
}

static void
put_source(const struct junit_suite *suite, const struct test_case *test)
{
	if (!suite->extended || !test->path[0])
		return;
	markup_put(suite->out, markup_line, " file=\"%s\"", test->path);
	buf_printf(suite->out, " line=\"%u\"", test->line > 0 ? test->line : 1);
}

static void
put_case(struct junit_suite *suite, const struct test_case *test)
{
	struct buf *out = suite->out;
	struct outcome outcome = outcome_of(test->status);
	bool warns = suite->extended && test->status == STATUS_WARN;

	markup_put(out, markup_line, "\t\t<testcase classname=\"%s\"", suite->workload->name);
	markup_put(out, markup_line, " name=\"%s\"", test->name);
	put_seconds(out, "time", test->seconds);
	put_source(suite, test);
	if (!outcome.element && !warns) {
		buf_puts(out, "/>\n");
		return;
	}
	if (warns)
		outcome.element = "system-out";
	markup_put(out, markup_line, ">\n\t\t\t<%s", outcome.element);
	if (!warns)
		markup_put(out, markup_line, " message=\"%s\"", test->message);
	if (outcome.type)
		markup_put(out, markup_line, " type=\"%s\"", outcome.type);
	buf_putc(out, '>');
	markup_text(out, test->body);
	buf_printf(out, "</%s>\n\t\t</testcase>\n", outcome.element);
}

static void
put_warnings(const struct junit_suite *suite)
{
	const struct workload_view *workload = suite->workload;
	struct buf line = {0};

	buf_puts(suite->out, "\t\t<system-out>");
	for (size_t i = 0; i < workload->nfindings; i++) {
		const struct finding_view *view = &workload->findings[i];

		if (view->finding->status != STATUS_WARN && !view->finding->accepted)
			continue;
		buf_clear(&line);
		buf_printf(&line, "%s: %s%s%s%s", view->verdict, view->name, view->of,
			view->effect[0] ? ": " : "", view->effect);
		if (view->reason[0])
			buf_printf(&line, "\n  %s", view->reason);
		buf_putc(&line, '\n');
		test_put_causes(workload->judgement, view->finding, true, "  ", &line);
		markup_text(suite->out, buf_text(&line));
	}
	buf_puts(suite->out, "</system-out>\n\t\t<system-err></system-err>\n");
	buf_release(&line);
}

static void
put_suite(struct junit_suite *suite, size_t id)
{
	const struct workload_view *workload = suite->workload;
	const struct report_workload *times = workload->workload;
	const struct verdict *verdict = &workload->judgement->verdict;
	const char *machine_class = suite->view->report->machine_class;
	bool own_case = !test_measurement_is_a_finding(workload);
	struct buf *out = suite->out;

	buf_printf(out, "\t<testsuite id=\"%zu\" package=\"profile_run\"", id);
	markup_put(out, markup_line, " name=\"%s\"", workload->name);
	buf_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"",
		verdict->nfindings + own_case, verdict_findings_with(verdict, STATUS_FAIL),
		verdict_findings_with(verdict, STATUS_ERROR) + (own_case && workload->error[0]),
		verdict_findings_with(verdict, STATUS_INCONCLUSIVE) +
			verdict_findings_with(verdict, STATUS_SKIPPED));
	put_seconds(out, "time", times->build_s + times->measure_s + times->process_s);
	buf_puts(out, " timestamp=\"");
	format_time_bare(out, suite->view->report->started);
	/* The machine class: the host's own name is private and means nothing elsewhere. */
	markup_put(out, markup_line, "\" hostname=\"%s\">\n",
		machine_class && *machine_class ? machine_class : "unknown");
	put_properties(suite);
	struct test_cases tests;

	test_cases_init(&tests, suite->view, workload);
	for (size_t i = 0; i < tests.count; i++)
		put_case(suite, &tests.cases[i]);
	test_cases_release(&tests);
	put_warnings(suite);
	buf_puts(out, "\t</testsuite>\n");
}

static void
write_suites(const struct report_view *view, bool extended, struct buf *out)
{
	buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	for (size_t i = 0; i < view->nworkloads; i++) {
		struct junit_suite suite = {
			.view = view,
			.workload = &view->workloads[i],
			.out = out,
			.extended = extended,
		};

		put_suite(&suite, i);
	}
	buf_puts(out, "</testsuites>\n");
}

static void
write_strict(const struct report_view *view, struct buf *out)
{
	write_suites(view, false, out);
}

static void
write_extended(const struct report_view *view, struct buf *out)
{
	write_suites(view, true, out);
}

const struct report_output output_junit = {
	.name = "junit.xml",
	.summary = "test results, for CI servers: a workload is a suite, a rule and subject a case",
	.write = write_strict,
};

const struct report_output output_junit_extended = {
	.name = "junit-extended.xml",
	.summary = "the same with places in the source and warnings, as many CI servers read them",
	.write = write_extended,
};
