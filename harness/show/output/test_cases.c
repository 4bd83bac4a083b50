#include "output/test_cases.h"

#include "base/escape.h"
#include "output/cause_text.h"
#include "output/line_parts.h"

#include <string.h>

#define CAUSE_COLUMNS 300

void
test_put_causes(const struct judgement *judgement, const struct finding *finding, bool brief,
	const char *indent, struct buf *out)
{
	struct cause_lines lines;

	cause_lines_init(
		&lines, &judgement->comparison, finding->frame, finding->causes, CAUSE_COLUMNS);
	for (size_t i = 0; i < lines.nlines; i++) {
		if (!brief || lines.lines[i].brief)
			buf_printf(out, "%s%s: %s\n", indent, lines.lines[i].label,
				lines.lines[i].text);
	}
	cause_lines_release(&lines);
}

bool
test_measurement_is_a_finding(const struct workload_view *workload)
{
	for (size_t i = 0; i < workload->nfindings; i++) {
		if (workload->findings[i].finding->rule == FINDING_MEASUREMENT)
			return true;
	}
	return false;
}

/* Distinct from all earlier names: servers drop a case whose name was seen before. */
static const char *
unique_name(struct test_cases *tests, const char *name)
{
	struct buf unique = {0};
	size_t len = strlen(name);

	escape_utf8(&unique, name, len < TEST_NAME_BYTES ? len : TEST_NAME_BYTES);
	len = unique.len;
	for (unsigned k = 2; strtab_find(&tests->names, buf_text(&unique), unique.len); k++) {
		unique.len = len;
		buf_printf(&unique, " #%u", k);
	}
	str_id id = strtab_intern(&tests->names, buf_text(&unique), unique.len);

	buf_release(&unique);
	return strtab_str(&tests->names, id);
}

/* The first line, where a format has one only. */
static const char *
first_line(struct test_cases *tests, const char *text)
{
	return arena_dup(&tests->arena, text, strcspn(text, "\n"));
}

/* Each line of bounded length. */
static const char *
bounded(struct test_cases *tests, const char *text)
{
	struct buf out = {0};

	while (*text) {
		const size_t len = strcspn(text, "\n");
		char *line = arena_dup(&tests->arena, text, len);

		line_put_words(&out, line, TEST_TEXT_COLUMNS);
		text += len;
		if (*text == '\n')
			buf_putc(&out, *text++);
	}
	const char *taken = report_take(&tests->arena, &out);

	buf_release(&out);
	return taken;
}

static struct test_case *
add_case(struct test_cases *tests, const char *name)
{
	struct test_case *test = &tests->cases[tests->count++];

	*test = (struct test_case){.name = unique_name(tests, name), .path = ""};
	return test;
}

/* The case that every workload has: whether it could be measured. */
static void
add_measurement(struct test_cases *tests, const struct workload_view *workload)
{
	struct test_case *test = add_case(tests, "measurement");

	test->check = "measurement";
	test->seconds = workload->workload->measure_s;
	test->status = workload->error[0] ? STATUS_ERROR : STATUS_PASS;
	test->message = first_line(tests, workload->error);
	test->text = bounded(tests, workload->error);
	test->body = workload->error;
}

/* "lex.c:120: lex_string" on the first line, where editors and CI servers look for it. */
static void
put_body(const struct report_view *view, const struct workload_view *workload,
	const struct finding_view *finding, struct buf *body)
{
	buf_printf(body, "%s%s%s\n%s\n", finding->place, finding->place[0] ? ": " : "",
		finding->name, finding->effect);
	if (finding->owners[0])
		buf_printf(body, "owned by %s\n", finding->owners);
	if (finding->power[0])
		buf_printf(body, "%s\n", finding->power);
	if (finding->reason[0])
		buf_printf(body, "%s\n", finding->reason);
	test_put_causes(workload->judgement, finding->finding, false, "", body);
	buf_printf(body, "report: %s/%s/report.txt\n", view->report->folder,
		workload->workload->folder);
}

static void
add_finding(struct test_cases *tests, const struct report_view *view,
	const struct workload_view *workload, const struct finding_view *of)
{
	const struct finding *finding = of->finding;
	struct buf text = {0};

	buf_printf(&text, "%s: %s", finding_rule_name(finding->rule), of->subject);
	if (finding->rule == FINDING_FUNCTIONS || finding->rule == FINDING_NAMED)
		buf_printf(&text, " (%s)", quantity_name(finding->of));
	struct test_case *test = add_case(tests, buf_text(&text));

	test->check = finding_rule_name(finding->rule);
	test->path = of->path;
	test->line = of->line;
	test->status = finding->status;
	test->is_listed = of->is_listed;
	test->message = first_line(tests, of->effect[0]     ? of->effect
					  : finding->reason ? finding->reason
							    : status_word(finding->status));
	buf_clear(&text);
	buf_printf(&text, "%s%s%s%s%s%s", of->name, of->of, of->effect[0] ? of->link : "",
		of->effect, of->reason[0] ? "\n" : "", of->reason);
	test->text = bounded(tests, buf_text(&text));
	buf_clear(&text);
	put_body(view, workload, of, &text);
	test->body = report_take(&tests->arena, &text);
	buf_release(&text);
}

void
test_cases_init(struct test_cases *tests, const struct report_view *view,
	const struct workload_view *workload)
{
	*tests = (struct test_cases){0};
	strtab_init(&tests->names);
	tests->cases =
		arena_alloc(&tests->arena, (workload->nfindings + 1) * sizeof(*tests->cases));
	if (!test_measurement_is_a_finding(workload))
		add_measurement(tests, workload);
	for (size_t i = 0; i < workload->nfindings; i++)
		add_finding(tests, view, workload, &workload->findings[i]);
}

void
test_cases_release(struct test_cases *tests)
{
	strtab_release(&tests->names);
	arena_release(&tests->arena);
	*tests = (struct test_cases){0};
}
