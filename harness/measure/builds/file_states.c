#include "builds/file_states.h"

#include "base/mem.h"
#include "builds/build_product.h"
#include "builds/file_walk.h"
#include "builds/inputs.h"
#include "builds/program_files.h"
#include "builds/tree_text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
	*states = (struct file_states){0};
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
	*states = (struct input_states){0};
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
