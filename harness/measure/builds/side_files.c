#include "builds/side_files.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "builds/file_origin.h"
#include "builds/inputs.h"
#include "builds/program_files.h"
#include "builds/worktree.h"
#include "process/run_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define USED (RUN_FILE_EXECUTED | RUN_FILE_MAPPED | RUN_FILE_READ)

/* The folder of one build, which may be below the other's. */
struct tree {
	const char *root;
	const char *nested; /* the other one if it is below; else NULL */
};

static struct tree
tree_of(const char *root, const char *other)
{
	return (struct tree){root, path_is_below(other, root) ? other : NULL};
}

/* Whether the file is in that folder; the files of git itself belong to all its worktrees. */
static bool
has_file(const struct tree *tree, const char *path)
{
	return path_is_below(path, tree->root) &&
	       !(tree->nested && path_is_below(path, tree->nested)) &&
	       !strstr(path + strlen(tree->root), "/.git/");
}

static const char *
verb_of(unsigned uses)
{
	if (uses & RUN_FILE_EXECUTED)
		return "executes";
	return uses & RUN_FILE_MAPPED ? "loads" : "reads";
}

/* How serious the wrong use of a file is: the most serious one is named. */
static unsigned
severity(const struct run_file *file)
{
	if (file->uses & RUN_FILE_EXECUTED)
		return 3;
	return file->uses & RUN_FILE_MAPPED ? 2 : 1;
}

/* Among the files that were used and are in the tree, the one to be named; *count is their number.
 */
static const struct run_file *
find_in_tree(const struct side_runs *runs, const struct run_files *files, const struct tree *tree,
	size_t *count)
{
	const struct run_file *worst = NULL;

	*count = 0;
	for (size_t i = 0; i < files->count; i++) {
		const struct run_file *file = &files->files[i];

		if (!(file->uses & USED) || !has_file(tree, file->path) ||
			inputs_cover(runs->here, file->path))
			continue;
		++*count;
		if (!worst || severity(file) > severity(worst))
			worst = file;
	}
	return worst;
}

static void
note_more(size_t count, struct err *err)
{
	if (count > 1)
		err_note(err, "and %zu more %s", count - 1, count == 2 ? "file" : "files");
}

/* Whether the variable of our own is another one in the run's environment. */
static bool
is_replaced(const char *entry, const char *const *env)
{
	const size_t len = strcspn(entry, "=");

	for (; env && *env; env++) {
		if (strncmp(*env, entry, len) == 0 && ((*env)[len] == '=' || !(*env)[len]))
			return true;
	}
	return false;
}

/*
 * Adds which variable of the run holds the file's name, or that of its folder. `env` is what it has
 * beside our own.
 */
static void
put_variable(const struct run_file *file, const char *const *env, struct buf *out)
{
	char *folder = mem_strdup(file->name);
	char *slash = strrchr(folder, '/');
	const char *const *lists[] = {env, (const char *const *)environ};

	if (slash && slash != folder)
		*slash = '\0';
	for (size_t i = 0; i < 2; i++) {
		for (const char *const *at = lists[i]; at && *at && out->len == 0; at++) {
			const size_t len = strcspn(*at, "=");

			if (strstr(*at + len, folder) && !(i == 1 && is_replaced(*at, env)))
				buf_printf(out, "by the variable %.*s", (int)len, *at);
		}
	}
	free(folder);
}

static void
note_origin(const struct run_files *files, const struct run_file *file, const char *in,
	const char *own, const char *const *env, struct err *err)
{
	struct buf text = {0};

	put_variable(file, env, &text);
	if (text.len > 0 || file_origin_put(files, file, in, own, &text))
		err_note(err, "it got there %s", buf_text(&text));
	else if (file->by[0])
		err_note(err, "'%s' made the path itself", file->by);
	buf_release(&text);
}

/* An error where the base has used a file of the candidate. */
static int
check_base(const struct side_runs *runs, const struct tree *here, const struct tree *there,
	struct err *err)
{
	size_t count;
	const struct run_file *file = find_in_tree(runs, runs->other, here, &count);

	if (!file)
		return 0;
	err_set(err, ERR_MEASURE, "the base %s %s a file of the working tree: '%s'",
		runs->base->name, verb_of(file->uses), file->path);
	note_more(count, err);
	note_origin(runs->other, file, here->root, there->root, runs->there->env, err);
	return err_note(err, "name it by a path that is relative to its build; a file that both "
			     "builds are to share is listed in `inputs`");
}

static int
check_candidate(const struct side_runs *runs, const struct tree *here, const struct tree *there,
	struct err *err)
{
	size_t count;
	const struct run_file *file = find_in_tree(runs, runs->candidate, there, &count);

	if (!file)
		return 0;
	err_set(err, ERR_MEASURE, "the candidate %s a file of the base %s: '%s'",
		verb_of(file->uses), runs->base->name, file->path);
	note_more(count, err);
	note_origin(runs->candidate, file, there->root, here->root, runs->here->env, err);
	return err_note(err, "name it by a path that is relative to its build");
}

/* A file of the candidate's run at or below a path, as it was named or as it is; NULL if none. */
static const struct run_file *
find_used_below(const struct run_files *files, const char *path)
{
	char *real = realpath(path, NULL);
	const struct run_file *found = NULL;

	for (size_t i = 0; i < files->count && !found; i++) {
		const struct run_file *file = &files->files[i];

		if (file->uses & USED && (path_is_below(file->name, path) ||
						 (real && path_is_below(file->path, real))))
			found = file;
	}
	free(real);
	return found;
}

/* An error where a path that was replaced by one of the base does not exist there. */
static int
check_moved(const struct side_runs *runs, struct err *err)
{
	for (size_t i = 0; i < runs->moved->count; i++) {
		const struct moved_path *moved = &runs->moved->paths[i];

		if (!file_exists(moved->here) || file_exists(moved->there))
			continue;
		const struct run_file *used = find_used_below(runs->candidate, moved->here);

		if (runs->candidate->known && !used)
			continue;
		err_set(err, ERR_MEASURE, "'%s' names '%s', which the base %s lacks", moved->in,
			used ? used->name : moved->here, runs->base->name);
		if (used && strcmp(used->name, moved->here) != 0)
			err_note(err, "by the path '%s'", moved->here);
		return err_note(err,
			"if both builds share it, list it in `inputs`; else `build` makes "
			"it, or git has it");
	}
	return 0;
}

/* Whether the file is neither build's. */
static bool
is_outside(const struct side_runs *runs, const char *path)
{
	const struct tree_text *texts = runs->base->texts;

	return !texts || (!path_is_below(path, tree_text_here(texts)) &&
				 !path_is_below(path, tree_text_there(texts)));
}

/* Whether the candidate's run uses a file of its build; true if that is not known. */
static bool
uses_own_files(const struct side_runs *runs)
{
	for (size_t i = 0; i < runs->candidate->count; i++) {
		const struct run_file *file = &runs->candidate->files[i];

		if (file->uses & USED && !is_outside(runs, file->path))
			return true;
	}
	return !runs->candidate->known || !runs->base->texts;
}

static int
check_shared_with(const struct side_runs *runs, struct build_contents *contents, struct err *err)
{
	const bool uses_own = uses_own_files(runs);

	for (size_t i = 0; i < runs->candidate->count; i++) {
		const struct run_file *file = &runs->candidate->files[i];
		const struct run_file *same =
			runs->other ? run_files_find(runs->other, file->path) : file;

		if (!same || !(file->uses & same->uses & USED) || !is_outside(runs, file->path) ||
			inputs_cover(runs->here, file->path))
			continue;
		const char *evidence = build_product_evidence(
			runs->base->texts, runs->here, runs->times, contents, file);

		if (!evidence && !uses_own && file->uses & RUN_FILE_EXECUTED &&
			!build_product_is_packaged(file->path) &&
			!program_script_endings(file_basename(file->path), ""))
			evidence = "the run uses no file of its build, so that there is nothing "
				   "to compare";

		if (!evidence)
			continue;
		err_set(err, ERR_MEASURE, "both builds use one file: the base %s, too, %s '%s'",
			runs->base->name, verb_of(same->uses), file->path);
		err_note(err, "%s", evidence);
		return err_note(err, "the base is built in its own folder: let `build` write "
				     "below the folder that it runs in, and `run` name that");
	}
	return 0;
}

/* An error where both use one file outside of both builds, which a build has made. */
static int
check_shared(const struct side_runs *runs, struct err *err)
{
	struct build_contents contents = {0};
	int result = check_shared_with(runs, &contents, err);

	build_contents_release(&contents);
	/* So that the base's build, if it made the file, makes it again in the next gate. */
	if (result < 0 && runs->base->worktree)
		worktree_spoil(runs->base->worktree);
	return result;
}

/* With a map of programs both builds are one folder: the base must not use what the map replaces.
 */
static int
check_replaced(const struct side_runs *runs, struct err *err)
{
	for (size_t i = 0; runs->here->run[i]; i++) {
		if (strcmp(runs->here->run[i], runs->there->run[i]) == 0)
			continue;
		char *path = program_file(runs->here, i);
		char *real = path ? realpath(path, NULL) : NULL;
		const struct run_file *file = real ? run_files_find(runs->other, real) : NULL;
		const bool wrong = file && file->uses & USED;

		if (wrong)
			err_set(err, ERR_MEASURE, "the base %s %s '%s', which is the candidate's",
				runs->base->name, verb_of(file->uses), real);
		free(real);
		free(path);
		if (wrong)
			return err_note(err, "it replaces '%s' by '%s'", runs->here->run[i],
				runs->there->run[i]);
	}
	return 0;
}

int
side_files_check_known(const struct side_runs *runs, struct err *err)
{
	const struct tree_text *texts = runs->base->texts;

	if (!texts)
		return runs->other ? check_replaced(runs, err) : 0;
	const char *folders[] = {tree_text_here(texts), tree_text_there(texts)};
	const struct tree here = tree_of(folders[0], folders[1]);
	const struct tree there = tree_of(folders[1], folders[0]);

	if (runs->other && (check_base(runs, &here, &there, err) < 0 ||
				   check_candidate(runs, &here, &there, err) < 0))
		return -1;
	return check_shared(runs, err);
}

int
side_files_check(const struct side_runs *runs, struct err *err)
{
	if (runs->base->texts && runs->other && check_moved(runs, err) < 0)
		return -1;
	return side_files_check_known(runs, err);
}
