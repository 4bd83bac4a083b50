#include "process/tree.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Bounds the walk up to the ancestors: they change while we look. */
#define DEPTH_MAX 4096

/* Start of the process that all of ours come from, in clock ticks since boot; 0: none yet. */
static volatile uint64_t oldest_start;
/* Those that are never ended; the oldest makes room. */
static volatile pid_t spared[4];
static volatile size_t nspared;

/* Fields of /proc/PID/stat (proc_pid_stat(5)). */
struct proc_stat {
	char state;
	pid_t parent;
	uint64_t threads;
	uint64_t start;
};

struct dirent64_head {
	uint64_t inode;
	int64_t offset;
	unsigned short record_bytes;
	unsigned char type;
	char name[];
};

static uint64_t
read_number(const char **at)
{
	uint64_t number = 0;

	while (**at >= '0' && **at <= '9')
		number = number * 10 + (uint64_t)(*(*at)++ - '0');
	return number;
}

static uint64_t
count_at(const char *at)
{
	return read_number(&at);
}

static void
stat_path(pid_t pid, char path[32])
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
	stpcpy(out, "/stat");
}

static bool
proc_stat_read(pid_t pid, struct proc_stat *out)
{
	char path[32];
	char text[1024];

	stat_path(pid, path);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	ssize_t len = read(fd, text, sizeof(text) - 1);

	close(fd);
	if (len <= 0)
		return false;
	text[len] = '\0';
	/* The name, in parentheses, may hold anything: the last one ends it. */
	const char *at = strrchr(text, ')');

	if (!at || at[1] != ' ' || at[2] == '\0' || at[3] != ' ')
		return false;
	out->state = at[2];
	at += 4;
	out->parent = (pid_t)read_number(&at);
	/* From field 4, the parent, over 20, the threads, to 22, the start. */
	for (int field = 4; field < 22; field++) {
		at = strchr(at, ' ');
		if (!at)
			return false;
		at++;
		if (field + 1 == 20)
			out->threads = count_at(at);
	}
	out->start = read_number(&at);
	return true;
}

void
tree_begin(pid_t first)
{
	struct proc_stat stat;

	if (proc_stat_read(first, &stat))
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

uint64_t
tree_start_of(pid_t pid)
{
	struct proc_stat stat;

	if (!proc_stat_read(pid, &stat) || stat.state == 'Z' || stat.state == 'X')
		return 0;
	return stat.start;
}

static bool
is_ours(pid_t pid, pid_t self)
{
	struct proc_stat stat;

	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		if (pid <= 1 || !proc_stat_read(pid, &stat) || stat.start < oldest_start)
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

/* Sends the signal (0: none) to each, and puts the first `most` into pids[]. */
static size_t
visit(int signal_number, pid_t *pids, size_t most)
{
	_Alignas(struct dirent64_head) char entries[8192];
	pid_t self = getpid();
	size_t found = 0;
	long bytes;

	if (oldest_start == 0)
		return 0;
	/* opendir(3) allocates, which a signal handler must not. */
	int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (proc < 0)
		return 0;
	while ((bytes = syscall(SYS_getdents64, proc, entries, sizeof(entries))) > 0) {
		for (long at = 0; at < bytes;) {
			const struct dirent64_head *entry = (const void *)(entries + at);
			const char *name = entry->name;
			pid_t pid = (pid_t)read_number(&name);

			at += entry->record_bytes;
			if (*name != '\0' || pid == self || is_spared(pid) || !is_ours(pid, self))
				continue;
			if (found < most)
				pids[found] = pid;
			found++;
			if (signal_number != 0)
				kill(pid, signal_number);
		}
	}
	close(proc);
	return found;
}

size_t
tree_signal(int signal_number)
{
	return visit(signal_number, NULL, 0);
}

size_t
tree_list(pid_t *pids, size_t most)
{
	size_t found = visit(0, pids, most);

	return found < most ? found : most;
}
