/*
 * Names of the kernel's functions as of Linux 4.19 to 6.18, on x86-64 and aarch64. To add one: a
 * line of functions[]; a name that ends in * is a prefix. What lies nearest to the leaf decides, so
 * that a system call is consulted last.
 */
#include "ingest/wait_reason.h"

#include "base/mem.h"

#include <stddef.h>
#include <string.h>

static const struct {
	enum wait_reason reason;
	const char *names[40]; /* NULL-ended */
} functions[] = {
	{WAIT_SCHEDULER, {"schedule*", "__schedule", "preempt_schedule*", "finish_task_switch"}},
	{WAIT_LOCK, {"futex_*", "__futex_*", "do_futex", "sys_futex*", "rwsem_*", "down_*",
			    "__down*", "mutex_lock*", "__mutex_lock*", "rt_mutex_*", "__rt_mutex_*",
			    "rtlock_*", "percpu_down_*", "percpu_rwsem_wait", "__percpu_down_*",
			    "locks_lock_inode_wait", "posix_lock_inode*", "fcntl_setlk*",
			    "flock_lock_inode*", "sys_flock", "do_semtimedop", "__do_semtimedop",
			    "sys_semop", "sys_semtimedop", "__lock_sock"}},
	{WAIT_IO, {"io_schedule*", "bit_wait_io*", "folio_wait_*", "__folio_lock*",
			  "wait_on_page_*", "__lock_page*", "wait_on_buffer", "__wait_on_buffer",
			  "__sync_dirty_buffer", "submit_bio_wait", "blk_*", "blkdev_*", "iomap_*",
			  "filemap_*", "__filemap_*", "file_write_and_wait_range", "vfs_fsync*",
			  "balance_dirty_pages*", "jbd2_*", "ext4_*", "xfs_*", "btrfs_*", "f2fs_*",
			  "nfs_*", "nfs4_*", "rpc_*", "fuse_*", "p9_client_*", "v9fs_*",
			  "request_wait_answer", "io_cqring_wait", "read_events", "n_tty_*",
			  "tty_*", "sync_inodes_sb", "inotify_read"}},
	{WAIT_IO, {"sys_fsync", "sys_fdatasync", "sys_msync", "sys_sync*", "sys_io_*"}},
	{WAIT_SLEEP,
		{"do_nanosleep", "hrtimer_nanosleep", "common_nsleep*", "msleep*", "usleep_range*",
			"sigsuspend", "do_sigtimedwait", "timerfd_read*", "signalfd_*", "sys_pause",
			"sys_nanosleep", "sys_clock_nanosleep", "sys_rt_sig*"}},
	{WAIT_POLL, {"do_poll*", "do_sys_poll", "do_select", "core_sys_select",
			    "poll_schedule_timeout*", "ep_poll*", "do_epoll_wait", "sys_poll",
			    "sys_ppoll", "sys_select", "sys_pselect6", "sys_epoll_*"}},
	{WAIT_PIPE, {"pipe_*", "anon_pipe_*", "fifo_pipe_*", "fifo_open", "wait_for_partner",
			    "eventfd_*"}},
	{WAIT_SOCKET, {"unix_*", "sock_*", "sk_wait_*", "sk_stream_*", "__skb_wait_*",
			      "__skb_recv_*", "skb_wait_*", "tcp_*", "udp_*", "udpv6_*", "inet_*",
			      "inet6_*", "netlink_*", "packet_*", "vsock_*", "do_accept",
			      "__sys_accept*", "__sys_connect*", "__sys_recv*", "__sys_send*",
			      "sys_accept*", "sys_connect", "sys_recv*", "sys_send*"}},
	{WAIT_CHILD,
		{"do_wait", "__do_wait", "kernel_wait4", "kernel_waitid*", "wait_for_vfork_done",
			"kernel_clone", "_do_fork", "sys_wait4", "sys_waitid"}},
	{WAIT_PAGE_FAULT, {"exc_page_fault", "asm_exc_page_fault", "do_user_addr_fault",
				  "do_page_fault", "__do_page_fault", "do_mem_abort",
				  "do_translation_fault", "handle_mm_fault", "__handle_mm_fault",
				  "do_swap_page", "handle_userfault"}},
};

static const char *const reason_names[WAIT_REASONS] = {
	[WAIT_LOCK] = "lock",
	[WAIT_IO] = "io",
	[WAIT_SLEEP] = "sleep",
	[WAIT_POLL] = "poll",
	[WAIT_PIPE] = "pipe",
	[WAIT_SOCKET] = "socket",
	[WAIT_CHILD] = "child",
	[WAIT_PAGE_FAULT] = "page fault",
	[WAIT_RUN_QUEUE] = "run queue",
	[WAIT_OTHER] = "other",
	[WAIT_BLOCKED] = "blocked",
	[WAIT_STACK_LOCK] = "stack lock",
	[WAIT_HEAP_LOCK] = "heap lock",
	[WAIT_STATIC_LOCK] = "static lock",
	[WAIT_SHARED_LOCK] = "shared lock",
};

/* "sys_poll" of "__x64_sys_poll", "__arm64_sys_poll", "__se_sys_poll", "__do_sys_poll". */
static const char *
without_entry(const char *function)
{
	static const char *const entries[] = {"__x64_", "__ia32_", "__arm64_", "__se_", "__do_"};

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		size_t len = strlen(entries[i]);

		if (strncmp(function, entries[i], len) == 0 &&
			strncmp(function + len, "sys_", 4) == 0)
			return function + len;
	}
	return function;
}

/* Compilers add suffixes: "do_wait.isra.0". */
static bool
is_called(const char *function, const char *name)
{
	size_t len = strlen(name);

	if (name[len - 1] == '*')
		return strncmp(function, name, len - 1) == 0;
	return strncmp(function, name, len) == 0 && (function[len] == '\0' || function[len] == '.');
}

enum wait_reason
wait_reason_of(const char *function)
{
	function = without_entry(function);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		for (const char *const *name = functions[i].names; *name; name++)
			if (is_called(function, *name))
				return functions[i].reason;
	return WAIT_UNKNOWN;
}

void
wait_search_take(struct wait_search *search, enum wait_reason reason, bool named)
{
	search->named |= named;
	if (reason == WAIT_PAGE_FAULT &&
		(search->found == WAIT_IO || search->found == WAIT_UNKNOWN))
		search->page_fault = true;
	if (search->found == WAIT_UNKNOWN && reason != WAIT_SCHEDULER)
		search->found = reason;
}

enum wait_reason
wait_search_reason(const struct wait_search *search)
{
	if (search->page_fault)
		return WAIT_PAGE_FAULT;
	if (search->found != WAIT_UNKNOWN)
		return search->found;
	return search->named ? WAIT_OTHER : WAIT_BLOCKED;
}

static bool
is_one_of(const char *function, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_called(function, names[i]))
			return true;
	return false;
}

#define IS_ONE_OF(function, names) is_one_of(function, names, sizeof(names) / sizeof((names)[0]))

bool
wait_reason_is_preemption(const char *function)
{
	static const char *const names[] = {"preempt_schedule*", "exit_to_user_mode*",
		"irqentry_exit*", "raw_irqentry_exit*", "__cond_resched*", "_cond_resched",
		"prepare_exit_to_usermode", "exit_to_usermode_loop", "do_notify_resume",
		"asm_sysvec_*", "el0_interrupt", "el1_interrupt"};

	return IS_ONE_OF(function, names);
}

bool
wait_reason_is_entry(const char *function)
{
	static const char *const names[] = {"entry_SYSCALL*", "entry_INT80*", "asm_*",
		"ret_from_fork*", "page_fault", "el0t_64_*", "el0_svc", "el0_sync", "el1h_64_*"};

	return IS_ONE_OF(function, names);
}

bool
wait_reason_is_futex(const char *function)
{
	function = without_entry(function);
	return is_called(function, "sys_futex") || is_called(function, "do_futex");
}

enum wake_reason
wake_reason_of(const char *function)
{
	static const char *const releases[] = {"futex_wake*", "__futex_wake*", "wake_futex*",
		"futex_unlock_pi", "futex_requeue", "rwsem_wake*", "up_read", "up_write", "__up_*",
		"__mutex_unlock*", "rt_mutex_slowunlock", "percpu_up_*", "locks_wake_up_blocks",
		"__locks_wake_up_blocks", "do_semtimedop", "__do_semtimedop"};
	static const char *const interrupts[] = {"asm_sysvec_*", "sysvec_*", "asm_common_interrupt",
		"common_interrupt", "hrtimer_interrupt", "handle_softirqs", "__do_softirq",
		"irq_exit*", "el1_interrupt", "el1h_64_irq*", "el0_interrupt", "gic_handle_irq"};

	if (IS_ONE_OF(function, releases))
		return WAKE_RELEASES_LOCK;
	if (IS_ONE_OF(function, interrupts))
		return WAKE_INTERRUPTS;
	return WAKE_UNKNOWN;
}

const char *
wait_reason_name(enum wait_reason reason)
{
	return reason_names[reason] ? reason_names[reason] : "";
}
