/*
 * Reading files out of a commit by git's objects, and the lines in which the working tree differs
 * from it.
 */
#include "builds/commit_files.h"

#include "base/file.h"
#include "base/mem.h"
#include "builds/repository.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A folder of some thousand names, and a commit of a million. */
#define LISTING_MAX ((size_t)4 << 20)
#define COMMIT_LISTING_MAX ((size_t)128 << 20)
/* As the kernel's limits of a path (MAXSYMLINKS, PATH_MAX). */
#define LINKS_MAX 40
#define LINK_TARGET_MAX ((size_t)4096)
/* Modes, as git-ls-tree(1) prints them. */
#define TREE "040000"
#define LINK "120000"
#define SUBMODULE "160000"

int
commit_files_open(struct commit_files *files, const char *option, const char *ref, struct err *err)
{
	*files = (struct commit_files){0};
	if (repository_open(&files->repository, err) < 0)
		return -1;
	if (repository_resolve(&files->repository, option, ref, files->commit, err) < 0) {
		repository_release(&files->repository);
		return -1;
	}
	files->ref = mem_strdup(ref);
	return 0;
}

void
commit_files_close(struct commit_files *files)
{
	repository_release(&files->repository);
	arena_release(&files->arena);
	free(files->ref);
	*files = (struct commit_files){0};
}

const char *
commit_files_name(struct commit_files *files, const char *path)
{
	return arena_printf(&files->arena, "%s:%s", files->ref, path);
}

static int
refuse_outside(const struct commit_files *files, const char *path, struct err *err)
{
	return err_set(err, ERR_INPUT,
		"'%s' is outside of the repository '%s': commit '%s' has no such file", path,
		files->repository.top, files->ref);
}

/*
 * The path as git sees it, from the top of the repository; "." and ".." are still in it. By names
 * alone, so that a link in the working tree cannot lead to another file of the commit.
 */
static int
path_from_top(const struct commit_files *files, const char *path, struct buf *out, struct err *err)
{
	const struct repository *repository = &files->repository;

	if (path[0] != '/') {
		buf_printf(out, "%s%s", repository->prefix, path);
		return 0;
	}
	if (file_path_below(path, repository->top)) {
		buf_puts(out, path + strlen(repository->top));
		return 0;
	}
	return refuse_outside(files, path, err);
}

/* Git's entries of a path, or of everything in a folder ("path/"): see entry_next(). */
static int
list_entries(const struct commit_files *files, const char *path, struct tool_output *output,
	struct err *err)
{
	/* A name may begin with ':', which git would read as its own syntax. */
	char *literal = mem_printf(":(literal)%s", path);
	const char *const args[] = {"ls-tree", "-z", "--full-tree", files->commit,
		path[0] ? "--" : NULL, literal, NULL};
	int result = git_run_up_to(output, LISTING_MAX, NULL, args, err);

	free(literal);
	return result;
}

/* "100644 blob HASH\tPATH" and a NUL: one entry of a tree, as git-ls-tree(1) prints it. */
struct entry {
	char *mode;
	char *hash;
	char *path;
};

/* Cuts the entry at *at into its fields, and goes to the next; false at the end. */
static bool
entry_next(struct tool_output *output, size_t *at, struct entry *entry)
{
	char *line = output->out.data + *at;
	char *end = *at < output->out.len ? memchr(line, '\0', output->out.len - *at) : NULL;
	char *space = end ? strchr(line, ' ') : NULL;
	char *hash = space ? strchr(space + 1, ' ') : NULL;
	char *tab = hash ? strchr(hash + 1, '\t') : NULL;

	if (!tab)
		return false;
	*space = *hash = *tab = '\0';
	*entry = (struct entry){.mode = line, .hash = hash + 1, .path = tab + 1};
	*at = (size_t)(end - output->out.data) + 1;
	return true;
}

static bool
is_file(const char *mode)
{
	return strncmp(mode, "100", 3) == 0;
}

static int
read_blob(const struct commit_files *files, const char *path, const char *hash, size_t limit_bytes,
	struct buf *out, struct err *err)
{
	const char *const args[] = {"cat-file", "blob", hash, NULL};
	struct tool_output output;
	int result = git_run_up_to(&output, limit_bytes + 1, NULL, args, err);

	if (result < 0)
		err_note(err, "while reading '%s' of '%s'", path, files->ref);
	else if (output.out.len > limit_bytes)
		result = err_set(err, ERR_INPUT, "%s:%s: error: more than %zu bytes", files->ref,
			path, limit_bytes);
	else
		buf_put(out, buf_text(&output.out), output.out.len);
	tool_output_release(&output);
	return result;
}

/* One path on its way through the folders and links of the commit. */
struct walk {
	const struct commit_files *files;
	const char *path; /* as it was named */
	struct buf at;    /* what is resolved so far, without links; "" is the top */
	char kind[8];     /* the mode of what is there: "040000" is a folder */
	char hash[GIT_COMMIT_SIZE];
	unsigned links;
};

static void
walk_up(struct walk *walk)
{
	const char *slash = walk->at.len > 0 ? memrchr(walk->at.data, '/', walk->at.len) : NULL;

	walk->at.len = slash ? (size_t)(slash - walk->at.data) : 0;
	if (walk->at.data)
		walk->at.data[walk->at.len] = '\0';
	memcpy(walk->kind, TREE, sizeof(TREE));
}

static int walk_along(struct walk *walk, const char *rest, bool *found, struct err *err);

/* Goes where the link at `walk` leads, which must be in the commit. */
static int
walk_link(struct walk *walk, bool *found, struct err *err)
{
	struct buf target = {0};
	int result = 0;

	*found = false;
	if (++walk->links > LINKS_MAX)
		result = err_set(err, ERR_INPUT, "%s:%s: error: more than %d symbolic links",
			walk->files->ref, walk->path, LINKS_MAX);
	if (result == 0)
		result = read_blob(
			walk->files, walk->path, walk->hash, LINK_TARGET_MAX, &target, err);
	if (result == 0 && (target.len == 0 || memchr(target.data, '\0', target.len)))
		result = err_set(err, ERR_INPUT, "%s:%s: error: a broken symbolic link",
			walk->files->ref, walk->path);
	if (result == 0 && target.data[0] == '/')
		result = err_set(err, ERR_INPUT,
			"%s:%s: error: the symbolic link '%s' leads to '%s', outside of the commit",
			walk->files->ref, walk->path, buf_text(&walk->at), target.data);
	if (result == 0) {
		char *link = mem_strdup(buf_text(&walk->at));

		walk_up(walk);
		result = walk_along(walk, target.data, found, err);
		if (result == 0 && !*found)
			result = err_set(err, ERR_INPUT,
				"%s:%s: error: the symbolic link '%s' leads to '%s', which the commit does not have",
				walk->files->ref, walk->path, link, target.data);
		free(link);
	}
	buf_release(&target);
	return result;
}

/* Goes to the entry `name` of the folder at `walk`. */
static int
walk_down(struct walk *walk, const char *name, size_t len, bool *found, struct err *err)
{
	struct tool_output output = {0};
	struct entry entry;
	size_t next = 0;

	buf_printf(&walk->at, "%s%.*s", walk->at.len > 0 ? "/" : "", (int)len, name);
	int result = list_entries(walk->files, buf_text(&walk->at), &output, err);

	*found = result == 0 && entry_next(&output, &next, &entry) &&
		 strcmp(entry.path, buf_text(&walk->at)) == 0;
	if (*found) {
		snprintf(walk->kind, sizeof(walk->kind), "%s", entry.mode);
		snprintf(walk->hash, sizeof(walk->hash), "%s", entry.hash);
	}
	tool_output_release(&output);
	return *found && strcmp(walk->kind, LINK) == 0 ? walk_link(walk, found, err) : result;
}

/*
 * Goes along `rest` from the folder at `walk`, as the kernel would in a working tree of the commit:
 * ".." is the folder above the one that a link led to.
 */
static int
walk_along(struct walk *walk, const char *rest, bool *found, struct err *err)
{
	int result = 0;

	*found = true;
	for (const char *at = rest; result == 0 && *found && *at;) {
		size_t len = strcspn(at, "/");
		bool is_up = len == 2 && strncmp(at, "..", 2) == 0;

		if (len == 0 || (len == 1 && *at == '.')) {
			at += len + (at[len] == '/');
			continue;
		}
		if (strcmp(walk->kind, SUBMODULE) == 0)
			return err_set(err, ERR_INPUT,
				"%s:%s: error: '%s' is a submodule: its files are not in the commit",
				walk->files->ref, walk->path, buf_text(&walk->at));
		if (strcmp(walk->kind, TREE) != 0)
			*found = false;
		else if (is_up && walk->at.len == 0)
			result = refuse_outside(walk->files, walk->path, err);
		else if (is_up)
			walk_up(walk);
		else
			result = walk_down(walk, at, len, found, err);
		at += len + (at[len] == '/');
	}
	return result;
}

/* Finds `path` in the commit by its objects; walk_release() in every case. */
static int
walk_to(struct walk *walk, const struct commit_files *files, const char *path, bool *found,
	struct err *err)
{
	struct buf from_top = {0};

	*walk = (struct walk){.files = files, .path = path, .kind = TREE};
	int result = path_from_top(files, path, &from_top, err);

	*found = false;
	if (result == 0)
		result = walk_along(walk, buf_text(&from_top), found, err);
	buf_release(&from_top);
	return result;
}

static void
walk_release(struct walk *walk)
{
	buf_release(&walk->at);
}

int
commit_files_read(struct commit_files *files, const char *path, size_t limit_bytes, struct buf *out,
	bool *found, struct err *err)
{
	struct walk walk;
	int result = walk_to(&walk, files, path, found, err);

	if (result == 0 && *found && !is_file(walk.kind))
		result = err_set(err, ERR_INPUT, "%s:%s: error: not an ordinary file (a %s)",
			files->ref, path,
			strcmp(walk.kind, SUBMODULE) == 0 ? "submodule" : "folder");
	else if (result == 0 && *found)
		result = read_blob(files, path, walk.hash, limit_bytes, out, err);
	walk_release(&walk);
	return result;
}

/* The entries of the folder at `walk`: their names, the arena's. */
static int
list_names(struct commit_files *files, struct walk *walk, const char *folder,
	const char *const **names, struct err *err)
{
	struct tool_output output = {0};
	struct entry entry;
	size_t capacity = 0, n = 0, at = 0;
	const char **found = NULL;

	if (walk->at.len > 0)
		buf_putc(&walk->at, '/');
	int result = list_entries(files, buf_text(&walk->at), &output, err);

	if (result == 0 && output.out.len >= LISTING_MAX)
		result = err_set(
			err, ERR_INPUT, "'%s' has too many files in '%s'", folder, files->ref);
	while (result == 0 && entry_next(&output, &at, &entry)) {
		if (!is_file(entry.mode) && strcmp(entry.mode, LINK) != 0)
			continue;
		found = mem_grow(found, &capacity, n + 1, sizeof(*found));
		found[n++] = arena_strdup(&files->arena, file_basename(entry.path));
	}
	const char **kept = arena_alloc(&files->arena, (n + 1) * sizeof(*kept));

	if (n > 0)
		memcpy(kept, found, n * sizeof(*kept));
	*names = kept;
	free(found);
	tool_output_release(&output);
	return result;
}

int
commit_files_list(
	struct commit_files *files, const char *folder, const char *const **names, struct err *err)
{
	static const char *const none[] = {NULL};
	struct walk walk;
	bool found;
	int result = walk_to(&walk, files, folder, &found, err);

	*names = none;
	if (result == 0 && found && strcmp(walk.kind, SUBMODULE) == 0)
		result = err_set(err, ERR_INPUT,
			"%s:%s: error: a submodule: its files are not in the commit", files->ref,
			folder);
	else if (result == 0 && found && strcmp(walk.kind, TREE) == 0)
		result = list_names(files, &walk, folder, names, err);
	walk_release(&walk);
	return result;
}

int
commit_files_find(
	const struct commit_files *files, const char *path, enum commit_path *kind, struct err *err)
{
	struct walk walk;
	bool found;
	int result = walk_to(&walk, files, path, &found, err);

	if (!found)
		*kind = COMMIT_PATH_NONE;
	else if (is_file(walk.kind))
		*kind = COMMIT_PATH_FILE;
	else if (strcmp(walk.kind, TREE) == 0)
		*kind = COMMIT_PATH_FOLDER;
	else
		*kind = COMMIT_PATH_SUBMODULE;
	walk_release(&walk);
	return result;
}

int
commit_files_each(
	const struct commit_files *files, commit_files_visit visit, void *context, struct err *err)
{
	const char *const args[] = {"ls-tree", "-r", "-z", "--full-tree", files->commit, NULL};
	struct tool_output output;
	struct entry entry;
	size_t at = 0;
	int result = git_run_up_to(&output, COMMIT_LISTING_MAX, NULL, args, err);

	if (result == 0 && output.out.len >= COMMIT_LISTING_MAX)
		result = err_set(err, ERR_INPUT, "'%s' has too many files", files->ref);
	while (result == 0 && entry_next(&output, &at, &entry)) {
		const bool is_link = strcmp(entry.mode, LINK) == 0;

		if (is_link || is_file(entry.mode))
			result = visit(context, entry.path, is_link, err);
	}
	tool_output_release(&output);
	return result;
}
