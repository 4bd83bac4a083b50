/* The seccomp filter that reports the calls of a run, and the thread that receives them. */
#include "process/file_watch.h"

#include "base/mem.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

int
seccomp_filter_set(const struct sock_fprog *program, unsigned flags)
{
	long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, program);

	if (result >= 0 || errno != EACCES)
		return (int)result;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, program);
}

/* Since Linux 5.19: a signal does not interrupt a call that we have been notified of. */
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#endif
/* The programs that are started with one watch and live at a time; more are not watched. */
#define LISTENERS_MAX 64

struct file_watch {
	pthread_t thread;
	int control[2];                             /* the thread reads from the first */
	struct pollfd listeners[1 + LISTENERS_MAX]; /* the first is `control` */
	size_t nlisteners;
	size_t njoined;
	struct run_files files;
};

/* What a new child, or at the end we, tell the thread. */
enum message_kind {
	JOINED, /* with the descriptor of its notifications */
	REFUSED,
	END,
};

struct message {
	enum message_kind kind;
	int errnum;
};

/* Deals with one call; false where there are no more, as all processes have ended. */
static bool
take_call(struct file_watch *watch, int listener)
{
	struct seccomp_notif call = {0};

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) < 0)
		/* ENOENT: it was killed, or interrupted by a signal. */
		return errno == ENOENT || errno == EINTR;
	run_files_note_call(&watch->files, &call);
	struct seccomp_notif_resp answer = {
		.id = call.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer) < 0 && errno == EINVAL) {
		/* Before Linux 5.5 a call could only be made in place of the program. */
		answer = (struct seccomp_notif_resp){.id = call.id, .error = -ENOSYS};
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
		run_files_doubt(&watch->files, "this needs Linux 5.5");
	}
	return true;
}

static void
add_listener(struct file_watch *watch, int listener)
{
	if (watch->nlisteners > LISTENERS_MAX) {
		run_files_doubt(&watch->files, "too many programs were started");
		close(listener);
		return;
	}
	watch->listeners[watch->nlisteners++] = (struct pollfd){.fd = listener, .events = POLLIN};
	watch->njoined++;
}

/* False at the end. */
static bool
take_message(struct file_watch *watch)
{
	struct message message;
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} extra;
	struct iovec data = {&message, sizeof(message)};
	struct msghdr packet = {.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &extra,
		.msg_controllen = sizeof(extra)};
	char why[sizeof(watch->files.why)];
	int listener;

	if (recvmsg(watch->control[0], &packet, MSG_CMSG_CLOEXEC) != sizeof(message))
		return errno == EINTR;
	const struct cmsghdr *header = CMSG_FIRSTHDR(&packet);

	switch (message.kind) {
	case END:
		return false;
	case REFUSED:
		snprintf(why, sizeof(why), "seccomp(2): %s", strerror(message.errnum));
		run_files_doubt(&watch->files, why);
		break;
	case JOINED:
		if (!header || header->cmsg_type != SCM_RIGHTS)
			break;
		memcpy(&listener, CMSG_DATA(header), sizeof(listener));
		add_listener(watch, listener);
		break;
	}
	return true;
}

static void *
watch_calls(void *argument)
{
	struct file_watch *watch = argument;

	for (;;) {
		if (poll(watch->listeners, watch->nlisteners, -1) < 0 && errno != EINTR)
			break;
		for (size_t i = watch->nlisteners; --i > 0;) {
			struct pollfd *at = &watch->listeners[i];

			if (at->revents == 0 || (at->revents & POLLIN && take_call(watch, at->fd)))
				continue;
			close(at->fd);
			*at = watch->listeners[--watch->nlisteners];
		}
		if (watch->listeners[0].revents != 0 && !take_message(watch))
			break;
	}
	while (watch->nlisteners > 1)
		close(watch->listeners[--watch->nlisteners].fd);
	return NULL;
}

static void
send_message(int socket, const struct message *message, int listener)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} extra = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)),
			   .cmsg_level = SOL_SOCKET,
			   .cmsg_type = SCM_RIGHTS}};
	struct iovec data = {(void *)message, sizeof(*message)};
	struct msghdr packet = {.msg_iov = &data, .msg_iovlen = 1};

	if (listener >= 0) {
		packet.msg_control = &extra;
		packet.msg_controllen = sizeof(extra);
		memcpy(CMSG_DATA(&extra.header), &listener, sizeof(listener));
	}
	while (sendmsg(socket, &packet, MSG_NOSIGNAL) < 0 && errno == EINTR)
		continue;
}

struct file_watch *
file_watch_begin(struct err *err)
{
	struct file_watch *watch = mem_zalloc(1, sizeof(*watch));
	sigset_t all;
	sigset_t before;
	int errnum = 0;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, watch->control) < 0) {
		err_set_errno(err, ERR_SYSTEM, errno, "cannot watch the files of a run");
		free(watch);
		return NULL;
	}
	watch->listeners[watch->nlisteners++] =
		(struct pollfd){.fd = watch->control[0], .events = POLLIN};
	/* Signals are for the thread that waits for them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	errnum = pthread_create(&watch->thread, NULL, watch_calls, watch);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (errnum == 0)
		return watch;
	err_set_errno(err, ERR_SYSTEM, errnum, "cannot watch the files of a run");
	close(watch->control[0]);
	close(watch->control[1]);
	free(watch);
	return NULL;
}

void
file_watch_end(struct file_watch *watch, struct run_files *files)
{
	send_message(watch->control[1], &(struct message){.kind = END}, -1);
	pthread_join(watch->thread, NULL);
	close(watch->control[0]);
	close(watch->control[1]);
	if (watch->njoined == 0)
		run_files_doubt(&watch->files, "no program was started");
	*files = watch->files;
	files->known = files->why[0] == '\0';
	free(watch);
}

#define WATCH_CALL(number)                                             \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(number), 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF)
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))

/* The descriptor of the notifications; -1 with errno. */
static int
install_filter(void)
{
#ifdef OWN_ARCH
	struct sock_filter code[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCH, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		LOAD(nr),
#ifdef SYS_open
		WATCH_CALL(SYS_open),
		WATCH_CALL(SYS_creat),
#endif
		WATCH_CALL(SYS_openat),
		WATCH_CALL(SYS_openat2),
		WATCH_CALL(SYS_execve),
		WATCH_CALL(SYS_execveat),
		/* Only an mmap() of code from a file; the low halves hold all flags. */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 5),
		LOAD(args[2]),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 3),
		LOAD(args[3]),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
	const unsigned flags = SECCOMP_FILTER_FLAG_NEW_LISTENER;
	int fd = seccomp_filter_set(&program, flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);

	return fd < 0 && errno == EINVAL ? seccomp_filter_set(&program, flags) : fd;
#else
	errno = ENOSYS;
	return -1;
#endif
}

void
file_watch_join(const struct file_watch *watch)
{
	struct message message = {.kind = JOINED};
	int listener = install_filter();

	if (listener < 0)
		message = (struct message){.kind = REFUSED, .errnum = errno};
	send_message(watch->control[1], &message, listener);
	if (listener >= 0)
		close(listener);
}
