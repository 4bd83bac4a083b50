#include "history/entry.h"

#include "format/figures.h"
#include "history/line_fields.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

bool
history_is_url(const char *text)
{
	return strncmp(text, "https://", 8) == 0 || strncmp(text, "http://", 7) == 0;
}

void
history_entry_put(const struct history_entry *entry, struct buf *out)
{
	format_time(out, entry->started);
	buf_putc(out, '\t');
	fields_put_text(out, entry->commit);
	buf_putc(out, '\t');
	fields_put_text(out, entry->metric);
	buf_putc(out, '\t');
	fields_put_text(out, entry->unit);
	buf_putc(out, '\t');
	fields_put_number(out, entry->cost);
	buf_putc(out, '\t');
	fields_put_number(out, entry->error);
	buf_puts(out, entry->paired ? "\tpaired\t" : "\tstored\t");
	fields_put_text(out, entry->against);
	buf_putc(out, '\t');
	fields_put_number(out, entry->ratio);
	buf_putc(out, '\t');
	fields_put_number(out, entry->ratio_error);
	buf_putc(out, '\t');
	fields_put_text(out, entry->version);
	buf_putc(out, '\t');
	fields_put_text(out, entry->report);
	buf_putc(out, '\t');
	fields_put_text(out, entry->function);
	buf_putc(out, '\t');
	fields_put_text(out, entry->work);
	buf_putc(out, '\n');
}

/* Checks that the numbers of an entry agree with one another. */
static int
check_numbers(const struct history_entry *entry, const struct location *at, struct err *err)
{
	if (entry->paired && !(entry->ratio > 0))
		return fields_refuse(at, at->line_text, "a ratio above 0 in a paired line", err);
	if (!entry->paired && isfinite(entry->ratio))
		return fields_refuse(at, at->line_text, "no ratio in a stored line", err);
	return 0;
}

static const struct line_field fields[] = {
	{"the time", LINE_FIELD_TIME, offsetof(struct history_entry, started)},
	{"a tab and the commit", LINE_FIELD_TEXT, offsetof(struct history_entry, commit)},
	{"a tab and the metric", LINE_FIELD_TEXT, offsetof(struct history_entry, metric)},
	{"a tab and the unit", LINE_FIELD_TEXT, offsetof(struct history_entry, unit)},
	{"a tab and the cost", LINE_FIELD_NEEDED, offsetof(struct history_entry, cost)},
	{"a tab and the standard error", LINE_FIELD_NUMBER, offsetof(struct history_entry, error)},
	{"a tab and the mode", LINE_FIELD_MODE, offsetof(struct history_entry, paired)},
	{"a tab and the commit compared with", LINE_FIELD_TEXT,
		offsetof(struct history_entry, against)},
	{"a tab and the ratio", LINE_FIELD_NUMBER, offsetof(struct history_entry, ratio)},
	{"a tab and the ratio's standard error", LINE_FIELD_NUMBER,
		offsetof(struct history_entry, ratio_error)},
	{"a tab and the version", LINE_FIELD_TEXT, offsetof(struct history_entry, version)},
	{"a tab and the report", LINE_FIELD_TEXT, offsetof(struct history_entry, report)},
	{"a tab and the function", LINE_FIELD_TEXT, offsetof(struct history_entry, function)},
	{"a tab and the work", LINE_FIELD_LATER_TEXT, offsetof(struct history_entry, work)},
	{NULL, LINE_FIELD_TEXT, 0},
};

int
history_entry_parse(struct history_entry *entry, const struct location *at, struct arena *arena,
	struct err *err)
{
	*entry = (struct history_entry){.work = ""};
	return fields_parse(fields, entry, at, arena, err) < 0 ? -1 : check_numbers(entry, at, err);
}

int
history_entry_compare(const struct history_entry *a, const struct history_entry *b)
{
	int order = (a->started > b->started) - (a->started < b->started);

	order = order ? order : strcmp(a->commit, b->commit);
	order = order ? order : strcmp(a->metric, b->metric);
	order = order ? order : (a->paired > b->paired) - (a->paired < b->paired);
	order = order ? order : strcmp(a->against, b->against);
	return order ? order : strcmp(a->function, b->function);
}
