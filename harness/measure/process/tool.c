#include "process/tool.h"

#include "base/mem.h"
#include "process/child.h"
#include "process/process.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* For a tool: a check-out may take long, but not for ever. */
#define TOOL_TIMEOUT_S 3600.0
#define COMPLAINT_LINES_MAX 6

static void
keep_output(int fd, size_t most_bytes, struct buf *out)
{
	char chunk[4096];
	ssize_t got;

	while (out->len < most_bytes &&
		(got = pread(fd, chunk, sizeof(chunk), (off_t)out->len)) > 0)
		buf_put(out, chunk, (size_t)got);
}

int
tool_run(struct tool_output *output, const char *const *argv, const char *const *env,
	const char *folder, struct err *err)
{
	return tool_run_up_to(output, TOOL_OUTPUT_MAX, argv, env, folder, err);
}

int
tool_run_up_to(struct tool_output *output, size_t most_bytes, const char *const *argv,
	const char *const *env, const char *folder, struct err *err)
{
	/* Files rather than pipes: nobody has to read them while it runs. */
	int out = memfd_create("stdout", MFD_CLOEXEC);
	int complaint = memfd_create("stderr", MFD_CLOEXEC);
	struct child_spec spec = {
		.argv = argv,
		.env = env,
		.cwd = folder,
		.output = CHILD_TO_FILES,
		.files = {out, complaint},
		.is_tool = true,
	};
	struct child child;
	int result = -1;

	*output = (struct tool_output){.status = -1};
	if (out < 0 || complaint < 0)
		err_set_errno(err, ERR_SYSTEM, errno, "cannot run '%s'", argv[0]);
	else
		result = process_run(&child, &spec, argv[0], TOOL_TIMEOUT_S, err);
	if (result == 0) {
		output->status = WIFEXITED(child.status) ? WEXITSTATUS(child.status)
							 : 128 + WTERMSIG(child.status);
		keep_output(out, most_bytes, &output->out);
		keep_output(complaint, TOOL_OUTPUT_MAX, &output->complaint);
	}
	child_close_fd(&out);
	child_close_fd(&complaint);
	return result;
}

void
tool_output_release(struct tool_output *output)
{
	buf_release(&output->out);
	buf_release(&output->complaint);
}

char *
tool_line(const struct tool_output *output)
{
	size_t len = output->out.len;

	if (len > 0 && output->out.data[len - 1] == '\n')
		len--;
	return mem_dup(buf_text(&output->out), len);
}

void
tool_note_complaint(const struct tool_output *output, struct err *err)
{
	const char *at = buf_text(&output->complaint);

	for (unsigned lines = 0; *at && lines < COMPLAINT_LINES_MAX;) {
		size_t len = strcspn(at, "\n");

		if (len > 0) {
			err_note(err, "%.*s", (int)len, at);
			lines++;
		}
		at += len + (at[len] == '\n');
	}
}
