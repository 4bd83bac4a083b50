/*
 * Confining a process, by a seccomp filter of the system calls that it may make and by rules of
 * Landlock for its files.
 */
#include "process/sandbox.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/*
 * The system calls that a confined process may make (sandbox.h). Those that are refused fail with
 * EPERM; ones newer than Linux 5.0 with ENOSYS, for which the C library has older ones.
 */

struct sandbox_filter {
	bool files;    /* files may be made, where Landlock allows it, with the modes that the umask
			  leaves */
	mode_t mask;   /* the umask */
	bool programs; /* other programs may be run */
	bool network;
};

#ifdef __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define FILTER_MAX 1024
/* The first of the calls that all architectures share: pidfd_send_signal(2) of Linux 5.1. */
#define FIRST_SHARED_CALL 424
/* Calls of the x32 ABI are numbered from here. */
#define X32_CALLS 0x40000000U

#define WRITE_FLAGS (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)

#define REFUSE (SECCOMP_RET_ERRNO | EPERM)

/* Reading, memory, threads, time; writing to what is open. */
static const unsigned always[] = {
	SYS_read,
	SYS_pread64,
	SYS_readv,
	SYS_preadv,
	SYS_write,
	SYS_pwrite64,
	SYS_writev,
	SYS_pwritev,
	SYS_lseek,
	SYS_close,
	SYS_dup,
	SYS_dup3,
	SYS_fstat,
	SYS_newfstatat,
	SYS_statx,
	SYS_fstatfs,
	SYS_statfs,
	SYS_faccessat,
	SYS_readlinkat,
	SYS_getdents64,
	SYS_getcwd,
	SYS_fchdir,
	SYS_chdir,
	SYS_fsync,
	SYS_fdatasync,
	SYS_ftruncate,
	SYS_fallocate,
	SYS_fadvise64,
	SYS_copy_file_range,
	SYS_sendfile,
	SYS_pipe2,
	SYS_memfd_create,
	SYS_eventfd2,
	SYS_ppoll,
	SYS_pselect6,
	SYS_mmap,
	SYS_munmap,
	SYS_mremap,
	SYS_mprotect,
	SYS_madvise,
	SYS_brk,
	SYS_mincore,
	SYS_mlock,
	SYS_munlock,
	SYS_futex,
	SYS_set_robust_list,
	SYS_get_robust_list,
	SYS_set_tid_address,
	SYS_rseq,
	SYS_membarrier,
	SYS_sched_yield,
	SYS_sched_getaffinity,
	SYS_sched_getparam,
	SYS_sched_getscheduler,
	SYS_exit,
	SYS_exit_group,
	SYS_restart_syscall,
	SYS_rt_sigaction,
	SYS_rt_sigprocmask,
	SYS_rt_sigreturn,
	SYS_sigaltstack,
	SYS_clock_gettime,
	SYS_clock_getres,
	SYS_clock_nanosleep,
	SYS_nanosleep,
	SYS_gettimeofday,
	SYS_times,
	SYS_getrusage,
	SYS_getpid,
	SYS_getppid,
	SYS_gettid,
	SYS_getuid,
	SYS_geteuid,
	SYS_getgid,
	SYS_getegid,
	SYS_getpgid,
	SYS_getsid,
	SYS_getrandom,
	SYS_prlimit64,
	SYS_uname,
	SYS_sysinfo,
	SYS_getcpu,
	SYS_umask,
#ifdef __NR_faccessat2
	__NR_faccessat2,
#endif
#ifdef __x86_64__
	SYS_stat,
	SYS_lstat,
	SYS_access,
	SYS_readlink,
	SYS_dup2,
	SYS_poll,
	SYS_select,
	SYS_pipe,
	SYS_time,
	SYS_getrlimit,
	SYS_arch_prctl,
	SYS_getpgrp,
	SYS_getdents,
#endif
};

/* Where Landlock says where. */
static const unsigned for_folders[] = {
	SYS_mkdirat,
	SYS_unlinkat,
	SYS_renameat2,
	SYS_linkat,
	SYS_symlinkat,
	SYS_flock,
#ifdef SYS_renameat
	SYS_renameat,
#endif
#ifdef __x86_64__
	SYS_mkdir,
	SYS_rmdir,
	SYS_unlink,
	SYS_rename,
	SYS_link,
	SYS_symlink,
#endif
};

/*
 * With other programs, whose calls are theirs to choose, these are refused and all others allowed:
 * what reaches other machines, processes and files, and the parts of the kernel that need rights
 * anyway.
 */
static const unsigned not_for_programs[] = {
	SYS_socket,
	SYS_connect,
	SYS_bind,
	SYS_listen,
	SYS_accept,
	SYS_accept4,
	SYS_sendto,
	SYS_sendmsg,
	SYS_sendmmsg,
	SYS_ptrace,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_mkdirat,
	SYS_unlinkat,
	SYS_renameat2,
	SYS_linkat,
	SYS_symlinkat,
	SYS_mknodat,
	SYS_truncate,
	SYS_fchmod,
	SYS_fchmodat,
	SYS_fchown,
	SYS_fchownat,
	SYS_utimensat,
	SYS_setxattr,
	SYS_lsetxattr,
	SYS_fsetxattr,
	SYS_removexattr,
	SYS_lremovexattr,
	SYS_fremovexattr,
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_chroot,
	SYS_unshare,
	SYS_setns,
	SYS_bpf,
	SYS_perf_event_open,
	SYS_userfaultfd,
	SYS_add_key,
	SYS_request_key,
	SYS_keyctl,
	SYS_kexec_load,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_reboot,
	SYS_swapon,
	SYS_swapoff,
	SYS_quotactl,
	SYS_open_by_handle_at,
	SYS_shmat,
	SYS_msgsnd,
	SYS_mq_open,
#ifdef __NR_io_uring_setup
	__NR_io_uring_setup,
	__NR_io_uring_enter,
	__NR_io_uring_register,
	__NR_openat2,
	__NR_pidfd_getfd,
	__NR_open_tree,
	__NR_move_mount,
	__NR_fsopen,
	__NR_fsmount,
	__NR_pidfd_send_signal,
#endif
#ifdef SYS_renameat
	SYS_renameat,
#endif
#ifdef __x86_64__
	SYS_mkdir,
	SYS_rmdir,
	SYS_unlink,
	SYS_rename,
	SYS_link,
	SYS_symlink,
	SYS_mknod,
	SYS_creat,
	SYS_chmod,
	SYS_chown,
	SYS_lchown,
	SYS_utime,
	SYS_utimes,
	SYS_futimesat,
	SYS_iopl,
	SYS_ioperm,
#endif
};

static const unsigned for_network[] = {
	SYS_socket,
	SYS_socketpair,
	SYS_connect,
	SYS_bind,
	SYS_sendto,
	SYS_recvfrom,
	SYS_sendmsg,
	SYS_recvmsg,
	SYS_sendmmsg,
	SYS_recvmmsg,
	SYS_shutdown,
	SYS_getsockname,
	SYS_getpeername,
	SYS_setsockopt,
	SYS_getsockopt,
	SYS_epoll_create1,
	SYS_epoll_ctl,
	SYS_epoll_pwait,
	SYS_utimensat,
	SYS_ioctl,
	SYS_fcntl,
#ifdef __x86_64__
	SYS_epoll_create,
	SYS_epoll_wait,
#endif
};

/* The instructions of a filter that is being made. */
struct filter_code {
	struct sock_filter code[FILTER_MAX];
	unsigned len;
};

static void
put(struct filter_code *filter, uint16_t code, uint32_t k, uint8_t if_true, uint8_t if_false)
{
	assert(filter->len < FILTER_MAX);
	filter->code[filter->len++] = (struct sock_filter){code, if_true, if_false, k};
}

static void
put_return(struct filter_code *filter, uint32_t action)
{
	put(filter, BPF_RET | BPF_K, action, 0, 0);
}

static void
put_load(struct filter_code *filter, size_t offset)
{
	put(filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* The lower half of an argument: those that are looked at are ints. */
static void
put_load_argument(struct filter_code *filter, unsigned number)
{
	put_load(filter, offsetof(struct seccomp_data, args) + number * sizeof(uint64_t));
}

static void
put_calls(struct filter_code *filter, const unsigned *calls, size_t ncalls, uint32_t action)
{
	for (size_t i = 0; i < ncalls; i++) {
		put(filter, BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
		put_return(filter, action);
	}
}

#define PUT_CALLS(filter, calls, action) \
	put_calls(filter, calls, sizeof(calls) / sizeof((calls)[0]), action)

/* A call is allowed if its argument is one of `values`. */
static void
allow_values(struct filter_code *filter, unsigned call, unsigned argument, const uint32_t *values,
	size_t nvalues)
{
	put(filter, BPF_JMP | BPF_JEQ | BPF_K, call, 0, (uint8_t)(2 + 2 * nvalues));
	put_load_argument(filter, argument);
	for (size_t i = 0; i < nvalues; i++) {
		put(filter, BPF_JMP | BPF_JEQ | BPF_K, values[i], 0, 1);
		put_return(filter, SECCOMP_RET_ALLOW);
	}
	put_return(filter, REFUSE);
}

/* A call is allowed if its argument has all (`wanted`) or none of `bits`. */
static void
allow_bits(struct filter_code *filter, unsigned call, unsigned argument, uint32_t bits, bool wanted)
{
	put(filter, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
	put_load_argument(filter, argument);
	put(filter, BPF_JMP | BPF_JSET | BPF_K, bits, wanted ? 1 : 0, wanted ? 0 : 1);
	put_return(filter, REFUSE);
	put_return(filter, SECCOMP_RET_ALLOW);
}

static void
allow_opening(struct filter_code *filter, bool for_writing)
{
	const uint32_t bits = for_writing ? 0 : WRITE_FLAGS;

	allow_bits(filter, SYS_openat, 2, bits, false);
#ifdef SYS_open
	allow_bits(filter, SYS_open, 1, bits, false);
#endif
}

/* The modes that the umask leaves: Landlock does not know of them. */
static void
allow_modes(struct filter_code *filter, mode_t mask)
{
	const uint32_t modes[] = {0666 & ~mask, 0777 & ~mask};

	allow_values(filter, SYS_fchmod, 1, modes, 2);
	allow_values(filter, SYS_fchmodat, 2, modes, 2);
#ifdef SYS_chmod
	allow_values(filter, SYS_chmod, 1, modes, 2);
#endif
}

static void
allow_parts(struct filter_code *filter)
{
	static const uint32_t descriptor_calls[] = {
		F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC};
	/* The size of a terminal: TIOCSTI would type into it. */
	static const uint32_t device_calls[] = {TCGETS, TIOCGWINSZ, FIONREAD};
	const uint32_t own = (uint32_t)getpid();

	allow_values(filter, SYS_fcntl, 1, descriptor_calls,
		sizeof(descriptor_calls) / sizeof(descriptor_calls[0]));
	allow_values(
		filter, SYS_ioctl, 1, device_calls, sizeof(device_calls) / sizeof(device_calls[0]));
	/* abort() and raise(). */
	allow_values(filter, SYS_tgkill, 0, &own, 1);
	allow_bits(filter, SYS_clone, 0, CLONE_THREAD, true);
}

static void
put_rules(struct filter_code *filter, const struct sandbox_filter *rules)
{
	PUT_CALLS(filter, always, SECCOMP_RET_ALLOW);
	if (rules->files) {
		PUT_CALLS(filter, for_folders, SECCOMP_RET_ALLOW);
		allow_modes(filter, rules->mask);
	}
	if (rules->network)
		PUT_CALLS(filter, for_network, SECCOMP_RET_ALLOW);
	allow_opening(filter, rules->files);
	if (rules->programs) {
		PUT_CALLS(filter, not_for_programs, REFUSE);
		put_return(filter, SECCOMP_RET_ALLOW);
		return;
	}
	allow_parts(filter);
	put(filter, BPF_JMP | BPF_JGE | BPF_K, FIRST_SHARED_CALL, 0, 1);
	put_return(filter, SECCOMP_RET_ERRNO | ENOSYS);
	put_return(filter, REFUSE);
}

/* Sets the filter for this process and all its threads and children to come; -1 and errno. */
static int
sandbox_filter_set(const struct sandbox_filter *rules)
{
#ifdef ARCHITECTURE
	struct filter_code filter = {.len = 0};

	put_load(&filter, offsetof(struct seccomp_data, arch));
	put(&filter, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
	put_return(&filter, REFUSE);
	put_load(&filter, offsetof(struct seccomp_data, nr));
	put(&filter, BPF_JMP | BPF_JGE | BPF_K, X32_CALLS, 0, 1);
	put_return(&filter, REFUSE);
	put_rules(&filter, rules);
	const struct sock_fprog program = {
		.len = (unsigned short)filter.len, .filter = filter.code};

	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
#else
	(void)rules;
	errno = ENOSYS;
	return -1;
#endif
}

/* Newer than the headers of some systems that we are built on. */
#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#define __NR_landlock_add_rule 445
#define __NR_landlock_restrict_self 446
#endif

/* Bits of LANDLOCK_ACCESS_FS_*: all to the version's last, but for reading. */
#define ACCESS_EXECUTE (UINT64_C(1) << 0)
#define ACCESS_READ ((UINT64_C(1) << 2) | (UINT64_C(1) << 3))
/* Making devices, sockets and pipes: in no folder. */
#define ACCESS_SPECIAL \
	((UINT64_C(1) << 6) | (UINT64_C(1) << 9) | (UINT64_C(1) << 10) | (UINT64_C(1) << 11))
#define ACCESS_NET_TCP UINT64_C(3)
#define SCOPE_ALL UINT64_C(3)

/* struct landlock_ruleset_attr, as of version 6. */
struct ruleset {
	uint64_t files;
	uint64_t net;
	uint64_t scope;
};

static uint64_t
known_accesses(int version)
{
	static const unsigned nbits[] = {0, 13, 14, 15, 15, 16};
	const int last = (int)(sizeof(nbits) / sizeof(nbits[0])) - 1;

	return (UINT64_C(1) << nbits[version < last ? version : last]) - 1;
}

static size_t
ruleset_bytes(int version)
{
	if (version < 4)
		return sizeof(uint64_t);
	return version < 6 ? 2 * sizeof(uint64_t) : sizeof(struct ruleset);
}

struct sandbox_support
sandbox_support(void)
{
	uint32_t action = SECCOMP_RET_ERRNO;
	/* LANDLOCK_CREATE_RULESET_VERSION */
	long version = syscall(__NR_landlock_create_ruleset, NULL, 0UL, 1UL);

	return (struct sandbox_support){
		.filter = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0,
		.landlock = version > 0 ? (int)version : 0,
	};
}

static int
allow_folder(int ruleset, const char *path, uint64_t access)
{
	struct landlock_path_beneath_attr rule = {
		.allowed_access = access,
		.parent_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC),
	};

	if (rule.parent_fd < 0)
		return -1;
	long result =
		syscall(__NR_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0UL);

	close(rule.parent_fd);
	return (int)result;
}

static int
confine_files(const struct sandbox_rules *rules, int version, struct err *err)
{
	struct ruleset wanted = {
		.files = known_accesses(version) & ~ACCESS_READ,
		.net = rules->network ? 0 : ACCESS_NET_TCP,
		.scope = SCOPE_ALL,
	};
	int result = -1;

	if (rules->programs)
		wanted.files &= ~ACCESS_EXECUTE;
	int ruleset =
		(int)syscall(__NR_landlock_create_ruleset, &wanted, ruleset_bytes(version), 0UL);

	if (ruleset < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot make rules of Landlock");
	for (size_t i = 0; i < rules->nfolders; i++) {
		if (allow_folder(ruleset, rules->folders[i],
			    wanted.files & ~ACCESS_SPECIAL & ~ACCESS_EXECUTE) < 0) {
			err_set_errno(err, ERR_SYSTEM, errno, "cannot allow writing below '%s'",
				rules->folders[i]);
			goto out;
		}
	}
	result = (int)syscall(__NR_landlock_restrict_self, ruleset, 0UL);
	if (result < 0)
		err_set_errno(err, ERR_SYSTEM, errno, "cannot restrict access to files");
out:
	close(ruleset);
	return result;
}

int
sandbox_enter(const struct sandbox_rules *rules, struct err *err)
{
	const struct sandbox_support support = sandbox_support();
	struct sandbox_filter filter = {
		.files = rules->nfolders > 0,
		.mask = umask(0),
		.programs = rules->programs,
		.network = rules->network,
	};

	umask(filter.mask);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot give up gaining rights");
	if (support.landlock > 0 && confine_files(rules, support.landlock, err) < 0)
		return -1;
	if (sandbox_filter_set(&filter) < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot set a seccomp filter");
	return 0;
}
