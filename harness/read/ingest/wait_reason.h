/*
 * The reason for which a thread waits: found by the kernel's functions on its stack.
 */
#ifndef INGEST_WAIT_REASON_H
#define INGEST_WAIT_REASON_H

#include "profile/profile.h"

#include <stdbool.h>

enum wait_reason {
	WAIT_UNKNOWN,   /* the function tells nothing: its caller may */
	WAIT_SCHEDULER, /* it only gives the CPU away */
	WAIT_LOCK,
	WAIT_IO,
	WAIT_SLEEP,
	WAIT_POLL,
	WAIT_PIPE,
	WAIT_SOCKET,
	WAIT_CHILD,
	WAIT_PAGE_FAULT,
	WAIT_RUN_QUEUE, /* ready to run; no function tells that */
	WAIT_OTHER,     /* its kernel stack is known, and tells none of these */
	WAIT_BLOCKED,   /* not even that */
	/* A lock whose memory is known: */
	WAIT_STACK_LOCK,
	WAIT_HEAP_LOCK,
	WAIT_STATIC_LOCK,
	WAIT_SHARED_LOCK,
	WAIT_REASONS,
};

/* The reason that a function of the kernel tells. */
enum wait_reason wait_reason_of(const char *function);

/* The search through the kernel's functions of a stack, from the leaf on. All zeros: none yet. */
struct wait_search {
	enum wait_reason found;
	bool named; /* one of them has a name */
	bool page_fault;
};

/* The next function's reason, and whether its name is known. */
void wait_search_take(struct wait_search *search, enum wait_reason reason, bool named);
/*
 * The reason of the whole stack: the one nearest to the leaf. What is read in because of a page
 * fault is waited for by that, not by a call.
 */
enum wait_reason wait_search_reason(const struct wait_search *search);

/* Whether the kernel's part of a stack begins with this function. */
bool wait_reason_is_entry(const char *function);

/*
 * Whether the function of the kernel waits at a futex (futex(2)): the first argument of the system
 * call is then the lock.
 */
bool wait_reason_is_futex(const char *function);

/*
 * How a stack ends another thread's wait, as a function of the kernel tells, the one nearest to the
 * leaf that tells anything: it releases a lock, or an interrupt ends the wait, whatever ran.
 */
enum wake_reason {
	WAKE_UNKNOWN,
	WAKE_RELEASES_LOCK,
	WAKE_INTERRUPTS,
};

enum wake_reason wake_reason_of(const char *function);

/*
 * Whether the function, the first one that is no part of the scheduler, was interrupted or yields:
 * its thread could go on.
 */
bool wait_reason_is_preemption(const char *function);

/* "lock", "page fault": the name of the frame at the leaf of such a stack. */
const char *wait_reason_name(enum wait_reason reason);

/*
 * (wait_reason_stacks.c) Adds the stacks of the first column of `from`, as bcc's tools have them,
 * whose weights are microseconds and whose first frame is the name of the thread, as a column of
 * times, each with the reason of its wait at the leaf.
 */
void wait_reason_add_stacks(struct profile *profile, const struct profile *from);

#endif
