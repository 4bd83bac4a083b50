/*
 * Checks that the runs of two builds used the files of their own build, and says how a file of the
 * other build came to be used.
 */
#include "builds/build_side.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "builds/inputs.h"
#include "builds/path_map.h"
#include "builds/program.h"
#include "builds/worktree.h"
#include "elf/elf_image.h"
#include "process/file_watch.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * How a run came to use a file: by which link, rpath, first line of a script, or text in another
 * file that it used.
 */

/* The search for the way to one file. */
struct origin_search {
	const struct run_files *files;
	const struct run_file *file;
	const char *in;  /* the folder that the file is below */
	const char *own; /* the one that it should be below */
	char *named_in;  /* the folder that it was named in */
	struct buf *out;
};

/* The first part of the name that is a link, if a link leads to the file's folder. */
static bool
put_link(const struct origin_search *search)
{
	char *part = mem_strdup(search->file->name);
	bool found = false;

	for (char *at = strchr(part + 1, '/'); !found; at = at ? strchr(at + 1, '/') : NULL) {
		struct stat status;

		if (at)
			*at = '\0';
		/* A link within the folder is not what led there. */
		const bool outside =
			path_is_below(part, search->own) || !path_is_below(part, search->in);
		const bool is_link =
			outside && lstat(part, &status) == 0 && S_ISLNK(status.st_mode);
		char *real = is_link ? realpath(part, NULL) : NULL;

		found = real && path_is_below(real, search->in) &&
			!path_is_below(real, search->own);
		free(real);
		if (found)
			buf_printf(search->out, "through the symbolic link '%s'", part);
		if (!at)
			break;
		*at = '/';
	}
	free(part);
	return found;
}

static bool
put_interpreter(const struct origin_search *search)
{
	struct err ignored = {0};
	struct buf text = {0};
	bool is_script = false;

	if (search->file->uses & RUN_FILE_EXECUTED && search->file->by[0])
		is_script = file_read(search->file->by, &text, SEARCHED_BYTES_MAX, &ignored) == 0 &&
			    strncmp(buf_text(&text), "#!", 2) == 0 &&
			    memmem(text.data, strcspn(text.data, "\n"), search->file->name,
				    strlen(search->file->name));
	if (is_script)
		buf_printf(search->out, "by the first line of the script '%s'", search->file->by);
	buf_release(&text);
	return is_script;
}

/* Whether a list of the dynamic linker names the file, or with `folders` the one it is in. */
static bool
is_listed(const struct origin_search *search, const struct elf_image *image, int64_t tag,
	bool folders)
{
	struct buf list = {0};
	char *rest = NULL;
	bool found = false;

	elf_put_dynamic(image, tag, &list);
	for (char *at = list.data ? strtok_r(list.data, "\n:", &rest) : NULL; at && !found;
		at = strtok_r(NULL, "\n:", &rest)) {
		char *real = at[0] == '/' ? realpath(at, NULL) : NULL;

		if (folders)
			found = real && search->named_in && strcmp(real, search->named_in) == 0;
		else
			found = real && strcmp(real, search->file->path) == 0;
		free(real);
	}
	buf_release(&list);
	return found;
}

static bool
is_loader(const struct origin_search *search, const struct elf_image *image)
{
	char *loader = elf_interpreter(image);
	char *real = loader ? realpath(loader, NULL) : NULL;
	const bool is = real && strcmp(real, search->file->path) == 0;

	free(real);
	free(loader);
	return is;
}

/* Whether a program or library that was used tells the dynamic linker of the file. */
static bool
put_dynamic(const struct origin_search *search, const struct run_file *in)
{
	struct elf_image image;
	const char *what = NULL;

	if (in == search->file || !(in->uses & (RUN_FILE_EXECUTED | RUN_FILE_MAPPED)) ||
		!elf_image_open(&image, in->path))
		return false;
	if (is_listed(search, &image, DT_RPATH, true) ||
		is_listed(search, &image, DT_RUNPATH, true))
		what = "rpath";
	else if (is_listed(search, &image, DT_NEEDED, false))
		what = "list of libraries (DT_NEEDED)";
	else if (is_loader(search, &image))
		what = "program interpreter (PT_INTERP)";
	elf_image_close(&image);
	if (what)
		buf_printf(search->out, "by the %s of '%s'", what, in->path);
	return what;
}

static bool
put_text(const struct origin_search *search, const char *path)
{
	for (size_t i = 0; i < search->files->count; i++) {
		const struct run_file *in = &search->files->files[i];

		if (in == search->file || !file_origin_mentions(in->path, path))
			continue;
		buf_printf(search->out, "by the path '%s' in '%s'", path, in->path);
		return true;
	}
	return false;
}

/*
 * Appends a clause, such as "by the rpath of 'bench'", that says how the run came to use `file`,
 * which is among its `files`. The file is below the folder `in`, whose name is looked for as well,
 * and should have been below `own`, which may be below `in`; both are absolute, without links.
 * False, and nothing appended, where it is not known: a program can make a path in any way.
 */
static bool
file_origin_put(const struct run_files *files, const struct run_file *file, const char *in,
	const char *own, struct buf *out)
{
	struct origin_search search = {
		.files = files, .file = file, .in = in, .own = own, .out = out};
	char *folder = mem_strdup(file->name);
	char *slash = strrchr(folder, '/');

	if (slash)
		*slash = '\0';
	search.named_in = realpath(folder, NULL);
	bool found = put_link(&search) || put_interpreter(&search);

	for (size_t i = 0; i < files->count && !found; i++)
		found = put_dynamic(&search, &files->files[i]);
	const char *const paths[] = {file->name, file->path, folder, search.named_in, in};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]) && !found; i++)
		found = paths[i] && paths[i][0] && put_text(&search, paths[i]);
	free(folder);
	free(search.named_in);
	return found;
}

/*
 * The files of both runs, by the build that they belong to.
 */

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
