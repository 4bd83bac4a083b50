#include "cli/captures.h"

#include "base/file.h"
#include "base/mem.h"
#include "cli/input.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

void
captures_release(struct captures *captures)
{
	for (size_t i = 0; i < captures->count; i++)
		free(captures->paths[i]);
	free(captures->paths);
	*captures = (struct captures){0};
}

/* Adds a path, which the list then owns. */
static void
captures_add(struct captures *captures, char *path)
{
	captures->paths = mem_grow(
		(void *)captures->paths, &captures->capacity, captures->count + 1, sizeof(char *));
	captures->paths[captures->count++] = path;
}

/* Adds the captures in a workload's folder of a report: PREFIX-NN.perf.data. */
static void
captures_add_kept(struct captures *captures, const char *folder, const char *prefix)
{
	struct dirent **entries = NULL;
	const int count = scandir(folder, &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		const char *end = strstr(name, ".perf.data");

		if (strncmp(name, prefix, strlen(prefix)) == 0 && name[strlen(prefix)] == '-' &&
			end && strcmp(end, ".perf.data") == 0)
			captures_add(captures, file_join(folder, name));
		free(entries[i]);
	}
	free((void *)entries);
}

/* Adds the captures of the first workload of a report that has some. */
static void
captures_add_report(struct captures *captures, const char *folder, const char *prefix)
{
	struct dirent **entries = NULL;
	const int count = scandir(folder, &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		if (entries[i]->d_name[0] != '.' && captures->count == 0) {
			char *inside = file_join(folder, entries[i]->d_name);

			captures_add_kept(captures, inside, prefix);
			free(inside);
		}
		free(entries[i]);
	}
	free((void *)entries);
}

void
captures_find(struct captures *captures, const char *path, const char *prefix)
{
	char *recording = input_recording(path);

	if (recording)
		captures_add(captures, recording);
	else if (!file_is_dir(path))
		captures_add(captures, mem_strdup(path));
	else
		captures_add_kept(captures, path, prefix);
	if (captures->count == 0)
		captures_add_report(captures, path, prefix);
}
