/*
 * The list of the baselines in a store, from a walk over its folders.
 */
#include "baseline/store.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "baseline/store_internal.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct walk {
	struct baseline_list *list;
	const char *names[STORE_LEVELS];
};

/* The name of a baseline that is not there because a process was killed while it replaced it. */
static char *
interrupted_name(const char *folder, const char *entry, size_t level)
{
	static const char suffix[] = ".previous";
	size_t len = strlen(entry);

	if (level + 1 < STORE_LEVELS || len <= sizeof(suffix) ||
		strcmp(entry + len - strlen(suffix), suffix) != 0)
		return NULL;
	char *name = mem_dup(entry + 1, len - 1 - strlen(suffix));
	char *path = file_join(folder, name);

	if (!file_dir_is_interrupted(path)) {
		free(name);
		name = NULL;
	}
	free(path);
	return name;
}

static void
add_entry(struct walk *walk, const char *folder)
{
	struct baseline_list *list = walk->list;
	char *json = file_join(folder, "baseline.json");
	bool there = file_exists(json);

	free(json);
	if (!there) {
		log_warn("'%s' is ignored: it has no baseline.json", folder);
		return;
	}
	size_t capacity = list->nentries;

	list->entries =
		mem_grow(list->entries, &capacity, list->nentries + 1, sizeof(*list->entries));
	list->entries[list->nentries++] = (struct baseline_entry){
		.machine_class = mem_strdup(walk->names[0]),
		.workload = mem_strdup(walk->names[1]),
		.metric = mem_strdup(walk->names[2]),
		.folder = mem_strdup(folder),
	};
}

/* Three levels, so the recursion is no deeper. */
static int
walk_folder(struct walk *walk, const char *folder, size_t level, struct err *err)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int result = 0;

	if (!dir)
		return err_set_errno(
			err, ERR_SYSTEM, errno, "cannot read the folder of baselines '%s'", folder);
	while (result == 0 && (entry = readdir(dir))) {
		char *interrupted = entry->d_name[0] == '.'
					    ? interrupted_name(folder, entry->d_name, level)
					    : NULL;

		if (entry->d_name[0] == '.' && !interrupted)
			continue;
		walk->names[level] = interrupted ? interrupted : entry->d_name;
		char *path = file_join(folder, walk->names[level]);

		if (interrupted)
			result = store_recover(path, err);
		if (result < 0)
			log_debug("'%s' is not there", path);
		else if (entry->d_type == DT_LNK)
			log_warn("'%s' is a symbolic link: ignored", path);
		else if (!file_is_dir(path))
			log_debug("'%s' is no baseline: ignored", path);
		else if (level + 1 < STORE_LEVELS)
			result = walk_folder(walk, path, level + 1, err);
		else
			add_entry(walk, path);
		free(path);
		free(interrupted);
	}
	closedir(dir);
	return result;
}

static int
compare_entries(const void *a, const void *b)
{
	const struct baseline_entry *x = a;
	const struct baseline_entry *y = b;
	int order = strcmp(x->machine_class, y->machine_class);

	if (order == 0)
		order = strcmp(x->workload, y->workload);
	return order != 0 ? order : strcmp(x->metric, y->metric);
}

int
baseline_list_read(struct baseline_list *list, const char *store, struct err *err)
{
	struct walk walk = {.list = list};

	*list = (struct baseline_list){0};
	if (!file_exists(store))
		return 0;
	if (walk_folder(&walk, store, 0, err) < 0) {
		baseline_list_release(list);
		return -1;
	}
	if (list->nentries > 0)
		qsort(list->entries, list->nentries, sizeof(*list->entries), compare_entries);
	return 0;
}

void
baseline_list_release(struct baseline_list *list)
{
	for (size_t i = 0; i < list->nentries; i++) {
		free(list->entries[i].machine_class);
		free(list->entries[i].workload);
		free(list->entries[i].metric);
		free(list->entries[i].folder);
	}
	free(list->entries);
	*list = (struct baseline_list){0};
}
