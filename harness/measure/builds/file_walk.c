#include "builds/file_walk.h"

#include "base/mem.h"
#include "base/text.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* More than a repository has; a walk of a whole disk ends here. */
#define WALK_ENTRIES_MAX 200000

static bool
is_left_out(const struct file_walk *walk, const char *name)
{
	if (name[0] != '.')
		return false;
	return !walk->hidden || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
	       strcmp(name, ".git") == 0;
}

/*
 * The names in a folder, sorted; free() each and the array. NULL and a broken walk if unreadable.
 * Not by fts_open(): that of glibc crashes where it has no memory.
 */
static char **
read_names(struct file_walk *walk, const char *path, size_t *count)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char **names = NULL;
	size_t capacity = 0;

	*count = 0;
	walk->broken = walk->broken || !dir;
	while (!walk->broken && (entry = readdir(dir))) {
		if (++walk->entries > WALK_ENTRIES_MAX)
			walk->broken = true;
		if (is_left_out(walk, entry->d_name))
			continue;
		names = mem_grow(names, &capacity, *count + 1, sizeof(*names));
		names[(*count)++] = mem_strdup(entry->d_name);
	}
	if (dir)
		closedir(dir);
	if (names)
		qsort(names, *count, sizeof(*names), text_order);
	return names;
}

static void
walk_folder(struct file_walk *walk, const char *path)
{
	size_t count;
	char **names = read_names(walk, path, &count);

	for (size_t i = 0; i < count; i++) {
		char *child = mem_printf("%s/%s", path, names[i]);
		struct stat seen;

		if (!walk->broken && lstat(child, &seen) == 0) {
			if (S_ISDIR(seen.st_mode))
				walk_folder(walk, child);
			else if (S_ISREG(seen.st_mode) || (walk->links && S_ISLNK(seen.st_mode)))
				walk->visit(walk, child, walk->context);
		}
		free(child);
		free(names[i]);
	}
	free(names);
}

bool
file_walk(const char *root, bool hidden,
	void (*visit)(struct file_walk *walk, const char *path, void *context), void *context)
{
	struct file_walk walk = {
		.root_len = strlen(root), .hidden = hidden, .visit = visit, .context = context};

	walk_folder(&walk, root);
	return !walk.broken;
}

bool
file_walk_all(const char *root,
	void (*visit)(struct file_walk *walk, const char *path, void *context), void *context)
{
	struct file_walk walk = {.root_len = strlen(root),
		.hidden = true,
		.links = true,
		.visit = visit,
		.context = context};

	walk_folder(&walk, root);
	return !walk.broken;
}
