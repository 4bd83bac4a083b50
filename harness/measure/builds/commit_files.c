#include "builds/commit_files.h"

#include "base/file.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* A folder of some thousand names. */
#define LISTING_MAX ((size_t)4 << 20)

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

/*
 * The path below the top of the repository, without "." and "..": "" is the top itself. By names
 * alone, so that a link in the working tree cannot lead to another file of the commit.
 */
static int
path_in_repository(
	const struct commit_files *files, const char *path, struct buf *out, struct err *err)
{
	const struct repository *repository = &files->repository;
	size_t top = strlen(repository->top);
	bool inside = path[0] != '/';
	struct buf whole = {0};

	if (!inside && strncmp(path, repository->top, top) == 0 && path[top] == '/') {
		buf_puts(&whole, path + top);
		inside = true;
	} else if (inside) {
		buf_printf(&whole, "%s%s", repository->prefix, path);
	}
	for (const char *at = buf_text(&whole); inside && *at;) {
		size_t len = strcspn(at, "/");

		if (len == 2 && strncmp(at, "..", 2) == 0) {
			const char *slash = out->len > 0 ? memrchr(out->data, '/', out->len) : NULL;

			inside = out->len > 0;
			out->len = slash ? (size_t)(slash - out->data) : 0;
			if (out->data)
				out->data[out->len] = '\0';
		} else if (len > 0 && !(len == 1 && *at == '.')) {
			buf_printf(out, "%s%.*s", out->len > 0 ? "/" : "", (int)len, at);
		}
		at += len + (at[len] == '/');
	}
	buf_release(&whole);
	if (inside)
		return 0;
	return err_set(err, ERR_INPUT,
		"'%s' is outside of the repository '%s': commit '%s' has no such file", path,
		repository->top, files->ref);
}

/* Git's entries of a path, or of everything in a folder ("path/"): see entry_next(). */
static int
list_entries(const struct commit_files *files, const char *path, struct tool_output *output,
	struct err *err)
{
	const char *const args[] = {
		"ls-tree", "-z", "--full-tree", files->commit, path[0] ? "--" : NULL, path, NULL};

	return git_run_up_to(output, LISTING_MAX, NULL, args, err);
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
is_file(const struct entry *entry)
{
	return strncmp(entry->mode, "100", 3) == 0;
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

int
commit_files_read(struct commit_files *files, const char *path, size_t limit_bytes, struct buf *out,
	bool *found, struct err *err)
{
	struct tool_output output = {0};
	struct buf wanted = {0};
	struct entry entry;
	size_t at = 0;
	int result = path_in_repository(files, path, &wanted, err);

	*found = false;
	if (result == 0 && wanted.len > 0)
		result = list_entries(files, buf_text(&wanted), &output, err);
	if (result == 0 && entry_next(&output, &at, &entry) &&
		strcmp(entry.path, buf_text(&wanted)) == 0) {
		*found = true;
		if (is_file(&entry))
			result = read_blob(files, path, entry.hash, limit_bytes, out, err);
		else
			result = err_set(err, ERR_INPUT, "%s:%s: error: not an ordinary file (%s)",
				files->ref, path,
				strcmp(entry.mode, "120000") == 0 ? "a symbolic link" : "a folder");
	}
	tool_output_release(&output);
	buf_release(&wanted);
	return result;
}

int
commit_files_list(
	struct commit_files *files, const char *folder, const char *const **names, struct err *err)
{
	struct tool_output output = {0};
	struct buf wanted = {0};
	struct entry entry;
	size_t capacity = 0, n = 0, at = 0;
	const char **found = NULL;
	int result = path_in_repository(files, folder, &wanted, err);

	if (result == 0 && wanted.len > 0)
		buf_putc(&wanted, '/');
	if (result == 0)
		result = list_entries(files, buf_text(&wanted), &output, err);
	if (result == 0 && output.out.len >= LISTING_MAX)
		result = err_set(
			err, ERR_INPUT, "'%s' has too many files in '%s'", folder, files->ref);
	while (result == 0 && entry_next(&output, &at, &entry)) {
		if (!is_file(&entry))
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
	buf_release(&wanted);
	return result;
}
