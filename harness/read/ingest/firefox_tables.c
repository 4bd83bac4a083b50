/*
 * Tables of the Firefox Profiler: as columns,
 *
 *     "stackTable": {"prefix": [null, 0], "frame": [0, 1], "length": 2}
 *
 * or, as Firefox and `perf script report gecko` write them, as rows:
 *
 *     "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0], [0, 1]]}
 */
#include "base/mem.h"
#include "ingest/firefox_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the tables of the file are called, and their columns. */
static const char *const stack_columns[] = {"prefix", "prefixOffset", "frame", "category", NULL};
static const char *const frame_columns[] = {
	"func", "location", "inlineDepth", "lib", "category", NULL};
static const char *const func_columns[] = {
	"name", "fileName", "source", "lineNumber", "resource", NULL};
static const char *const resource_columns[] = {"name", NULL};
static const char *const source_columns[] = {"filename", NULL};
static const char *const sample_columns[] = {"stack", "weight", NULL};

static const struct file_table {
	const char *name;
	const char *const *columns;
	enum firefox_column_id first;
} file_tables[] = {
	{"stackTable", stack_columns, STACK_PREFIX},
	{"frameTable", frame_columns, FRAME_FUNC},
	{"funcTable", func_columns, FUNC_NAME},
	{"resourceTable", resource_columns, RESOURCE_NAME},
	{"sources", source_columns, SOURCE_FILE},
	{"samples", sample_columns, SAMPLE_STACK},
};

/* More columns than any table has. */
#define ROW_ITEMS_MAX 64

static void
push(struct firefox_column *column, double value)
{
	column->values = mem_grow(
		column->values, &column->capacity, column->count + 1, sizeof(*column->values));
	column->values[column->count++] = value;
}

static double
read_number(struct json_pull *json)
{
	double number = NAN;

	json_pull_number(json, &number);
	return number;
}

static void
read_column(struct json_pull *json, struct firefox_column *column)
{
	column->count = 0;
	if (!json_pull_list(json))
		return;
	while (json_pull_item(json))
		push(column, read_number(json));
}

/* The number of the name among the columns; -1: it is another one. */
static int
find_name(const char *const *names, struct json_text key)
{
	for (int i = 0; names[i]; i++)
		if (json_text_is(key, names[i]))
			return i;
	return -1;
}

/* Where in a row each column is; -1: nowhere. */
struct schema {
	int column_of[ROW_ITEMS_MAX]; /* the number among the columns, by the place in a row */
	bool has[FIREFOX_NCOLUMNS];   /* by the number of the column */
};

static void
read_schema(struct json_pull *json, const char *const *names, struct schema *schema)
{
	struct json_text key;
	uint64_t place;

	if (!json_pull_object(json))
		return;
	while (json_pull_key(json, &key)) {
		const int column = find_name(names, key);

		if (!json_pull_whole(json, ROW_ITEMS_MAX, &place) || column < 0)
			continue;
		schema->column_of[place] = column;
		schema->has[column] = true;
	}
}

/* A row may end ahead of its last columns. */
static void
read_row(struct json_pull *json, const struct schema *schema, struct firefox_column *columns,
	size_t ncolumns)
{
	const bool is_list = json_pull_list(json);

	for (size_t i = 0; i < ncolumns; i++)
		if (schema->has[i])
			push(&columns[i], NAN);
	for (size_t place = 0; is_list && json_pull_item(json); place++) {
		const int column = place < ROW_ITEMS_MAX ? schema->column_of[place] : -1;
		const double value = read_number(json);

		if (column >= 0)
			columns[column].values[columns[column].count - 1] = value;
	}
}

static void
read_rows(struct json_pull *json, const struct schema *schema, struct firefox_column *columns,
	size_t ncolumns)
{
	for (size_t i = 0; i < ncolumns; i++)
		columns[i].count = 0;
	if (!json_pull_list(json))
		return;
	while (json_pull_item(json))
		read_row(json, schema, columns, ncolumns);
}

/* The rows of a raw table that stand ahead of their schema. */
static void
read_rows_at(struct json_pull *json, struct json_place rows, const struct schema *schema,
	struct firefox_column *columns, size_t ncolumns)
{
	const struct json_place end = json_pull_place(json);

	json_pull_go(json, rows);
	read_rows(json, schema, columns, ncolumns);
	json_pull_go(json, end);
}

static void
read_weight_type(struct json_pull *json, struct profile *profile, struct firefox_tables *into)
{
	struct json_text type;

	if (json_pull_text(json, &type))
		into->weight_type = strtab_intern(&profile->strings, type.at, type.len);
}

static void
read_table(struct json_pull *json, const struct file_table *table, struct profile *profile,
	struct firefox_tables *into)
{
	struct firefox_column *columns = &into->columns[table->first];
	struct schema schema = {.has = {false}};
	struct json_place rows = {0};
	struct json_text key;
	bool has_schema = false;
	bool has_rows = false;
	bool waits = false;
	size_t ncolumns = 0;

	memset(schema.column_of, -1, sizeof(schema.column_of));
	while (table->columns[ncolumns])
		ncolumns++;
	if (!json_pull_object(json))
		return;
	while (json_pull_key(json, &key)) {
		const int column = find_name(table->columns, key);

		if (json_text_is(key, "schema")) {
			has_schema = true;
			read_schema(json, table->columns, &schema);
		} else if (json_text_is(key, "data") && !has_rows) {
			has_rows = true;
			waits = !has_schema;
			rows = json_pull_place(json);
			if (waits)
				json_pull_skip(json);
			else
				read_rows(json, &schema, columns, ncolumns);
		} else if (column >= 0) {
			read_column(json, &columns[column]);
		} else if (table->first == SAMPLE_STACK && json_text_is(key, "weightType")) {
			read_weight_type(json, profile, into);
		} else {
			json_pull_skip(json);
		}
	}
	if (waits && !json_pull_failed(json))
		read_rows_at(json, rows, &schema, columns, ncolumns);
}

static void
read_texts(struct json_pull *json, struct profile *profile, struct firefox_tables *into)
{
	struct json_text text;

	into->ntexts = 0;
	if (!json_pull_list(json))
		return;
	while (json_pull_item(json)) {
		const str_id id = json_pull_text(json, &text)
					  ? strtab_intern(&profile->strings, text.at, text.len)
					  : 0;

		into->texts = mem_grow(
			into->texts, &into->texts_capacity, into->ntexts + 1, sizeof(*into->texts));
		into->texts[into->ntexts++] = id;
	}
}

/* The name is copied: text that is read after it may take its place. */
bool
firefox_next_name(struct json_pull *json, struct buf *name)
{
	static const char *const keys[] = {"name", NULL};
	struct json_fields fields = JSON_FIELDS(keys);
	struct json_text text;

	buf_clear(name);
	if (!json_pull_item(json))
		return false;
	if (json_pull_object(json))
		while (json_pull_field(json, &fields) >= 0)
			if (json_pull_text(json, &text))
				buf_put(name, text.at, text.len);
	return true;
}

static void
read_libs(struct json_pull *json, struct profile *profile, struct firefox_tables *into)
{
	struct buf name = {0};

	into->nlibs = 0;
	if (!json_pull_list(json))
		return;
	while (firefox_next_name(json, &name)) {
		into->libs = mem_grow(
			into->libs, &into->libs_capacity, into->nlibs + 1, sizeof(*into->libs));
		into->libs[into->nlibs++] =
			strtab_intern(&profile->strings, buf_text(&name), name.len);
	}
	buf_release(&name);
}

bool
firefox_take_table(struct json_pull *json, struct json_text key, struct profile *profile,
	struct firefox_tables *into)
{
	for (size_t i = 0; i < sizeof(file_tables) / sizeof(file_tables[0]); i++) {
		if (!json_text_is(key, file_tables[i].name))
			continue;
		read_table(json, &file_tables[i], profile, into);
		return true;
	}
	if (json_text_is(key, "libs"))
		read_libs(json, profile, into);
	else if (json_text_is(key, "stringArray") || json_text_is(key, "stringTable"))
		read_texts(json, profile, into);
	else
		return false;
	return true;
}

uint32_t
firefox_row(const struct firefox_tables *tables, enum firefox_column_id column, size_t row,
	size_t limit)
{
	const struct firefox_column *values = &tables->columns[column];
	const double value = row < values->count ? values->values[row] : NAN;

	if (!(value >= 0) || !(value < (double)limit) || value != floor(value) ||
		!(value < FIREFOX_NONE))
		return FIREFOX_NONE;
	return (uint32_t)value;
}

str_id
firefox_text(const struct firefox_tables *tables, enum firefox_column_id column, size_t row)
{
	const uint32_t text = firefox_row(tables, column, row, tables->ntexts);

	return text == FIREFOX_NONE ? 0 : tables->texts[text];
}

void
firefox_tables_release(struct firefox_tables *tables)
{
	for (size_t i = 0; i < FIREFOX_NCOLUMNS; i++)
		free(tables->columns[i].values);
	free(tables->texts);
	free(tables->libs);
	*tables = (struct firefox_tables){0};
}
