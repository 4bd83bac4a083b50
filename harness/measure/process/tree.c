#include "process/tree.h"

#include "process/process_stat.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
