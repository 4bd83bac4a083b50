#include "gate/benchmarks_root.h"

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "builds/commit_files.h"
#include "spec/keys.h"
#include "spec/workload.h"
#include "spec/yaml.h"

#include <stdlib.h>
#include <string.h>

/* The kind of `path` below `folder` in the commit; folders are relative to the top, which is "". */
static int
find_kind(const struct commit_files *files, const char *folder, const char *path,
	enum commit_path *kind, struct err *err)
{
	char *whole = mem_printf("%s/%s/%s", files->repository.top, folder, path);
	int result = commit_files_find(files, whole, kind, err);

	free(whole);
	return result;
}

/* Whether a folder of the commit has benchmarks, as cli/root.c finds them in the working tree. */
static int
has_benchmarks(const struct commit_files *files, const char *folder, bool *has, struct err *err)
{
	enum commit_path config, workloads;

	if (find_kind(files, folder, CONFIG_PATH, &config, err) < 0 ||
		find_kind(files, folder, WORKLOADS_PATH, &workloads, err) < 0)
		return -1;
	*has = config == COMMIT_PATH_FILE || workloads == COMMIT_PATH_FOLDER;
	return 0;
}

/* Cuts a folder to the one above; the top has none. */
static bool
go_up(char *folder)
{
	char *slash = strrchr(folder, '/');

	if (!*folder)
		return false;
	*(slash ? slash : folder) = '\0';
	return true;
}

/* Whether a file of the commit is a workload: other programs have folders of that name, too. */
static bool
is_workload(struct commit_files *files, const char *path)
{
	char *whole = mem_printf("%s/%s", files->repository.top, path);
	struct err ignored = {0};
	struct yaml_file file;
	struct buf text = {0};
	bool is_there = false;
	bool result = false;

	if (commit_files_read(files, whole, YAML_FILE_MAX, &text, &is_there, &ignored) == 0 &&
		is_there && yaml_parse(&file, path, buf_text(&text), text.len, &ignored) == 0) {
		result = keys_find(file.root, "run") || keys_find(file.root, "service");
		yaml_release(&file);
	}
	buf_release(&text);
	free(whole);
	return result;
}

struct search {
	struct commit_files *files;
	char *found; /* a folder with benchmarks; owned; NULL: none yet */
};

/* Visits a file of the commit; ends the search, with 1, if it belongs to benchmarks. */
static int
visit(void *context, const char *path, bool is_link, struct err *err)
{
	struct search *search = context;
	char *folder = mem_strdup(path);
	const char *name = file_basename(path);
	bool found = false;
	int result = 0;

	go_up(folder);
	const char *above = file_basename(folder);

	if (is_link && (strcmp(name, "config") == 0 || strcmp(name, WORKLOADS_PATH) == 0)) {
		result = has_benchmarks(search->files, folder, &found, err);
	} else if (strcmp(above, "config") == 0) {
		found = strcmp(name, file_basename(CONFIG_PATH)) == 0;
		go_up(folder);
	} else if (strcmp(above, WORKLOADS_PATH) == 0 && workload_is_file_name(name)) {
		found = is_workload(search->files, path);
		go_up(folder);
	}
	if (result == 0 && found) {
		search->found = folder;
		return 1;
	}
	free(folder);
	return result;
}

/* The folder as messages name it. */
static const char *
folder_name(const char *folder)
{
	return *folder ? folder : ".";
}

static int
refuse(const char *name, const char *here, const char *there, struct err *err)
{
	err_set(err, ERR_INPUT,
		"the benchmarks of %s are in '%s' of the repository, not in '%s' (--policy-from)",
		name, folder_name(there), folder_name(here));
	return err_note(err,
		"start profile_run in '%s'; benchmarks in another folder can be judged once that commit has them",
		folder_name(there));
}

int
benchmarks_root_check(
	struct commit_files *files, const char *name, const char *started, struct err *err)
{
	struct search search = {.files = files};
	char *here = mem_strdup(files->repository.prefix);
	char *there = mem_printf("%s%s", here, started);
	bool found = false;
	int result;

	here[strlen(here) - (*here != '\0')] = '\0';
	there[strlen(there) - (*there != '\0')] = '\0';
	while ((result = has_benchmarks(files, there, &found, err)) == 0 && !found &&
		go_up(there)) {
	}
	if (result == 0 && !found)
		result = commit_files_each(files, visit, &search, err);
	if (result >= 0 && search.found)
		result = refuse(name, here, search.found, err);
	else if (result == 0 && found && strcmp(here, there) != 0)
		result = refuse(name, here, there, err);
	free(search.found);
	free(there);
	free(here);
	return result;
}

int
benchmarks_root_check_submodule(const struct commit_files *files, struct err *err)
{
	static const char *const args[] = {"rev-parse", "--show-superproject-working-tree", NULL};
	char *above;
	int result = 0;

	if (git_is_commit(files->ref))
		return 0;
	above = git_line(NULL, args, err);
	if (!above)
		return -1;
	if (*above) {
		result = err_set(err, ERR_INPUT,
			"'%s' is a submodule: its commit '%s' may be any that the pull request names (--policy-from)",
			files->repository.top, files->ref);
		err_note(err,
			"start profile_run in '%s', or name the submodule's commit by its whole hash",
			above);
	}
	free(above);
	return result;
}
