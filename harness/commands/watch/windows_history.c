#include "watch/windows_history.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/file_view.h"
#include "base/map.h"
#include "base/mem.h"
#include "history/history_files.h"
#include "profile/folded.h"
#include "profile/functions.h"
#include "profile/profile.h"
#include "watch/windows.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A program or function is followed from this share, and from so many samples a window, on. */
#define LEAST_SHARE 0.01
#define LEAST_SAMPLES 5
#define PERCENT 100

/* Adds a window to the profile, as a column. */
static int
read_window(struct profile *profile, const char *dir, int64_t started, struct err *err)
{
	char *path = windows_path(dir, started);
	struct file_view view;
	int result = file_view_open(&view, path, err);

	if (result == 0) {
		result = folded_read_view(profile, path, &view, err);
		file_view_close(&view);
	}
	free(path);
	return result;
}

/* The weights of a program (function 0), or of a function's own code in it, by column. */
struct row {
	frame_id program;
	frame_id function;
	double *weights;
};

/* The weights of all windows, by program and function. */
struct table {
	struct profile profile; /* one column for each window */
	struct windows windows;
	struct key_map keys; /* pairs of program and function */
	struct row *rows;    /* by key; the row of a program is ahead of those of its functions */
	size_t capacity;
	double *totals; /* by column */
};

static double *
row_of(struct table *table, frame_id program, frame_id function)
{
	uint32_t number = key_map_add(&table->keys, key_of_pair(program, function));

	table->rows =
		mem_grow(table->rows, &table->capacity, table->keys.count, sizeof(*table->rows));
	struct row *row = &table->rows[number];

	if (!row->weights) {
		row->program = program;
		row->function = function;
		row->weights = mem_zalloc(table->windows.count, sizeof(*row->weights));
	}
	return row->weights;
}

/* Adds up the rows from the call tree. */
static void
sum_up(struct table *table)
{
	const struct ctree *tree = &table->profile.tree;
	frame_id *code = functions_code(&table->profile);
	frame_id *program = mem_zalloc(tree->nnodes, sizeof(*program));

	table->totals = mem_zalloc(table->windows.count, sizeof(*table->totals));
	for (node_id node = 1; node < tree->nnodes; node++) {
		node_id parent = tree->nodes[node].parent;

		program[node] = parent == CTREE_ROOT ? tree->nodes[node].frame : program[parent];
		for (size_t column = 0; column < table->windows.count; column++) {
			double weight = ctree_weight(tree, column, node);

			if (weight <= 0)
				continue;
			row_of(table, program[node], 0)[column] += weight;
			row_of(table, program[node], code[node])[column] += weight;
			table->totals[column] += weight;
		}
	}
	free(program);
	free(code);
}

static void
table_release(struct table *table)
{
	for (size_t i = 0; i < table->keys.count; i++)
		free(table->rows[i].weights);
	free(table->rows);
	free(table->totals);
	key_map_release(&table->keys);
	windows_release(&table->windows);
	profile_release(&table->profile);
}

static void
windows_keep_last(struct windows *windows, size_t most)
{
	if (most == 0 || windows->count <= most)
		return;
	memmove(windows->started, windows->started + windows->count - most,
		most * sizeof(*windows->started));
	windows->count = most;
}

static int
table_read(struct table *table, const char *dir, size_t most, struct err *err)
{
	*table = (struct table){.rows = NULL};
	profile_init(&table->profile);
	int result = windows_list(&table->windows, dir, err);

	if (result == 0 && table->windows.count == 0)
		result = err_set(err, ERR_INPUT, "there is no window of a watch in '%s'", dir);
	windows_keep_last(&table->windows, most);
	for (size_t i = 0; result == 0 && i < table->windows.count; i++) {
		result = read_window(&table->profile, dir, table->windows.started[i], err);
		if (result == 0 && table->profile.nruns != i + 1)
			result = err_set(err, ERR_INPUT,
				"a window in '%s' has several runs: expected one", dir);
	}
	if (result < 0) {
		table_release(table);
		return -1;
	}
	sum_up(table);
	return 0;
}

static double
sum(const double *values, size_t from, size_t to)
{
	double all = 0;

	for (size_t i = from; i < to; i++)
		all += values[i];
	return all;
}

/* Whether a part of the whole is large enough in windows [from, n). */
static bool
is_large(const double *part, const double *whole, size_t from, size_t n)
{
	double mean = sum(part, from, n) / (double)(n - from);

	return mean >= LEAST_SAMPLES &&
	       mean * (double)(n - from) >= LEAST_SHARE * sum(whole, from, n);
}

/* Whether it is large enough in all windows, or in the last WINDOWS_RECENT. */
static bool
is_followed(const double *part, const double *whole, size_t n)
{
	return is_large(part, whole, 0, n) ||
	       is_large(part, whole, n > WINDOWS_RECENT ? n - WINDOWS_RECENT : 0, n);
}

/* Adds the shares of `row` in `whole`, one for each window in which there was something. */
static void
add_row(struct history_file *file, const struct table *table, const struct row *row,
	const double *whole, struct arena *arena)
{
	const size_t n = table->windows.count;
	const char *function = "";

	if (!is_followed(row->weights, whole, n))
		return;
	if (row->function) {
		struct buf name = {0};

		profile_put_frame(&table->profile, row->function, &name);
		function = arena_dup(arena, buf_text(&name), name.len);
		buf_release(&name);
	}
	for (size_t i = 0; i < n; i++) {
		double share = (row->weights[i] + 0.5) / (whole[i] + 1);

		if (whole[i] <= 0)
			continue;
		file->entries = mem_grow(
			file->entries, &file->capacity, file->nentries + 1, sizeof(*file->entries));
		file->entries[file->nentries++] = (struct history_entry){
			.started = table->windows.started[i],
			.commit = "",
			.metric = "cpu",
			.unit = "%",
			.cost = PERCENT * share,
			.error = sqrt((1 - share) / (row->weights[i] + 0.5)),
			.against = "",
			.ratio = NAN,
			.ratio_error = NAN,
			.version = "",
			.report = "",
			.work = "",
			.function = function,
		};
	}
}

/* Adds the history of a program and its functions. */
static void
add_program(struct history *history, struct table *table, const struct row *program)
{
	if (!is_followed(program->weights, table->totals, table->windows.count))
		return;
	history->files = mem_grow(
		history->files, &history->capacity, history->nfiles + 1, sizeof(*history->files));
	struct history_file *file = &history->files[history->nfiles++];

	*file = (struct history_file){
		.machine_class = "",
		.workload = arena_strdup(
			&history->arena, profile_frame_name(&table->profile, program->program)),
	};
	for (size_t i = 0; i < table->keys.count; i++) {
		const struct row *row = &table->rows[i];

		if (row->program == program->program)
			add_row(file, table, row, row == program ? table->totals : program->weights,
				&history->arena);
	}
	if (file->nentries > 0)
		qsort(file->entries, file->nentries, sizeof(*file->entries),
			history_by_measurement);
}

static int
compare_files(const void *a, const void *b)
{
	const struct history_file *x = a;
	const struct history_file *y = b;

	return strcmp(x->workload, y->workload);
}

int
windows_read(struct history *history, const char *dir, size_t most, struct err *err)
{
	struct table table;

	*history = (struct history){0};
	if (table_read(&table, dir, most, err) < 0)
		return -1;
	for (size_t i = 0; i < table.keys.count; i++) {
		if (table.rows[i].function == 0)
			add_program(history, &table, &table.rows[i]);
	}
	if (history->nfiles > 0)
		qsort(history->files, history->nfiles, sizeof(*history->files), compare_files);
	table_release(&table);
	return 0;
}

int64_t
windows_recent_from(const struct history *history, unsigned count)
{
	/* Each program has its own entry for every window. */
	const struct history_file *file = history->nfiles > 0 ? &history->files[0] : NULL;

	for (size_t i = file ? file->nentries : 0; i-- > 0;) {
		const struct history_entry *entry = &file->entries[i];

		if (entry->function[0] == '\0' && count-- == 0)
			return entry->started;
	}
	return 0;
}
