/* Whether a commit has a workload like this one, under its name or another. */
#include "builds/new_workload.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "builds/git.h"
#include "spec/keys.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

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
	return !at && !run[i];
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
		!git_is_tracked(workload->path))
		return side->lacks_folder;
	char *path = file_join(side->root, workload->path);
	char *folder = mem_dup(path, (size_t)(file_basename(path) - path));
	bool lacks = !file_exists(path) && !has_like(folder, workload);

	free(path);
	free(folder);
	return lacks;
}

/* `git diff` of all workloads of a large repository, and of other files beside them. */
#define CHANGES_BYTES_MAX ((size_t)4 << 20)

/* Appends the pattern of a line `name: NAME`; false where NAME is none of a workload. */
static bool
put_pattern(struct buf *out, const char *name)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

	if (!*name || strspn(name, allowed) != strlen(name))
		return false;
	buf_puts(out, "^name:[[:space:]]*[\"']?");
	for (const char *c = name; *c; c++)
		buf_printf(out, "%s%c", *c == '.' ? "\\" : "", *c);
	buf_puts(out, "[\"']?[[:space:]]*(#.*)?$");
	return true;
}

/*
 * Runs `git grep` for the files that have the workload, in `commit` or, with NULL, in the working
 * tree. `output` is to be released; -1 where git cannot tell.
 */
static int
find_files(struct tool_output *output, const char *name, const char *commit)
{
	struct buf pattern = {0};
	struct err ignored = {0};
	int result = -1;

	*output = (struct tool_output){0};
	if (put_pattern(&pattern, name)) {
		/* A file of another kind may have a name, too, but no command. */
		const char *const args[] = {"grep", "-l", "-z", "-E", "--all-match", "-e",
			buf_text(&pattern), "-e", "^run:", commit ? commit : "--untracked", "--",
			":(top)*.yaml", ":(top)*.yml", NULL};

		if (git_run(output, NULL, args, &ignored) == 0 && output->status <= 1)
			result = 0;
	}
	buf_release(&pattern);
	return result;
}

/* The file that has it in the commit; free() it. NULL: none. */
static char *
file_in_commit(const char *name, const char *commit)
{
	struct tool_output output;
	char *path = NULL;

	if (find_files(&output, name, commit) == 0) {
		/* "COMMIT:PATH" */
		const char *colon = strchr(buf_text(&output.out), ':');

		path = colon ? mem_strdup(colon + 1) : NULL;
	}
	tool_output_release(&output);
	return path;
}

/* The path that `before` was renamed to since the commit; free() it. NULL: none. */
static char *
renamed_to(const char *before, const char *commit)
{
	const char *const args[] = {"diff", "-z", "--relative", "-M", "--diff-filter=R",
		"--name-status", "--no-ext-diff", commit, "--", NULL};
	struct tool_output output;
	struct err ignored = {0};
	char *after = NULL;

	if (git_run_up_to(&output, CHANGES_BYTES_MAX, NULL, args, &ignored) == 0) {
		const char *at = buf_text(&output.out);
		const char *const end = at + output.out.len;

		/* "R087", the path before and the path after, each with a zero byte at its end. */
		while (at < end && !after) {
			const char *from = at + strlen(at) + 1;
			const char *to = from < end ? from + strlen(from) + 1 : end;

			if (to >= end)
				break;
			after = strcmp(from, before) == 0 ? mem_strdup(to) : NULL;
			at = to + strlen(to) + 1;
		}
	}
	tool_output_release(&output);
	return after;
}

bool
workload_rename_find(struct workload_rename *rename, const char *name, const char *commit)
{
	*rename = (struct workload_rename){0};
	if (git_is_commit(commit))
		rename->before = file_in_commit(name, commit);
	if (rename->before)
		rename->after = file_exists(rename->before) ? mem_strdup(rename->before)
							    : renamed_to(rename->before, commit);
	if (rename->after && file_exists(rename->after))
		return true;
	workload_rename_release(rename);
	return false;
}

void
workload_rename_release(struct workload_rename *rename)
{
	free(rename->before);
	free(rename->after);
	*rename = (struct workload_rename){0};
}

int
workload_name_is_used(const char *name)
{
	struct tool_output output;
	int used = find_files(&output, name, NULL);

	if (used == 0)
		used = output.out.len > 0;
	tool_output_release(&output);
	return used;
}
