#include "process/process.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "process/signals.h"
#include "process/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* For a tool: a check-out may take long, but not for ever. */
#define TOOL_TIMEOUT_S 3600.0
#define COMPLAINT_LINES_MAX 6

static int
wait_to_end(struct child *child, double timeout_s, enum watch_end *end, struct err *err)
{
	struct watch watch = {.child = child};

	if (timeout_s > 0)
		watch.deadline_ns = clock_ns() + (uint64_t)(timeout_s * 1e9);
	return watch_wait(&watch, end, err);
}

/* For a child that has been ended. */
static int
judge_end(const struct child *child, const char *what, double timeout_s, enum watch_end end,
	struct err *err)
{
	switch (end) {
	case WATCH_ENDED:
		return 0;
	case WATCH_TIME_OVER:
		err_set(err, ERR_MEASURE, "'%s' took longer than its timeout of %g s%s", what,
			timeout_s, child_fate(child));
		return child_note_processes(child, err);
	case WATCH_INTERRUPTED:
		return err_set_interrupted(err, signals_caught());
	case WATCH_CPU_OVER: /* there are none of these */
	case WATCH_LEFT:
		break;
	}
	return -1;
}

int
process_run(struct child *child, const struct child_spec *spec, const char *what, double timeout_s,
	struct err *err)
{
	enum watch_end end = WATCH_ENDED;

	if (signals_check(err) < 0 || child_start(child, spec, err) < 0)
		return -1;
	int status = child_go(child, spec, err);

	if (status == 0)
		status = wait_to_end(child, timeout_s, &end, err);
	child_end(child);
	return status == 0 ? judge_end(child, what, timeout_s, end, err) : -1;
}

int
process_run_command(const struct shell_command *command, struct err *err)
{
	const char *const argv[] = {"/bin/sh", "-c", command->text, NULL};
	const char *path = command->output_path;
	int copy = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : 0;
	struct child_spec spec = {.argv = argv,
		.env = command->env,
		.cwd = command->cwd,
		.output = CHILD_MERGE,
		.copy_fd = copy};
	struct child child;
	int status = process_run(&child, &spec, command->what, command->timeout_s, err);

	if (status == 0)
		status = child_judge(&child, command->what, err);
	if (status < 0 && err->kind == ERR_MEASURE)
		err_note(err, "the command was: %s", command->text);
	if (copy > 0) {
		close(copy);
		if (child.copied == 0)
			unlink(path);
	}
	return status;
}

int
process_run_shell(const char *what, const char *command, const char *const *env, const char *cwd,
	double timeout_s, struct err *err)
{
	return process_run_command(&(struct shell_command){.what = what,
					   .text = command,
					   .env = env,
					   .cwd = cwd,
					   .timeout_s = timeout_s},
		err);
}

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

/* execvp(3), where there is no PATH. */
#define USUAL "/bin:/usr/bin"

static const char *
search_path(const char *const *env)
{
	static const char key[] = "PATH=";
	const char *path = getenv("PATH");

	for (; env && *env; env++)
		if (strncmp(*env, key, strlen(key)) == 0)
			path = *env + strlen(key);
	return path ? path : USUAL;
}

static char *
seen_from(const char *cwd, const char *path)
{
	return path[0] != '/' && cwd ? file_join(cwd, path) : mem_strdup(path);
}

/* A folder may be "executed", too. */
static bool
is_program(const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, X_OK) == 0;
}

char *
find_program(const char *name, const char *const *env, const char *cwd)
{
	if (strchr(name, '/'))
		return seen_from(cwd, name);
	for (const char *at = search_path(env); *at;) {
		const size_t len = strcspn(at, ":");
		/* An empty one is the current folder. */
		char *beside =
			len > 0 ? mem_printf("%.*s/%s", (int)len, at, name) : mem_strdup(name);
		char *file = seen_from(cwd, beside);

		free(beside);
		if (is_program(file))
			return file;
		free(file);
		at += len + (at[len] == ':');
	}
	return NULL;
}
