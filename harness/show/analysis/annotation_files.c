#include "analysis/annotation_files.h"

#include "analysis/source_text.h"
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

uint32_t
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

struct line_range
annotation_line_after(const struct annotation_file *file, uint32_t line)
{
	const int64_t moved = line + file->shift;

	if (file->map.count > 0)
		return line_map_find(&file->map, line);
	if (line == 0 || moved <= 0 || moved > UINT32_MAX)
		return (struct line_range){line, line};
	return (struct line_range){(uint32_t)moved, (uint32_t)moved};
}

void
annotation_files_init(struct annotation_files *files)
{
	*files = (struct annotation_files){.cells = {CELLS_OF_ALL}};
}

void
annotation_files_release(struct annotation_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		line_map_release(&files->all[i].map);
	free(files->all);
}
