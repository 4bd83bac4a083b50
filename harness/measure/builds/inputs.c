/*
 * A workload's inputs outside git: finding them, linking them into worktrees, and whether a run or
 * somebody else changed them.
 */
#include "builds/inputs.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "builds/build_product.h"
#include "builds/program.h"
#include "builds/worktree.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than a set of inputs has. */
#define INPUTS_MAX 100000
/* A link may lead to a folder above it. */
#define FOLDERS_MAX 32
/* A larger file is known by its size and time: reading it would take seconds. */
#define HASHED_BYTES_MAX ((off_t)64 * 1024 * 1024)

void
inputs_release(struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		free(inputs->names[i]);
	free(inputs->names);
	*inputs = (struct inputs){0};
}

static bool
has_name(const struct inputs *inputs, const char *name)
{
	for (size_t i = 0; i < inputs->count; i++) {
		if (strcmp(inputs->names[i], name) == 0)
			return true;
	}
	return false;
}

static int
add_matches(const struct workload *workload, const char *pattern, struct inputs *inputs,
	size_t *capacity, struct err *err)
{
	char *folder = program_path(workload, "");
	char *full = program_path(workload, pattern);
	glob_t found;
	int status = glob(full, 0, NULL, &found);

	for (size_t i = 0; status == 0 && i < found.gl_pathc; i++) {
		const char *name = found.gl_pathv[i] + strlen(folder);

		if (has_name(inputs, name))
			continue;
		inputs->names = mem_grow(
			inputs->names, capacity, inputs->count + 1, sizeof(*inputs->names));
		inputs->names[inputs->count++] = mem_strdup(name);
	}
	if (status == 0)
		globfree(&found);
	free(folder);
	free(full);
	if (status == 0)
		return 0;
	err_set(err, ERR_MEASURE, "there is no file '%s', which is in the 'inputs' of %s", pattern,
		workload->name);
	return err_note(err, "fetch or make it before the gate, or take it out of '%s'",
		workload->path ? workload->path : "its file");
}

int
inputs_find(const struct workload *workload, struct inputs *inputs, struct err *err)
{
	size_t capacity = 0;

	*inputs = (struct inputs){0};
	for (size_t i = 0; workload->inputs && workload->inputs[i]; i++) {
		if (add_matches(workload, workload->inputs[i], inputs, &capacity, err) < 0) {
			inputs_release(inputs);
			return -1;
		}
	}
	return 0;
}

bool
inputs_cover(const struct workload *workload, const char *path)
{
	struct inputs inputs;
	struct err ignored = {0};
	bool covered = false;

	if (inputs_find(workload, &inputs, &ignored) < 0)
		return false;
	for (size_t i = 0; i < inputs.count && !covered; i++) {
		char *input = program_path(workload, inputs.names[i]);
		char *real = realpath(input, NULL);
		size_t len = real ? strlen(real) : 0;

		covered = real && strncmp(path, real, len) == 0 &&
			  (path[len] == '\0' || path[len] == '/');
		free(real);
		free(input);
	}
	inputs_release(&inputs);
	return covered;
}

/* How a walk over inputs goes on. */
struct walk {
	const struct worktree *worktree;
	size_t count;
	struct err *err;
};

static int link_path(struct walk *walk, const char *from, const char *to);

/* A folder stays one of the worktree, so that what a run makes in it is its own. */
static int
link_folder(struct walk *walk, const char *from, const char *to)
{
	DIR *dir = opendir(from);
	struct dirent *entry;
	int result = 0;

	if (!dir)
		return err_set_errno(
			walk->err, ERR_SYSTEM, errno, "cannot read the input '%s'", from);
	while (result == 0 && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		char *below_from = file_join(from, entry->d_name);
		char *below_to = file_join(to, entry->d_name);

		result = link_path(walk, below_from, below_to);
		free(below_from);
		free(below_to);
	}
	closedir(dir);
	return result;
}

static int
link_path(struct walk *walk, const char *from, const char *to)
{
	struct stat status;

	if (++walk->count > INPUTS_MAX)
		return err_set(walk->err, ERR_MEASURE, "more than %d files are inputs", INPUTS_MAX);
	if (lstat(from, &status) == 0 && S_ISDIR(status.st_mode))
		return link_folder(walk, from, to);
	char *real = realpath(from, NULL);
	int result = real ? worktree_link(walk->worktree, real, to, walk->err)
			  : err_set_errno(walk->err, ERR_SYSTEM, errno,
				    "cannot read the input '%s'", from);

	free(real);
	return result;
}

static int
link_one(const struct build_side *side, const char *from, const char *to, struct err *err)
{
	struct walk walk = {.worktree = side->worktree, .err = err};

	if (strcmp(from, to) == 0)
		return 0;
	if (side->worktree)
		return link_path(&walk, from, to);
	if (file_exists(to))
		return 0;
	err_set(err, ERR_MEASURE, "'%s' lacks the input '%s'", side->name, to);
	return err_note(err, "put a copy of '%s' there", from);
}

int
inputs_link(const struct build_side *side, const struct workload *here,
	const struct workload *there, struct err *err)
{
	struct inputs inputs;
	int lock = -1;

	if (inputs_find(here, &inputs, err) < 0)
		return -1;
	int result = 0;

	if (inputs.count > 0 && side->worktree) {
		lock = worktree_lock_builds(side->worktree, err);
		result = lock < 0 ? -1 : 0;
	}
	for (size_t i = 0; i < inputs.count && result == 0; i++) {
		char *from = program_path(here, inputs.names[i]);
		char *to = program_path(there, inputs.names[i]);

		result = link_one(side, from, to, err);
		free(from);
		free(to);
	}
	if (lock >= 0)
		close(lock);
	inputs_release(&inputs);
	return result;
}

static bool
hash_file_at(const char *path, const struct stat *status, char hash[SHA256_TEXT_SIZE])
{
	struct err ignored = {0};

	if (status->st_size <= HASHED_BYTES_MAX)
		return sha256_file(path, hash, &ignored) == 0;
	char *text = mem_printf("%lld %lld.%09ld", (long long)status->st_size,
		(long long)status->st_mtim.tv_sec, status->st_mtim.tv_nsec);

	sha256_text(text, strlen(text), hash);
	free(text);
	return true;
}

/* Appends a line for each file at or below `path`; false if one cannot be read. */
static bool
put_hashes(const char *path, const char *name, unsigned depth, struct buf *out)
{
	char hash[SHA256_TEXT_SIZE];
	struct dirent **entries;
	struct stat status;
	bool known = true;

	if (depth > FOLDERS_MAX || stat(path, &status) < 0)
		return false;
	if (S_ISREG(status.st_mode)) {
		known = hash_file_at(path, &status, hash);
		buf_printf(out, "%s %s\n", hash, name);
	}
	if (!S_ISDIR(status.st_mode))
		return known;
	int count = scandir(path, &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		char *below = file_join(path, entries[i]->d_name);

		if (strcmp(entries[i]->d_name, ".") != 0 && strcmp(entries[i]->d_name, "..") != 0)
			known = known && put_hashes(below, entries[i]->d_name, depth + 1, out);
		free(below);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return known && count >= 0;
}

bool
inputs_hash(const struct workload *workload, char hash[SHA256_TEXT_SIZE])
{
	struct inputs inputs;
	struct buf all = {0};
	struct err ignored = {0};
	bool known = inputs_find(workload, &inputs, &ignored) == 0;

	for (size_t i = 0; i < inputs.count && known; i++) {
		char *path = program_path(workload, inputs.names[i]);

		known = put_hashes(path, inputs.names[i], 0, &all);
		free(path);
	}
	sha256_text(buf_text(&all), all.len, hash);
	buf_release(&all);
	inputs_release(&inputs);
	return known;
}

/* For larger files, and when so much has been read, only size and time are known. */
#define STATE_HASHED_BYTES_MAX ((off_t)16 * 1024 * 1024)
#define HASHED_IN_ALL_MAX ((off_t)128 * 1024 * 1024)
#define CODE (RUN_FILE_EXECUTED | RUN_FILE_MAPPED)

static bool
is_system(const char *path, const char *folder)
{
	return !(folder && path_is_below(path, folder)) && build_product_is_system(path);
}

/* Files of git change with each commit that is checked out. */
static bool
is_left_out(const struct run_file *file, const char *folder)
{
	if (folder && path_is_below(file->path, folder))
		return strstr(file->path + strlen(folder), "/.git/") != NULL;
	return build_product_is_system(file->path) && !(file->uses & CODE);
}

/*
 * Takes the state of one file, whose path is borrowed; contents of up to `most_bytes` are hashed.
 * False where there is no such file.
 */
static bool
file_state_take(struct file_state *state, const char *path, off_t most_bytes)
{
	struct err ignored = {0};

	*state = (struct file_state){.path = path};
	if (stat(path, &state->status) < 0)
		return false;
	if (state->status.st_size > most_bytes || sha256_file(path, state->hash, &ignored) < 0)
		state->hash[0] = '\0';
	return true;
}

void
file_states_take(struct file_states *states, const struct run_files *files, const char *folder)
{
	off_t left = HASHED_IN_ALL_MAX;

	*states = (struct file_states){
		.states = mem_zalloc(files->count + 1, sizeof(*states->states))};
	for (size_t i = 0; i < files->count; i++) {
		const struct run_file *file = &files->files[i];
		struct file_state *state = &states->states[states->count];
		const off_t most = left < STATE_HASHED_BYTES_MAX ? left : STATE_HASHED_BYTES_MAX;

		if (!(file->uses & (CODE | RUN_FILE_READ)) || file->uses & RUN_FILE_WRITTEN ||
			is_left_out(file, folder) || !file_state_take(state, file->path, most))
			continue;
		state->is_code = file->uses & CODE;
		state->is_system = is_system(file->path, folder);
		left -= state->hash[0] ? state->status.st_size : 0;
		states->count++;
	}
}

void
file_states_release(struct file_states *states)
{
	free(states->states);
}

static bool
is_same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* As a file is after it was written, or replaced, and not after it was read. */
static bool
was_written(const struct file_state *state, const struct stat *now)
{
	return now->st_ino != state->status.st_ino || now->st_dev != state->status.st_dev ||
	       now->st_size != state->status.st_size ||
	       !is_same_time(&now->st_mtim, &state->status.st_mtim);
}

/*
 * Whether it is gone or has other contents; `if_unread`: what is said of one that was written and
 * whose contents were not hashed.
 */
static bool
file_state_has_changed(const struct file_state *state, bool if_unread)
{
	char hash[SHA256_TEXT_SIZE];
	struct err ignored = {0};
	struct stat status;

	if (stat(state->path, &status) < 0)
		return true;
	if (!was_written(state, &status))
		return false;
	if (!state->hash[0])
		return if_unread;
	return sha256_file(state->path, hash, &ignored) < 0 || strcmp(hash, state->hash) != 0;
}

static bool
has_changed(const struct file_state *state, const char *folder)
{
	struct stat status;

	if (folder && path_is_below(state->path, folder))
		return stat(state->path, &status) < 0 || was_written(state, &status);
	/* Data that was not looked into may have been made anew, the same. */
	return file_state_has_changed(state, state->is_code);
}

const struct file_state *
file_states_find_changed(const struct file_states *states, const char *folder)
{
	for (size_t i = 0; i < states->count; i++) {
		if (!states->states[i].is_system && has_changed(&states->states[i], folder))
			return &states->states[i];
	}
	return NULL;
}

const struct file_state *
file_states_find_other_code(const struct file_states *states)
{
	for (size_t i = 0; i < states->count; i++) {
		const struct file_state *state = &states->states[i];

		if (state->is_code && file_state_has_changed(state, false))
			return state;
	}
	return NULL;
}

/* For larger files only size and time are known: reading them would take seconds. */
#define INPUT_HASHED_BYTES_MAX ((off_t)64 * 1024 * 1024)

static void
add_state(struct file_walk *walk, const char *path, void *context)
{
	struct input_states *states = context;
	struct file_state state;

	(void)walk;
	if (!file_state_take(&state, path, INPUT_HASHED_BYTES_MAX))
		return;
	state.path = arena_strdup(&states->arena, path);
	states->states = mem_grow(
		states->states, &states->capacity, states->count + 1, sizeof(*states->states));
	states->states[states->count++] = state;
}

void
input_states_take(struct input_states *states, const struct workload *workload)
{
	struct inputs inputs;
	struct err ignored = {0};

	*states = (struct input_states){0};
	if (inputs_find(workload, &inputs, &ignored) < 0)
		return;
	for (size_t i = 0; i < inputs.count; i++) {
		char *path = program_path(workload, inputs.names[i]);
		char *real = realpath(path, NULL);
		struct stat status;

		if (real && stat(real, &status) == 0 && S_ISDIR(status.st_mode))
			file_walk(real, true, add_state, states);
		else if (real)
			add_state(NULL, real, states);
		free(real);
		free(path);
	}
	inputs_release(&inputs);
}

void
input_states_release(struct input_states *states)
{
	free(states->states);
	arena_release(&states->arena);
}

const char *
input_states_find_changed(const struct input_states *states)
{
	for (size_t i = 0; i < states->count; i++) {
		if (file_state_has_changed(&states->states[i], true))
			return states->states[i].path;
	}
	return NULL;
}
