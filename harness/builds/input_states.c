#include "builds/input_states.h"

#include "base/mem.h"
#include "builds/file_walk.h"
#include "builds/inputs.h"
#include "builds/program_files.h"

#include <stdlib.h>
#include <string.h>

/* Of larger files only size and time are known: reading them would take seconds. */
#define HASHED_BYTES_MAX ((off_t)64 * 1024 * 1024)

static void
add_file(struct file_walk *walk, const char *path, void *context)
{
	struct input_states *states = context;
	struct input_state state = {0};
	struct err ignored = {0};

	(void)walk;
	if (stat(path, &state.status) < 0)
		return;
	if (state.status.st_size > HASHED_BYTES_MAX || hash_file(path, state.hash, &ignored) < 0)
		state.hash[0] = '\0';
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
			file_walk(real, true, add_file, states);
		else if (real)
			add_file(NULL, real, states);
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

static bool
has_changed(const struct input_state *state)
{
	const struct timespec *was = &state->status.st_mtim;
	char hash[HASH_TEXT_SIZE];
	struct err ignored = {0};
	struct stat now;

	if (stat(state->path, &now) < 0 || now.st_size != state->status.st_size)
		return true;
	if (now.st_ino == state->status.st_ino && now.st_mtim.tv_sec == was->tv_sec &&
		now.st_mtim.tv_nsec == was->tv_nsec)
		return false;
	return !state->hash[0] || hash_file(state->path, hash, &ignored) < 0 ||
	       strcmp(hash, state->hash) != 0;
}

const char *
input_states_find_changed(const struct input_states *states)
{
	for (size_t i = 0; i < states->count; i++) {
		if (has_changed(&states->states[i]))
			return states->states[i].path;
	}
	return NULL;
}
