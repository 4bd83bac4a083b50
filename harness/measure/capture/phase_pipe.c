/* Reading the phases that a program writes to a pipe, a line for each. */
#include "capture/capture_internal.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int
phase_pipe_open(struct phase_pipe *pipe, const char *perfdata_path, struct err *err)
{
	*pipe = (struct phase_pipe){.fd = -1};
	pipe->dir = left_files_make(perfdata_path, err);
	if (!pipe->dir)
		return -1;
	pipe->path = file_join(pipe->dir, "phases");
	pipe->variable = mem_printf(PHASES_PIPE_VARIABLE "=%s", pipe->path);
	/*
	 * Whoever the program runs as may write. Ours is an end to write to, too: the program finds
	 * somebody who reads whenever it opens it, and its last close is not the end.
	 */
	if (mkfifo(pipe->path, 0622) == 0 && chmod(pipe->path, 0622) == 0)
		pipe->fd = open(pipe->path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (pipe->fd >= 0)
		return 0;
	err_set_errno(err, ERR_SYSTEM, errno, "cannot make a pipe for phases, '%s'", pipe->path);
	phase_pipe_close(pipe);
	return -1;
}

void
phase_pipe_close(struct phase_pipe *pipe)
{
	if (pipe->fd >= 0)
		close(pipe->fd);
	left_files_remove(pipe->dir);
	free(pipe->path);
	free(pipe->variable);
	*pipe = (struct phase_pipe){.fd = -1};
}

/* The time that the line states behind its name, where it can be. */
static uint64_t
time_of(const struct phase_pipe *pipe, size_t name_len, uint64_t now_ns)
{
	uint64_t stated_ns = 0;
	size_t at = name_len + 1;

	while (at < pipe->len && pipe->line[at] >= '0' && pipe->line[at] <= '9')
		stated_ns = stated_ns * 10 + (uint64_t)(pipe->line[at++] - '0');
	return at == pipe->len && stated_ns >= pipe->taken_ns && stated_ns < now_ns ? stated_ns
										    : now_ns;
}

static struct phase_begin
end_line(struct phase_pipe *pipe, uint64_t now_ns)
{
	struct phase_begin phase = {.name = pipe->line, .time_ns = now_ns};

	while (pipe->len > 0 && strchr(" \t\r", pipe->line[pipe->len - 1]))
		pipe->len--;
	const char *tab = memchr(pipe->line, '\t', pipe->len);

	phase.len = tab ? (size_t)(tab - pipe->line) : pipe->len;
	if (tab)
		phase.time_ns = time_of(pipe, phase.len, now_ns);
	if (phase.len > PHASE_NAME_MAX)
		phase.len = PHASE_NAME_MAX;
	pipe->len = 0;
	return phase;
}

void
phase_pipe_take(struct phase_pipe *pipe,
	void (*put)(void *context, const struct phase_begin *phase), void *context)
{
	const uint64_t now_ns = clock_ns();
	char bytes[4096];
	ssize_t got;

	while ((got = read(pipe->fd, bytes, sizeof(bytes))) > 0) {
		for (ssize_t i = 0; i < got; i++) {
			if (bytes[i] != '\n') {
				if (bytes[i] != '\0' && pipe->len < sizeof(pipe->line))
					pipe->line[pipe->len++] = bytes[i];
				continue;
			}
			const struct phase_begin phase = end_line(pipe, now_ns);

			if (put)
				put(context, &phase);
		}
	}
	pipe->taken_ns = now_ns;
}

void
phase_pipe_clear(struct phase_pipe *pipe)
{
	phase_pipe_take(pipe, NULL, NULL);
	pipe->len = 0;
}
