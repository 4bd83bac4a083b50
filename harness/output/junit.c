/*
 * junit.xml, for every CI server that draws test results: a workload is a suite, a rule applied to
 * a subject a case, a failed measurement an error, an inconclusive one skipped.
 *
 * The form is the common part of the two strictest schemas in use, Ant's (windyroad/JUnit-Schema)
 * and Jenkins' junit-10.xsd: no attributes on <testsuites>, timestamps without a zone, a fixed
 * order of elements. Warnings have no element there: they pass, and system-out tells them.
 */
#include "base/arena.h"
#include "base/escape.h"
#include "base/mem.h"
#include "format/figures.h"
#include "format/place.h"
#include "output/cause_text.h"
#include "output/headline.h"
#include "output/outputs.h"
#include "profile/quality.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longer names make result pages unusable; the whole name is in verdict.json. */
#define NAME_BYTES 1024
#define CAUSE_COLUMNS 300

struct suite {
	const struct report *report;
	const struct report_workload *workload;
	struct buf *out;
	struct arena arena;
	const char *
		*names; /* of the cases so far: servers drop a case whose name was seen before */
	size_t names_capacity;
	size_t nnames;
};

/* XML text that may span lines. */
static void
put_lines(struct buf *out, const char *text)
{
	while (*text) {
		size_t line = strcspn(text, "\n");

		escape_xml(out, text, line);
		text += line;
		if (*text == '\n')
			buf_putc(out, *text++);
	}
}

/* An attribute is one line: a newline in it would be read back as a space. */
static void
put_attribute(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, " %s=\"", name);
	while (*value) {
		size_t line = strcspn(value, "\n");

		escape_xml(out, value, line);
		value += line;
		if (*value == '\n') {
			buf_putc(out, ' ');
			value++;
		}
	}
	buf_putc(out, '"');
}

static void
put_seconds(struct buf *out, const char *name, double seconds)
{
	buf_printf(out, " %s=\"%.3f\"", name, isfinite(seconds) && seconds > 0 ? seconds : 0.0);
}

static void
put_property(struct buf *out, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	buf_puts(out, "\t\t\t<property");
	put_attribute(out, "name", name);
	put_attribute(out, "value", value);
	buf_puts(out, "/>\n");
}

static void
put_stacks(struct buf *out, const char *name, const struct profile *profile)
{
	struct buf text;

	buf_init(&text);
	if (profile)
		quality_put_stacks(profile, &text);
	put_property(out, name, buf_text(&text));
	buf_release(&text);
}

static void
put_properties(const struct suite *suite)
{
	const struct report *report = suite->report;
	const struct judgement *judgement = suite->workload->judgement;
	struct buf baseline;

	buf_init(&baseline);
	headline_baseline(judgement, &baseline);
	buf_puts(suite->out, "\t\t<properties>\n");
	put_property(suite->out, "profile_run", report->tool_version);
	put_property(suite->out, "status", status_name(headline_status(judgement)));
	put_property(suite->out, "commit", report->commit);
	put_property(suite->out, "machine_class", report->machine_class);
	put_property(suite->out, "mode", judgement->verdict.mode);
	put_property(suite->out, "baseline", buf_text(&baseline));
	put_property(suite->out, "limited", judgement->verdict.limited);
	put_stacks(suite->out, "stacks", judgement->input.candidate);
	put_stacks(suite->out, "baseline_stacks", judgement->input.before);
	buf_puts(suite->out, "\t\t</properties>\n");
	buf_release(&baseline);
}

static bool
is_taken(const struct suite *suite, const char *name)
{
	for (size_t i = 0; i < suite->nnames; i++) {
		if (strcmp(suite->names[i], name) == 0)
			return true;
	}
	return false;
}

/* Escaped, and unlike every name of the suite before it. */
static const char *
unique_name(struct suite *suite, const char *name)
{
	struct buf safe;
	size_t len = strlen(name);

	buf_init(&safe);
	escape_xml(&safe, name, len < NAME_BYTES ? len : NAME_BYTES);
	const char *unique = arena_strdup(&suite->arena, buf_text(&safe));

	for (unsigned k = 2; is_taken(suite, unique); k++)
		unique = arena_printf(&suite->arena, "%s #%u", buf_text(&safe), k);
	suite->names = mem_grow(
		suite->names, &suite->names_capacity, suite->nnames + 1, sizeof(const char *));
	suite->names[suite->nnames++] = unique;
	buf_release(&safe);
	return unique;
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
		return (struct outcome){"skipped", NULL};
	case STATUS_PASS:
	case STATUS_WARN:
		break;
	}
	return (struct outcome){NULL, NULL};
}

static void
put_case(struct suite *suite, const char *name, double seconds, enum status status,
	const char *message, const char *body)
{
	struct buf *out = suite->out;
	struct outcome outcome = outcome_of(status);

	buf_puts(out, "\t\t<testcase");
	put_attribute(out, "classname", suite->workload->judgement->input.workload->name);
	buf_printf(out, " name=\"%s\"", unique_name(suite, name));
	put_seconds(out, "time", seconds);
	if (!outcome.element) {
		buf_puts(out, "/>\n");
		return;
	}
	buf_printf(out, ">\n\t\t\t<%s", outcome.element);
	put_attribute(out, "message", message);
	if (outcome.type)
		put_attribute(out, "type", outcome.type);
	buf_putc(out, '>');
	put_lines(out, body);
	buf_printf(out, "</%s>\n\t\t</testcase>\n", outcome.element);
}

/* Each on a line after `indent`; only those worth a place in a list, if `brief`. */
static void
put_causes(const struct judgement *judgement, const struct finding *finding, bool brief,
	const char *indent, struct buf *body)
{
	struct cause_lines lines;

	cause_lines_init(
		&lines, &judgement->comparison, finding->frame, finding->causes, CAUSE_COLUMNS);
	for (size_t i = 0; i < lines.nlines; i++) {
		if (!brief || lines.lines[i].brief)
			buf_printf(body, "%s%s: %s\n", indent, lines.lines[i].label,
				lines.lines[i].text);
	}
	cause_lines_release(&lines);
}

/* "lex.c:120: lex_string" on the first line, where editors and CI servers look for it. */
static void
put_body(const struct suite *suite, const struct finding *finding, const char *sentence,
	struct buf *body)
{
	if (finding->source) {
		place_put_path(body, finding->source);
		buf_puts(body, ": ");
	}
	buf_printf(body, "%s\n%s\n", finding->subject, sentence);
	if (finding->reason && finding->reason[0])
		buf_printf(body, "%s\n", finding->reason);
	put_causes(suite->workload->judgement, finding, false, "", body);
	buf_printf(
		body, "report: %s/%s/report.txt\n", suite->report->folder, suite->workload->folder);
}

static void
put_finding(struct suite *suite, const struct finding *finding)
{
	struct buf name;
	struct buf sentence;
	struct buf body;

	buf_init(&name);
	buf_init(&sentence);
	buf_init(&body);
	buf_printf(&name, "%s: %s", finding_rule_name(finding->rule), finding->subject);
	if (finding->rule != FINDING_TOTAL && finding->effect.tested)
		buf_printf(&name, " (%s)", quantity_name(finding->of));
	effect_describe(&finding->effect, &sentence);
	put_body(suite, finding, buf_text(&sentence), &body);
	const char *message = sentence.len > 0  ? buf_text(&sentence)
			      : finding->reason ? finding->reason
						: status_name(finding->status);

	put_case(suite, buf_text(&name), 0, finding->status, message, buf_text(&body));
	buf_release(&name);
	buf_release(&sentence);
	buf_release(&body);
}

/* Whether the gate has a finding of its own about a measurement that failed. */
static bool
measurement_is_a_finding(const struct judgement *judgement)
{
	for (size_t i = 0; i < judgement->verdict.nfindings; i++) {
		if (judgement->verdict.findings[i].rule == FINDING_MEASUREMENT)
			return true;
	}
	return false;
}

/* The case that every suite has: could the workload be measured? */
static void
put_measurement(struct suite *suite)
{
	const struct judgement *judgement = suite->workload->judgement;
	const char *error = judgement->input.error ? judgement->input.error : "";
	char *first = mem_dup(error, strcspn(error, "\n"));

	put_case(suite, "measurement", suite->workload->measure_s,
		judgement->input.error ? STATUS_ERROR : STATUS_PASS, first, error);
	free(first);
}

static void
put_warnings(const struct suite *suite)
{
	const struct judgement *judgement = suite->workload->judgement;
	const struct verdict *verdict = &judgement->verdict;
	struct buf line;

	buf_init(&line);
	buf_puts(suite->out, "\t\t<system-out>");
	for (size_t i = 0; i < verdict->nfindings; i++) {
		const struct finding *finding = &verdict->findings[i];

		if (finding->status != STATUS_WARN)
			continue;
		buf_clear(&line);
		buf_puts(&line, "warn: ");
		headline_finding(finding, &line);
		if (finding->reason && finding->reason[0])
			buf_printf(&line, "\n  %s", finding->reason);
		buf_putc(&line, '\n');
		put_causes(judgement, finding, true, "  ", &line);
		put_lines(suite->out, buf_text(&line));
	}
	buf_puts(suite->out, "</system-out>\n\t\t<system-err></system-err>\n");
	buf_release(&line);
}

static void
put_suite(struct suite *suite, size_t id)
{
	const struct report_workload *workload = suite->workload;
	const struct judgement *judgement = workload->judgement;
	const struct verdict *verdict = &judgement->verdict;
	bool own_case = !measurement_is_a_finding(judgement);
	struct buf *out = suite->out;

	buf_printf(out, "\t<testsuite id=\"%zu\" package=\"profile_run\"", id);
	put_attribute(out, "name", judgement->input.workload->name);
	buf_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"",
		verdict->nfindings + own_case, verdict_findings_with(verdict, STATUS_FAIL),
		verdict_findings_with(verdict, STATUS_ERROR) + (own_case && judgement->input.error),
		verdict_findings_with(verdict, STATUS_INCONCLUSIVE));
	put_seconds(out, "time", workload->build_s + workload->measure_s + workload->process_s);
	buf_puts(out, " timestamp=\"");
	format_time_bare(out, suite->report->started);
	buf_putc(out, '"');
	/* The host's own name says nothing elsewhere and is nobody's business; its class does. */
	const char *machine_class = suite->report->machine_class;

	put_attribute(out, "hostname", machine_class && *machine_class ? machine_class : "unknown");
	buf_puts(out, ">\n");
	put_properties(suite);
	if (own_case)
		put_measurement(suite);
	for (size_t i = 0; i < verdict->nfindings; i++)
		put_finding(suite, &verdict->findings[i]);
	put_warnings(suite);
	buf_puts(out, "\t</testsuite>\n");
}

static void
write_junit(const struct report *report, struct buf *out)
{
	buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	for (size_t i = 0; i < report->nworkloads; i++) {
		struct suite suite = {
			.report = report, .workload = &report->workloads[i], .out = out};

		arena_init(&suite.arena);
		put_suite(&suite, i);
		free(suite.names);
		arena_release(&suite.arena);
	}
	buf_puts(out, "</testsuites>\n");
}

const struct report_output output_junit = {
	.name = "junit.xml",
	.summary = "test results, for CI servers: a workload is a suite, a rule and subject a case",
	.write = write_junit,
};
