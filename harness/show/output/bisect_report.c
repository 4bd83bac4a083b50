#include "output/bisect_report.h"

#include "format/figures.h"
#include "format/table.h"
#include "output/json_add.h"
#include "output/line_parts.h"
#include "output/trend_report.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#define COMMIT_DIGITS 12
#define LABEL_COLUMNS 15
#define AUTHOR_COLUMNS 24
#define SUBJECT_COLUMNS 64

static const char *
result_name(enum bisect_result result)
{
	static const char *const names[] = {
		[BISECT_RESULT_FOUND] = "found",
		[BISECT_RESULT_RANGE] = "range",
		[BISECT_RESULT_UNCONFIRMED] = "unconfirmed",
		[BISECT_RESULT_NOT_SLOWER] = "not slower",
		[BISECT_RESULT_UNDECIDED] = "undecided",
	};

	return names[result];
}

/* How many commits are in this state; the first and the last count. */
static size_t
count_in(const struct bisect_report *report, enum bisect_state state)
{
	size_t count = 0;

	for (size_t i = 0; i < report->ncommits; i++)
		count += report->states[i] == state;
	return count;
}

/* "cjson_parse: parse_value", "cjson_parse". */
static void
put_subject(const struct bisect_report *report, struct buf *out)
{
	buf_puts(out, report->workload);
	if (report->function) {
		buf_puts(out, ": ");
		escape_utf8(out, report->function, strlen(report->function));
	}
}

static void
put_commit(const struct bisect_commit *commit, struct buf *out)
{
	buf_printf(out, "%.*s", COMMIT_DIGITS, commit->commit);
}

static void
put_headline(const struct bisect_report *report, struct bisect_range range, struct buf *out)
{
	const struct bisect_commit *first = &report->commits[0];
	const struct bisect_commit *slow = &report->commits[range.slow];

	put_subject(report, out);
	switch (report->result) {
	case BISECT_RESULT_FOUND:
		buf_puts(out, " became slower with ");
		put_commit(slow, out);
		break;
	case BISECT_RESULT_RANGE:
		buf_puts(out, " became slower with one of ");
		format_plural(out, range.slow - range.fast, "commit", "commits");
		break;
	case BISECT_RESULT_UNCONFIRMED:
		buf_puts(out, " is slow from ");
		put_commit(slow, out);
		buf_puts(out, " on, but that commit is not significantly slower than its parent");
		break;
	case BISECT_RESULT_NOT_SLOWER:
	case BISECT_RESULT_UNDECIDED:
		buf_putc(out, ' ');
		buf_puts(out, report->result == BISECT_RESULT_NOT_SLOWER
				      ? "is not slower in "
				      : "is not significantly slower in ");
		put_commit(&report->commits[report->ncommits - 1], out);
		buf_puts(out, " than in ");
		put_commit(first, out);
		break;
	}
	buf_putc(out, '\n');
}

/* The commits of the range: each may be the first slow one. */
static void
put_suspects(const struct bisect_report *report, struct bisect_range range, struct buf *out)
{
	static const struct table_column columns[] = {
		{NULL, false, 0},
		{NULL, false, 0},
		{NULL, false, AUTHOR_COLUMNS},
		{NULL, false, SUBJECT_COLUMNS},
	};
	struct table table;

	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = range.fast + 1; i <= range.slow; i++) {
		const struct bisect_commit *commit = &report->commits[i];

		table_put(&table, commit->commit);
		trend_put_day(table_cell(&table), commit->authored);
		table_end_cell(&table);
		table_put(&table, commit->author);
		table_put(&table, commit->subject);
	}
	table_write(&table, 2, out);
	table_release(&table);
}

static void
put_sentence(struct buf *out, const char *label, const struct effect *effect, const char *behind)
{
	struct buf text = {0};

	effect_put_estimate(effect, &text);
	buf_puts(&text, behind);
	text_wrap_behind(out, 2, label, buf_text(&text), LABEL_COLUMNS);
	buf_release(&text);
}

/* Notes if the commit is only a part of the slowdown, or a merge. */
static void
put_hints(const struct bisect_report *report, struct bisect_range range, struct buf *out)
{
	const struct bisect_commit *slow = &report->commits[range.slow];

	if (report->result == BISECT_RESULT_UNCONFIRMED ||
		(report->result == BISECT_RESULT_FOUND &&
			report->effect.change < report->threshold))
		text_wrap(out,
			"The slowdown came with more than one commit: bisect again before and behind this one.",
			2);
	if (report->result == BISECT_RESULT_FOUND && slow->merge) {
		struct buf text = {0};

		buf_printf(&text,
			"It is a merge; to search what it merged: profile_run bisect $(git merge-base %.*s^1 %.*s^2) %.*s^2 %s",
			COMMIT_DIGITS, slow->commit, COMMIT_DIGITS, slow->commit, COMMIT_DIGITS,
			slow->commit, report->workload);
		text_wrap(out, buf_text(&text), 2);
		buf_release(&text);
	}
}

static void
put_effects(const struct bisect_report *report, struct bisect_range range, struct buf *out)
{
	const struct effect *whole = &report->commits[report->ncommits - 1].effect;

	if (report->effect.tested)
		put_sentence(out, range.slow - range.fast > 1 ? "all of them" : "by itself",
			&report->effect, "");
	if (whole->tested)
		put_sentence(out, "in all", whole,
			report->result == BISECT_RESULT_UNDECIDED
				? "; more runs may tell: --runs, --max-runs"
				: "");
}

static void
put_tried(const struct bisect_report *report, struct buf *out)
{
	static const struct table_column columns[] = {
		{"tried", false, 0},
		{"", false, 0},
		{"against the first", false, 0},
		{"", false, SUBJECT_COLUMNS},
	};
	struct table table;

	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < report->ncommits; i++) {
		const struct bisect_commit *commit = &report->commits[i];

		if (report->states[i] == BISECT_UNTRIED)
			continue;
		put_commit(commit, table_cell(&table));
		table_end_cell(&table);
		table_put(&table, bisect_state_name(report->states[i]));
		if (commit->effect.tested)
			effect_put_estimate(&commit->effect, table_cell(&table));
		else if (i == 0)
			buf_putc(table_cell(&table), '-');
		else if (commit->reason)
			escape_utf8(
				table_cell(&table), commit->reason, strcspn(commit->reason, "\n"));
		table_end_cell(&table);
		table_put(&table, commit->subject);
	}
	table_write(&table, 2, out);
	table_release(&table);
}

static void
put_counts(const struct bisect_report *report, struct buf *out)
{
	size_t untried = count_in(report, BISECT_UNTRIED);
	size_t skipped = count_in(report, BISECT_SKIPPED);
	size_t undecided = count_in(report, BISECT_UNDECIDED);

	buf_puts(out, "  ");
	format_plural(out, report->ncommits - 1, "commit", "commits");
	buf_printf(out, ", %zu tried: %zu skipped, %zu undecided", report->ncommits - 1 - untried,
		skipped, undecided);
	if (isfinite(report->threshold)) {
		buf_puts(out, "; slow is from ");
		format_change(out, report->threshold);
		buf_puts(out, " on");
	}
	buf_putc(out, '\n');
}

void
bisect_put_text(const struct bisect_report *report, struct buf *out)
{
	bool searched = report->result != BISECT_RESULT_NOT_SLOWER &&
			report->result != BISECT_RESULT_UNDECIDED;
	struct bisect_range range = {.fast = 0, .slow = report->ncommits - 1};

	if (searched)
		range = bisect_range_of(report->states, report->ncommits);
	put_headline(report, range, out);
	if (searched)
		put_suspects(report, range, out);
	put_effects(report, range, out);
	put_hints(report, range, out);
	put_counts(report, out);
	if (!searched)
		return;
	buf_putc(out, '\n');
	put_tried(report, out);
}

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
	size_t untried = count_in(report, BISECT_UNTRIED);

	json_add_number(root, "format_version", 1);
	json_add_string(root, "tool_version", report->tool_version);
	json_add_string(root, "result", result_name(report->result));
	json_add_string(root, "workload", report->workload);
	json_add_string(root, "function", report->function);
	json_add_string(root, "good", report->commits[0].commit);
	json_add_string(root, "bad", report->commits[report->ncommits - 1].commit);
	json_add_number(root, "threshold", report->threshold);
	json_add_effect(root, "effect", report->effect.tested ? &report->effect : NULL);
	json_add_number(root, "commits", (double)(report->ncommits - 1));
	json_add_number(root, "ntried", (double)(report->ncommits - 1 - untried));
	json_add_number(root, "skipped", (double)count_in(report, BISECT_SKIPPED));
	json_add_number(root, "undecided", (double)count_in(report, BISECT_UNDECIDED));
	add_suspects(root, report);
	add_tried(root, report);
	json_finish(root, out);
}
