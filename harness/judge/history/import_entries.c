#include "history/import_entries.h"

#include "base/mem.h"

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
append(struct import *import, const struct import_value *value, double cost, const char *unit)
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
		append(import, value, cost,
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
mean_of(const struct history_entry *entries, size_t n)
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
		file->entries[n++] = mean_of(&file->entries[from], to - from);
	}
	file->nentries = n;
}

void
import_unite(struct import *import)
{
	for (size_t i = 0; i < import->history->nfiles; i++)
		unite_file(&import->history->files[i]);
}
