#include "history/import.h"

#include "base/file_view.h"
#include "history/import_entries.h"
#include "ingest/json_file.h"

#include <string.h>

/* Also as data.js has it, "window.BENCHMARK_DATA = {". */
static bool
is_json(const char *text, size_t len)
{
	static const char script[] = "window.";

	return json_file_begins(text, len) ||
	       (len >= sizeof(script) && memcmp(text, script, sizeof(script) - 1) == 0);
}

int
history_import_text(struct history *history, const char *name, const char *text, size_t len,
	struct import_skipped *skipped, struct err *err)
{
	struct import import = {.history = history, .name = name, .text = text, .len = len};

	*history = (struct history){0};
	*skipped = (struct import_skipped){0};
	int result = is_json(text, len) ? import_json(&import, err) : import_table(&import, err);

	text_map_release(&import.series);
	if (result == 0 && history->nfiles == 0)
		result = err_set(err, ERR_INPUT, "%s: there is no value above 0 in it", name);
	if (result < 0) {
		history_release(history);
		return -1;
	}
	import_unite(&import);
	skipped->values = import.nskipped;
	if (import.first_skipped)
		skipped->line =
			location_at(name, text, len, (size_t)(import.first_skipped - text)).line;
	return 0;
}

int
history_import(
	struct history *history, const char *path, struct import_skipped *skipped, struct err *err)
{
	struct file_view view;

	if (file_view_open(&view, path, err) < 0)
		return -1;
	int result = history_import_text(history, strcmp(path, "-") == 0 ? "standard input" : path,
		view.data, view.len, skipped, err);

	if (result == 0 && file_view_was_cut(&view)) {
		history_release(history);
		result = err_set(err, ERR_INPUT, "%s: became shorter while it was read", path);
	}
	file_view_close(&view);
	return result;
}
