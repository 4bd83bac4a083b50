/*
 * One number for one thing: what verdict.json has of the findings of example gates is what text,
 * Markdown, JUnit, the page, the picture, the exports and the history say, value by value and in
 * the same unit; and the parts of a growth add up to it. The numbers are written here by printf(),
 * not by what is under test.
 */
#include "base/mem.h"
#include "output/agreement_gates.h"
#include "output/agreement_lines.h"
#include "output/first_screen.h"
#include "output/history_entries.h"
#include "output/output.h"
#include "unit.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void suite_output_agreement(void);

#define HISTORY_MOST 8

/* What a gate of each comes to. */
static const char *const statuses[EXAMPLES] = {"pass", "warn", "fail", "warn", "inconclusive",
	"error", "pass", "pass", "warn", "fail", "fail", "fail", "fail", "warn"};

/* The functions that it compares. */
static const double ncompared[EXAMPLES] = {3, 3, 3, 3, 3, 0, 3, 3, 3, 3, 5, 2, 3, 5};

/* A gate, judged, and each of its outputs as plain text. */
struct written {
	struct bench bench;
	struct lines_of_parse parse;
	cJSON *bencher;
	cJSON *json;
	struct buf text;
	struct buf markdown;
	struct buf junit;
	struct buf html;
	struct buf screen;
	struct buf picture;
	struct buf sarif;
	struct buf comment;
	struct buf metrics;
	cJSON *benchmarks;
	/* By the order of the benchmarks: the whole program, then functions. */
	double history[HISTORY_MOST];
	size_t nhistory;
};

/* Without the escapes of Markdown and XML. */
static void
unescape(struct buf *text)
{
	static const char *const escapes[][2] = {{"&gt;", ">"}, {"&lt;", "<"}, {"&amp;", "&"},
		{"&quot;", "\""}, {"&#39;", "'"}, {"\\", ""}, {"\n", " "}};
	struct buf plain = {0};

	for (const char *at = buf_text(text); *at;) {
		size_t i = 0;

		while (i < 7 && strncmp(at, escapes[i][0], strlen(escapes[i][0])) != 0)
			i++;
		if (i == 7) {
			if (*at != ' ' || plain.len == 0 || plain.data[plain.len - 1] != ' ')
				buf_putc(&plain, *at);
			at++;
			continue;
		}
		at += strlen(escapes[i][0]);
		if (strcmp(escapes[i][1], " ") != 0 || plain.data[plain.len - 1] != ' ')
			buf_puts(&plain, escapes[i][1]);
	}
	buf_release(text);
	*text = plain;
}

/* What other tools get. */
static void
write_exports(struct written *written, const struct report *report)
{
	struct report_view view;
	struct arena arena = {0};
	struct buf json = {0};

	output_write(&export_picture, report, &written->picture);
	output_write(&export_sarif, report, &written->sarif);
	output_write(&export_comment, report, &written->comment);
	output_write(&export_openmetrics, report, &written->metrics);
	output_write(&export_benchmark_action, report, &json);
	written->benchmarks = cJSON_Parse(buf_text(&json));
	CU_ASSERT_PTR_NOT_NULL_FATAL(written->benchmarks);
	buf_clear(&json);
	output_write(&export_bencher, report, &json);
	written->bencher = cJSON_Parse(buf_text(&json));
	CU_ASSERT_PTR_NOT_NULL_FATAL(written->bencher);
	unescape(&written->picture);
	unescape(&written->comment);
	report_view_init(&view, report);
	struct history_entry *entries =
		history_entries_of(&view.workloads[0], "report", &arena, &written->nhistory);

	for (size_t i = 0; i < written->nhistory && i < HISTORY_MOST; i++)
		written->history[i] = entries[i].cost;
	free(entries);
	report_view_release(&view);
	arena_release(&arena);
	buf_release(&json);
}

static void
write_all(struct written *written, enum example example)
{
	static const struct machine machine = {.cpu_model = "CPU", .cpus = 1};
	struct bench *bench = &written->bench;
	struct buf json = {0};

	*written = (struct written){0};
	prepare(bench, example);
	judge(bench);
	const frame_id frame = find_parse(&bench->judgement);

	if (frame != 0)
		make_lines(&written->parse, &bench->judgement, frame);
	const struct report_workload workload = {.judgement = &bench->judgement,
		.folder = "parse",
		.lines = &written->parse.lines,
		.nlines = frame != 0};
	const struct report report = {.tool_version = "0",
		.command = "profile_run gate",
		.command_options = "profile_run gate",
		.commit = "",
		.machine = &machine,
		.machine_class = "x86_64-here",
		.event_reason = "",
		.pinning = "",
		.folder = "",
		.status = bench->overall,
		.workloads = &workload,
		.nworkloads = 1};

	output_write(&output_json, &report, &json);
	output_write(&output_text, &report, &written->text);
	output_write(&output_markdown, &report, &written->markdown);
	output_write(&output_junit, &report, &written->junit);
	output_write(&output_html, &report, &written->html);
	first_screen_write(&report, "reports/latest", &written->screen);
	write_exports(written, &report);
	written->json = cJSON_Parse(buf_text(&json));
	CU_ASSERT_PTR_NOT_NULL_FATAL(written->json);
	unescape(&written->text);
	unescape(&written->markdown);
	unescape(&written->junit);
	unescape(&written->html);
	buf_release(&json);
}

static void
release(struct written *written)
{
	cJSON_Delete(written->json);
	cJSON_Delete(written->benchmarks);
	cJSON_Delete(written->bencher);
	buf_release(&written->picture);
	buf_release(&written->sarif);
	buf_release(&written->comment);
	buf_release(&written->metrics);
	buf_release(&written->text);
	buf_release(&written->markdown);
	buf_release(&written->junit);
	buf_release(&written->html);
	buf_release(&written->screen);
	release_lines(&written->parse);
	bench_release(&written->bench);
}

static double
number(const cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

static const char *
text(const cJSON *object, const char *key)
{
	const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));

	return value ? value : "";
}

static bool
is_true(const cJSON *object, const char *key)
{
	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, key));
}

static const cJSON *
the_workload(const struct written *written)
{
	return cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(written->json, "workloads"), 0);
}

static void
everywhere(const struct written *written, const char *part)
{
	UNIT_CONTAINS(buf_text(&written->text), part);
	UNIT_CONTAINS(buf_text(&written->markdown), part);
	UNIT_CONTAINS(buf_text(&written->junit), part);
	UNIT_CONTAINS(buf_text(&written->html), part);
}

/* A cost of 1 ms to 10 s, as people read it. */
static int
put_cost(char *out, size_t size, double ns)
{
	return ns >= 999.5e6 ? snprintf(out, size, "%.2f s", ns / 1e9)
			     : snprintf(out, size,
				       ns >= 99.95e6   ? "%.0f ms"
				       : ns >= 9.995e6 ? "%.1f ms"
						       : "%.2f ms",
				       ns / 1e6);
}

static const char *
basis_of(const struct written *written)
{
	return written->bench.candidate.runs[0].executions > 1 ? "execution" : "run";
}

/* "+12.3 ms of +45.6 ms" is in the outputs with room for it; parts and rest are the growth. */
static void
check_parts(const struct written *written, const cJSON *finding)
{
	const cJSON *causes = cJSON_GetObjectItemCaseSensitive(finding, "causes");
	const double growth = number(causes, "growth");
	double sum = 0;
	double first = NAN;
	char part[128];
	const cJSON *each;

	if (!cJSON_IsObject(causes))
		return;
	UNIT_NEAR(growth / (number(cJSON_GetObjectItemCaseSensitive(finding, "effect"),
				    "after_cost") -
				   number(finding, "before_cost_now")),
		1, 1e-6);
	cJSON_ArrayForEach(each, cJSON_GetObjectItemCaseSensitive(causes, "stacks"))
	{
		sum += number(each, "after_cost") - number(each, "before_cost");
		first = isnan(first) ? sum : first;
	}
	/* For the bench's stacks all are shown. */
	UNIT_NEAR(sum / growth, 1, 1e-6);
	sum = growth;
	cJSON_ArrayForEach(each, cJSON_GetObjectItemCaseSensitive(causes, "callees")) sum +=
		number(each, "after_cost") - number(each, "before_cost");
	UNIT_NEAR(sum / number(causes, "growth_with_calls"), 1, 1e-6);
	int len = snprintf(part, sizeof(part), " +");

	len += put_cost(part + len, sizeof(part) - (size_t)len, first);
	len += snprintf(part + len, sizeof(part) - (size_t)len, " of +");
	put_cost(part + len, sizeof(part) - (size_t)len, growth);
	UNIT_CONTAINS(buf_text(&written->text), part);
	UNIT_CONTAINS(buf_text(&written->markdown), part);
	UNIT_CONTAINS(buf_text(&written->junit), part);
	UNIT_CONTAINS(buf_text(&written->html), part);
}

/* The exports and the history have the function's cost after, and say what it is per. */
static void
check_exports(const struct written *written, const char *name, const cJSON *effect)
{
	const cJSON *each;
	char part[128];
	size_t at = 0;

	cJSON_ArrayForEach(each, written->benchmarks)
	{
		const char *of = text(each, "name");

		if (strncmp(of, "parse: ", 7) == 0 && strcmp(of + 7, name) == 0)
			break;
		at++;
	}
	CU_ASSERT_PTR_NOT_NULL_FATAL(each);
	snprintf(part, sizeof(part), "ns per %s", basis_of(written));
	UNIT_STR_EQ(text(each, "unit"), part);
	UNIT_NEAR(number(each, "value") / number(effect, "after_cost"), 1, 1e-9);
	const cJSON *measures =
		cJSON_GetObjectItemCaseSensitive(written->bencher, text(each, "name"));

	snprintf(part, sizeof(part), "samples (ns per %s)", basis_of(written));
	UNIT_NEAR(number(cJSON_GetObjectItemCaseSensitive(measures, part), "value") /
			  number(effect, "after_cost"),
		1, 1e-9);
	snprintf(part, sizeof(part),
		"function=\"%s\",metric=\"samples\",unit=\"seconds\",per=\"%s\"} %.9g", name,
		basis_of(written), number(effect, "after_cost") / 1e9);
	UNIT_CONTAINS(buf_text(&written->metrics), part);
	CU_ASSERT_FATAL(at < written->nhistory);
	UNIT_NEAR(written->history[at] / number(effect, "after_cost"), 1, 1e-6);
}

/* The list and the tooltips of the picture. */
static void
check_picture(const struct written *written, const cJSON *function)
{
	const cJSON *self = cJSON_GetObjectItemCaseSensitive(function, "self");
	char part[256];
	int len = put_cost(part, sizeof(part), number(function, "before_cost_now"));

	len += snprintf(part + len, sizeof(part) - (size_t)len, " \xe2\x86\x92 ");
	len += put_cost(part + len, sizeof(part) - (size_t)len, number(self, "after_cost"));
	snprintf(part + len, sizeof(part) - (size_t)len, " per %s, %+.1f %% [%.1f, %.1f]",
		basis_of(written), 100 * number(self, "change"), 100 * number(self, "low"),
		100 * number(self, "high"));
	UNIT_CONTAINS(buf_text(&written->picture), part);
}

/* Something new has all that it costs as its growth. */
static void
check_new(const struct written *written, const cJSON *finding)
{
	const cJSON *effect = cJSON_GetObjectItemCaseSensitive(finding, "effect");
	char part[128];
	int len = snprintf(part, sizeof(part), "new, 0 -> ");

	if (strcmp(text(finding, "rule"), "functions") != 0 ||
		strncmp(text(finding, "reason"), "New", 3) != 0)
		return;
	len += put_cost(part + len, sizeof(part) - (size_t)len, number(effect, "after_cost"));
	snprintf(part + len, sizeof(part) - (size_t)len, " per %s", basis_of(written));
	everywhere(written, part);
	UNIT_CONTAINS(buf_text(&written->screen), part);
	UNIT_CONTAINS(buf_text(&written->comment), part);
	UNIT_CONTAINS(buf_text(&written->sarif), part);
}

/* A status as people read it. */
static const char *
word_of(const char *status)
{
	return strcmp(status, "inconclusive") == 0 ? "undecided" : status;
}

/* The two lines are the costs before and after, and the one named with the rest is the growth. */
static void
check_lines(const struct written *written, const cJSON *finding)
{
	const double costs[2] = {number(finding, "before_cost_now"),
		number(cJSON_GetObjectItemCaseSensitive(finding, "effect"), "after_cost")};
	const struct report_lines *lines = &written->parse.lines;
	double line[2]; /* the second one, before and after */
	char part[128];
	int len;

	if (!lines->function || strcmp(text(finding, "of"), "self") != 0 ||
		strncmp(text(finding, "subject"), "parse", 5) != 0)
		return;
	for (size_t side = 0; side < 2; side++) {
		double sum = 0;

		for (size_t i = 0; i < lines->nentries; i++)
			sum += lines->entries[i].kind == ANNOTATION_LINE
				       ? lines->entries[i].self[side]
				       : 0;
		UNIT_NEAR(sum / costs[side], 1, 1e-9);
		line[side] = costs[side] * samples_of_lines[side][1] /
			     (samples_of_lines[side][0] + samples_of_lines[side][1]);
		put_cost(part, sizeof(part), line[side]);
		UNIT_CONTAINS(buf_text(&written->html), part);
	}
	const double all = costs[1] - costs[0];
	const double named = fmin(line[1] - line[0], all);

	if (!(named >= all / 5) || !(all > 0))
		return;
	len = snprintf(part, sizeof(part), "parse.c:11 +");
	len += put_cost(part + len, sizeof(part) - (size_t)len, named);
	if (all - named > 0.02 * all) {
		len += snprintf(part + len, sizeof(part) - (size_t)len, ", other lines +");
		len += put_cost(part + len, sizeof(part) - (size_t)len, all - named);
	}
	len += snprintf(part + len, sizeof(part) - (size_t)len, " of +");
	put_cost(part + len, sizeof(part) - (size_t)len, all);
	everywhere(written, part);
	UNIT_CONTAINS(buf_text(&written->comment), part);
	if (strcmp(text(finding, "status"), "pass") != 0)
		UNIT_CONTAINS(buf_text(&written->sarif), part);
	if (strcmp(text(finding, "status"), "fail") == 0)
		UNIT_CONTAINS(buf_text(&written->screen), "parse.c:11 +");
}

static void
check_finding(const struct written *written, const cJSON *finding)
{
	const cJSON *effect = cJSON_GetObjectItemCaseSensitive(finding, "effect");
	bool accepted = is_true(finding, "accepted");
	bool passed = strcmp(text(finding, "status"), "pass") == 0;
	char part[256];
	int len;

	if (passed && !accepted)
		return;
	everywhere(written, text(finding, "reason"));
	snprintf(
		part, sizeof(part), "%s", accepted ? "accepted" : word_of(text(finding, "status")));
	UNIT_CONTAINS(buf_text(&written->text), part);
	UNIT_CONTAINS(buf_text(&written->markdown), part);
	UNIT_CONTAINS(buf_text(&written->html), part);
	if (!is_true(effect, "tested")) {
		check_new(written, finding);
		return;
	}
	len = snprintf(part, sizeof(part), "%+.1f %% (95 %% CI %.1f to %.1f)",
		100 * number(effect, "change"), 100 * number(effect, "low"),
		100 * number(effect, "high"));
	if (strcmp(text(finding, "status"), "fail") == 0 || accepted)
		UNIT_CONTAINS(buf_text(&written->screen), part);
	len += snprintf(part + len, sizeof(part) - (size_t)len, ", ");
	len += put_cost(part + len, sizeof(part) - (size_t)len, number(finding, "before_cost_now"));
	len += snprintf(part + len, sizeof(part) - (size_t)len, " -> ");
	len += put_cost(part + len, sizeof(part) - (size_t)len, number(effect, "after_cost"));
	snprintf(part + len, sizeof(part) - (size_t)len, " per %s,", basis_of(written));
	everywhere(written, part);
	if (!passed)
		UNIT_CONTAINS(buf_text(&written->sarif), part);
	UNIT_CONTAINS(buf_text(&written->comment), part);
	/* Before, after and change are one number. */
	UNIT_NEAR(number(effect, "after_cost") / number(finding, "before_cost_now") - 1,
		number(effect, "change"), 1e-6);
	check_parts(written, finding);
	check_lines(written, finding);
}

/* The row of a function in the tables of Markdown and the page. */
static void
check_function(const struct written *written, const cJSON *function)
{
	const cJSON *self = cJSON_GetObjectItemCaseSensitive(function, "self");
	char before[32];
	char after[32];
	char part[256];

	if (!is_true(self, "tested"))
		return;
	put_cost(before, sizeof(before), number(function, "before_cost_now"));
	put_cost(after, sizeof(after), number(self, "after_cost"));
	snprintf(part, sizeof(part), "| %s | %s | %s | %.1f %% | %+.1f %% [%.1f, %.1f] |",
		text(function, "name"), before, after, 100 * number(self, "after_share"),
		100 * number(self, "change"), 100 * number(self, "low"),
		100 * number(self, "high"));
	/* What passed is one row of a fold. */
	if (strcmp(text(the_workload(written), "status"), "pass") != 0)
		UNIT_CONTAINS(buf_text(&written->markdown), part);
	snprintf(part, sizeof(part), "\">%s <small>%.1f %%</small></td><td class=\"number\"",
		before, 100 * number(self, "before_share"));
	UNIT_CONTAINS(buf_text(&written->html), part);
	snprintf(part, sizeof(part), "\">[%.1f, %.1f]</td>", 100 * number(self, "low"),
		100 * number(self, "high"));
	UNIT_CONTAINS(buf_text(&written->html), part);
	check_picture(written, function);
	check_exports(written, text(function, "name"), self);
}

/* The change of the whole program is that of the screen, of both tables, and of the page. */
static void
check_whole(const struct written *written, const cJSON *workload)
{
	const cJSON *whole = cJSON_GetObjectItemCaseSensitive(
		cJSON_GetObjectItemCaseSensitive(workload, "comparison"), "whole");
	char part[64];

	if (!is_true(whole, "tested") || strcmp(text(workload, "status"), "fail") != 0)
		return;
	snprintf(part, sizeof(part), "whole program %+.1f %%", 100 * number(whole, "change"));
	UNIT_CONTAINS(buf_text(&written->screen), part);
	snprintf(part, sizeof(part), "| %+.1f %%", 100 * number(whole, "change"));
	UNIT_CONTAINS(buf_text(&written->markdown), part);
	UNIT_CONTAINS(buf_text(&written->comment), part);
}

static void
check_example(enum example example)
{
	struct written written;
	char part[64];
	const cJSON *each;

	write_all(&written, example);
	const cJSON *workload = the_workload(&written);
	double compared = number(workload, "functions_compared");

	UNIT_STR_EQ(text(workload, "status"), statuses[example]);
	check_whole(&written, workload);
	cJSON_ArrayForEach(each, cJSON_GetObjectItemCaseSensitive(workload, "findings"))
		check_finding(&written, each);
	cJSON_ArrayForEach(each, cJSON_GetObjectItemCaseSensitive(workload, "functions"))
		check_function(&written, each);
	if (example != EXAMPLE_ERROR) {
		snprintf(part, sizeof(part), "%.0f functions compared", compared);
		CU_ASSERT_EQUAL(compared, ncompared[example]);
		everywhere(&written, part);
	}
	release(&written);
}

static void
every_output_has_the_same_numbers(void)
{
	for (int example = 0; example < EXAMPLES; example++)
		check_example((enum example)example);
}

static void
an_accepted_finding_says_by_whom_why_and_until_when(void)
{
	struct written written;

	write_all(&written, EXAMPLE_WAIVED);
	everywhere(&written, "Accepted by ann until 2026-12-31, up to 60 %: a new check.");
	release(&written);
	write_all(&written, EXAMPLE_BY_POLICY);
	everywhere(&written, "Accepted by 'regression: pass' of the policy");
	release(&written);
}

static void
runs_of_several_executions_say_how_many(void)
{
	struct written written;

	write_all(&written, EXAMPLE_REPEATED);
	UNIT_CONTAINS(buf_text(&written.text), " runs of 60 executions each, baseline of ");
	UNIT_CONTAINS(buf_text(&written.html), "as means per execution.");
	release(&written);
}

/* Where only the first finding is given, "new" alone does not say how much. */
static void
a_new_function_is_given_with_its_costs(void)
{
	struct written written;

	write_all(&written, EXAMPLE_NEW);
	UNIT_CONTAINS(buf_text(&written.markdown), "| walk new, 0 -> 720 ms per run |");
	UNIT_CONTAINS(buf_text(&written.text), ": walk new, 0 -> 720 ms per run, equal to ");
	release(&written);
}

void
suite_output_agreement(void)
{
	static const struct unit_case cases[] = {
		{"every_output_has_the_same_numbers", every_output_has_the_same_numbers},
		{"an_accepted_finding_says_by_whom_why_and_until_when",
			an_accepted_finding_says_by_whom_why_and_until_when},
		{"runs_of_several_executions_say_how_many",
			runs_of_several_executions_say_how_many},
		{"a_new_function_is_given_with_its_costs", a_new_function_is_given_with_its_costs},
		{NULL, NULL},
	};

	unit_suite("output/agreement", cases);
}
