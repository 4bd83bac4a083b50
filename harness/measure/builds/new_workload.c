/* Whether a workload is new: the commit that it is to be compared with has none like it. */
#include "builds/build_side.h"

#include "base/file.h"
#include "base/mem.h"
#include "builds/git.h"
#include "spec/keys.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

const char *
build_side_subject(const struct build_side *side, struct arena *arena)
{
	const char *hash = strstr(side->name, " (");

	return arena_printf(arena, "the base %.*s",
		hash ? (int)(hash - side->name) : (int)strlen(side->name), side->name);
}

static bool
is_tracked(const char *path)
{
	const char *const args[] = {"ls-files", "--error-unmatch", "--", path, NULL};
	struct err ignored = {0};

	return git_run_checked(NULL, args, &ignored) == 0;
}

/* Whether `run` of a file is this command, as spec/service_keys.c reads it. */
static bool
is_command(const struct yaml_node *node, const char *const *run)
{
	if (!node)
		return false;
	if (node->kind == YAML_SCALAR)
		return strcmp(run[0], "/bin/sh") == 0 && run[1] && run[2] &&
		       strcmp(run[2], node->text) == 0;
	const struct yaml_node *at = node->kind == YAML_SEQUENCE ? node->first : NULL;
	size_t i = 0;

	while (at && run[i] && at->kind == YAML_SCALAR && strcmp(at->text, run[i]) == 0) {
		at = at->next;
		i++;
	}
	return i > 0 && !at && !run[i];
}

/* Whether the file at `path` is this workload under another name of the file or of itself. */
static bool
is_like(const char *path, const struct workload *workload)
{
	const char *const *run = workload->service ? workload->service->driver : workload->run;
	struct yaml_file file;
	struct err ignored = {0};

	if (yaml_parse_file(&file, path, &ignored) < 0)
		return false;
	const struct yaml_node *name = keys_find(file.root, "name");
	bool like = (name && name->kind == YAML_SCALAR &&
			    strcmp(name->text, workload->file_name) == 0) ||
		    is_command(keys_find(file.root, "run"), run);

	yaml_release(&file);
	return like;
}

/* Whether a workload in the folder of the base is this one. */
static bool
has_like(const char *folder, const struct workload *workload)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		char *path = file_join(folder, entry->d_name);

		found = workload_is_file_name(entry->d_name) && is_like(path, workload);
		free(path);
	}
	if (dir)
		closedir(dir);
	return found;
}

bool
build_side_lacks_workload(const struct build_side *side, const struct workload *workload)
{
	if (!side->worktree || !workload->path || workload->path[0] == '/' ||
		!is_tracked(workload->path))
		return side->lacks_folder;
	char *path = file_join(side->root, workload->path);
	char *folder = mem_dup(path, (size_t)(file_basename(path) - path));
	bool lacks = !file_exists(path) && !has_like(folder, workload);

	free(path);
	free(folder);
	return lacks;
}
