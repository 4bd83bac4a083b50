/*
 * A child from its start to its end: its output and its counts are read, it and its descendants are
 * ended and reaped, and its end is judged.
 */
#include "process/child.h"

#include "base/clock.h"
#include "base/log.h"
#include "process/keeper.h"
#include "process/launch.h"
#include "process/memory_kills.h"
#include "process/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long a process may take to end by itself after SIGTERM. */
#define GRACE_NS UINT64_C(1000000000)
#define TOOL_GRACE_NS UINT64_C(5000000000)
/* And after SIGKILL, which only a kernel stuck in a device delays. */
#define KILL_NS UINT64_C(5000000000)
/* So often in a row all that is left refuses SIGKILL, as another user's: then it is given up. */
#define REFUSALS_MAX 3
/* For reading output: 1 MiB at a time. */
#define READ_ROUNDS 64
/* A longer line of its output is logged as several. */
#define LOG_LINE_MAX 1000

/*
 * The children that live.
 */

/* Children that are started and not ended: what is reaped for one may be another. */
static struct child *living;

void
child_register(struct child *child)
{
	child->next = living;
	living = child;
}

static void
forget(const struct child *child)
{
	struct child **at = &living;

	while (*at && *at != child)
		at = &(*at)->next;
	if (*at)
		*at = child->next;
}

bool
child_any_lives(void)
{
	return living != NULL;
}

static struct child *
find_living(pid_t pid)
{
	struct child *at = living;

	while (at && at->pid != pid)
		at = at->next;
	return at;
}

/*
 * Their output.
 */

void
child_close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void
last_output_put(struct last_output *last, const char *bytes, size_t len)
{
	if (len > LAST_OUTPUT_MAX) {
		last->cut = true;
		bytes += len - LAST_OUTPUT_MAX;
		len = LAST_OUTPUT_MAX;
		last->len = 0;
	} else if (last->len + len > sizeof(last->bytes)) {
		size_t keep = LAST_OUTPUT_MAX < last->len ? LAST_OUTPUT_MAX : last->len;

		last->cut = last->cut || keep < last->len;
		memmove(last->bytes, last->bytes + last->len - keep, keep);
		last->len = keep;
	}
	memcpy(last->bytes + last->len, bytes, len);
	last->len += len;
}

void
last_output_text(const struct last_output *last, char *text, size_t size)
{
	const char *start = last->bytes;
	size_t len = last->len;
	size_t most = size - 1 < LAST_OUTPUT_MAX ? size - 1 : LAST_OUTPUT_MAX;
	bool cut = last->cut;

	while (len > 0 && start[len - 1] == '\n')
		len--;
	if (len > most) {
		start += len - most;
		len = most;
		cut = true;
	}
	const char *newline = cut ? memchr(start, '\n', len) : NULL;

	if (newline) {
		len -= (size_t)(newline + 1 - start);
		start = newline + 1;
	}
	memcpy(text, start, len);
	text[len] = '\0';
}

static void
log_output(struct child *child, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		bool at_end = bytes[i] == '\n';

		if (at_end || child->line.len == LOG_LINE_MAX) {
			log_debug("| %s", buf_text(&child->line));
			buf_clear(&child->line);
		}
		if (!at_end)
			buf_putc(&child->line, bytes[i]);
	}
}

/* Whether the awaited text is there, also across two pieces; before these are in the tail. */
static void
look_for_awaited(struct child *child, const char *bytes, size_t len)
{
	const size_t wanted = strlen(child->awaited);
	char seam[2 * LAST_OUTPUT_MAX];
	const struct last_output *last = &child->last_output;
	size_t before = last->len < wanted - 1 ? last->len : wanted - 1;
	size_t after = len < wanted - 1 ? len : wanted - 1;

	memcpy(seam, last->bytes + last->len - before, before);
	memcpy(seam + before, bytes, after);
	if (memmem(bytes, len, child->awaited, wanted) ||
		memmem(seam, before + after, child->awaited, wanted))
		child->awaited = NULL;
}

/* Reads the bytes that have come; 0: nothing now, or it is at its end and closed. */
static size_t
read_some(int *fd, char *bytes, size_t size)
{
	const ssize_t got = *fd >= 0 ? read(*fd, bytes, size) : 0;

	if (got > 0)
		return (size_t)got;
	if (got == 0 || (errno != EAGAIN && errno != EINTR))
		child_close_fd(fd);
	return 0;
}

/* A copy that cannot be written is given up: the tail remains. */
static void
copy_output(struct child *child, const char *bytes, size_t len)
{
	if (len > CHILD_COPY_MAX - child->copied)
		len = CHILD_COPY_MAX - child->copied;
	if (len > 0 && write(child->copy_fd, bytes, len) != (ssize_t)len)
		child->copy_fd = 0;
	child->copied += len;
}

void
child_read_output(struct child *child)
{
	char bytes[16384]; /* the stack may be a small one */
	size_t got;

	/* Bounded, so that a program that writes without end cannot keep us from the rest. */
	for (int round = 0; round < READ_ROUNDS; round++) {
		if ((got = read_some(&child->output_fd, bytes, sizeof(bytes))) == 0)
			break;
		if (child->awaited)
			look_for_awaited(child, bytes, got);
		last_output_put(&child->last_output, bytes, got);
		if (child->copy_fd > 0)
			copy_output(child, bytes, got);
		if (child->log_lines)
			log_output(child, bytes, got);
	}
	for (int round = 0; round < READ_ROUNDS; round++) {
		if ((got = read_some(&child->stdout_fd, bytes, sizeof(bytes))) == 0)
			break;
		last_output_put(&child->last_stdout, bytes, got);
	}
}

/*
 * Counts: the reads and writes, CPU time and faults of a child.
 */

static const struct {
	const char *key;
	size_t offset;
} io_lines[] = {
	{"rchar: ", offsetof(struct child_io, read_bytes)},
	{"wchar: ", offsetof(struct child_io, write_bytes)},
	{"syscr: ", offsetof(struct child_io, read_calls)},
	{"syscw: ", offsetof(struct child_io, write_calls)},
	{"read_bytes: ", offsetof(struct child_io, storage_read_bytes)},
	{"write_bytes: ", offsetof(struct child_io, storage_write_bytes)},
};

/* The line with this key; NULL where there is none. */
static const char *
find_line(const char *text, const char *key)
{
	while (text && strncmp(text, key, strlen(key)) != 0) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return text;
}

bool
child_io_parse(const char *text, struct child_io *io)
{
	for (size_t i = 0; i < sizeof(io_lines) / sizeof(io_lines[0]); i++) {
		const char *line = find_line(text, io_lines[i].key);
		uint64_t *into = (void *)((char *)io + io_lines[i].offset);
		char *end;

		if (!line)
			return false;
		line += strlen(io_lines[i].key);
		*into = strtoull(line, &end, 10);
		if (end == line || *end != '\n')
			return false;
	}
	return true;
}

static uint64_t
count_since(uint64_t count, uint64_t before)
{
	return count > before ? count - before : 0;
}

size_t
child_io_read_own(struct child_io *io)
{
	char text[512];
	int fd = open("/proc/self/io", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	ssize_t len = read(fd, text, sizeof(text) - 1);

	close(fd);
	if (len <= 0)
		return 0;
	text[len] = '\0';
	return child_io_parse(text, io) ? (size_t)len : 0;
}

/* Adds to `sum` what is in `after` and was not in `before`, `reading` bytes of a read left out. */
static void
add_io(struct child_io *sum, const struct child_io *after, const struct child_io *before,
	size_t reading)
{
	sum->read_bytes += count_since(after->read_bytes, before->read_bytes + reading);
	sum->read_calls += count_since(after->read_calls, before->read_calls + 1);
	sum->write_bytes += count_since(after->write_bytes, before->write_bytes);
	sum->write_calls += count_since(after->write_calls, before->write_calls);
	sum->storage_read_bytes +=
		count_since(after->storage_read_bytes, before->storage_read_bytes);
	sum->storage_write_bytes +=
		count_since(after->storage_write_bytes, before->storage_write_bytes);
}

struct child_counts
child_counts(const struct child *child)
{
	const struct rusage *usage = &child->usage;
	const uint64_t user_ns = clock_timeval_ns(&usage->ru_utime);
	const uint64_t system_ns = clock_timeval_ns(&usage->ru_stime);
	const uint64_t all_ns = user_ns + system_ns;
	/* What it used before its exec was user and system time in no known parts. */
	const double own =
		all_ns > 0 ? (double)count_since(all_ns, child->before_ns) / (double)all_ns : 0;
	struct child_counts counts = {
		.user_ns = (uint64_t)((double)user_ns * own),
		.system_ns = (uint64_t)((double)system_ns * own),
		.minor_faults = count_since((uint64_t)usage->ru_minflt, child->before_faults),
		.major_faults = (uint64_t)usage->ru_majflt,
		.max_rss_bytes = child->launched ? (uint64_t)usage->ru_maxrss * 1024 : 0,
		.io_known = child->io_known,
		.io = child->io,
	};

	/* Each word was read, and a report written ahead of it. */
	counts.io.read_bytes = count_since(counts.io.read_bytes, child->words * sizeof(uint64_t));
	counts.io.read_calls = count_since(counts.io.read_calls, child->words);
	counts.io.write_bytes =
		count_since(counts.io.write_bytes, child->words * sizeof(struct launch_report));
	counts.io.write_calls = count_since(counts.io.write_calls, child->words);
	return counts;
}

/*
 * Reaping.
 */

static void
add_usage(struct rusage *sum, const struct rusage *usage)
{
	timeradd(&sum->ru_utime, &usage->ru_utime, &sum->ru_utime);
	timeradd(&sum->ru_stime, &usage->ru_stime, &sum->ru_stime);
	if (usage->ru_maxrss > sum->ru_maxrss)
		sum->ru_maxrss = usage->ru_maxrss;
	sum->ru_minflt += usage->ru_minflt;
	sum->ru_majflt += usage->ru_majflt;
	sum->ru_nvcsw += usage->ru_nvcsw;
	sum->ru_nivcsw += usage->ru_nivcsw;
}

/* Reaps a process that has ended; -1 with errno, or 0, if there is none. */
static pid_t
reap_one(struct child *child)
{
	siginfo_t info = {.si_pid = 0};
	struct rusage usage;
	struct child_io before;
	struct child_io after;
	int status;

	if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
		return -1;
	if (info.si_pid == 0)
		return 0;
	struct child *of = find_living(info.si_pid);
	bool is_child = of != NULL;

	if (!of)
		of = child;
	bool counts = is_child || (!of->crowded && !of->ending);
	size_t reading = counts && of->measured ? child_io_read_own(&before) : 0;
	pid_t pid = wait4(info.si_pid, &status, WNOHANG, &usage);

	if (pid > 0 && counts) {
		add_usage(&of->usage, &usage);
		if (reading > 0 && child_io_read_own(&after) > 0)
			add_io(&of->io, &after, &before, reading);
	}
	if (pid > 0 && is_child) {
		of->ended = true;
		of->status = status;
		of->io_known = reading > 0;
	}
	return pid;
}

void
child_reap(struct child *child)
{
	pid_t pid;

	do
		pid = reap_one(child);
	while (pid > 0);
	child->alone = pid < 0 && errno == ECHILD;
	/* Somebody else has reaped it (SIGCHLD is ignored): it must not be waited for forever. */
	if (child->alone)
		child->ended = true;
}

/*
 * Ending.
 */

/*
 * "No child at all" is certain. If there were others before it, or one that cannot be ended, only a
 * search of /proc tells, which may miss a process that is just being forked.
 */
static bool
is_over(struct child *child)
{
	const bool others = child->crowded || tree_has_survivors();
	bool seen = others && tree_signal(0).count != 0;

	/* After the search: processes that it took for dead are to be reaped. */
	child_reap(child);
	return child->alone || (others && child->ended && !seen);
}

/* Reaps, until nothing is left or the time is over. */
static bool
wait_for_all(struct child *child, uint64_t wait_ns)
{
	uint64_t end = clock_ns() + wait_ns;
	int pause_ms = 1;

	for (;;) {
		if (is_over(child))
			return true;
		if (clock_ns() >= end)
			return false;
		/* A program that is writing its last output must not wait for us. */
		struct pollfd outputs[] = {{.fd = child->output_fd, .events = POLLIN},
			{.fd = child->stdout_fd, .events = POLLIN}};

		poll(outputs, 2, pause_ms);
		child_read_output(child);
		if (pause_ms < 16)
			pause_ms *= 2;
	}
}

/* Says of what is left that it cannot be ended, and why. */
static void
give_up(struct child *child, bool refused)
{
	struct process_stat stat;
	pid_t pids[16];
	size_t n = tree_list(pids, sizeof(pids) / sizeof(pids[0]));
	char more[32] = "";

	if (n == 0 || !process_stat_read(pids[0], &stat))
		return;
	if (n > 1)
		snprintf(more, sizeof(more), ", and %zu more", n - 1);
	snprintf(child->survivors, sizeof(child->survivors), "process %ld ('%s') %s%s",
		(long)pids[0], stat.name,
		refused ? "of another user" : "that is stuck in the kernel", more);
	for (size_t i = 0; i < n; i++)
		tree_add_survivor(pids[i]);
	log_warn("still running: %s, which the program started, and which cannot be ended",
		child->survivors);
}

static void
end_tree(struct child *child)
{
	unsigned refusals = 0;

	if (is_over(child))
		return;
	if (!child->ended)
		tree_describe_held(child->held, sizeof(child->held));
	tree_signal(SIGTERM);
	tree_signal(SIGCONT);
	if (wait_for_all(child, child->is_tool ? TOOL_GRACE_NS : GRACE_NS))
		return;
	/* Repeated, as processes that were just being forked were not seen. */
	for (uint64_t waited = 0; waited < KILL_NS && refusals < REFUSALS_MAX;
		waited += KILL_NS / 100) {
		const struct tree_found left = tree_signal(SIGKILL);

		if (wait_for_all(child, KILL_NS / 100))
			return;
		refusals = left.count > 0 && left.refused == left.count ? refusals + 1 : 0;
	}
	give_up(child, refusals > 0);
}

static void
end_alone(struct child *child)
{
	const uint64_t end = clock_ns() + KILL_NS;

	child_reap(child);
	while (!child->ended && clock_ns() < end) {
		kill(child->pid, SIGKILL);
		poll(NULL, 0, 1);
		child_reap(child);
	}
}

void
child_end(struct child *child)
{
	/* A child before its exec has no orderly end: it is killed. */
	if (child->start_fd >= 0 && !child->ended)
		kill(child->pid, SIGKILL);
	if (child->pid > 0 && child->joined) {
		end_alone(child);
	} else if (child->pid > 0) {
		child->ending = true;
		end_tree(child);
		if (!child->is_tool)
			keeper_drop_group(child->pid);
	}
	forget(child);
	child_read_output(child);
	if (child->log_lines && child->line.len > 0)
		log_debug("| %s", buf_text(&child->line));
	buf_release(&child->line);
	child->log_lines = false;
	child->pid = 0;
	child_close_fd(&child->pidfd);
	child_close_fd(&child->start_fd);
	child_close_fd(&child->report_fd);
	child_close_fd(&child->output_fd);
	child_close_fd(&child->stdout_fd);
}

/*
 * Errors.
 */

const char *
child_fate(const struct child *child)
{
	return child->survivors[0] == '\0' ? " and was ended" : " and could not be ended";
}

int
child_note_processes(const struct child *child, struct err *err)
{
	if (child->held[0] != '\0')
		err_note(err, "%s", child->held);
	if (child->survivors[0] != '\0')
		err_note(err, "still running: %s", child->survivors);
	return -1;
}

static void
note_last_output(const struct last_output *last, const char *of, struct err *err)
{
	char text[LAST_OUTPUT_MAX + 1];
	struct buf out = {0};

	last_output_text(last, text, sizeof(text));
	if (text[0] == '\0')
		return;
	for (const char *at = text; *at; at++) {
		if (at == text || at[-1] == '\n')
			buf_puts(&out, "\n    | ");
		if (*at != '\n')
			buf_putc(&out, *at);
	}
	err_note(err, "its last %s:%s", of, buf_text(&out));
	buf_release(&out);
}

void
child_note_output(const struct child *child, struct err *err)
{
	note_last_output(&child->last_output, "output", err);
	note_last_output(&child->last_stdout, "standard output", err);
}

int
child_judge(const struct child *child, const char *name, struct err *err)
{
	int status = child->status;

	if (!child->ended)
		return err_set(
			err, ERR_MEASURE, "'%s' ended, and its tracer hides its status", name);
	if (WIFSIGNALED(status)) {
		int number = WTERMSIG(status);
		const char *abbreviation = sigabbrev_np(number);

		err_set(err, ERR_MEASURE, "'%s' was killed by SIG%s (%s)", name,
			abbreviation ? abbreviation : "?", strsignal(number));
		if (number == SIGKILL)
			err_note(err, "%s", memory_kills_explain(child->memory_kills));
	} else if (!exit_status_set_has(&child->exit_codes, (uint8_t)WEXITSTATUS(status))) {
		err_set(err, ERR_MEASURE, "'%s' exited with status %d", name, WEXITSTATUS(status));
	} else {
		return 0;
	}
	child_note_output(child, err);
	return -1;
}
