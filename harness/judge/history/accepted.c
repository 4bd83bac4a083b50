#include "history/accepted.h"

#include "base/file.h"
#include "base/file_view.h"
#include "base/lines.h"
#include "base/mem.h"
#include "format/figures.h"
#include "history/history_add.h"
#include "history/line_fields.h"

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#define ACCEPTED_NAME "accepted.tsv"
#define ACCEPTED_HEADER "# profile_run accepted 1: since\tworkload\tfunction\treason\tissue\n"
#define ACCEPTED_MAX ((size_t)16 * 1024 * 1024)

static const struct line_field accepted_fields[] = {
	{"the first night", LINE_FIELD_TIME, offsetof(struct accepted, since)},
	{"a tab and the workload", LINE_FIELD_TEXT, offsetof(struct accepted, workload)},
	{"a tab and the function", LINE_FIELD_TEXT, offsetof(struct accepted, function)},
	{"a tab and the reason", LINE_FIELD_TEXT, offsetof(struct accepted, reason)},
	{"a tab and the issue", LINE_FIELD_TEXT, offsetof(struct accepted, issue)},
	{NULL, LINE_FIELD_TEXT, 0},
};

static int
parse_accepted(
	struct accepted_list *list, const char *path, const struct file_view *view, struct err *err)
{
	struct lines lines;
	struct line line;
	int more;

	lines_init(&lines, view);
	while ((more = lines_next(&lines, &line, err)) > 0) {
		const struct location here = lines_location(&lines, path, line, line.at);

		if (line.len == 0 || line.at[0] == '#')
			continue;
		list->items = mem_grow(
			list->items, &list->capacity, list->count + 1, sizeof(*list->items));
		if (fields_parse(accepted_fields, &list->items[list->count], &here, &list->arena,
			    err) < 0)
			return -1;
		list->count++;
	}
	return more;
}

int
accepted_read(struct accepted_list *list, const char *dir, struct err *err)
{
	char *path = file_join(dir, ACCEPTED_NAME);
	struct file_view view;
	int result = 0;

	*list = (struct accepted_list){0};
	if (file_exists(path)) {
		result = file_view_open(&view, path, err);
		if (result == 0) {
			result = parse_accepted(list, path, &view, err);
			file_view_close(&view);
		}
	}
	if (result < 0)
		accepted_release(list);
	free(path);
	return result;
}

void
accepted_release(struct accepted_list *list)
{
	free(list->items);
	arena_release(&list->arena);
	*list = (struct accepted_list){0};
}

static void
put_accepted(struct buf *out, const struct accepted *item)
{
	format_time(out, item->since);
	buf_putc(out, '\t');
	fields_put_text(out, item->workload);
	buf_putc(out, '\t');
	fields_put_text(out, item->function);
	buf_putc(out, '\t');
	fields_put_text(out, item->reason);
	buf_putc(out, '\t');
	fields_put_text(out, item->issue);
	buf_putc(out, '\n');
}

static int
append_accepted(const char *dir, const struct accepted *item, struct err *err)
{
	char *path = file_join(dir, ACCEPTED_NAME);
	struct buf text = {0};
	int result = 0;

	if (file_exists(path))
		result = file_read(path, &text, ACCEPTED_MAX, err);
	else
		buf_puts(&text, ACCEPTED_HEADER);
	if (result == 0) {
		if (text.len > 0 && text.data[text.len - 1] != '\n')
			buf_putc(&text, '\n');
		put_accepted(&text, item);
		result = file_write(path, buf_text(&text), text.len, err);
	}
	buf_release(&text);
	free(path);
	return result;
}

int
accepted_add(const char *dir, const struct accepted *item, struct err *err)
{
	int lock = history_lock(dir, err);

	if (lock < 0)
		return -1;
	int result = append_accepted(dir, item, err);

	close(lock);
	return result;
}
