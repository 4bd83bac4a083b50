#include "process/watch.h"

#include "base/clock.h"
#include "base/mem.h"
#include "process/child.h"
#include "process/signals.h"
#include "process/tree.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/*
 * Ahead of all others, or no longer. Whether it is permitted decides the system: without it a busy
 * machine only lets us wait longer.
 */
static bool
run_ahead(bool ahead)
{
	const struct sched_param priority = {.sched_priority = ahead ? 1 : 0};

	return sched_setscheduler(
		       0, ahead ? SCHED_FIFO | SCHED_RESET_ON_FORK : SCHED_OTHER, &priority) == 0;
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

	const bool ahead = watch->ahead && sched_getscheduler(0) == SCHED_OTHER && run_ahead(true);
	int status = watch_loop(watch, polls, end, err);

	if (ahead)
		run_ahead(false);
	if (attached_fd >= 0)
		close(attached_fd);
	free(polls);
	return status;
}
