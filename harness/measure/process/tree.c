/*
 * Finding, describing and signalling the processes that we started, by /proc and by the mark that
 * they inherit.
 */
#include "process/tree.h"
#include "base/text.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct dirent64_head {
	uint64_t inode;
	int64_t offset;
	unsigned short record_bytes;
	unsigned char type;
	char name[];
};

/* Takes a decimal number off the text at *at; 0 where there is none. */
static uint64_t
process_number(const char **at)
{
	uint64_t number = 0;

	while (text_is_digit(**at))
		number = number * 10 + (uint64_t)(*(*at)++ - '0');
	return number;
}

static void
make_path(pid_t pid, const char *file, char path[64])
{
	char digits[16];
	size_t n = 0;
	char *out = stpcpy(path, "/proc/");

	do {
		digits[n++] = (char)('0' + pid % 10);
		pid /= 10;
	} while (pid > 0);
	while (n > 0)
		*out++ = digits[--n];
	*out++ = '/';
	stpcpy(out, file);
}

/* Reads /proc/PID/FILE into `text`, terminated and cut to `size`; its length, or -1. */
static ssize_t
process_read(pid_t pid, const char *file, char *text, size_t size)
{
	char path[64];
	ssize_t got = -1;
	size_t len = 0;

	make_path(pid, file, path);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	while (len < size - 1 && (got = read(fd, text + len, size - 1 - len)) > 0)
		len += (size_t)got;
	close(fd);
	text[len] = '\0';
	return len > 0 ? (ssize_t)len : -1;
}

static void
copy_name(const char *from, const char *end, char name[16])
{
	size_t n = 0;

	for (; from < end && n < 15; from++) {
		name[n] = '?';
		if (*from >= ' ' && *from <= '~')
			name[n] = *from;
		n++;
	}
	name[n] = '\0';
}

bool
process_stat_read(pid_t pid, struct process_stat *out)
{
	char text[1024];

	if (process_read(pid, "stat", text, sizeof(text)) < 0)
		return false;
	/* The name, in parentheses, may hold anything: the last one ends it. */
	const char *name = strchr(text, '(');
	const char *at = strrchr(text, ')');

	if (!name || !at || at < name || at[1] != ' ' || at[2] == '\0' || at[3] != ' ')
		return false;
	copy_name(name + 1, at, out->name);
	out->state = at[2];
	at += 4;
	out->parent = (pid_t)process_number(&at);
	out->cpu = 0;
	/* From field 4, the parent, over 14 to 17, CPU time, and 20, the threads, to 22, the start.
	 */
	for (int field = 4; field < 22; field++) {
		at = strchr(at, ' ');
		if (!at)
			return false;
		at++;
		if (field + 1 >= 14 && field + 1 <= 17)
			out->cpu += process_number(&at);
		if (field + 1 == 20)
			out->threads = process_number(&at);
	}
	out->start = process_number(&at);
	return true;
}

/* Calls visit() for each process of the system but this one. */
static void
process_each(void (*visit)(pid_t pid, void *context), void *context)
{
	_Alignas(struct dirent64_head) char entries[8192];
	pid_t self = getpid();
	long bytes;
	/* opendir(3) allocates, which a signal handler must not. */
	int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (proc < 0)
		return;
	while ((bytes = syscall(SYS_getdents64, proc, entries, sizeof(entries))) > 0) {
		for (long at = 0; at < bytes;) {
			const struct dirent64_head *entry = (const void *)(entries + at);
			const char *name = entry->name;
			pid_t pid = (pid_t)process_number(&name);

			at += entry->record_bytes;
			if (*name == '\0' && pid != self)
				visit(pid, context);
		}
	}
	close(proc);
}

enum process_signalled {
	PROCESS_UNMATCHED, /* match() refused it */
	PROCESS_SIGNALLED,
	PROCESS_REFUSED, /* it is another user's */
	PROCESS_GONE,
};

/*
 * Sends the signal (0: none) to process `pid` if match(pid, context) accepts it: to that very
 * process, even if it ends meanwhile and another one gets its number (pidfd_open(2); by its number
 * before Linux 5.3).
 */
static enum process_signalled
process_signal(pid_t pid, int signal_number, bool (*match)(pid_t pid, void *context), void *context)
{
	/* Opened before it is looked at: what the descriptor stands for cannot change. */
	int fd = signal_number != 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	enum process_signalled result = PROCESS_SIGNALLED;
	long sent = 0;

	if (fd < 0 && signal_number != 0 && errno == ESRCH)
		return PROCESS_GONE;
	if (!match(pid, context))
		result = PROCESS_UNMATCHED;
	else if (fd >= 0)
		sent = syscall(SYS_pidfd_send_signal, fd, signal_number, NULL, 0);
	else if (signal_number != 0)
		sent = kill(pid, signal_number);
	if (sent < 0)
		result = errno == EPERM ? PROCESS_REFUSED : PROCESS_GONE;
	if (fd >= 0)
		close(fd);
	return result;
}

/* Bounds the walk up to the ancestors: they change while we look. */
#define DEPTH_MAX 4096
/* CPU time is summed over as many processes, and as many are looked at for one that is held. */
#define PIDS_MAX 1024

/* Start of the process that all of ours come from, in clock ticks since boot; 0: none yet. */
static volatile uint64_t oldest_start;
/* Processes that are never ended; the oldest makes room. */
static volatile pid_t spared[4];
static volatile size_t nspared;

/* Processes that could not be ended, and are no longer waited for. */
static struct survivor {
	pid_t pid;
	uint64_t start;
} survivors[64];
static volatile size_t nsurvivors;

void
tree_begin(pid_t first)
{
	struct process_stat stat;

	if (process_stat_read(first, &stat))
		oldest_start = stat.start;
}

void
tree_spare(pid_t pid)
{
	spared[nspared % (sizeof(spared) / sizeof(spared[0]))] = pid;
	nspared++;
}

static bool
is_spared(pid_t pid)
{
	for (size_t i = 0; i < sizeof(spared) / sizeof(spared[0]); i++)
		if (spared[i] == pid)
			return true;
	return false;
}

static bool
is_survivor(pid_t pid)
{
	struct process_stat stat;

	for (size_t i = 0; i < nsurvivors; i++)
		if (survivors[i].pid == pid && process_stat_read(pid, &stat))
			return stat.start == survivors[i].start;
	return false;
}

uint64_t
tree_start_of(pid_t pid)
{
	struct process_stat stat;

	if (!process_stat_read(pid, &stat) || stat.state == 'Z' || stat.state == 'X')
		return 0;
	return stat.start;
}

static bool
is_ours(pid_t pid, pid_t self)
{
	struct process_stat stat;

	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		if (pid <= 1 || !process_stat_read(pid, &stat) || stat.start < oldest_start)
			return false;
		/* A first thread may be dead while others live. */
		if (depth == 0 && (stat.state == 'Z' || stat.state == 'X') && stat.threads <= 1)
			return false;
		if (stat.parent == self)
			return true;
		pid = stat.parent;
	}
	return false;
}

struct visit {
	int signal_number;
	pid_t self;
	pid_t *pids;
	size_t most;
	struct tree_found found;
};

static bool
is_to_be_signalled(pid_t pid, void *context)
{
	const struct visit *visit = context;

	return is_ours(pid, visit->self);
}

static void
visit_one(pid_t pid, void *context)
{
	struct visit *visit = context;

	if (is_spared(pid) || is_survivor(pid))
		return;
	const enum process_signalled signalled =
		process_signal(pid, visit->signal_number, is_to_be_signalled, visit);

	if (signalled == PROCESS_UNMATCHED || signalled == PROCESS_GONE)
		return;
	if (visit->found.count < visit->most)
		visit->pids[visit->found.count] = pid;
	visit->found.count++;
	if (signalled == PROCESS_REFUSED)
		visit->found.refused++;
}

/* Sends the signal (0: none) to each, and puts the first `most` into pids[]. */
static struct tree_found
visit_all(int signal_number, pid_t *pids, size_t most)
{
	struct visit visit = {
		.signal_number = signal_number, .self = getpid(), .pids = pids, .most = most};

	if (oldest_start > 0)
		process_each(visit_one, &visit);
	return visit.found;
}

struct tree_found
tree_signal(int signal_number)
{
	return visit_all(signal_number, NULL, 0);
}

size_t
tree_list(pid_t *pids, size_t most)
{
	const size_t found = visit_all(0, pids, most).count;

	return found < most ? found : most;
}

/* For /proc/PID/status (proc_pid_status(5)); 0: none. */
static pid_t
tracer_of(pid_t pid)
{
	static const char key[] = "\nTracerPid:\t";
	char text[4096];
	const char *at =
		process_read(pid, "status", text, sizeof(text)) > 0 ? strstr(text, key) : NULL;

	if (!at)
		return 0;
	at += sizeof(key) - 1;
	return (pid_t)process_number(&at);
}

void
tree_describe_held(char *text, size_t size)
{
	pid_t pids[PIDS_MAX];
	const size_t n = tree_list(pids, PIDS_MAX);
	struct process_stat held = {.state = '\0'};
	pid_t pid = 0, tracer = 0;

	text[0] = '\0';
	for (size_t i = 0; i < n && held.state != 'T'; i++) {
		struct process_stat stat;
		const pid_t by = tracer_of(pids[i]);

		if (!process_stat_read(pids[i], &stat) || (stat.state != 'T' && by == 0) ||
			(held.state == 't' && stat.state != 'T'))
			continue;
		held = stat;
		pid = pids[i];
		tracer = by;
	}
	if (pid == 0)
		return;
	struct process_stat by = {.name = "?"};
	const int len = snprintf(text, size, "process %ld ('%s') is %s", (long)pid, held.name,
		held.state == 'T'   ? "stopped"
		: held.state == 't' ? "stopped while traced"
				    : "traced");

	if (tracer == 0 || len < 0 || (size_t)len >= size)
		return;
	process_stat_read(tracer, &by);
	snprintf(text + len, size - (size_t)len, " by process %ld ('%s')", (long)tracer, by.name);
}

uint64_t
tree_cpu_ns(void)
{
	const uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
	pid_t pids[PIDS_MAX];
	const size_t n = tree_list(pids, PIDS_MAX);
	struct process_stat stat;
	uint64_t ticks = 0;

	for (size_t i = 0; i < n; i++)
		if (process_stat_read(pids[i], &stat))
			ticks += stat.cpu;
	return ticks * tick_ns;
}

bool
tree_add_survivor(pid_t pid)
{
	struct process_stat stat;

	if (nsurvivors == sizeof(survivors) / sizeof(survivors[0]) ||
		!process_stat_read(pid, &stat))
		return false;
	survivors[nsurvivors] = (struct survivor){pid, stat.start};
	nsurvivors++;
	return true;
}

bool
tree_has_survivors(void)
{
	return nsurvivors > 0;
}

/*
 * The mark on all that we start.
 */

/*
 * Marks are in [LEAST, 2 * LEAST) microseconds, 73,000 years and more. The upper bits are the
 * outermost process's that made a mark; one below it takes a lower number with the same ones.
 */
#define LEAST (UINT64_C(1) << 61)
#define LOWER_BITS 32
#define LOWER_MASK ((UINT64_C(1) << LOWER_BITS) - 1)

/* Rounds of killing, and between them. */
#define ROUNDS 200
#define PAUSE_NS 20000000L

struct mark
mark_new(void)
{
	struct rlimit limit;
	uint64_t random;

	if (getrlimit(RLIMIT_RTTIME, &limit) < 0 || getentropy(&random, sizeof(random)) < 0)
		return (struct mark){0};
	if (limit.rlim_max == RLIM_INFINITY)
		return (struct mark){.number = LEAST | (random & (LEAST - 1)) | LOWER_MASK};
	const uint64_t below = limit.rlim_max & LOWER_MASK;

	if (limit.rlim_max < LEAST || limit.rlim_max >= 2 * LEAST || below == 0)
		return (struct mark){0};
	return (struct mark){
		.number = (limit.rlim_max & ~LOWER_MASK) | random % below, .nested = true};
}

void
mark_set(struct mark mark)
{
	const struct rlimit limit = {.rlim_cur = mark.number, .rlim_max = mark.number};

	if (mark.number > 0)
		setrlimit(RLIMIT_RTTIME, &limit);
}

/* The hard limit of the line of /proc/PID/limits (proc_pid_limits(5)); 0: none. */
static uint64_t
read_mark(pid_t pid)
{
	static const char name[] = "\nMax realtime timeout";
	char text[4096];

	if (process_read(pid, "limits", text, sizeof(text)) < 0)
		return 0;
	const char *at = strstr(text, name);

	if (!at)
		return 0;
	at += strlen(name);
	at += strspn(at, " ");
	/* Over the soft one. */
	at += strcspn(at, " \n");
	at += strspn(at, " ");
	return process_number(&at);
}

struct mark_visit {
	struct mark mark;
	size_t killed;
};

static bool
has_mark(pid_t pid, void *context)
{
	const struct mark *mark = &((const struct mark_visit *)context)->mark;
	const uint64_t number = read_mark(pid);

	return mark->nested ? number == mark->number
			    : number >> LOWER_BITS == mark->number >> LOWER_BITS;
}

static void
kill_marked(pid_t pid, void *context)
{
	struct mark_visit *visit = context;
	struct process_stat stat;

	/* One that waits to be reaped keeps its limits. */
	if (!process_stat_read(pid, &stat) ||
		((stat.state == 'Z' || stat.state == 'X') && stat.threads <= 1))
		return;
	if (process_signal(pid, SIGKILL, has_mark, visit) == PROCESS_SIGNALLED)
		visit->killed++;
}

void
mark_kill_all(struct mark mark)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};

	for (int round = 0; round < ROUNDS && mark.number > 0; round++) {
		struct mark_visit visit = {.mark = mark};

		process_each(kill_marked, &visit);
		if (visit.killed == 0)
			break;
		nanosleep(&pause, NULL);
	}
}
