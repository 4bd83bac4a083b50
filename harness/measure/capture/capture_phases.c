#include "capture/capture_phases.h"

#include "base/mem.h"
#include "capture/operation.h"
#include "perfdata/writer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIPE_WORD "pipe"

static int
add_phase_probe(struct capture_phases *phases, const char *text, const char *option,
	const struct operation_program *program, struct err *err)
{
	/* A function's name has no '=' but in C++'s operators. */
	const char *equals = strchr(text, '=');
	const bool named = equals && !strstr(text, "operator");
	const char *mark = named ? equals + 1 : text;
	const char *colon = strrchr(mark, ':');
	const char *name = named ? text : colon ? colon + 1 : mark;
	size_t len = named ? (size_t)(equals - text) : strlen(name);

	if (len == 0)
		return err_set(err, ERR_USAGE, "'--%s': '%s' names no phase", option, text);
	if (phases->nprobes == PHASE_PROBES_MAX)
		return err_set(err, ERR_USAGE, "'--%s': more than %d phases by probes", option,
			PHASE_PROBES_MAX);
	struct operation *probe = &phases->probes[phases->nprobes++];

	if (len > PHASE_NAME_MAX)
		len = PHASE_NAME_MAX;
	if (operation_find_mark(probe, mark, option, program, err) < 0)
		return -1;
	probe->begin_event = mem_printf(PHASE_PROBE_EVENT "%.*s", (int)len, name);
	return 0;
}

int
capture_phases_find(struct capture_phases *phases, const char *text, const char *option,
	const struct operation_program *program, struct err *err)
{
	int status = 0;

	*phases = (struct capture_phases){.pipe = false};
	for (const char *at = text; status == 0 && at;) {
		const size_t len = operation_part_len(at, ',');
		char *part = mem_printf("%.*s", (int)len, at);

		if (strcmp(part, PIPE_WORD) == 0)
			phases->pipe = true;
		else
			status = add_phase_probe(phases, part, option, program, err);
		free(part);
		at = at[len] ? at + len + 1 : NULL;
	}
	if (status == 0 && phases->pipe && program->pid > 0)
		status = err_set(err, ERR_USAGE,
			"'--%s pipe': a running process cannot receive the path of the pipe",
			option);
	return status;
}

void
capture_phases_release(struct capture_phases *phases)
{
	for (size_t i = 0; i < phases->nprobes; i++)
		operation_release(&phases->probes[i]);
	*phases = (struct capture_phases){.pipe = false};
}
