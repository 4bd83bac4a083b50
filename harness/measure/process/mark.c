#include "process/mark.h"

#include "process/process_stat.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

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
