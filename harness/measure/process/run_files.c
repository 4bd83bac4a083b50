#include "process/run_files.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void
run_files_release(struct run_files *files)
{
	map_release(&files->by_path);
	arena_release(&files->arena);
	free(files->files);
	*files = (struct run_files){0};
}

static struct run_file *
find_path(const struct run_files *files, const char *path, uint64_t hash)
{
	for (struct map_search search = map_search(&files->by_path, hash); map_next(&search);)
		if (strcmp(files->files[search.id].path, path) == 0)
			return &files->files[search.id];
	return NULL;
}

const struct run_file *
run_files_find(const struct run_files *files, const char *path)
{
	return find_path(files, path, hash_bytes(path, strlen(path)));
}

void
run_files_add(struct run_files *files, const struct run_file *file)
{
	const uint64_t hash = hash_bytes(file->path, strlen(file->path));
	struct run_file *there = find_path(files, file->path, hash);

	if (there) {
		there->uses |= file->uses;
		return;
	}
	files->files =
		mem_grow(files->files, &files->capacity, files->count + 1, sizeof(*files->files));
	files->files[files->count] = (struct run_file){
		.path = arena_strdup(&files->arena, file->path),
		.name = arena_strdup(&files->arena, file->name),
		.by = arena_strdup(&files->arena, file->by),
		.uses = file->uses,
	};
	map_add(&files->by_path, hash, (uint32_t)files->count++);
}
