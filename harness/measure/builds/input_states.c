#include "builds/input_states.h"

#include "base/mem.h"
#include "builds/file_walk.h"
#include "builds/inputs.h"
#include "builds/program_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* For larger files only size and time are known: reading them would take seconds. */
#define HASHED_BYTES_MAX ((off_t)64 * 1024 * 1024)

static void
add_file(struct file_walk *walk, const char *path, void *context)
{
	struct input_states *states = context;
	struct file_state state;

	(void)walk;
	if (!file_state_take(&state, path, HASHED_BYTES_MAX))
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

const char *
input_states_find_changed(const struct input_states *states)
{
	for (size_t i = 0; i < states->count; i++) {
		if (file_state_has_changed(&states->states[i], true))
			return states->states[i].path;
	}
	return NULL;
}
