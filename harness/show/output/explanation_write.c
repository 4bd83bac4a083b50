/*
 * The text and the JSON of an explanation. Both have the same lines, and a budget of bytes for each
 * section; if the whole is still too long, as it can be where JSON escapes much, all budgets are
 * reduced until it fits.
 */
#include "analysis/sentences.h"
#include "base/escape.h"
#include "base/mem.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "output/explanation.h"
#include "output/json_add.h"
#include "output/line_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INDENT 2
#define HEADLINE_BYTES 600
#define SENTENCE_BYTES 900
#define CODE_COLUMNS 160
#define SCALES_MOST 40

struct section_form {
	const char *key; /* in JSON */
	const char *heading;
	size_t most_bytes; /* of the lines, as text */
	bool verbatim;     /* source, code, tables and commands: not wrapped */
	bool whole;        /* a line that is too long is left out, and never shortened */
};

static const struct section_form forms[EXPLAIN_PARTS] = {
	[EXPLAIN_EFFECT] = {"effect", "Effect", 1600, false, false},
	[EXPLAIN_CAUSE] = {"cause", "Cause", 1400, false, false},
	[EXPLAIN_EVIDENCE] = {"evidence", "Evidence", 1500, false, false},
	[EXPLAIN_STACKS] = {"stacks", "Stacks that grew", 1500, false, false},
	[EXPLAIN_LINES] = {"lines", "Lines, before and after", 2600, true, false},
	[EXPLAIN_DIFF] = {"diff", "Difference of the source", 4600, true, false},
	[EXPLAIN_CALLERS] = {"callers", "Callers", 700, false, false},
	[EXPLAIN_CODE] = {"code", "Machine code that changed", 1600, true, false},
	[EXPLAIN_EXCLUDED] = {"excluded", "Excluded as a cause", 1200, false, false},
	[EXPLAIN_REPRODUCE] = {"reproduce", "Reproduce", 1400, true, true},
	[EXPLAIN_LIMITS] = {"limits", "Limits of the evidence", 1800, false, false},
};

/* With blanks for tabs, and without the end of a line that is too long to be shown anyway. */
static void
put_columns(const char *text, size_t most_bytes, struct buf *out)
{
	for (size_t i = 0; i < most_bytes && text[i]; i++) {
		if (text[i] == '\t')
			buf_puts(out, "    ");
		else
			buf_putc(out, text[i]);
	}
}

/* Source and code: safe, and at most so many columns. */
static void
put_code(const char *text, struct buf *out)
{
	struct buf plain = {0};
	struct buf safe = {0};

	put_columns(text, SENTENCE_BYTES, &plain);
	escape_utf8(&safe, buf_text(&plain), plain.len);
	const bool fits = name_columns(buf_text(&safe), safe.len) <= CODE_COLUMNS;
	const size_t kept = fits ? safe.len : name_head(buf_text(&safe), safe.len, CODE_COLUMNS);

	buf_put(out, buf_text(&safe), kept);
	while (out->len > 0 && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
	buf_puts(out, fits ? "" : " ...");
	buf_release(&safe);
	buf_release(&plain);
}

/* A line as it is shown: safe, and of limited length; nothing where it is left out. */
static void
put_safe(const struct section_form *form, bool is_prose, const char *text, struct buf *out)
{
	const size_t len = strlen(text);

	if (form->whole) {
		if (len <= SENTENCE_BYTES)
			escape_utf8(out, text, len);
	} else if (form->verbatim && !is_prose) {
		put_code(text, out);
	} else {
		name_put(out, text, len, SENTENCE_BYTES, &name_plain);
	}
}

/* The lines of a section that fit, and how many do not; owned. */
struct shown {
	char **lines;
	size_t count;
	size_t left_out;
};

static struct shown
show_section(const struct explanation *explanation, enum explanation_part part, double scale)
{
	const struct explanation_section *section = &explanation->sections[part];
	const size_t most = (size_t)((double)forms[part].most_bytes * scale);
	struct shown shown = {.lines = mem_zalloc(section->nlines + 1, sizeof(char *))};
	struct buf line = {0};
	size_t used = 0;

	for (size_t i = 0; i < section->nlines; i++) {
		buf_clear(&line);
		put_safe(&forms[part], section->is_prose, section->lines[i], &line);
		/* Code is left out from the first line on that does not fit. */
		if (used + line.len + INDENT + 1 > most && forms[part].verbatim)
			break;
		if (line.len == 0 || used + line.len + INDENT + 1 > most)
			continue;
		used += line.len + INDENT + 1;
		shown.lines[shown.count++] = mem_strdup(buf_text(&line));
	}
	shown.left_out = section->nlines - shown.count + section->left_out;
	buf_release(&line);
	return shown;
}

static void
shown_release(struct shown *shown)
{
	for (size_t i = 0; i < shown->count; i++)
		free(shown->lines[i]);
	free(shown->lines);
}

/* "FAIL: app: mix +6.7 % (95 % CI 3.1 to 10.3), threshold 5 %" */
static void
put_headline(const struct explanation *explanation, struct buf *out)
{
	const struct workload_view *workload = explanation->workload;
	const struct finding_view *finding = explanation->finding;
	const char *word = finding    ? finding->verdict
			   : workload ? status_word(workload->status)
				      : status_word(explanation->view->report->status);
	struct buf line = {0};

	if (finding && finding->finding->status == STATUS_INCONCLUSIVE)
		word = status_word(STATUS_INCONCLUSIVE);
	for (; *word; word++)
		buf_putc(out, (char)toupper((unsigned char)*word));
	if (finding)
		buf_printf(&line, ": %s: ", workload->name);
	else
		buf_printf(&line, ": %s", explanation->view->headline);
	if (finding) {
		name_fit(&line, finding->name, strlen(finding->name), 200);
		buf_printf(&line, "%s%s%s%s", finding->estimate[0] ? finding->link : "",
			finding->estimate, finding->threshold[0] ? ", " : "", finding->threshold);
	}
	name_put(out, buf_text(&line), line.len, HEADLINE_BYTES, &name_plain);
	buf_release(&line);
}

/* "Finding 1 of 3 of reports/...: 1 of 2 workloads fails: app" */
static void
put_place(const struct explanation *explanation, struct buf *out)
{
	const struct report_view *view = explanation->view;
	struct buf line = {0};

	if (explanation->number > 0)
		buf_printf(&line, "Finding %zu of %zu", explanation->number, explanation->count);
	else
		buf_puts(&line, explanation->finding ? "A finding that is not listed"
						     : "No finding is listed");
	buf_printf(&line, ", report %s: %s.", view->report->folder[0] ? view->report->folder : "-",
		view->headline);
	name_put(out, buf_text(&line), line.len, HEADLINE_BYTES, &name_plain);
	buf_release(&line);
}

static void
put_section(const struct explanation *explanation, enum explanation_part part, double scale,
	struct buf *out)
{
	struct shown shown = show_section(explanation, part, scale);
	const bool is_prose = !forms[part].verbatim || explanation->sections[part].is_prose;

	if (shown.count + shown.left_out > 0)
		buf_printf(out, "\n%s\n", forms[part].heading);
	for (size_t i = 0; i < shown.count; i++) {
		if (is_prose)
			text_wrap(out, shown.lines[i], INDENT);
		else
			buf_printf(out, "%*s%s\n", INDENT, "", shown.lines[i]);
	}
	if (shown.left_out > 0) {
		buf_printf(out, "%*s... ", INDENT, "");
		format_plural(out, shown.left_out, "more line", "more lines");
		buf_puts(out, ": see the report\n");
	}
	shown_release(&shown);
}

static void
put_text(const struct explanation *explanation, double scale, struct buf *out)
{
	struct buf line = {0};

	put_headline(explanation, &line);
	text_wrap(out, buf_text(&line), 0);
	buf_clear(&line);
	put_place(explanation, &line);
	text_wrap(out, buf_text(&line), 0);
	for (enum explanation_part part = 0; part < EXPLAIN_PARTS; part++)
		put_section(explanation, part, scale, out);
	buf_release(&line);
}

static void
add_text(cJSON *object, const char *key, const char *text)
{
	struct buf safe = {0};

	if (text)
		name_put(&safe, text, strlen(text), SENTENCE_BYTES, &name_plain);
	json_add_string(object, key, buf_text(&safe));
	buf_release(&safe);
}

static void
add_finding(cJSON *root, const struct explanation *explanation)
{
	const struct finding_view *view = explanation->finding;

	add_text(root, "subject", view ? view->subject : NULL);
	json_add_string(root, "rule", view ? finding_rule_name(view->finding->rule) : NULL);
	json_add_string(root, "of", view ? quantity_name(view->finding->of) : NULL);
	json_add_string(root, "status", view ? status_name(view->finding->status) : NULL);
	json_add_number(root, "warn_at", view ? view->judged->warn_at : NAN);
	json_add_number(root, "fail_at", view ? view->judged->fail_at : NAN);
	json_add_effect(root, "numbers", view ? &view->judged->effect : NULL);
	add_text(root, "path", view ? view->path : NULL);
	json_add_number(root, "line", view && view->path[0] ? (double)view->line : NAN);
}

static void
put_json(const struct explanation *explanation, double scale, struct buf *out)
{
	cJSON *root = cJSON_CreateObject();
	struct buf text = {0};

	put_headline(explanation, &text);
	json_add_string(root, "headline", buf_text(&text));
	add_text(root, "report", explanation->view->report->folder);
	json_add_string(root, "gate", status_name(explanation->view->report->status));
	add_text(root, "workload", explanation->workload ? explanation->workload->name : NULL);
	json_add_number(
		root, "finding", explanation->number > 0 ? (double)explanation->number : NAN);
	json_add_number(root, "findings", (double)explanation->count);
	add_finding(root, explanation);
	for (enum explanation_part part = 0; part < EXPLAIN_PARTS; part++) {
		struct shown shown = show_section(explanation, part, scale);
		cJSON *section = cJSON_AddObjectToObject(root, forms[part].key);
		cJSON *lines = cJSON_AddArrayToObject(section, "lines");

		for (size_t i = 0; i < shown.count; i++)
			cJSON_AddItemToArray(lines, cJSON_CreateString(shown.lines[i]));
		json_add_number(section, "left_out", (double)shown.left_out);
		shown_release(&shown);
	}
	json_finish(root, out);
	buf_release(&text);
}

/* Writes with less and less of each section until the whole is short enough. */
static void
put_bounded(const struct explanation *explanation,
	void (*put)(const struct explanation *explanation, double scale, struct buf *out),
	struct buf *out)
{
	const size_t begin = out->len;

	double scale = 1;

	for (unsigned i = 0; i < SCALES_MOST; i++, scale *= 0.9) {
		out->len = begin;
		put(explanation, scale, out);
		if (out->len - begin <= EXPLANATION_BYTES_MAX)
			break;
	}
}

void
explanation_put_text(const struct explanation *explanation, struct buf *out)
{
	const size_t begin = out->len;

	put_bounded(explanation, put_text, out);
	escape_terminal(out->data + begin, out->len - begin);
}

void
explanation_put_json(const struct explanation *explanation, struct buf *out)
{
	put_bounded(explanation, put_json, out);
}
