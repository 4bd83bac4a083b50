/*
 * What an explanation says of the source and the machine code: the lines with their costs, the
 * hunks of the difference, and the instructions that changed.
 */
#include "analysis/annotation.h"
#include "format/figures.h"
#include "format/table.h"
#include "output/explanation_parts.h"

#include <math.h>
#include <string.h>

#define LINES_SHOWN 20
#define COMMIT_DIGITS 12
#define SOURCE_BYTES 300 /* of a line; what is shown of it is shorter */

/* A section of a sentence: why it has nothing else. */
static void
add_reason(struct explanation *explanation, enum explanation_part part, const char *text)
{
	explanation_add(explanation, part, text);
	explanation->sections[part].is_prose = true;
}

/* Whether a line has weight. */
static bool
has_weight(const struct annotation_entry *entry)
{
	return entry->kind == ANNOTATION_LINE &&
	       (entry->self[0] > 0 || entry->self[1] > 0 || entry->total[0] > 0 ||
		       entry->total[1] > 0);
}

static double
change_of(const struct annotation_entry *entry, bool pairs)
{
	return pairs ? fabs(entry->total[1] - entry->total[0]) : entry->total[0];
}

/* How many lines change by more than this one: those with most are shown. */
static size_t
rank_of(const struct report_lines *lines, size_t number)
{
	const double own = change_of(&lines->entries[number], lines->pairs);
	size_t larger = 0;

	for (size_t i = 0; i < lines->nentries; i++) {
		const double other = change_of(&lines->entries[i], lines->pairs);

		larger += i != number && has_weight(&lines->entries[i]) &&
			  (other > own || (!(other < own) && i < number));
	}
	return larger;
}

static void
put_line(
	const struct report_lines *lines, const struct annotation_entry *entry, struct table *table)
{
	for (size_t side = 0; side < (lines->pairs ? 2 : 1); side++) {
		if (entry->self[side] > 0)
			annotation_put_cell(lines->unit, entry->self[side], table_cell(table));
		table_end_cell(table);
	}
	if (lines->pairs)
		annotation_put_difference(
			lines->unit, entry->total[1] - entry->total[0], table_cell(table));
	else
		annotation_put_cell(lines->unit, entry->total[0], table_cell(table));
	table_end_cell(table);
	if (entry->number > 0)
		buf_printf(table_cell(table), "%llu", (unsigned long long)entry->number);
	table_end_cell(table);
	buf_put(table_cell(table), entry->text, strnlen(entry->text, SOURCE_BYTES));
	table_end_cell(table);
}

/* The lines of one file from `at` on; returns the first entry behind them. */
static size_t
explain_file(struct explanation *explanation, const struct report_lines *lines, size_t at)
{
	static const struct table_column two[] = {{"before", true, 0}, {"after", true, 0},
		{"change with calls", true, 0}, {"line", true, 0}, {"", false, 0}};
	static const struct table_column one[] = {
		{"here", true, 0}, {"with calls", true, 0}, {"line", true, 0}, {"", false, 0}};
	struct explanation_section *section = &explanation->sections[EXPLAIN_LINES];
	struct table table;
	struct buf text = {0};

	table_init(&table, lines->pairs ? two : one, lines->pairs ? 5 : 4);
	for (; at < lines->nentries && lines->entries[at].kind != ANNOTATION_FILE; at++) {
		if (!has_weight(&lines->entries[at]))
			continue;
		if (rank_of(lines, at) < LINES_SHOWN)
			put_line(lines, &lines->entries[at], &table);
		else
			section->left_out++;
	}
	table_write(&table, 0, &text);
	explanation_add_lines(explanation, EXPLAIN_LINES, "", buf_text(&text));
	table_release(&table);
	buf_release(&text);
	return at;
}

void
explain_lines(struct explanation *explanation)
{
	const struct report_lines *lines =
		report_lines_of(explanation->workload, explanation->finding->finding);

	if (!lines) {
		add_reason(explanation, EXPLAIN_LINES,
			explanation->finding->finding->frame == 0
				? "None: the finding is about no single function."
				: "Not known: the report keeps the lines of the first functions that did not pass, where captures have addresses and the program debug information.");
		return;
	}
	for (size_t at = 0; at < lines->nentries;) {
		const struct annotation_entry *file = &lines->entries[at];

		if (file->kind == ANNOTATION_FILE)
			explanation_add(explanation, EXPLAIN_LINES,
				file->text[0] ? file->text : "(no source file is known)");
		at = explain_file(explanation, lines, at + (file->kind == ANNOTATION_FILE));
	}
	explanation->sections[EXPLAIN_LINES].left_out += lines->left_out;
	if (!lines->pairs)
		explanation_add(explanation, EXPLAIN_LINES,
			"The lines before are not known: only this side was measured here.");
}

/* The function around a hunk, unless the relation says it. */
static const char *
function_of(const struct explanation *explanation, const struct report_hunk *hunk)
{
	const struct judgement *judgement = explanation->workload->judgement;
	const frame_id frame = explanation->finding->finding->frame;

	if (!hunk->function ||
		(hunk->place == HUNK_OWN &&
			strcmp(hunk->function,
				profile_frame_name(&judgement->comparison.profile, frame)) == 0))
		return NULL;
	return hunk->function;
}

static void
add_hunk(struct explanation *explanation, const struct report_hunk *hunk)
{
	static const char *const relations[] = {
		[HUNK_OWN] = "in the function",
		[HUNK_MARKED] = "has the changed line that carries the growth",
		[HUNK_CALLED] = "in what it calls",
		[HUNK_CALLER] = "on a stack that grew",
		[HUNK_OTHER] = "elsewhere",
	};
	const char *function = function_of(explanation, hunk);

	explanation_addf(explanation, EXPLAIN_DIFF, "%s:%u: %s%s%s", hunk->path, hunk->line,
		relations[hunk->place], function ? ", in " : "", function ? function : "");
	explanation_add_lines(explanation, EXPLAIN_DIFF, "  ", hunk->text);
	if (hunk->cut)
		explanation_add(explanation, EXPLAIN_DIFF, "  (more of this hunk is left out)");
}

/*
 * What the report keeps of the changes of the function; NULL where it keeps none, with the reason
 * in the section.
 */
static const struct report_changes *
find_changes(struct explanation *explanation, enum explanation_part part)
{
	const struct report_lines *lines =
		report_lines_of(explanation->workload, explanation->finding->finding);

	if (lines && lines->changes.kept)
		return &lines->changes;
	add_reason(explanation, part,
		lines ? "Not known: the report was written by an earlier version, which did not keep them."
		      : "Not known: the report keeps them where it keeps the lines.");
	return NULL;
}

static void
add_not_known(struct explanation *explanation, enum explanation_part part, const char *reason)
{
	explanation_addf(explanation, part, "Not known: %s.", reason);
	explanation->sections[part].is_prose = true;
}

/* "3 more hunks are not shown: git diff 0123456789ab" */
static void
add_left_out(struct explanation *explanation, size_t left_out)
{
	const struct baseline_info *info = explanation->workload->judgement->input.before_info;
	struct buf text = {0};

	if (left_out == 0)
		return;
	format_plural(&text, left_out, "more hunk is not shown", "more hunks are not shown");
	/* A report may say anything. */
	if (info && strlen(info->commit) >= COMMIT_DIGITS &&
		strspn(info->commit, "0123456789abcdef") == strlen(info->commit))
		buf_printf(&text, ": git diff %.*s", COMMIT_DIGITS, info->commit);
	explanation_add(explanation, EXPLAIN_DIFF, buf_text(&text));
	buf_release(&text);
}

void
explain_diff(struct explanation *explanation)
{
	const struct report_changes *changes = find_changes(explanation, EXPLAIN_DIFF);

	if (!changes)
		return;
	if (changes->no_hunks) {
		add_not_known(explanation, EXPLAIN_DIFF, changes->no_hunks);
		return;
	}
	if (changes->nhunks > 0 && changes->hunks[0].place == HUNK_OTHER)
		explanation_add(explanation, EXPLAIN_DIFF,
			"No hunk is known to be in the function, in what it calls or on its stacks. Others:");
	for (size_t i = 0; i < changes->nhunks; i++)
		add_hunk(explanation, &changes->hunks[i]);
	add_left_out(explanation, changes->hunks_left_out);
}

void
explain_code(struct explanation *explanation)
{
	const struct report_changes *changes = find_changes(explanation, EXPLAIN_CODE);

	if (!changes)
		return;
	if (changes->no_code) {
		add_not_known(explanation, EXPLAIN_CODE, changes->no_code);
	} else if (!changes->code || !changes->code[0]) {
		add_reason(explanation, EXPLAIN_CODE, "No instruction differs, addresses apart.");
	} else {
		explanation_add_lines(explanation, EXPLAIN_CODE, "", changes->code);
		explanation->sections[EXPLAIN_CODE].left_out = changes->code_left_out;
	}
}
