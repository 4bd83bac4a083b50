#include "history/import.h"

#include "base/file_view.h"
#include "base/mem.h"
#include "history/entry.h"
#include "history/import_internal.h"
#include "ingest/ingest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct history_file *
file_of(struct import *import, const struct import_value *value)
{
	struct history *history = import->history;
	struct buf key = {0};

	buf_puts(&key, value->machine_class);
	buf_putc(&key, '\n');
	buf_puts(&key, value->workload);
	struct text_entry *found = text_map_find(&import->series, buf_text(&key), key.len);

	if (!found) {
		found = text_map_add(
			&import->series, buf_text(&key), key.len, (uint32_t)history->nfiles);
		history->files = mem_grow(history->files, &history->capacity, history->nfiles + 1,
			sizeof(*history->files));
		history->files[history->nfiles++] = (struct history_file){
			.machine_class = arena_strdup(&history->arena, value->machine_class),
			.workload = arena_strdup(&history->arena, value->workload),
		};
	}
	buf_release(&key);
	return &history->files[found->value];
}

/* The unit that a rate counts: "ops" of "ops/s" and of "operations / second (ops/s)"; or NULL. */
static char *
counted_unit(const char *unit)
{
	static const char *const ends[] = {
		"/s", "/sec", "/second", " / second", " per second", NULL};
	const char *open = strrchr(unit, '(');
	const char *start = open && strchr(open, ')') ? open + 1 : unit;
	const size_t len = open && strchr(open, ')') ? strcspn(start, ")") : strlen(start);

	for (const char *const *end = ends; *end; end++) {
		const size_t end_len = strlen(*end);

		if (len > end_len && memcmp(start + len - end_len, *end, end_len) == 0)
			return mem_dup(start, len - end_len);
	}
	return NULL;
}

/* The inverse unit of a rate: "s/ops" for "ops/s". */
static const char *
cost_unit(const char *unit, const char *counted, bool is_rate, struct arena *arena)
{
	struct buf text = {0};

	if (counted)
		buf_printf(&text, "s/%s", counted);
	else
		buf_printf(&text, "%s%s", is_rate ? "1/" : "", unit);
	const char *kept = arena_strdup(arena, buf_text(&text));

	buf_release(&text);
	return kept;
}

static void
append_value(struct import *import, const struct import_value *value, double cost, const char *unit)
{
	struct arena *arena = &import->history->arena;
	struct history_file *file = file_of(import, value);

	file->entries = mem_grow(
		file->entries, &file->capacity, file->nentries + 1, sizeof(*file->entries));
	file->entries[file->nentries++] = (struct history_entry){
		.started = value->started,
		.commit = arena_strdup(arena, value->commit),
		.metric = arena_strdup(arena, value->metric),
		.unit = unit,
		.cost = cost,
		.error = value->error / value->value,
		.against = "",
		.ratio = NAN,
		.ratio_error = NAN,
		.version = "",
		.report = history_is_url(value->link) ? arena_strdup(arena, value->link) : "",
		.work = "",
		.function = arena_strdup(arena, value->function),
	};
}

void
import_add(struct import *import, const struct import_value *value)
{
	char *counted = counted_unit(value->unit);
	const bool is_rate = value->is_rate || counted;
	const double cost = is_rate ? 1 / value->value : value->value;

	if (value->value > 0 && cost > 0 && isfinite(cost))
		append_value(import, value, cost,
			cost_unit(value->unit, counted, is_rate, &import->history->arena));
	else if (import->nskipped++ == 0)
		import->first_skipped = value->at;
	free(counted);
}

static int
by_measurement(const void *a, const void *b)
{
	const struct history_entry *x = a;
	const struct history_entry *y = b;
	int order = history_entry_compare(x, y);

	order = order ? order : strcmp(x->unit, y->unit);
	return order ? order : (x->cost > y->cost) - (x->cost < y->cost);
}

/* Makes entries[0..n) of one measurement one. */
static struct history_entry
unite_entries(const struct history_entry *entries, size_t n)
{
	struct history_entry mean = entries[0];
	const double count = (double)n;
	double squares = 0;

	if (n == 1)
		return mean;
	mean.cost = 0;
	for (size_t i = 0; i < n; i++)
		mean.cost += entries[i].cost / count;
	for (size_t i = 0; i < n; i++)
		squares += pow(entries[i].cost / mean.cost - 1, 2);
	mean.error = sqrt(squares / (count - 1) / count);
	return mean;
}

static void
unite_file(struct history_file *file)
{
	size_t n = 0;

	qsort(file->entries, file->nentries, sizeof(*file->entries), by_measurement);
	for (size_t from = 0, to; from < file->nentries; from = to) {
		for (to = from + 1;
			to < file->nentries &&
			history_entry_compare(&file->entries[from], &file->entries[to]) == 0 &&
			strcmp(file->entries[from].unit, file->entries[to].unit) == 0;)
			to++;
		file->entries[n++] = unite_entries(&file->entries[from], to - from);
	}
	file->nentries = n;
}

void
import_finish(struct import *import, struct import_skipped *skipped)
{
	for (size_t i = 0; i < import->history->nfiles; i++)
		unite_file(&import->history->files[i]);
	skipped->values = import->nskipped;
	if (import->first_skipped)
		skipped->line = location_at(import->name, import->text, import->len,
			(size_t)(import->first_skipped - import->text))
					.line;
}

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
	import_finish(&import, skipped);
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
