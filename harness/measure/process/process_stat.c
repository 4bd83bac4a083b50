#include "process/process_stat.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct dirent64_head {
	uint64_t inode;
	int64_t offset;
	unsigned short record_bytes;
	unsigned char type;
	char name[];
};

uint64_t
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

ssize_t
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

void
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

enum process_signalled
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
