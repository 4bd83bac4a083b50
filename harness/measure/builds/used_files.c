/*
 * Comparing the files that a run used with those of another build: the same, changed or missing
 * there.
 */
#include "builds/used_files.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "builds/git.h"
#include "builds/inputs.h"
#include "builds/path_map.h"
#include "builds/program.h"
#include "code/program_digest.h"
#include "format/figures.h"
#include "process/file_watch.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef int hasher(
	const char *path, const char *const *folders, char hash[SHA256_TEXT_SIZE], struct err *err);

static int
hash_contents(
	const char *path, const char *const *folders, char hash[SHA256_TEXT_SIZE], struct err *err)
{
	(void)folders;
	return sha256_file(path, hash, err);
}

static bool
agree(hasher *hash, const char *one, const char *other, const char *const *folders)
{
	char hashes[2][SHA256_TEXT_SIZE];
	struct err ignored = {0};

	return hash(one, folders, hashes[0], &ignored) == 0 &&
	       hash(other, folders, hashes[1], &ignored) == 0 && strcmp(hashes[0], hashes[1]) == 0;
}

/* Whether the files of one run agree with those at the paths that `map` gives them. */
static bool
all_agree(const struct run_files *files, const struct path_map *map, const struct workload *here,
	const char *const *folders)
{
	struct arena arena = {0};
	bool same = true;

	for (size_t i = 0; i < files->count && same; i++) {
		const struct run_file *file = &files->files[i];
		const char *other = path_map_find(map, file->path, &arena);

		if (!other || file->uses == RUN_FILE_WRITTEN || inputs_cover(here, file->path) ||
			inputs_cover(here, other))
			continue;
		same = agree(hash_contents, file->path, other, folders) ||
		       ((file->uses & (RUN_FILE_EXECUTED | RUN_FILE_MAPPED)) &&
			       agree(program_digest, file->path, other, folders));
	}
	arena_release(&arena);
	return same;
}

bool
used_files_agree(const struct build_side *base, const struct workload *here,
	const struct run_files *candidate, const struct run_files *other)
{
	if (!candidate->known || !other->known || !base->map || !base->back || !base->root)
		return false;
	char *root = realpath(base->root, NULL);
	char *folder = realpath(".", NULL);
	const char *const folders[] = {root, folder, NULL};
	const bool same = root && folder && all_agree(candidate, base->map, here, folders) &&
			  all_agree(other, base->back, here, folders);

	free(root);
	free(folder);
	return same;
}

/* Whether the file was read as data: it was only read, and is not a script. */
static bool
is_data(const struct run_file *file, const char *const *script_endings)
{
	const char *ending = strrchr(file_basename(file->path), '.');

	for (size_t i = 0; ending && script_endings && script_endings[i]; i++)
		if (strcmp(ending, script_endings[i]) == 0)
			return false;
	return file->uses == RUN_FILE_READ;
}

/* True also where a file cannot be read: then it is not known to differ. */
static bool
same_contents(const char *one, const char *other)
{
	char hashes[2][SHA256_TEXT_SIZE];
	struct err ignored = {0};

	return sha256_file(one, hashes[0], &ignored) < 0 ||
	       sha256_file(other, hashes[1], &ignored) < 0 || strcmp(hashes[0], hashes[1]) == 0;
}

static void
put_bytes(off_t bytes, const char *when, struct buf *out)
{
	format_count(out, (double)bytes);
	buf_printf(out, " B%s", when);
}

/* Appends the path and how the files differ; nothing where both are the same. */
static void
put_difference(const char *here, const char *there, struct buf *out)
{
	struct stat before;
	struct stat now;

	if (stat(here, &now) < 0 || !S_ISREG(now.st_mode))
		return;
	const bool is_new = stat(there, &before) < 0;

	if (!is_new && before.st_size == now.st_size && same_contents(here, there))
		return;
	buf_puts(out, file_path_from_here(here));
	buf_puts(out, " (");
	if (is_new) {
		put_bytes(now.st_size, ", not there before)", out);
	} else if (before.st_size == now.st_size) {
		put_bytes(now.st_size, ", other contents)", out);
	} else {
		put_bytes(before.st_size, " before, ", out);
		put_bytes(now.st_size, " now)", out);
	}
}

char *
changed_input_find(
	const struct build_side *side, const struct workload *here, const struct run_files *used)
{
	char *program = program_file(here, 0);
	const char *const *script_endings =
		program ? program_script_endings(here->run[0], program) : NULL;
	struct arena arena = {0};
	struct buf text = {0};

	for (size_t i = 0; i < used->count && text.len == 0; i++) {
		const struct run_file *file = &used->files[i];
		const char *there = side->map ? path_map_find(side->map, file->path, &arena) : NULL;

		if (there && is_data(file, script_endings) && !inputs_cover(here, file->path))
			put_difference(file->path, there, &text);
	}
	char *found = text.len > 0 ? mem_strdup(buf_text(&text)) : NULL;

	buf_release(&text);
	arena_release(&arena);
	free(program);
	return found;
}

#define POINTER_BYTES_MAX 1024

/* The search for a missing file. */
struct search {
	struct missing_input *found;
	const struct build_side *side;
	const struct workload *here;
	const struct workload *there;
};

static bool
is_file_or_folder(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

/* Whether the file is the pointer that git has in place of a file of git-lfs. */
static bool
is_pointer(const char *path)
{
	static const char start[] = "version https://git-lfs.github.com/spec/";
	struct buf text = {0};
	struct err ignored = {0};
	struct stat status;
	bool is = false;

	if (stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
		status.st_size <= POINTER_BYTES_MAX &&
		file_read(path, &text, POINTER_BYTES_MAX, &ignored) == 0)
		is = strncmp(buf_text(&text), start, strlen(start)) == 0;
	buf_release(&text);
	return is;
}

static enum missing_state
state_of(const char *path)
{
	const char *const ignored_args[] = {"check-ignore", "--quiet", "--", path, NULL};
	const char *const tracked_args[] = {"ls-files", "--error-unmatch", "--", path, NULL};
	struct err ignored = {0};

	if (git_run_checked(NULL, tracked_args, &ignored) == 0)
		return MISSING_NEW;
	return git_run_checked(NULL, ignored_args, &ignored) == 0 ? MISSING_IGNORED
								  : MISSING_UNTRACKED;
}

/* Notes the file `here` if it exists, and `there` does not or is only a pointer of git-lfs. */
static void
find_missing(struct search *search, const char *here, const char *there)
{
	const bool is_lacking = !file_exists(there);

	if (search->found->path || strcmp(here, there) == 0 || !is_file_or_folder(here))
		return;
	if (!is_lacking && (!is_pointer(there) || is_pointer(here)))
		return;
	char *real = realpath(here, NULL);

	if (real && !inputs_cover(search->here, real)) {
		search->found->path = mem_strdup(file_path_from_here(here));
		search->found->state = is_lacking ? state_of(here) : MISSING_POINTER;
	}
	free(real);
}

/* Looks for the path that a word of the command may be. */
static void
compare_word(struct search *search, const char *word)
{
	struct arena arena = {0};
	const char *mapped =
		search->side->map ? path_map_find(search->side->map, word, &arena) : NULL;
	char *here = program_path(search->here, word);
	char *there = program_path(search->there, mapped ? mapped : word);

	if (word[0])
		find_missing(search, here, there);
	free(here);
	free(there);
	arena_release(&arena);
}

/* Whether the file named after this word is written: "-o", "--output", "--out-file=...". */
static bool
is_for_output(const char *word)
{
	return strcmp(word, "-o") == 0 || strcmp(word, "-O") == 0 ||
	       strncmp(word, "--out", 5) == 0 || strncmp(word, "-out", 4) == 0 ||
	       strncmp(word, "--log", 5) == 0;
}

static void
compare_words(struct search *search, const char *const *words)
{
	for (size_t i = 1; words[0] && words[i]; i++) {
		const char *value = strchr(words[i], '=');

		if (is_for_output(words[i]) || is_for_output(words[i - 1]))
			continue;
		compare_word(search, words[i]);
		if (value)
			compare_word(search, value + 1);
	}
}

/* Looks for the words of a line for the shell, as far as they are plain. */
static void
compare_line(struct search *search, const char *line)
{
	static const char between[] = " \t\n\"'|&;()`=$";
	char *copy = mem_strdup(line);
	bool written = false;

	for (char *at = copy; *at;) {
		size_t len = strcspn(at, between);
		char *next = at + len + (at[len] != '\0');
		char *name = at + strspn(at, "<>0123456789");
		const bool redirects = memchr(at, '>', (size_t)(name - at)) != NULL;

		at[len] = '\0';
		if (*name == '\0' && redirects) {
			written = true;
		} else if (len > 0) {
			if (!written && !redirects) {
				compare_word(search, at);
				compare_word(search, at + strspn(at, "<"));
			}
			written = is_for_output(at);
		}
		at = next;
	}
	free(copy);
}

void
missing_input_find_used(struct missing_input *missing, const struct build_side *side,
	const struct workload *here, const struct run_files *used)
{
	struct search search = {.found = missing, .side = side, .here = here};
	struct arena arena = {0};

	*missing = (struct missing_input){0};
	for (size_t i = 0; side->worktree && i < used->count; i++) {
		const struct run_file *file = &used->files[i];
		const char *there = path_map_find(side->map, file->path, &arena);

		if (file->uses == RUN_FILE_READ && there && !strstr(file->path, "/__pycache__/") &&
			(file_exists(there) || state_of(file->path) != MISSING_NEW))
			find_missing(&search, file->path, there);
	}
	arena_release(&arena);
}

void
missing_input_find(struct missing_input *missing, const struct build_side *side,
	const struct workload *here, const struct workload *there)
{
	struct search search = {.found = missing, .side = side, .here = here, .there = there};
	const char *const *run = here->run;

	*missing = (struct missing_input){0};
	if (!side->worktree)
		return;
	compare_words(&search, run);
	if (here->service)
		compare_words(&search, here->service->driver);
	if (strcmp(run[0], "/bin/sh") == 0 && run[1] && strcmp(run[1], "-c") == 0 && run[2])
		compare_line(&search, run[2]);
	if (here->stdin_path)
		compare_word(&search, here->stdin_path);
}

void
missing_input_release(struct missing_input *missing)
{
	free(missing->path);
	*missing = (struct missing_input){0};
}

void
missing_input_describe(
	const struct missing_input *missing, const struct workload *here, struct buf *out)
{
	const char *file = here->path ? here->path : here->name;

	switch (missing->state) {
	case MISSING_IGNORED:
	case MISSING_UNTRACKED:
		buf_printf(out,
			"it lacks '%s', which the command reads and %s: list it under 'inputs' in %s, "
			"and both builds read the file of the working tree",
			missing->path,
			missing->state == MISSING_IGNORED ? "git ignores" : "is not in git", file);
		break;
	case MISSING_POINTER:
		buf_printf(out,
			"it has only the git-lfs pointer of '%s', which the command reads: install "
			"git-lfs, or list it under 'inputs' in %s",
			missing->path, file);
		break;
	case MISSING_NEW:
		buf_printf(out,
			"it lacks '%s', which the command reads and which is new: nothing to compare "
			"with, unless it is listed under 'inputs' in %s",
			missing->path, file);
		break;
	}
}
