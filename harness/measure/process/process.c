/*
 * Running a program to its end: it is found and started, and its output is drained until it has
 * ended or a signal to this process ends the wait.
 */
#include "process/process.h"

#include "base/clock.h"
#include "base/draft.h"
#include "base/file.h"
#include "base/mem.h"
#include "process/child.h"
#include "process/priority.h"
#include "process/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * SIGINT, SIGTERM and SIGHUP.
 */

/* timeout(1) sends its signal to us and then to our group: one that follows so soon is the same. */
#define ECHO_S 0.5

static volatile sig_atomic_t noted_signal;

static void
note_signal(int number)
{
	static double noted_at;
	double now = clock_seconds();

	if (number == noted_signal && now < noted_at + ECHO_S)
		return;
	if (noted_signal != 0) {
		tree_signal(SIGKILL);
		if (!draft_take_signal(number))
			return;
		draft_remove_all();
		_exit(128 + number);
	}
	noted_signal = number;
	noted_at = now;
}

void
signals_catch(void)
{
	struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction old;

	/* One at a time. */
	sigfillset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* nohup has it ignored, and means it. */
	if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	/* The reader of our progress may end (`2>&1 | head`); we must still end the workload. */
	sigaction(SIGPIPE, &ignore, NULL);
}

int
signals_caught(void)
{
	return noted_signal;
}

int
signals_check(struct err *err)
{
	return noted_signal != 0 ? err_set_interrupted(err, noted_signal) : 0;
}

/*
 * Waiting for a process to end.
 */

/* The longest sleep: the most that a signal is delayed that comes just before poll(2). */
#define WAKE_MS 100
/* The same when nothing wakes us for a full buffer any more. */
#define WAKE_HUNG_UP_MS 20
/* And where no descriptor reports the end (kernels before 5.3, some sandboxes). */
#define WAKE_BLIND_MS 5
/* A program that has ended is kept from us until its tracer waits for it: that may take so long. */
#define TRACER_NS UINT64_C(1000000000)
/* CPU time is read so many times until the limit can be reached, but at least every second. */
#define CPU_LOOKS 10
#define CPU_LOOK_MOST_NS UINT64_C(1000000000)

enum {
	SLOT_END,
	SLOT_OUTPUT,
	SLOT_STDOUT,
	SLOT_BESIDE_END,
	SLOT_BESIDE_OUTPUT,
	SLOT_BESIDE_STDOUT,
	SLOT_FIRST,
};

/*
 * Whether the child has ended, by its descriptor, and could not be reaped in time. The descriptor
 * would be reported for ever.
 */
static bool
is_kept(const struct child *child, struct pollfd *end, uint64_t now, uint64_t *since)
{
	if (child && !child->ended && (end->revents & POLLIN)) {
		*since = now;
		end->fd = -1;
	}
	return *since > 0 && now - *since >= TRACER_NS;
}

static bool
has_ended(const struct watch *watch, const struct pollfd *end)
{
	if (watch->child) {
		child_reap(watch->child);
		return watch->child->ended;
	}
	if (watch->attached <= 0)
		return false;
	if (end->fd >= 0)
		return (end->revents & POLLIN) != 0;
	return kill(watch->attached, 0) < 0 && errno == ESRCH;
}

static int
sleep_ms(const struct watch *watch, uint64_t now, uint64_t most)
{
	if (watch->deadline_ns > 0) {
		uint64_t left = watch->deadline_ns > now ? watch->deadline_ns - now : 0;

		if (left < most * 1000000)
			most = (left + 999999) / 1000000;
	}
	return (int)most;
}

/* Calls drain() if anything is there to drain. */
static int
drain_ready(const struct watch *watch, struct pollfd *polls, bool *hung_up, struct err *err)
{
	bool ready = *hung_up;

	for (size_t i = 0; i < watch->nfds; i++) {
		struct pollfd *at = &polls[SLOT_FIRST + i];

		if (at->fd < 0 || at->revents == 0)
			continue;
		ready = true;
		/* Its task is gone: it would be reported for ever. Descendants may still write. */
		if (at->revents & (POLLHUP | POLLERR)) {
			at->fd = -1;
			*hung_up = true;
		}
	}
	return ready && watch->drain ? watch->drain(watch->context, err) : 0;
}

static void
read_outputs(const struct watch *watch, struct pollfd *polls)
{
	struct child *const of[] = {watch->child, watch->beside};
	static const int slots[][2] = {
		{SLOT_OUTPUT, SLOT_STDOUT}, {SLOT_BESIDE_OUTPUT, SLOT_BESIDE_STDOUT}};

	for (size_t i = 0; i < 2; i++) {
		struct pollfd *output = &polls[slots[i][0]];
		struct pollfd *own = &polls[slots[i][1]];

		if (!of[i] || (output->revents == 0 && own->revents == 0))
			continue;
		child_read_output(of[i]);
		output->fd = of[i]->output_fd;
		own->fd = of[i]->stdout_fd;
	}
}

static int
watch_loop(const struct watch *watch, struct pollfd *polls, enum watch_end *end, struct err *err)
{
	bool blind = polls[SLOT_END].fd < 0 && (watch->child || watch->attached > 0);
	bool hung_up = false;
	uint64_t next_look_ns = 0;
	uint64_t kept_since = 0, beside_since = 0;

	for (;;) {
		uint64_t now = clock_ns();

		if (has_ended(watch, &polls[SLOT_END]) ||
			is_kept(watch->child, &polls[SLOT_END], now, &kept_since)) {
			*end = WATCH_ENDED;
			return 0;
		}
		if (watch->beside &&
			(watch->beside->ended || is_kept(watch->beside, &polls[SLOT_BESIDE_END],
							 now, &beside_since))) {
			*end = WATCH_LEFT;
			return 0;
		}
		if (signals_caught() != 0) {
			*end = WATCH_INTERRUPTED;
			return 0;
		}
		if (watch->deadline_ns > 0 && now >= watch->deadline_ns) {
			*end = WATCH_TIME_OVER;
			return 0;
		}
		if (watch->cpu_limit_ns > 0 && now >= next_look_ns) {
			next_look_ns = now + (watch->cpu_limit_ns / CPU_LOOKS < CPU_LOOK_MOST_NS
							     ? watch->cpu_limit_ns / CPU_LOOKS
							     : CPU_LOOK_MOST_NS);
			if (tree_cpu_ns() >= watch->cpu_limit_ns) {
				*end = WATCH_CPU_OVER;
				return 0;
			}
		}
		uint64_t most = blind ? WAKE_BLIND_MS : hung_up ? WAKE_HUNG_UP_MS : WAKE_MS;
		const uint64_t pause = watch->look ? watch->look(watch->context) : most;

		if (pause < most)
			most = pause;

		if (poll(polls, SLOT_FIRST + watch->nfds, sleep_ms(watch, now, most)) < 0) {
			if (errno != EINTR)
				return err_set_errno(err, ERR_SYSTEM, errno, "cannot wait");
			continue;
		}
		read_outputs(watch, polls);
		if (drain_ready(watch, polls, &hung_up, err) < 0)
			return -1;
	}
}

int
watch_wait(const struct watch *watch, enum watch_end *end, struct err *err)
{
	struct pollfd *polls = mem_zalloc(SLOT_FIRST + watch->nfds, sizeof(*polls));
	int attached_fd = -1;

	if (!watch->child && watch->attached > 0)
		attached_fd = (int)syscall(SYS_pidfd_open, watch->attached, 0);
	polls[SLOT_END].fd = watch->child ? watch->child->pidfd : attached_fd;
	polls[SLOT_OUTPUT].fd = watch->child ? watch->child->output_fd : -1;
	polls[SLOT_STDOUT].fd = watch->child ? watch->child->stdout_fd : -1;
	polls[SLOT_BESIDE_END].fd = watch->beside ? watch->beside->pidfd : -1;
	polls[SLOT_BESIDE_OUTPUT].fd = watch->beside ? watch->beside->output_fd : -1;
	polls[SLOT_BESIDE_STDOUT].fd = watch->beside ? watch->beside->stdout_fd : -1;
	for (size_t i = 0; i < watch->nfds; i++)
		polls[SLOT_FIRST + i].fd = watch->fds[i];
	for (size_t i = 0; i < SLOT_FIRST + watch->nfds; i++)
		polls[i].events = POLLIN;

	const bool ahead = watch->ahead && priority_run_ahead();
	int status = watch_loop(watch, polls, end, err);

	if (ahead)
		priority_run_normally();
	if (attached_fd >= 0)
		close(attached_fd);
	free(polls);
	return status;
}

/*
 * Running a program to its end.
 */

/* For a tool: a check-out may take long, but not for ever. */
#define TOOL_TIMEOUT_S 3600.0
#define COMPLAINT_LINES_MAX 6

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

/* Runs a child to its end; `watch` has what else is waited for. */
static int
run_watched(struct child *child, const struct child_spec *spec, const char *what, double timeout_s,
	struct watch *watch, struct err *err)
{
	enum watch_end end = WATCH_ENDED;

	if (signals_check(err) < 0 || child_start(child, spec, err) < 0)
		return -1;
	int status = child_go(child, spec, err);

	watch->child = child;
	if (timeout_s > 0)
		watch->deadline_ns = clock_ns() + (uint64_t)(timeout_s * 1e9);
	if (status == 0)
		status = watch_wait(watch, &end, err);
	child_end(child);
	return status == 0 ? judge_end(child, what, timeout_s, end, err) : -1;
}

int
process_run(struct child *child, const struct child_spec *spec, const char *what, double timeout_s,
	struct err *err)
{
	struct watch watch = {0};

	return run_watched(child, spec, what, timeout_s, &watch, err);
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

/* Runs a tool, with what else is waited for. */
static int
run_tool(struct tool_output *output, const struct child_spec *tool, const struct tool_watch *limits,
	struct err *err)
{
	/* Files rather than pipes: nobody has to read them while it runs. */
	int out = memfd_create("stdout", MFD_CLOEXEC);
	int complaint = memfd_create("stderr", MFD_CLOEXEC);
	struct child_spec spec = *tool;
	struct watch watch = {.fds = limits->fds,
		.nfds = limits->nfds,
		.drain = limits->drain,
		.context = limits->context};
	struct child child;
	int result = -1;

	spec.output = CHILD_TO_FILES;
	spec.files[0] = out;
	spec.files[1] = complaint;
	spec.is_tool = true;
	*output = (struct tool_output){.status = -1};
	if (out < 0 || complaint < 0)
		err_set_errno(err, ERR_SYSTEM, errno, "cannot run '%s'", spec.argv[0]);
	else
		result = run_watched(&child, &spec, spec.argv[0], limits->timeout_s, &watch, err);
	if (result == 0) {
		output->status = WIFEXITED(child.status) ? WEXITSTATUS(child.status)
							 : 128 + WTERMSIG(child.status);
		keep_output(out, limits->most_bytes, &output->out);
		keep_output(complaint, TOOL_OUTPUT_MAX, &output->complaint);
	}
	child_close_fd(&out);
	child_close_fd(&complaint);
	return result;
}

int
tool_run_up_to(struct tool_output *output, size_t most_bytes, const char *const *argv,
	const char *const *env, const char *folder, struct err *err)
{
	const struct child_spec spec = {.argv = argv, .env = env, .cwd = folder};
	const struct tool_watch limits = {.most_bytes = most_bytes, .timeout_s = TOOL_TIMEOUT_S};

	return run_tool(output, &spec, &limits, err);
}

int
tool_run_watched(struct tool_output *output, const char *const *argv,
	const struct tool_watch *limits, struct err *err)
{
	const struct child_spec spec = {.argv = argv};

	return run_tool(output, &spec, limits, err);
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

bool
is_executable_file(const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, X_OK) == 0;
}

char *
find_program(const char *name, const char *const *env, const char *cwd)
{
	if (strchr(name, '/'))
		return seen_from(cwd, name);
	for (const char *at = search_path(env);; at++) {
		const size_t len = strcspn(at, ":");
		/* An empty one is the current folder. */
		char *beside =
			len > 0 ? mem_printf("%.*s/%s", (int)len, at, name) : mem_strdup(name);
		char *file = seen_from(cwd, beside);

		free(beside);
		if (is_executable_file(file))
			return file;
		free(file);
		at += len;
		if (*at == '\0')
			return NULL;
	}
}
