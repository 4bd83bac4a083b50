#include "analysis/annotation.h"

#include "analysis/line_map.h"
#include "base/file.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Cells of the tables that all files of a function are compared by: a tenth of a second. */
#define CELLS_OF_ALL ((uint64_t)32 << 20)

/* Builds in two folders name a file with two paths. */
static bool
same_name(const char *a, const char *b)
{
	return a && b ? strcmp(file_basename(a), file_basename(b)) == 0 : a == b;
}

static bool
same_path(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* The number of bytes at their ends that are the same. */
static size_t
same_end(const char *a, const char *b)
{
	const size_t a_len = a ? strlen(a) : 0;
	const size_t b_len = b ? strlen(b) : 0;
	size_t same = 0;

	while (same < a_len && same < b_len && a[a_len - 1 - same] == b[b_len - 1 - same])
		same++;
	return same;
}

/* The file that has the function itself; it may have another name in another build. */
static bool
is_own(const struct annotation_files *files, size_t side, const char *path)
{
	return path && files->own[side] && same_name(path, files->own[side]);
}

/* The file of this path, or of the other side the one whose path is most alike; nfiles: none. */
static size_t
find_file(const struct annotation_files *files, size_t side, const char *path)
{
	const bool own = is_own(files, side, path);
	size_t found = files->count;
	size_t most = 0;

	for (size_t i = 0; i < files->count; i++) {
		const struct annotation_file *file = &files->all[i];

		if (file->side == side && same_path(file->path, path))
			return i;
		const bool both_own = own && is_own(files, file->side, file->path);

		if (file->side == side || (!both_own && !same_name(file->path, path)))
			continue;
		const size_t same = both_own ? SIZE_MAX : same_end(file->path, path);

		if (found < files->count && same <= most)
			continue;
		found = i;
		most = same;
	}
	return found;
}

/* The text that debug information names, as it was when the program was built. */
static bool
find_source(const struct source_place *place, const char *path, struct source_text *source)
{
	if (place->folder || path[0] == '/' || !place->root)
		return source_text_find(source, path, place->folder);
	char *below = file_join(place->root, path);
	const bool found = source_text_find(source, below, NULL);

	free(below);
	return found;
}

/* A text that was changed since, or is the other side's, too, is not known to be this side's. */
static bool
find_sources(const struct annotation_files *files, const char *const paths[2],
	struct source_text sources[2])
{
	for (size_t i = 0; i < 2; i++) {
		const struct source_place *place = &files->places[i];

		if (!paths[i] || !find_source(place, paths[i], &sources[i]) ||
			(place->built_s > 0 && sources[i].written_s > place->built_s))
			return false;
	}
	return strcmp(sources[0].path, sources[1].path) != 0;
}

/*
 * Where one of the texts is not known, lines of the function's own file are taken to have moved as
 * its declaration did.
 */
static void
compare_sources(
	struct annotation_files *files, struct annotation_file *file, const char *path_before)
{
	const char *const paths[2] = {path_before, file->path};
	const bool own = is_own(files, 0, paths[0]) && is_own(files, 1, paths[1]);
	const uint32_t none[2] = {0};
	struct source_text sources[2] = {{0}};

	file->is_compared = true;
	file->shift = own ? (int64_t)files->declared[1] - files->declared[0] : 0;
	if (find_sources(files, paths, sources))
		line_map_init(&file->map, &sources[0], &sources[1], own ? files->declared : none,
			&files->cells);
	source_text_release(&sources[0]);
	source_text_release(&sources[1]);
}

/*
 * Index of the file that a side calls `path`, added if need be. Files of the last side are added
 * first.
 */
static uint32_t
annotation_file_of(struct annotation_files *files, size_t side, const char *path)
{
	const size_t found = find_file(files, side, path);

	if (found == files->count) {
		files->all = mem_grow(
			files->all, &files->capacity, files->count + 1, sizeof(*files->all));
		files->all[files->count++] = (struct annotation_file){.path = path, .side = side};
	}
	struct annotation_file *file = &files->all[found];

	if (file->side != side && !file->is_compared)
		compare_sources(files, file, path);
	return (uint32_t)found;
}

/* Where a line of the side before is on the last side; zeros: it is gone, or not known. */
static struct line_range
annotation_line_after(const struct annotation_file *file, uint32_t line)
{
	const int64_t moved = line + file->shift;

	if (file->map.count > 0)
		return line_map_find(&file->map, line);
	if (line == 0 || moved <= 0 || moved > UINT32_MAX)
		return (struct line_range){line, line};
	return (struct line_range){(uint32_t)moved, (uint32_t)moved};
}

static void
annotation_files_init(struct annotation_files *files)
{
	*files = (struct annotation_files){.cells = {CELLS_OF_ALL}};
}

static void
annotation_files_release(struct annotation_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		line_map_release(&files->all[i].map);
	free(files->all);
}

const struct annotation_side *
annotation_last(const struct annotation *annotation)
{
	return &annotation->sides[annotation->nsides - 1];
}

/* The cost of one execution, mean over the runs; 0: not known. */
static double
cost_of(const struct profile *profile)
{
	double sum = 0;

	for (size_t i = 0; i < profile->nruns; i++) {
		if (profile->runs[i].cost_total <= 0)
			return 0;
		sum += profile->runs[i].cost_total;
	}
	return profile->nruns > 0 ? sum / (double)profile->nruns : 0;
}

double
annotation_figure(const struct annotation_rows *rows, size_t side, double weight)
{
	const struct annotation_side *from = &rows->annotation->sides[side];
	const double whole = from->weights->whole;
	const double share = whole > 0 ? weight / whole : 0;

	if (rows->costs && from->own_cost > 0 && from->weights->self > 0)
		return weight / from->weights->self * from->own_cost;
	return rows->costs ? share * cost_of(from->profile) : share;
}

size_t
annotation_first_cell(const struct annotation_rows *rows, size_t row)
{
	size_t low = 0;
	size_t high = rows->ncells;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (rows->cells[middle].row < row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const char *
annotation_file_shown(const struct annotation_file *file)
{
	return file->shown ? file->shown : file->path ? file->path : "";
}

/* For its frame, inlined or not, that has one. */
const struct frame *
annotation_declaration(const struct annotation_side *side)
{
	const struct profile *profile = side->profile;
	const str_id name = strtab_find(
		&profile->strings, side->weights->function, strlen(side->weights->function));

	for (size_t i = 1; name && i < profile->frames.nframes; i++)
		if (profile->frames.frames[i].name == name && profile->frames.frames[i].file)
			return &profile->frames.frames[i];
	return NULL;
}

static struct annotation_row *
row_of(struct annotation_rows *rows, uint32_t file, uint32_t line)
{
	const uint32_t index = key_map_add(&rows->by_line, key_of_pair(file, line));

	if (index == rows->count) {
		rows->rows =
			mem_grow(rows->rows, &rows->capacity, rows->count + 1, sizeof(*rows->rows));
		rows->rows[rows->count++] = (struct annotation_row){.file = file, .line = line};
	}
	return &rows->rows[index];
}

/* Adds a part of a line's weight; returns its number in `by_line`. */
static uint32_t
add_line(struct annotation_rows *rows, size_t side, uint32_t file, uint32_t number,
	const struct line_weight *line, double part)
{
	struct annotation_row *row = row_of(rows, file, number);

	row->self[side] += line->self * part;
	row->total[side] += line->total * part;
	return (uint32_t)(row - rows->rows);
}

/* The weight after the change of a line. */
static double
weight_after(const struct annotation_rows *rows, uint32_t file, uint32_t line)
{
	const uint32_t index = key_map_find(&rows->by_line, key_of_pair(file, line));

	return index == KEY_MAP_NONE ? 0 : rows->rows[index].total[1];
}

/*
 * Adds a line of the side before where it is after the change. Of a line that became several each
 * gets as much of it as it has of their weight; returns the number of the one with most.
 */
static uint32_t
add_line_before(struct annotation_rows *rows, uint32_t file, const struct line_weight *line)
{
	const struct line_range range = annotation_line_after(&rows->files.all[file], line->line);
	uint32_t most = range.first;
	double sum = 0;

	if (range.first == range.last)
		return add_line(rows, 0, file, range.first, line, 1);
	for (uint32_t at = range.first; at <= range.last; at++) {
		sum += weight_after(rows, file, at);
		if (weight_after(rows, file, at) > weight_after(rows, file, most))
			most = at;
	}
	for (uint32_t at = range.first; at <= range.last && sum > 0; at++)
		if (at != most && weight_after(rows, file, at) > 0)
			add_line(rows, 0, file, at, line, weight_after(rows, file, at) / sum);
	return add_line(
		rows, 0, file, most, line, sum > 0 ? weight_after(rows, file, most) / sum : 1);
}

/* Sets numbers[i] to the number of line i in `by_line`. The last side is the first to be added. */
static void
add_side(struct annotation_rows *rows, size_t side, uint32_t *numbers)
{
	const struct annotation *annotation = rows->annotation;
	const struct line_weights *weights = annotation->sides[side].weights;

	for (size_t i = 0; i < weights->nlines; i++) {
		const struct line_weight *line = &weights->lines[i];
		const uint32_t file = annotation_file_of(
			&rows->files, side, line_weights_file(weights, line->file));

		rows->files.all[file].weight += line->total;
		numbers[i] = side + 1 == annotation->nsides
				     ? add_line(rows, side, file, line->line, line, 1)
				     : add_line_before(rows, file, line);
	}
}

static double
larger_total(const struct annotation_row *row)
{
	return row->total[0] > row->total[1] ? row->total[0] : row->total[1];
}

static int
compare_totals(const void *a, const void *b)
{
	const double one = larger_total(a);
	const double other = larger_total(b);

	return (one < other) - (one > other);
}

/* Keeps those with most weight; of equal ones it does not matter which. */
static void
keep_most(struct annotation_rows *rows, size_t most)
{
	if (most == 0 || rows->count <= most)
		return;
	qsort(rows->rows, rows->count, sizeof(*rows->rows), compare_totals);
	rows->left_out = rows->count - most;
	rows->count = most;
}

/* The file with most weight first, each by its lines. */
static int
compare_rows(const void *a, const void *b, void *context)
{
	const struct annotation_rows *rows = context;
	const struct annotation_row *one = a;
	const struct annotation_row *other = b;
	const double first = rows->files.all[one->file].weight;
	const double second = rows->files.all[other->file].weight;

	if (one->file == other->file)
		return (one->line > other->line) - (one->line < other->line);
	if (first != second)
		return first > second ? -1 : 1;
	return one->file < other->file ? -1 : 1;
}

size_t
annotation_instruction_of(
	const struct annotation *annotation, size_t side, const struct code_weight *code)
{
	const struct annotation_code *all = &annotation->code[side];
	size_t low = 0;
	size_t high = all->count;

	while (low < high) {
		const size_t middle = (low + high) / 2;
		const struct annotation_instruction *at = &all->instructions[middle];

		if (at->module < code->module ||
			(at->module == code->module && at->offset <= code->offset))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return SIZE_MAX;
	const struct annotation_instruction *found = &all->instructions[low - 1];

	if (found->module != code->module || code->offset - found->offset >= found->bytes)
		return SIZE_MAX;
	if (side + 1 == annotation->nsides)
		return low - 1;
	return found->same != UINT32_MAX ? found->same : SIZE_MAX;
}

/* Where the rows are now that they are in order, by their number in `by_line`; free() it. */
static uint32_t *
places_of_rows(const struct annotation_rows *rows)
{
	uint32_t *places = mem_zalloc(rows->by_line.count + 1, sizeof(*places));

	for (size_t i = 0; i < rows->by_line.count; i++)
		places[i] = UINT32_MAX;
	for (size_t i = 0; i < rows->count; i++)
		places[key_map_find(&rows->by_line,
			key_of_pair(rows->rows[i].file, rows->rows[i].line))] = (uint32_t)i;
	return places;
}

/* Adds the instructions of a side with weight, those before as the ones that they are after. */
static void
add_cells(
	struct annotation_rows *rows, size_t side, const uint32_t *numbers, const uint32_t *places)
{
	const struct annotation *annotation = rows->annotation;
	const struct line_weights *weights = annotation->sides[side].weights;

	for (size_t i = 0; i < weights->ncodes; i++) {
		const struct code_weight *code = &weights->codes[i];
		const uint32_t row = places[numbers[code->line]];
		const size_t at = row == UINT32_MAX
					  ? SIZE_MAX
					  : annotation_instruction_of(annotation, side, code);

		if (at == SIZE_MAX)
			continue;
		rows->cells = mem_grow(
			rows->cells, &rows->cells_capacity, rows->ncells + 1, sizeof(*rows->cells));
		struct annotation_cell *cell = &rows->cells[rows->ncells++];

		*cell = (struct annotation_cell){.row = row, .instruction = (uint32_t)at};
		cell->self[side] = code->self;
		cell->total[side] = code->total;
	}
}

static int
compare_cells(const void *a, const void *b)
{
	const struct annotation_cell *one = a;
	const struct annotation_cell *other = b;

	if (one->row != other->row)
		return one->row < other->row ? -1 : 1;
	return (one->instruction > other->instruction) - (one->instruction < other->instruction);
}

/* Adds up those of one instruction and line. */
static void
join_cells(struct annotation_rows *rows)
{
	size_t count = 0;

	if (rows->ncells > 0)
		qsort(rows->cells, rows->ncells, sizeof(*rows->cells), compare_cells);
	for (size_t i = 0; i < rows->ncells; i++) {
		const struct annotation_cell cell = rows->cells[i];

		if (count == 0 || compare_cells(&rows->cells[count - 1], &cell) != 0) {
			rows->cells[count++] = cell;
			continue;
		}
		for (size_t side = 0; side < 2; side++) {
			rows->cells[count - 1].self[side] += cell.self[side];
			rows->cells[count - 1].total[side] += cell.total[side];
		}
	}
	rows->ncells = count;
}

/* Where the sides' sources are, and the function in them. */
static void
find_declarations(struct annotation_rows *rows)
{
	struct annotation_files *files = &rows->files;

	for (size_t i = 0; i < rows->annotation->nsides; i++) {
		const struct annotation_side *side = &rows->annotation->sides[i];
		const struct frame *frame = annotation_declaration(side);

		files->places[i] = side->sources;
		files->own[i] = frame ? strtab_str(&side->profile->strings, frame->file) : NULL;
		files->declared[i] = frame ? frame->line : 0;
	}
}

void
annotation_rows_init(struct annotation_rows *rows, const struct annotation *annotation)
{
	const size_t nsides = annotation->nsides;

	*rows = (struct annotation_rows){.annotation = annotation};
	annotation_files_init(&rows->files);
	find_declarations(rows);
	if (nsides == 2)
		rows->costs = cost_of(annotation->sides[0].profile) > 0 &&
			      cost_of(annotation->sides[1].profile) > 0;
	uint32_t *numbers[2] = {NULL};

	for (size_t i = nsides; i-- > 0;) {
		numbers[i] =
			mem_zalloc(annotation->sides[i].weights->nlines + 1, sizeof(*numbers[i]));
		add_side(rows, i, numbers[i]);
	}
	keep_most(rows, annotation->most_lines);
	if (rows->count > 0)
		qsort_r(rows->rows, rows->count, sizeof(*rows->rows), compare_rows, rows);
	uint32_t *places = places_of_rows(rows);

	for (size_t i = 0; i < nsides; i++) {
		add_cells(rows, i, numbers[i], places);
		free(numbers[i]);
	}
	free(places);
	join_cells(rows);
}

void
annotation_rows_release(struct annotation_rows *rows)
{
	annotation_files_release(&rows->files);
	free(rows->rows);
	free(rows->cells);
	key_map_release(&rows->by_line);
}
