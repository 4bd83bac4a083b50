#include "gate/policy_from.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "gate/benchmarks_root.h"
#include "spec/keys.h"
#include "spec/waivers.h"

#include <stdlib.h>
#include <string.h>

/* The option, as messages name it. */
static const char option[] = "--policy-from";

/*
 * One YAML file, in the commit and in the working tree. A root is NULL where it is missing or
 * empty.
 */
struct both_sides {
	const char *file; /* as reported */
	struct yaml_file before;
	struct yaml_file after;
};

/*
 * Parses the file in the commit. *found is false, and nothing is to be released, where it has none.
 */
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

/* Adds the working tree's waivers to the commit's, each once. */
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

/* Checks that the commit's benchmarks are in the same folder as the working tree's. */
static int
check_place(struct policy_from *from, const struct policy_place *place, struct err *err)
{
	if (benchmarks_root_check_submodule(&from->files, err) < 0)
		return -1;
	return place->started ? benchmarks_root_check(&from->files, from->name, place->started, err)
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

/* A workload file of the commit: its `gate` and `requires` apply. */
struct commit_workload {
	struct yaml_file file;
	const char *path; /* in the working tree, if it is there */
	bool used;        /* the working tree has this workload */
};

struct commit_workloads {
	struct commit_workload *items; /* owned */
	size_t count;
	size_t capacity;
};

static void
commit_workloads_release(struct commit_workloads *workloads)
{
	for (size_t i = 0; i < workloads->count; i++)
		yaml_release(&workloads->items[i].file);
	free(workloads->items);
}

static const char *
commit_workload_name(const struct commit_workload *in_commit)
{
	const struct yaml_node *name = keys_find(in_commit->file.root, "name");

	return name && name->kind == YAML_SCALAR ? name->text : "";
}

/* The path without "./": one file has one path. */
static const char *
plain_path(const char *path)
{
	while (strncmp(path, "./", 2) == 0)
		path += 2 + strspn(path + 2, "/");
	return path;
}

static struct commit_workload *
find_path(const struct commit_workloads *workloads, const char *path)
{
	path = plain_path(path);
	for (size_t i = 0; i < workloads->count; i++) {
		if (strcmp(workloads->items[i].path, path) == 0)
			return &workloads->items[i];
	}
	return NULL;
}

static struct commit_workload *
find_commit_workload(const struct commit_workloads *workloads, const struct workload *workload)
{
	for (size_t i = 0; i < workloads->count; i++) {
		if (strcmp(commit_workload_name(&workloads->items[i]), workload->file_name) == 0)
			return &workloads->items[i];
	}
	return find_path(workloads, workload->path);
}

static int
add_commit_workload(struct policy_from *from, struct commit_workloads *workloads, const char *path,
	struct err *err)
{
	struct yaml_file file;
	bool found;

	if (find_path(workloads, path))
		return 0;
	if (parse_before(from, path, &file, &found, err) < 0)
		return -1;
	if (!found)
		return 0;
	workloads->items = mem_grow(workloads->items, &workloads->capacity, workloads->count + 1,
		sizeof(*workloads->items));
	workloads->items[workloads->count++] = (struct commit_workload){
		.file = file,
		.path = arena_strdup(&from->files.arena, plain_path(path)),
	};
	return 0;
}

/* Adds each workload in a folder of the commit: a workload's file may have another name there. */
static int
read_folder(struct policy_from *from, struct commit_workloads *workloads, const char *folder,
	struct err *err)
{
	const char *const *names;

	if (commit_files_list(&from->files, folder, &names, err) < 0)
		return -1;
	for (size_t i = 0; names[i]; i++) {
		struct err broken = {0};

		if (!workload_is_file_name(names[i]))
			continue;
		char *path = file_join(folder, names[i]);

		/*
		 * A broken file is an error only where it is needed: the working tree may have
		 * repaired it.
		 */
		if (add_commit_workload(from, workloads, path, &broken) < 0)
			log_debug("%s", broken.text);
		free(path);
	}
	return 0;
}

/*
 * Compares the keys that say how a workload is measured. Appends those that differ to `changed`, as
 * the text in struct workload.
 */
static void
compare_measuring(struct policy_from *from, const struct commit_workload *in_commit,
	const char *path, const struct yaml_node *here, struct buf *changed)
{
	const char *const *keys = workload_measuring_keys();
	const char *last = NULL;
	size_t n = 0;

	for (size_t i = 0; keys[i]; i++) {
		if (!policy_changes_between(&from->changes, path, keys[i],
			    keys_find(in_commit->file.root, keys[i]), keys_find(here, keys[i]),
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

/* Compares a workload's file with the commit's: the policy in it, and how it is measured. */
static int
compare_policies(struct policy_from *from, const struct commit_workload *in_commit,
	const char *path, struct buf *changed, struct err *err)
{
	static const char *const keys[] = {"requires", "gate"};
	struct yaml_file here;

	if (yaml_parse_file(&here, path, err) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		policy_changes_between(&from->changes, path, keys[i],
			in_commit ? keys_find(in_commit->file.root, keys[i]) : NULL,
			keys_find(here.root, keys[i]), in_commit ? NULL : "a new workload");
	if (in_commit)
		compare_measuring(from, in_commit, path, here.root, changed);
	yaml_release(&here);
	return 0;
}

/* An earlier workload of the list from the same file, which is compared only once; NULL: none. */
static const struct workload *
find_compared(const struct workload_list *list, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (strcmp(list->workloads[k].path, list->workloads[i].path) == 0)
			return &list->workloads[k];
	}
	return NULL;
}

/* Reads a workload of the list again, with the policy that it has in the commit. */
static int
read_by_policy(struct policy_from *from, const struct commit_workloads *workloads,
	struct workload_list *list, size_t i, const struct config *config, struct err *err)
{
	struct workload *workload = &list->workloads[i];
	struct commit_workload *in_commit = find_commit_workload(workloads, workload);
	char *path = mem_strdup(workload->path);
	char *metric = mem_strdup(workload->capture.metric);
	const struct workload_source source = {
		.path = path,
		.config = config,
		.judge = in_commit ? &in_commit->file : NULL,
		.metric = workload->measured ? metric : NULL,
	};
	const struct workload *compared = find_compared(list, i);
	struct buf changed = {0};
	int result = 0;

	if (!compared)
		result = compare_policies(from, in_commit, path, &changed, err);
	else if (compared->changed)
		buf_puts(&changed, compared->changed);

	if (in_commit)
		in_commit->used = true;
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

/* Whether the working tree still has a workload of the commit, under its name. */
static bool
is_kept(const struct commit_workload *in_commit)
{
	struct yaml_file here;
	struct err ignored = {0};

	if (in_commit->used || !keys_find(in_commit->file.root, "run"))
		return true;
	if (!file_exists(in_commit->path) || yaml_parse_file(&here, in_commit->path, &ignored) < 0)
		return false;
	const struct yaml_node *name = keys_find(here.root, "name");
	bool same = name && name->kind == YAML_SCALAR &&
		    strcmp(name->text, commit_workload_name(in_commit)) == 0;

	yaml_release(&here);
	return same;
}

/*
 * Reports removed workloads: a workload that is no longer measured could have failed. An error if
 * the policy `changed_workload` is to fail.
 */
static int
report_removed(struct policy_from *from, const struct commit_workloads *workloads,
	const struct config *config, struct err *err)
{
	const struct commit_workload *removed = NULL;

	for (size_t i = 0; i < workloads->count; i++) {
		const struct commit_workload *in_commit = &workloads->items[i];

		if (is_kept(in_commit))
			continue;
		removed = in_commit;
		policy_changes_add(
			&from->changes, &(struct policy_change){
						.file = in_commit->path,
						.key = "name",
						.before = commit_workload_name(in_commit),
						.after = "",
						.holds = "a removed workload",
					});
	}
	if (!removed || config->gate.changed_workload != POLICY_FAIL)
		return 0;
	return err_set(err, ERR_INPUT,
		"the workload '%s' of %s ('%s') is removed, which its policy 'changed_workload' does not allow",
		commit_workload_name(removed), from->name, removed->path);
}

/*
 * Whether `folder` was read before: as the configuration's, or for an earlier workload of the list.
 */
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

/* Reads every folder of the commit that a workload of the list may have been in. */
static int
read_folders(struct policy_from *from, struct commit_workloads *workloads,
	const struct workload_list *list, const char *workloads_dir, struct err *err)
{
	int result = read_folder(from, workloads, workloads_dir, err);

	for (size_t i = 0; result == 0 && i < list->nworkloads; i++) {
		const char *path = list->workloads[i].path;
		const char *slash = strrchr(path, '/');
		/* The folder, which ends in '/'. */
		char *folder = mem_printf("%.*s", slash ? (int)(slash + 1 - path) : 0, path);

		if (!is_read(list, i, folder, workloads_dir))
			result = read_folder(from, workloads, folder[0] ? folder : ".", err);
		free(folder);
	}
	return result;
}

int
policy_from_read_workloads(struct policy_from *from, struct workload_list *list,
	const char *const *paths, size_t npaths, const struct config *config, struct err *err)
{
	struct commit_workloads workloads = {0};

	/* The working tree's workloads are valid by the working tree's configuration. */
	from->head.workloads_dir = config->workloads_dir;
	if (workload_list_read(list, paths, npaths, &from->head, err) < 0)
		return err_note(err, "the configuration is that of %s (%s)", from->name, option);
	int result = read_folders(from, &workloads, list, config->workloads_dir, err);

	for (size_t i = 0; result == 0 && i < list->nworkloads; i++)
		result = add_commit_workload(from, &workloads, list->workloads[i].path, err);
	for (size_t i = 0; result == 0 && i < list->nworkloads; i++)
		result = read_by_policy(from, &workloads, list, i, config, err);
	if (result == 0)
		result = report_removed(from, &workloads, config, err);
	if (result < 0)
		workload_list_release(list);
	commit_workloads_release(&workloads);
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
