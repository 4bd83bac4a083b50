#include "gate/policy_from.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "spec/keys.h"
#include "spec/waivers.h"

#include <stdlib.h>
#include <string.h>

/*
 * Whether the benchmarks of the working tree are those of a commit. profile_run enters the nearest
 * folder above that has benchmarks: a pull request that adds such a folder, or replaces it by a
 * link or a submodule, would otherwise be judged as if all its workloads were new.
 */

/* The object at `path` below `folder` of the commit; folders are from the top, which is "". */
static int
find(const struct commit_files *files, const char *folder, const char *path, enum commit_path *kind,
	struct err *err)
{
	char *whole = mem_printf("%s/%s/%s", files->repository.top, folder, path);
	int result = commit_files_find(files, whole, kind, err);

	free(whole);
	return result;
}

/* Whether the working tree of the commit would be entered in `folder`: as has_benchmarks(). */
static int
has_benchmarks(const struct commit_files *files, const char *folder, bool *has, struct err *err)
{
	enum commit_path config, workloads;

	if (find(files, folder, CONFIG_PATH, &config, err) < 0 ||
		find(files, folder, WORKLOADS_PATH, &workloads, err) < 0)
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

/* Whether the file is a workload; other programs have folders of that name, too. */
static bool
is_workload(struct commit_files *files, const char *path)
{
	char *whole = mem_printf("%s/%s", files->repository.top, path);
	struct err ignored = {0};
	struct yaml_file file;
	struct buf text = {0};
	bool is = false;

	if (commit_files_read(files, whole, YAML_FILE_MAX, &text, &is, &ignored) == 0 && is) {
		is = yaml_parse(&file, path, buf_text(&text), text.len, &ignored) == 0;
		if (is) {
			is = keys_find(file.root, "run") || keys_find(file.root, "service");
			yaml_release(&file);
		}
	}
	buf_release(&text);
	free(whole);
	return is;
}

struct search {
	struct commit_files *files;
	char *found; /* a folder with benchmarks */
};

/* Stops at a file of benchmarks. */
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

static const char *
shown(const char *folder)
{
	return *folder ? folder : ".";
}

static int
refuse(const char *name, const char *here, const char *there, struct err *err)
{
	err_set(err, ERR_INPUT,
		"the benchmarks of %s are in '%s' of the repository, not in '%s' (--policy-from)",
		name, shown(there), shown(here));
	return err_note(err,
		"start profile_run in '%s'; benchmarks in another folder can be judged once that commit has them",
		shown(there));
}

/*
 * An error if `files`, started in the folder `started` below the current one ("src/lib/", "" for
 * this one), has its nearest benchmarks in another folder than the current one, or has none there
 * and above but some elsewhere. `name` is the commit as messages have it.
 */
static int
policy_root_check(
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

/* An error if the repository is a submodule, whose branches a pull request chooses, and the commit
 * is not named by its hash. */
static int
policy_root_check_submodule(const struct commit_files *files, struct err *err)
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

static const char option[] = "--policy-from";

/* One YAML file, here and in the commit; a root is NULL where there is no file, or an empty one. */
struct both_sides {
	const char *file; /* as reported */
	struct yaml_file before;
	struct yaml_file after;
};

/* The file in the commit; *found is false, and nothing to release, where it has none. */
static int
parse_before(struct policy_from *from, const char *path, struct yaml_file *file, bool *found,
	struct err *err)
{
	struct buf text = {0};
	int result = commit_files_read(&from->files, path, YAML_FILE_MAX, &text, found, err);

	*file = (struct yaml_file){0};
	if (result == 0 && *found)
		result = yaml_parse(file, commit_files_name(&from->files, path), buf_text(&text),
			text.len, err);
	buf_release(&text);
	return result;
}

static int
parse_both(struct policy_from *from, struct both_sides *both, const char *before, const char *after,
	struct err *err)
{
	bool found;

	*both = (struct both_sides){.file = after};
	if (before && parse_before(from, before, &both->before, &found, err) < 0)
		return -1;
	if (!file_exists(after))
		return 0;
	return yaml_parse_file(&both->after, after, err);
}

static void
both_release(struct both_sides *both)
{
	yaml_release(&both->before);
	yaml_release(&both->after);
}

/* Adds to the commit's waivers those that it does not have. */
static void
add_head_waivers(const struct policy_from *from, struct config *config)
{
	const struct gate_policy *head = &from->head.gate;
	struct gate_policy *gate = &config->gate;
	struct waiver *items =
		arena_alloc(&config->arena, (gate->nwaivers + head->nwaivers + 1) * sizeof(*items));
	size_t n = gate->nwaivers;

	if (n > 0)
		memcpy(items, gate->waivers_list, n * sizeof(*items));
	for (size_t i = 0; i < head->nwaivers; i++) {
		size_t k = 0;

		while (k < gate->nwaivers &&
			!waiver_is_same(&gate->waivers_list[k], &head->waivers_list[i]))
			k++;
		if (k == gate->nwaivers)
			items[n++] = head->waivers_list[i];
	}
	gate->waivers_list = items;
	gate->nwaivers = n;
}

static int
read_waivers(
	struct policy_from *from, const char *config_path, struct config *config, struct err *err)
{
	const char *beside = config_waivers_beside(config, config_path);
	const char *before = config->waivers_path ? config->waivers_path : beside;
	const char *after = from->head.waivers_path ? from->head.waivers_path : beside;
	struct both_sides both;
	int result = parse_both(from, &both, before, after, err);

	if (result == 0 && config->waivers_path && !both.before.path)
		result = err_set(err, ERR_INPUT,
			"'%s' has no file '%s', which its configuration names in 'waivers'",
			from->name, before);
	if (result == 0)
		result = waivers_read_parsed(&config->gate, &config->arena, &both.before, err);
	if (result == 0) {
		policy_changes_between(&from->changes, after, "waivers", both.before.root,
			both.after.root, config->allow_head_waivers ? "allow_head_waivers" : NULL);
		if (config->allow_head_waivers)
			add_head_waivers(from, config);
	}
	config->waivers_path = before;
	both_release(&both);
	return result;
}

/* The commit's benchmarks must be those of the working tree. */
static int
check_place(struct policy_from *from, const struct policy_place *place, struct err *err)
{
	if (policy_root_check_submodule(&from->files, err) < 0)
		return -1;
	return place->started ? policy_root_check(&from->files, from->name, place->started, err)
			      : 0;
}

int
policy_from_read_config(struct policy_from *from, const char *ref, const struct policy_place *place,
	struct config *config, struct err *err)
{
	struct both_sides both = {0};

	if (commit_files_open(&from->files, option, ref, err) < 0)
		return -1;
	from->name = repository_commit_name(ref, from->files.commit);
	from->head = *config;
	config_init(config);
	if (check_place(from, place, err) < 0)
		return -1;
	int result = parse_both(from, &both, place->path, place->path, err);

	if (result == 0 && !place->started && !both.before.path)
		result = err_set(err, ERR_INPUT, "%s has no file '%s' (--config, %s)", from->name,
			place->path, option);
	if (result == 0)
		result = config_read_parsed(config, &both.before, err);
	if (result == 0) {
		policy_changes_between(
			&from->changes, place->path, "", both.before.root, both.after.root, NULL);
		result = read_waivers(from, place->path, config, err);
	}
	both_release(&both);
	return result;
}

/* A workload of the commit. */
struct judge {
	struct yaml_file file;
	const char *path; /* as from here */
	bool used;
};

struct judges {
	struct judge *items; /* owned */
	size_t count;
	size_t capacity;
};

static void
judges_release(struct judges *judges)
{
	for (size_t i = 0; i < judges->count; i++)
		yaml_release(&judges->items[i].file);
	free(judges->items);
}

static const char *
judge_name(const struct judge *judge)
{
	const struct yaml_node *name = keys_find(judge->file.root, "name");

	return name && name->kind == YAML_SCALAR ? name->text : "";
}

/* One file has one path. */
static const char *
plain_path(const char *path)
{
	while (strncmp(path, "./", 2) == 0)
		path += 2 + strspn(path + 2, "/");
	return path;
}

static struct judge *
find_path(const struct judges *judges, const char *path)
{
	path = plain_path(path);
	for (size_t i = 0; i < judges->count; i++) {
		if (strcmp(judges->items[i].path, path) == 0)
			return &judges->items[i];
	}
	return NULL;
}

static struct judge *
find_judge(const struct judges *judges, const struct workload *workload)
{
	for (size_t i = 0; i < judges->count; i++) {
		if (strcmp(judge_name(&judges->items[i]), workload->file_name) == 0)
			return &judges->items[i];
	}
	return find_path(judges, workload->path);
}

static int
add_judge(struct policy_from *from, struct judges *judges, const char *path, struct err *err)
{
	struct yaml_file file;
	bool found;

	if (find_path(judges, path))
		return 0;
	if (parse_before(from, path, &file, &found, err) < 0)
		return -1;
	if (!found)
		return 0;
	judges->items = mem_grow(
		judges->items, &judges->capacity, judges->count + 1, sizeof(*judges->items));
	judges->items[judges->count++] = (struct judge){
		.file = file,
		.path = arena_strdup(&from->files.arena, plain_path(path)),
	};
	return 0;
}

/* Every workload in the commit's folder: a workload's file may have another name there. */
static int
read_folder(struct policy_from *from, struct judges *judges, const char *folder, struct err *err)
{
	const char *const *names;

	if (commit_files_list(&from->files, folder, &names, err) < 0)
		return -1;
	for (size_t i = 0; names[i]; i++) {
		struct err broken = {0};

		if (!workload_is_file_name(names[i]))
			continue;
		char *path = file_join(folder, names[i]);

		/* An error only if it is needed: it may be repaired in the working tree. */
		if (add_judge(from, judges, path, &broken) < 0)
			log_debug("%s", broken.text);
		free(path);
	}
	return 0;
}

/*
 * Compares the keys that say how a workload is measured; those that differ are appended to
 * `changed`, as struct workload has them.
 */
static void
compare_measuring(struct policy_from *from, const struct judge *judge, const char *path,
	const struct yaml_node *here, struct buf *changed)
{
	const char *const *keys = workload_measuring_keys();
	const char *last = NULL;
	size_t n = 0;

	for (size_t i = 0; keys[i]; i++) {
		if (!policy_changes_between(&from->changes, path, keys[i],
			    keys_find(judge->file.root, keys[i]), keys_find(here, keys[i]),
			    "measured as in the working tree"))
			continue;
		if (last)
			buf_printf(changed, "%s'%s'", n > 1 ? ", " : "", last);
		last = keys[i];
		n++;
	}
	if (last)
		buf_printf(changed, "%s'%s' %s from %s", n > 1 ? " and " : "", last,
			n > 1 ? "differ" : "differs", from->name);
}

/* Compares the policy in a workload's file with that in the commit's, and how it is measured. */
static int
compare_policies(struct policy_from *from, const struct judge *judge, const char *path,
	struct buf *changed, struct err *err)
{
	static const char *const keys[] = {"requires", "gate"};
	struct yaml_file here;

	if (yaml_parse_file(&here, path, err) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		policy_changes_between(&from->changes, path, keys[i],
			judge ? keys_find(judge->file.root, keys[i]) : NULL,
			keys_find(here.root, keys[i]), judge ? NULL : "a new workload");
	if (judge)
		compare_measuring(from, judge, path, here.root, changed);
	yaml_release(&here);
	return 0;
}

/* An earlier workload of the list that is of the same file, which is compared once; NULL: none. */
static const struct workload *
find_compared(const struct workload_list *list, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (strcmp(list->workloads[k].path, list->workloads[i].path) == 0)
			return &list->workloads[k];
	}
	return NULL;
}

static int
judge_workload(struct policy_from *from, const struct judges *judges, struct workload_list *list,
	size_t i, const struct config *config, struct err *err)
{
	struct workload *workload = &list->workloads[i];
	struct judge *judge = find_judge(judges, workload);
	char *path = mem_strdup(workload->path);
	char *metric = mem_strdup(workload->capture.metric);
	const struct workload_source source = {
		.path = path,
		.config = config,
		.judge = judge ? &judge->file : NULL,
		.metric = workload->measured ? metric : NULL,
	};
	const struct workload *compared = find_compared(list, i);
	struct buf changed = {0};
	int result = 0;

	if (!compared)
		result = compare_policies(from, judge, path, &changed, err);
	else if (compared->changed)
		buf_puts(&changed, compared->changed);

	if (judge)
		judge->used = true;
	if (result == 0) {
		workload_release(workload);
		result = workload_read_from(workload, &source, err);
	}
	if (result == 0 && changed.len > 0)
		workload->changed = arena_strdup(&workload->arena, buf_text(&changed));
	buf_release(&changed);
	free(metric);
	free(path);
	return result;
}

/* Whether the working tree has the workload of that file, if it is one, under its name. */
static bool
is_kept(const struct judge *judge)
{
	struct yaml_file here;
	struct err ignored = {0};

	if (judge->used || !keys_find(judge->file.root, "run"))
		return true;
	if (!file_exists(judge->path) || yaml_parse_file(&here, judge->path, &ignored) < 0)
		return false;
	const struct yaml_node *name = keys_find(here.root, "name");
	bool same = name && name->kind == YAML_SCALAR && strcmp(name->text, judge_name(judge)) == 0;

	yaml_release(&here);
	return same;
}

/*
 * Reports removed workloads: one that is no longer measured could have failed. An error if the
 * policy has it so.
 */
static int
tell_removed(struct policy_from *from, const struct judges *judges, const struct config *config,
	struct err *err)
{
	const struct judge *removed = NULL;

	for (size_t i = 0; i < judges->count; i++) {
		const struct judge *judge = &judges->items[i];

		if (is_kept(judge))
			continue;
		removed = judge;
		policy_changes_add(&from->changes, &(struct policy_change){
							   .file = judge->path,
							   .key = "name",
							   .before = judge_name(judge),
							   .after = "",
							   .holds = "a removed workload",
						   });
	}
	if (!removed || config->gate.changed_workload != POLICY_FAIL)
		return 0;
	return err_set(err, ERR_INPUT,
		"the workload '%s' of %s ('%s') is removed, which its policy 'changed_workload' does not allow",
		judge_name(removed), from->name, removed->path);
}

/* Whether `folder` is that of the configuration, or of an earlier workload of the list. */
static bool
is_read(const struct workload_list *list, size_t i, const char *folder, const char *workloads_dir)
{
	const size_t len = strlen(folder);

	if (len > 0 && strncmp(workloads_dir, folder, len - 1) == 0 &&
		workloads_dir[len - 1 + strspn(workloads_dir + len - 1, "/")] == '\0')
		return true;
	for (size_t k = 0; k < i; k++) {
		const char *path = list->workloads[k].path;

		if (strncmp(path, folder, len) == 0 && !strchr(path + len, '/'))
			return true;
	}
	return false;
}

/* Every folder of the commit that a workload of the list may have been in. */
static int
read_folders(struct policy_from *from, struct judges *judges, const struct workload_list *list,
	const char *workloads_dir, struct err *err)
{
	int result = read_folder(from, judges, workloads_dir, err);

	for (size_t i = 0; result == 0 && i < list->nworkloads; i++) {
		const char *path = list->workloads[i].path;
		const char *slash = strrchr(path, '/');
		/* With the '/' at its end. */
		char *folder = mem_printf("%.*s", slash ? (int)(slash + 1 - path) : 0, path);

		if (!is_read(list, i, folder, workloads_dir))
			result = read_folder(from, judges, folder[0] ? folder : ".", err);
		free(folder);
	}
	return result;
}

int
policy_from_read_workloads(struct policy_from *from, struct workload_list *list,
	const char *const *paths, size_t npaths, const struct config *config, struct err *err)
{
	struct judges judges = {0};

	/* The working tree's workloads are valid by the working tree's configuration. */
	from->head.workloads_dir = config->workloads_dir;
	if (workload_list_read(list, paths, npaths, &from->head, err) < 0)
		return err_note(err, "the configuration is that of %s (%s)", from->name, option);
	int result = read_folders(from, &judges, list, config->workloads_dir, err);

	for (size_t i = 0; result == 0 && i < list->nworkloads; i++)
		result = add_judge(from, &judges, list->workloads[i].path, err);
	for (size_t i = 0; result == 0 && i < list->nworkloads; i++)
		result = judge_workload(from, &judges, list, i, config, err);
	if (result == 0)
		result = tell_removed(from, &judges, config, err);
	if (result < 0)
		workload_list_release(list);
	judges_release(&judges);
	return result;
}

void
policy_from_release(struct policy_from *from)
{
	commit_files_close(&from->files);
	free(from->name);
	config_release(&from->head);
	policy_changes_release(&from->changes);
	*from = (struct policy_from){0};
}
