/*
 * The files of a commit that a run may read or that make its program: a digest of the first, and
 * whether the working tree has others. A file's purpose is taken from its name: data of runs,
 * source of a program, or a document.
 */
#include "builds/identity.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "builds/git.h"
#include "builds/own_output.h"
#include "elf/elf_image.h"
#include "process/process.h"

#include <stdlib.h>
#include <string.h>

/* Whether the name of a file is one of `names`, or ends in one of `endings`; both NULL-ended. */
static bool
has_name_of(const char *path, const char *const *endings, const char *const *names)
{
	const char *name = file_basename(path);
	const char *ending = strrchr(name, '.');
	bool is = false;

	for (; ending && *endings; endings++)
		is = is || strcmp(ending, *endings) == 0;
	for (; *names; names++)
		is = is || strcmp(name, *names) == 0;
	return is;
}

/* Whether the file is neither executed nor read by a run, nor part of a build. */
static bool
is_document(const char *path)
{
	static const char *const endings[] = {".md", ".rst", ".adoc", ".log", ".diff", ".patch",
		".1", ".3", ".5", ".7", ".8", NULL};
	static const char *const names[] = {
		"LICENSE", "COPYING", "README", "AUTHORS", "NEWS", "ChangeLog", NULL};

	return path[0] == '.' || has_name_of(path, endings, names);
}

/* Whether the file is part of a build, but neither executed nor read by a run. */
static bool
is_source(const char *path)
{
	static const char *const endings[] = {".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp",
		".hxx", ".inl", ".S", ".s", ".rs", ".go", ".zig", ".f90", ".swift", ".d", ".mk",
		".cmake", ".am", ".ac", ".yaml", ".yml", NULL};
	static const char *const names[] = {"Makefile", "CMakeLists.txt", NULL};

	return has_name_of(path, endings, names);
}

static bool
is_program(const char *path)
{
	struct elf_image image;
	bool is = elf_image_open(&image, path);

	if (is)
		elf_image_close(&image);
	return is;
}

/*
 * Whether a run may read the file: it is no source, document or setting. A program that is not
 * tracked is not read, since it is not among those that the workload runs.
 */
static bool
file_may_be_read(const char *path, bool tracked)
{
	return !is_document(path) && !is_source(path) && (tracked || !is_program(path));
}

/* Whether the file makes another program of a commit if it is changed, or is new. */
static bool
file_is_of_program(const char *path, bool tracked)
{
	return !is_document(path) && (tracked || !is_program(path));
}

/* Data is not known where the list of its files is larger. */
#define LIST_BYTES_MAX ((size_t)64 * 1024 * 1024)

/* Whether the file belongs to a stored baseline: each has a baseline.json beside its files. */
static bool
is_stored(const char *list, const char *path)
{
	static const char *const names[] = {"baseline.json", "runs.stacks", "runs.folded",
		"counts.json", "counts.stacks", "counts.folded", "code.txt"};
	const char *name = file_basename(path);
	bool is = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		is = is || strcmp(name, names[i]) == 0;
	if (!is)
		return false;
	char *beside = mem_printf("\t%.*sbaseline.json\n", (int)(name - path), path);

	is = strstr(list, beside);
	free(beside);
	return is;
}

bool
data_digest_of(const char *commit, char digest[SHA256_TEXT_SIZE])
{
	const char *const args[] = {"ls-tree", "-r", "--full-tree", commit, NULL};
	struct tool_output output;
	struct buf text = {0};
	struct err ignored = {0};
	/* "100644 blob HASH<TAB>PATH", by path. A longer list is truncated. */
	bool known = git_run_up_to(&output, LIST_BYTES_MAX, NULL, args, &ignored) == 0 &&
		     output.out.len + 1 < LIST_BYTES_MAX;

	digest[0] = '\0';
	for (const char *line = buf_text(&output.out), *end; (end = strchr(line, '\n')) != NULL;
		line = end + 1) {
		const char *tab = memchr(line, '\t', (size_t)(end - line));
		char *path = tab ? mem_dup(tab + 1, (size_t)(end - tab - 1)) : NULL;

		if (path && file_may_be_read(path, true) && !is_stored(buf_text(&output.out), path))
			buf_put(&text, line, (size_t)(end - line) + 1);
		free(path);
	}
	if (known)
		sha256_text(buf_text(&text), text.len, digest);
	buf_release(&text);
	tool_output_release(&output);
	return known;
}

/* Files that git neither has nor ignores. */
static const char *const added[] = {"ls-files", "--others", "--exclude-standard", NULL};

int
identity_find_changed_data(const char *commit, char **path)
{
	int result = own_output_find_change(commit, file_may_be_read, path);

	return result == 0 ? own_output_find_other(added, false, file_may_be_read, path) : result;
}

int
identity_find_uncommitted(const char *commit, char **path)
{
	int result = own_output_find_change(commit, file_is_of_program, path);

	return result == 0 ? own_output_find_other(added, false, file_is_of_program, path) : result;
}

bool
identity_is_checked_out(const char *commit)
{
	char *changed = NULL;
	char *new_file = NULL;
	bool is = own_output_find_change(commit, NULL, &changed) == 0 &&
		  own_output_find_other(added, false, NULL, &new_file) == 0;

	free(changed);
	free(new_file);
	return is;
}

bool
identity_has_data_of(const char *commit, const char *data_digest)
{
	char digest[SHA256_TEXT_SIZE];
	char head[GIT_COMMIT_SIZE];
	char *changed = NULL;
	int found = identity_find_changed_data(commit, &changed);

	/* The commit is not in this clone. */
	if (found < 0 && data_digest[0]) {
		git_head(NULL, head);
		if (head[0] && data_digest_of(head, digest) && strcmp(digest, data_digest) == 0)
			found = identity_find_changed_data(head, &changed);
	}
	free(changed);
	return found == 0;
}
