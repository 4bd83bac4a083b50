/*
 * A preload that lets the Nth call of a group fail in the process it is loaded into, and in what
 * that process forks before an exec. Other programs, the measured ones included, are left alone.
 *
 * FAULT_POINT=GROUP:N:ERROR: the Nth call fails with ERROR (ENOSPC ...); "short" does half of what
 * was asked; "SIGKILL", "SIGTERM", ... sends the process this signal there; N+ means that all later
 * ones do the same.
 *
 * FAULT_COUNTS=FILE: for each group a line is written there at the end: how many calls were made,
 * then which of them were the first of their call stack.
 *
 * FAULT_NO_EXCHANGE=1: renameat2() knows no RENAME_EXCHANGE, as in some file systems.
 *
 * Calls within the C library are not seen, except for those of malloc. Call stacks can be
 * distinguished only where addresses are not random (setarch -R).
 */
#include "inject.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define INJECTED "profile_run"

static const char *const group_names[GROUPS] = {"write", "fsync", "rename", "open", "mkdir", "mmap",
	"malloc", "clone", "perf_event_open", "read", "truncate", "ioctl", "poll", "lock"};

#define STACK_DEPTH 24
#define STACKS_MAX (1U << 16)

/* In memory that forked processes share, so that a point is one of the whole run. */
struct counts {
	unsigned made[GROUPS];
	uint64_t stacks[STACKS_MAX]; /* hashes; 0: free */
	unsigned nfirst;
	struct {
		unsigned group;
		unsigned number;
	} first[STACKS_MAX];
};

static struct counts *counts;
static enum group fault_group = GROUPS;
static unsigned fault_number;
static bool fault_stays;
static bool fault_is_short;
static int fault_signal;
static int fault_errnum;
static bool no_exchange;
/* Open from the beginning: a process without rights cannot open it. */
static FILE *counts_file;
static pid_t first_process;
/* Taking a call stack may call what is counted. */
static __thread bool in_backtrace;

static int
find_errnum(const char *name)
{
	static const int known[] = {ENOSPC, EIO, EMFILE, EINTR, ENOMEM, EPERM, EAGAIN, EINVAL,
		EACCES, ENOENT, EEXIST, ENOLCK};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(strerrorname_np(known[i]), name) == 0)
			return known[i];
	fprintf(stderr, "inject: unknown error '%s'\n", name);
	_exit(99);
}

static int
find_signal(const char *name)
{
	static const int known[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strncmp(name, "SIG", 3) == 0 && strcmp(sigabbrev_np(known[i]), name + 3) == 0)
			return known[i];
	return 0;
}

static void
read_point(const char *point)
{
	char group[32];
	char plus[2] = "";
	char error[16];

	if (sscanf(point, "%31[^:]:%u%1[+]:%15s", group, &fault_number, plus, error) != 4) {
		plus[0] = '\0';
		if (sscanf(point, "%31[^:]:%u:%15s", group, &fault_number, error) != 3)
			_exit(99);
	}
	fault_stays = plus[0] == '+';
	fault_is_short = strcmp(error, "short") == 0;
	fault_signal = find_signal(error);
	if (!fault_is_short && fault_signal == 0)
		fault_errnum = find_errnum(error);
	for (unsigned i = 0; i < GROUPS; i++)
		if (strcmp(group_names[i], group) == 0)
			fault_group = (enum group)i;
	if (fault_group == GROUPS)
		_exit(99);
}

static bool
is_injected(void)
{
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (len < 0)
		return false;
	path[len] = '\0';
	const char *slash = strrchr(path, '/');

	return slash && strcmp(slash + 1, INJECTED) == 0;
}

__attribute__((constructor)) static void
begin(void)
{
	const char *point = getenv("FAULT_POINT");
	const char *counts_path = getenv("FAULT_COUNTS");

	if (!is_injected())
		return;
	if (point)
		read_point(point);
	counts_file = counts_path ? fopen(counts_path, "we") : NULL;
	if (counts_path && !counts_file)
		_exit(99);
	no_exchange = getenv("FAULT_NO_EXCHANGE") != NULL;
	first_process = getpid();
	/* By the system call: our own mmap() counts. */
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): from the kernel. */
	void *shared = (void *)syscall(SYS_mmap, NULL, sizeof(*counts), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0L);

	if (counts_path) {
		void *frames[1];

		/* The first one loads a library. */
		backtrace(frames, 1);
	}
	if (shared != MAP_FAILED)
		counts = shared;
}

/* FNV-1a, of the group and the return addresses. */
static uint64_t
hash_stack(enum group group)
{
	void *frames[STACK_DEPTH];
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ group;
	int nframes = backtrace(frames, STACK_DEPTH);

	for (int i = 0; i < nframes; i++)
		hash = (hash ^ (uintptr_t)frames[i]) * UINT64_C(0x100000001b3);
	return hash | 1;
}

static void
note_stack(enum group group, unsigned number)
{
	if (in_backtrace)
		return;
	in_backtrace = true;
	uint64_t hash = hash_stack(group);

	in_backtrace = false;
	for (unsigned probe = 0; probe < STACKS_MAX; probe++) {
		uint64_t *place = &counts->stacks[(hash + probe) % STACKS_MAX];
		uint64_t found = 0;

		if (__atomic_compare_exchange_n(
			    place, &found, hash, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			unsigned at = __atomic_fetch_add(&counts->nfirst, 1, __ATOMIC_RELAXED);

			counts->first[at].group = group;
			counts->first[at].number = number;
			return;
		}
		if (found == hash)
			return;
	}
}

__attribute__((destructor)) static void
end(void)
{
	if (!counts || !counts_file || getpid() != first_process)
		return;
	struct counts *made = counts;
	FILE *file = counts_file;

	counts = NULL;
	for (unsigned group = 0; group < GROUPS; group++) {
		fprintf(file, "%s %u", group_names[group], made->made[group]);
		for (unsigned i = 0; i < made->nfirst; i++)
			if (made->first[i].group == group)
				fprintf(file, " %u", made->first[i].number);
		fputc('\n', file);
	}
	if (fclose(file) != 0)
		_exit(99);
}

/* Counts a call; whether it is the one that is to fail. */
static bool
is_the_one(enum group group)
{
	if (!counts)
		return false;
	unsigned number = __atomic_add_fetch(&counts->made[group], 1, __ATOMIC_RELAXED);

	if (counts_file)
		note_stack(group, number);
	if (group != fault_group || (fault_stays ? number < fault_number : number != fault_number))
		return false;
	if (fault_signal != 0)
		kill(getpid(), fault_signal);
	return fault_signal == 0;
}

bool
lacks_exchange(void)
{
	return no_exchange;
}

bool
fails(enum group group)
{
	if (!is_the_one(group) || fault_is_short)
		return false;
	errno = fault_errnum;
	return true;
}

/* Pipes and the like move a few bytes at once or not at all. */
static bool
can_be_short(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

ssize_t
allowed(enum group group, int fd, size_t bytes)
{
	if (!is_the_one(group))
		return (ssize_t)bytes;
	if (fault_is_short)
		return (ssize_t)(bytes > 1 && can_be_short(fd) ? bytes / 2 : bytes);
	errno = fault_errnum;
	return -1;
}
